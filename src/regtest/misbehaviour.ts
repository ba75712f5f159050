/** What a daemon can be told to do wrong. */
export const WRONGS = {
  latency: 'every answer comes so many milliseconds late',
  drop: 'every so manyth request is cut off without an answer',
  truncate: 'every so manyth binary answer loses its second half',
  oversize: 'every so manyth binary answer is followed by 200 MiB of zeros',
  'wrong-height': 'the chain is said to be so many blocks longer than it is',
  'wrong-ring-data': 'outputs are given in the place of their neighbours (1)',
  'inflated-fee': 'fees a byte are multiplied by so much',
  reorganise: 'every third page of blocks comes after the latest so many blocks were replaced',
} as const;

export type Wrong = keyof typeof WRONGS;

const OVERSIZE_BYTES = 200 * 1024 * 1024;
const PAGES = 3;
const MAX_VALUE = 1_000_000;

/** Wrongs as text: `latency=200,drop=3`; empty for none. @throws RangeError naming what is wrong with it. */
export function parseWrongs(text: string): ReadonlyMap<Wrong, number> {
  const wrongs = new Map<Wrong, number>();
  for (const item of text.split(',').filter((part) => part.trim() !== '')) {
    const [, name = '', value = ''] = /^\s*([a-z-]+)=(\d{1,7})\s*$/.exec(item) ?? [];
    if (!Object.hasOwn(WRONGS, name) || Number(value) < 1 || Number(value) > MAX_VALUE)
      throw new RangeError(
        `name=number, of ${Object.keys(WRONGS).join(', ')}, is expected, each from 1 to ${MAX_VALUE}`,
      );
    wrongs.set(name as Wrong, Number(value));
  }
  return wrongs;
}

/** Makes a daemon fail its clients, so that these can be tested. Does nothing until it is told to. */
export class Misbehaviour {
  /** Undefined: it behaves, and cannot be told otherwise. */
  #wrongs: ReadonlyMap<Wrong, number> | undefined;
  readonly #counts = new Map<Wrong, number>();

  constructor(wrongs?: ReadonlyMap<Wrong, number>) {
    this.#wrongs = wrongs;
  }

  /** May it be told to misbehave while it runs? */
  get isAllowed(): boolean {
    return this.#wrongs !== undefined;
  }

  /** What it does from now on. */
  set(wrongs: ReadonlyMap<Wrong, number>): void {
    this.#wrongs = wrongs;
    this.#counts.clear();
  }

  #value(wrong: Wrong): number {
    return this.#wrongs?.get(wrong) ?? 0;
  }

  /** Counts one chance, and says whether it is taken. */
  #isDue(wrong: Wrong, every = this.#value(wrong)): boolean {
    if (this.#value(wrong) === 0) return false;
    const count = ((this.#counts.get(wrong) ?? 0) + 1) % every;
    this.#counts.set(wrong, count);
    return count === 0;
  }

  get latencyMs(): number {
    return this.#value('latency');
  }

  /** Is the request under way to be cut off? */
  dropsRequest(): boolean {
    return this.#isDue('drop');
  }

  /** A binary answer as it is sent. */
  binary(body: Uint8Array): Uint8Array {
    const cut = this.#isDue('truncate') ? body.subarray(0, body.length >> 1) : body;
    return this.#isDue('oversize') ? Buffer.concat([cut], cut.length + OVERSIZE_BYTES) : cut;
  }

  /** Number of blocks as it is said to be. */
  height(height: number): number {
    return height + this.#value('wrong-height');
  }

  fees(perByte: readonly bigint[]): readonly bigint[] {
    const factor = BigInt(this.#value('inflated-fee') || 1);
    return perByte.map((fee) => fee * factor);
  }

  /** Of the output that is given where one is asked for. */
  outputIndex(index: bigint): bigint {
    return this.#value('wrong-ring-data') === 0 ? index : index ^ 1n;
  }

  /** Blocks to replace before a page is read; 0 for none. */
  blocksToReplace(): number {
    return this.#isDue('reorganise', PAGES) ? this.#value('reorganise') : 0;
  }
}
