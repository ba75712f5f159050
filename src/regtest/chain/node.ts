import { availableParallelism } from 'node:os';
import type { Hash } from '../../monero/crypto/types.js';
import { SPENDABLE_AGE_BLOCKS } from '../../monero/cryptonote/constants.js';
import type { Block } from '../../monero/cryptonote/types.js';
import type { MinerShare } from '../rules/miner-tx.js';
import { Violation } from '../rules/tx-rules.js';
import type { StoredBlock } from '../store/blocks.js';
import { ChainStore } from '../store/chain-store.js';
import type { PoolTx } from '../store/pool.js';
import { toHex } from '../../util/bytes.js';
import { unixSeconds, type TimeOfDay } from '../../util/clock.js';
import { Mutex } from '../../util/concurrency.js';
import type { Rng } from '../../util/random.js';
import { Listeners } from '../../util/listeners.js';
import { ThreadClient } from '../../util/thread-client.js';
import { BlockTree, type Placement } from './block-tree.js';
import { Chain, type ChainOptions, type Measures, VerificationCache, type ProofClaim } from './chain.js';
import { Pool, type Origin, type PoolOptions } from './pool.js';
import { TemplateMaker, type Template } from './template.js';
import type { VerifyJobs } from './verify-thread.js';

/** Largest number of removals that are kept. */
const MAX_REMOVED = 10_000;

/** Log of the transactions that were removed from the pool, from which wallets get incremental answers. */
class PoolLog {
  readonly #clock: TimeOfDay;
  #since: number;
  #present = new Map<string, Hash>();
  #removed: { readonly time: number; readonly hash: Hash }[] = [];

  constructor(clock: TimeOfDay, present: readonly Hash[]) {
    this.#clock = clock;
    this.#since = unixSeconds(clock);
    this.#present = byName(present);
  }

  /**
   * Records which transactions were removed since the last call.
   * @param present hashes of all transactions in the pool.
   */
  update(present: readonly Hash[]): void {
    const now = byName(present);
    const time = unixSeconds(this.#clock);
    for (const [name, hash] of this.#present) if (!now.has(name)) this.#removed.push({ time, hash });
    this.#present = now;
    const dropped = this.#removed.splice(0, Math.max(0, this.#removed.length - MAX_REMOVED));
    this.#since = dropped.at(-1)?.time ?? this.#since;
  }

  /**
   * Returns the transactions that were removed since a time [Unix s]; undefined if the log does not reach back that
   * far.
   */
  removedSince(time: number): Hash[] | undefined {
    if (time <= this.#since) return undefined;
    return this.#removed.filter((entry) => entry.time >= time).map(({ hash }) => hash);
  }
}

const byName = (hashes: readonly Hash[]): Map<string, Hash> =>
  new Map(hashes.map((hash) => [toHex(hash), hash]));

export interface NodeOptions extends ChainOptions, PoolOptions {
  /** Directory of the chain's database; absent: the chain is kept in memory. */
  readonly dataDir?: string;
  readonly rng: Rng;
  /** Number of verification threads; absent: one per processor core. */
  readonly threads?: number;
}

/** Values that determine the next block, which are all read at the same time. */
export interface NextBlockContext {
  readonly tip: StoredBlock;
  readonly measures: Measures;
  /** Pool payments from which the block may be filled. */
  readonly backlog: readonly PoolTx[];
}

/**
 * A node without network peers. Reads are synchronous. Changes of the chain and of the pool run one after the other,
 * each in one transaction; proofs and signatures are verified on other threads.
 */
export class Node {
  readonly chain: Chain;
  readonly tree: BlockTree;
  readonly pool: Pool;
  readonly poolLog: PoolLog;
  readonly #options: NodeOptions;
  readonly #store: ChainStore;
  readonly #templates: TemplateMaker;
  readonly #verification = new VerificationCache();
  readonly #mutex = new Mutex();
  readonly #listeners = new Listeners<[]>();
  readonly #threads: ThreadClient<VerifyJobs>;

  /**
   * @param store chain and pool of the node; absent: those in {@link NodeOptions.dataDir}.
   * @throws NewerSchemaError if a newer version of this program wrote the database.
   */
  constructor(options: NodeOptions, store: ChainStore = new ChainStore(options.dataDir)) {
    this.#options = options;
    this.#store = store;
    this.chain = new Chain(this.#store, options);
    this.pool = new Pool(this.chain, this.#verification, options);
    this.poolLog = new PoolLog(options.clock, this.#store.pool.hashes());
    this.tree = new BlockTree(this.chain, this.pool, this.#verification);
    this.#templates = new TemplateMaker(this.chain, this.tree, this.pool, options.rng);
    this.#threads = new ThreadClient(new URL('./verify-thread.js', import.meta.url), {
      threads: options.threads ?? availableParallelism(),
    });
  }

  get store(): ChainStore {
    return this.#store;
  }

  /** Returns a node with a copy of the chain and of the pool in memory, which knows no later change of this node. */
  copy(): Node {
    return new Node(this.#options, this.#store.copy());
  }

  /** Adds a listener. @param listener is called synchronously after every change of the chain or the pool. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Adds a transaction to the pool. @returns false if it is already known. @throws Violation */
  async submitTransaction(blob: Uint8Array, origin: Origin): Promise<boolean> {
    try {
      return await this.#change(() => this.pool.add(blob, origin));
    } catch (error) {
      if (error instanceof Violation && error.flags.includes('doubleSpend'))
        await this.#change(() => this.pool.markDoubleSpends(blob));
      throw error;
    }
  }

  /** Adds a block to the chain. @throws Violation */
  submitBlock(block: Block): Promise<Placement> {
    return this.#change(() => this.tree.submit(block));
  }

  /** Makes a block template. @param prevHash hash of the preceding block; absent: the tip. @throws Violation */
  template(share: MinerShare, prevHash?: Hash): Promise<Template> {
    return this.#change(() => this.#templates.make(share, prevHash));
  }

  /** Returns the number of RingCT outputs that are old enough to be spent. */
  matureOutputs(): number {
    const height = this.chain.height - SPENDABLE_AGE_BLOCKS;
    return height < 0 ? 0 : (this.#store.blocks.rctOutputs(height, 1)[0] ?? 0);
  }

  /** Reads the values that determine the next block, in one transaction. */
  nextBlockContext(): Promise<NextBlockContext> {
    return this.#change(() => {
      const { tip, measures } = this.chain;
      return { tip, measures, backlog: this.pool.backlog(measures.penaltyMedian) };
    });
  }

  /** Removes the latest blocks, but never the genesis block. @param keep true: their payments return to the pool. */
  async popBlocks(count: number, keep = true): Promise<void> {
    await this.#change(() => this.tree.pop(count, keep));
  }

  /** Removes transactions from the pool. @param hashes hashes of the transactions; empty: all transactions. */
  async flushPool(hashes: readonly Hash[]): Promise<void> {
    await this.#change(() => {
      for (const hash of hashes.length === 0 ? this.#store.pool.hashes() : hashes)
        this.#store.pool.remove(hash);
    });
  }

  /** Marks pool transactions as relayed. @returns the hashes that are not in the pool. */
  relay(hashes: readonly Hash[]): Promise<Hash[]> {
    return this.#change(() => hashes.filter((hash) => !this.pool.relay(hash)));
  }

  async close(): Promise<void> {
    await this.#threads.close();
    await this.#mutex.run(() => Promise.resolve(this.#store.close()));
  }

  /**
   * Runs a change. If the change depends on proofs or signatures that are not verified yet, it is rolled back, the
   * proofs and signatures are verified, and the change runs again. Other changes may run during the verification.
   */
  async #change<T>(work: () => T): Promise<T> {
    for (;;) {
      const outcome = await this.#mutex.run(() => Promise.resolve(this.#attempt(work)));
      if ('claims' in outcome) await this.#verify(outcome.claims);
      else if ('error' in outcome) throw outcome.error;
      else return outcome.result;
    }
  }

  #attempt<T>(work: () => T): { result: T } | { error: unknown } | { claims: ProofClaim[] } {
    let claims: ProofClaim[] = [];
    try {
      const result = this.#store.atomically(() => {
        const found = work();
        claims = this.#verification.takeUnverified();
        if (claims.length > 0) throw new Unverified();
        return found;
      });
      this.poolLog.update(this.#store.pool.hashes());
      this.#listeners.notify();
      return { result };
    } catch (error) {
      const open = error instanceof Unverified ? claims : this.#verification.takeUnverified();
      return open.length > 0 ? { claims: open } : { error };
    }
  }

  async #verify(claims: readonly ProofClaim[]): Promise<void> {
    await Promise.all(
      claims.map(async ({ key, payment, rings }) => {
        const task = rings === undefined ? { blob: payment.blob } : { blob: payment.blob, rings };
        this.#verification.record({ key }, await this.#threads.run('verify', task));
      }),
    );
  }
}

/** Thrown to roll back a change that depends on unverified proofs or signatures. */
class Unverified extends Error {}
