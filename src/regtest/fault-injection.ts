/** Names and descriptions of the faults that a test can inject into the daemon. */
export const FAULTS = {
  latency: 'delay of every answer [ms]',
  drop: 'every n-th request is dropped without an answer',
  truncate: 'every n-th binary answer loses its second half',
  oversize: 'every n-th binary answer is followed by 200 MiB of zeros',
  'wrong-height': 'the reported chain is n blocks longer than the real one',
  'wrong-ring-data': 'each output is replaced by its neighbour (1)',
  'inflated-fee': 'fees per byte are multiplied by n',
  'newer-fork': 'blocks from height n on have a later version and format, whose fork is active from there on',
  'unknown-pool': 'transactions of the pool are sent with a later version (1)',
  reorganise: 'the latest n blocks are replaced before every third page of blocks',
} as const;

export type InjectedFault = keyof typeof FAULTS;

const OVERSIZE_BYTES = 200 * 1024 * 1024;
const PAGES = 3;
const MAX_VALUE = 1_000_000;

/** Versions of blocks and of transactions that no present program knows. */
const LATER_VERSION = { block: 17, transaction: 3 } as const;

/**
 * Parses a list of faults and values, such as `latency=200,drop=3`; an empty text is an empty list.
 * @throws RangeError for an unknown fault or an invalid value.
 */
export function parseFaults(text: string): ReadonlyMap<InjectedFault, number> {
  const faults = new Map<InjectedFault, number>();
  for (const item of text.split(',').filter((part) => part.trim() !== '')) {
    const [, name = '', value = ''] = /^\s*([a-z-]+)=(\d{1,7})\s*$/.exec(item) ?? [];
    if (!Object.hasOwn(FAULTS, name) || Number(value) < 1 || Number(value) > MAX_VALUE)
      throw new RangeError(
        `name=number, of ${Object.keys(FAULTS).join(', ')}, is expected, each from 1 to ${MAX_VALUE}`,
      );
    faults.set(name as InjectedFault, Number(value));
  }
  return faults;
}

/**
 * Injects faults into the daemon's answers, to test clients of the daemon. Does nothing while no faults are configured.
 */
export class FaultInjector {
  /** Configured faults with their values; undefined: faults are off and cannot be turned on at run time. */
  #faults: ReadonlyMap<InjectedFault, number> | undefined;
  readonly #counts = new Map<InjectedFault, number>();

  constructor(faults?: ReadonlyMap<InjectedFault, number>) {
    this.#faults = faults;
  }

  /** True if clients may change the faults at run time. */
  get isAllowed(): boolean {
    return this.#faults !== undefined;
  }

  /** Replaces the configured faults and restarts their counters. */
  set(faults: ReadonlyMap<InjectedFault, number>): void {
    this.#faults = faults;
    this.#counts.clear();
  }

  #value(fault: InjectedFault): number {
    return this.#faults?.get(fault) ?? 0;
  }

  /** Counts an occasion for a fault. @returns true on every `every`-th occasion. */
  #isDue(fault: InjectedFault, every = this.#value(fault)): boolean {
    if (this.#value(fault) === 0) return false;
    const count = ((this.#counts.get(fault) ?? 0) + 1) % every;
    this.#counts.set(fault, count);
    return count === 0;
  }

  get latencyMs(): number {
    return this.#value('latency');
  }

  /** Counts a request. @returns true if the request must be dropped. */
  dropsRequest(): boolean {
    return this.#isDue('drop');
  }

  /** Applies the faults `truncate` and `oversize` to a binary answer. */
  binary(body: Uint8Array): Uint8Array {
    const cut = this.#isDue('truncate') ? body.subarray(0, body.length >> 1) : body;
    return this.#isDue('oversize') ? Buffer.concat([cut], cut.length + OVERSIZE_BYTES) : cut;
  }

  /** Applies the fault `wrong-height` to the reported number of blocks. */
  height(height: number): number {
    return height + this.#value('wrong-height');
  }

  fees(perByte: readonly bigint[]): readonly bigint[] {
    const factor = BigInt(this.#value('inflated-fee') || 1);
    return perByte.map((fee) => fee * factor);
  }

  /** Applies the fault `wrong-ring-data` to the index of a requested output. */
  outputIndex(index: bigint): bigint {
    return this.#value('wrong-ring-data') === 0 ? index : index ^ 1n;
  }

  /** Version of the fault `newer-fork`, and height of its first block; undefined without this fault. */
  get newerFork(): { readonly version: number; readonly height: number } | undefined {
    const height = this.#value('newer-fork');
    return height === 0 ? undefined : { version: LATER_VERSION.block, height };
  }

  /** Applies the fault `newer-fork` to an encoded block. */
  block(blob: Uint8Array, height: number): Uint8Array {
    const fork = this.newerFork;
    if (fork === undefined || height < fork.height) return blob;
    return Uint8Array.of(fork.version, fork.version, ...blob.subarray(2), 0);
  }

  /** Applies the fault `unknown-pool` to an encoded transaction of the pool. */
  poolTx(blob: Uint8Array): Uint8Array {
    return this.#value('unknown-pool') === 0
      ? blob
      : Uint8Array.of(LATER_VERSION.transaction, ...blob.subarray(1));
  }

  /**
   * Returns the number of blocks that the fault `reorganise` replaces before a page of blocks is read; 0 for no block.
   */
  blocksToReplace(): number {
    return this.#isDue('reorganise', PAGES) ? this.#value('reorganise') : 0;
  }
}
