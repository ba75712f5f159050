import { amount, ZERO } from '../util/amount.js';
import { toHex } from '../util/bytes.js';
import { didYouMean } from '../util/nearest-name.js';
import { systemRng, type Rng } from '../util/random.js';
import type { SectionReader } from '../monero/epee/portable-storage.js';
import type { TypedSection } from '../monero/epee/storage-writer.js';
import type { Node } from './chain/node.js';
import { BLOCK_LIES } from './lies/block-lies.js';
import { CHAIN_LIES, POOL_LIES } from './lies/chain-lies.js';
import type { Answer, BlockPlace, Fault, Params, Twist } from './lies/fault.js';
import { ForgedChain } from './lies/forged-chain.js';
import type { LieContext, Target } from './lies/lie-context.js';
import { OUTPUT_LIES } from './lies/output-lies.js';
import { PAYMENT_LIES } from './lies/payment-lies.js';
import { STATE_LIES } from './lies/state-lies.js';
import { TRANSACTION_LIES } from './lies/transaction-lies.js';
import type { ServedBlock } from './store/served-blocks.js';

/** Faults of the connection, which {@link FaultInjector} itself injects. */
const CONNECTION_FAULTS = {
  latency: { help: 'every answer is delayed by n milliseconds' },
  drop: { help: 'every n-th request is dropped without an answer' },
  truncate: { help: 'every n-th binary answer loses its second half' },
  oversize: { help: 'every n-th binary answer is followed by 200 MiB of zeros' },
} satisfies Record<string, Fault>;

const TABLE = {
  ...CONNECTION_FAULTS,
  ...STATE_LIES,
  ...CHAIN_LIES,
  ...BLOCK_LIES,
  ...PAYMENT_LIES,
  ...POOL_LIES,
  ...TRANSACTION_LIES,
  ...OUTPUT_LIES,
};

export type InjectedFault = keyof typeof TABLE;

/** Faults that a test can inject into the daemon, by name. */
export const FAULTS: Readonly<Record<InjectedFault, Fault>> = TABLE;

const OVERSIZE_BYTES = 200 * 1024 * 1024;
const MAX_VALUE = 1_000_000;

/**
 * Parses a list of faults and values, such as `latency=200,drop=3`; an empty text is an empty list.
 * @throws RangeError for an unknown fault or an invalid value.
 */
export function parseFaults(text: string): ReadonlyMap<InjectedFault, number> {
  const faults = new Map<InjectedFault, number>();
  for (const item of text.split(',').filter((part) => part.trim() !== '')) {
    const [, name = '', value = ''] = /^\s*([a-z-]+)=(\d{1,10})\s*$/.exec(item) ?? [];
    const most = Object.hasOwn(FAULTS, name) ? (FAULTS[name as InjectedFault].most ?? MAX_VALUE) : 0;
    if (Number(value) < 1 || Number(value) > most)
      throw new RangeError(
        most === 0
          ? `name=number, of ${Object.keys(FAULTS).join(', ')}, is expected${didYouMean(name, Object.keys(FAULTS))}`
          : `${name}: a number from 1 to ${most} is expected`,
      );
    faults.set(name as InjectedFault, Number(value));
  }
  return faults;
}

/** Amount of fabricated payments unless a request names another one [atomic units]. */
export const DEFAULT_AMOUNT = amount(1_000_000_000_000n);

const NO_TARGET: Target = { amount: DEFAULT_AMOUNT, keyImages: [] };

/** Faults that are injected, with their numbers, and what they are about. */
export interface Misbehaviour {
  readonly faults: ReadonlyMap<InjectedFault, number>;
  readonly target?: Target;
}

/** Checks that no fault lacks what it needs. @throws RangeError */
export function assertComplete({ faults, target = NO_TARGET }: Misbehaviour): void {
  for (const name of faults.keys()) {
    const { needs } = FAULTS[name];
    const isMissing =
      (needs === 'address' && target.address === undefined) ||
      (needs === 'key_images' && target.keyImages.length === 0);
    if (isMissing) throw new RangeError(`${name}: ${needs} is expected beside the list`);
  }
  if (target.amount === ZERO) throw new RangeError('amount: a positive number is expected');
}

/** A forged copy of a node, and the state of the node from which it was made. */
interface ForgedCopy {
  readonly of: string;
  readonly node: Node;
}

/**
 * Injects faults into the daemon's answers, to test clients of the daemon. Does nothing while no faults are configured.
 */
export class FaultInjector {
  /** Configured faults; undefined: faults are off and cannot be turned on at run time. */
  #misbehaviour: Misbehaviour | undefined;
  readonly #rng: Rng;
  readonly #counts = new Map<InjectedFault, number>();
  readonly #kept = new Map<string, unknown>();
  /** Forged copies of the node, by the names of the faults that forge them. */
  readonly #forged = new Map<string, ForgedCopy>();

  /** @throws RangeError for a fault without what it needs. */
  constructor(faults?: ReadonlyMap<InjectedFault, number>, rng: Rng = systemRng) {
    this.#rng = rng;
    if (faults !== undefined) this.set({ faults });
  }

  /** True if clients may change the faults at run time. */
  get isAllowed(): boolean {
    return this.#misbehaviour !== undefined;
  }

  /** Replaces the configured faults, and forgets everything about the former ones. @throws RangeError */
  set(misbehaviour: Misbehaviour): void {
    assertComplete(misbehaviour);
    this.close();
    this.#misbehaviour = misbehaviour;
    this.#counts.clear();
    this.#kept.clear();
  }

  /** Closes the forged copies of the node. */
  close(): void {
    for (const { node } of this.#forged.values()) void node.close();
    this.#forged.clear();
  }

  #value(fault: InjectedFault): number {
    return this.#misbehaviour?.faults.get(fault) ?? 0;
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

  /** Answers a request in JSON. @param ask calls the handler. */
  answer(name: string, params: Params, node: Node, ask: Asking<Params, Answer>): Promise<Answer> {
    return this.#twisted(({ answers }) => answers?.[name], params, node, ask);
  }

  /** Answers a request in portable storage. @param ask calls the handler. */
  section(
    path: string,
    request: SectionReader,
    node: Node,
    ask: Asking<SectionReader, TypedSection>,
  ): Promise<TypedSection> {
    return this.#twisted(({ sections }) => sections?.[path], request, node, ask);
  }

  async #twisted<Request, Reply>(
    twistOf: (fault: Fault) => Twist<Request, Reply> | undefined,
    request: Request,
    node: Node,
    ask: Asking<Request, Reply>,
  ): Promise<Reply> {
    let asked: (request: Request) => Promise<Reply> = async (to) => ask(to);
    for (const [name, fault] of this.#active()) {
      const twist = twistOf(fault);
      const inner = asked;
      if (twist !== undefined) asked = async (to) => twist(inner, to, this.#context(name, node));
    }
    return asked(request);
  }

  /** True if a fault changes blocks in pages of blocks. */
  get changesBlocks(): boolean {
    return this.#active().some(([, { block }]) => block !== undefined);
  }

  /** Changes a block in a page of blocks. */
  block(served: ServedBlock, place: BlockPlace, node: Node): ServedBlock {
    return this.#active().reduce(
      (told, [name, { block }]) => block?.(told, place, this.#context(name, node)) ?? told,
      served,
    );
  }

  /** Returns the node from which an answer is given: a forged copy, if a fault forges one for this answer. */
  nodeFor(answer: string, node: Node): Node {
    const forging = this.#active().filter(([, { chain }]) => chain?.answers.includes(answer));
    if (forging.length === 0) return node;
    const key = forging.map(([name]) => name).join();
    const { store, chain } = node;
    const of = [chain.tip.hash, ...store.pool.hashes()].map(toHex).join();
    const known = this.#forged.get(key);
    if (known?.of === of) return known.node;
    void known?.node.close();
    const copy = node.copy();
    this.#forged.set(key, { of, node: copy });
    for (const [name, { chain: forgery }] of forging) {
      const lie = this.#context(name, node);
      copy.store.atomically(() => forgery?.forge(new ForgedChain(copy, lie), lie));
    }
    return copy;
  }

  #active(): (readonly [InjectedFault, Fault])[] {
    return [...(this.#misbehaviour?.faults.keys() ?? [])].map((name) => [name, FAULTS[name]]);
  }

  #context(name: InjectedFault, node: Node): LieContext {
    return {
      value: this.#value(name),
      target: this.#misbehaviour?.target ?? NO_TARGET,
      node,
      rng: this.#rng,
      once: <T>(of: string, make: () => T): T => {
        if (!this.#kept.has(of)) this.#kept.set(of, make());
        return this.#kept.get(of) as T;
      },
      isDue: (every) => this.#isDue(name, every),
    };
  }
}

/** Calls the handler of a request. */
type Asking<Request, Reply> = (request: Request) => Reply | Promise<Reply>;
