import { availableParallelism } from 'node:os';
import type { Hash } from '../../crypto/types.js';
import { SPENDABLE_AGE_BLOCKS } from '../../cryptonote/constants.js';
import type { Block } from '../../cryptonote/types.js';
import { Mutex } from '../../util/mutex.js';
import type { Rng } from '../../util/random.js';
import { WorkerPool } from '../../util/worker-pool.js';
import type { MinerShare } from '../rules/miner-tx.js';
import { Violation } from '../rules/violation.js';
import type { StoredBlock } from '../store/blocks.js';
import { ChainStore } from '../store/chain-store.js';
import type { PoolTx } from '../store/pool.js';
import { BlockTree, type Placement } from './block-tree.js';
import { Chain, type ChainOptions, type Measures } from './chain.js';
import { PoolLog } from './pool-log.js';
import { Pool, type Origin, type PoolOptions } from './pool.js';
import { TemplateMaker, type Template } from './template.js';
import { Verdicts, type Claim } from './verdicts.js';
import type { VerifyTask } from './verify-thread.js';

export interface NodeOptions extends ChainOptions, PoolOptions {
  /** Absent: everything is kept in memory. */
  readonly dataDir?: string;
  readonly rng: Rng;
  /** Verifying threads; absent: one a core. */
  readonly threads?: number;
}

/** What the next block follows from. */
export interface Outlook {
  readonly tip: StoredBlock;
  readonly measures: Measures;
  /** Payments that it may hold. */
  readonly backlog: readonly PoolTx[];
}

/**
 * A node without a network. Reading is immediate; whatever changes the chain runs alone, all of it or nothing,
 * and leaves proofs and signatures to other threads.
 */
export class Node {
  readonly chain: Chain;
  readonly tree: BlockTree;
  readonly pool: Pool;
  readonly poolLog: PoolLog;
  readonly #store: ChainStore;
  readonly #templates: TemplateMaker;
  readonly #verdicts = new Verdicts();
  readonly #mutex = new Mutex();
  readonly #listeners: (() => void)[] = [];
  readonly #threads: WorkerPool<VerifyTask, boolean>;

  /** @throws NewerSchemaError */
  constructor(options: NodeOptions) {
    this.#store = new ChainStore(options.dataDir);
    this.chain = new Chain(this.#store, options);
    this.pool = new Pool(this.chain, this.#verdicts, options);
    this.poolLog = new PoolLog(options.clock, this.#store.pool.hashes());
    this.tree = new BlockTree(this.chain, this.pool, this.#verdicts);
    this.#templates = new TemplateMaker(this.chain, this.tree, this.pool, options.rng);
    this.#threads = new WorkerPool(
      new URL('./verify-thread.js', import.meta.url),
      options.threads ?? availableParallelism(),
    );
  }

  get store(): ChainStore {
    return this.#store;
  }

  /** @param listener told after every change of the chain or the pool, before others may make one. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** @returns false for a transaction that is known already. @throws Violation */
  async submitTransaction(blob: Uint8Array, origin: Origin): Promise<boolean> {
    try {
      return await this.#change(() => this.pool.add(blob, origin));
    } catch (error) {
      if (error instanceof Violation && error.flags.includes('doubleSpend'))
        await this.#change(() => this.pool.markRivals(blob));
      throw error;
    }
  }

  /** @throws Violation */
  submitBlock(block: Block): Promise<Placement> {
    return this.#change(() => this.tree.submit(block));
  }

  /** @param prevHash absent: the tip. @throws Violation */
  template(share: MinerShare, prevHash?: Hash): Promise<Template> {
    return this.#change(() => this.#templates.make(share, prevHash));
  }

  /** RingCT outputs that are old enough to be spent. */
  matureOutputs(): number {
    const height = this.chain.height - SPENDABLE_AGE_BLOCKS;
    return height < 0 ? 0 : (this.#store.blocks.rctOutputs(height, 1)[0] ?? 0);
  }

  /** What the next block follows from, all of one moment. */
  outlook(): Promise<Outlook> {
    return this.#change(() => {
      const { tip, measures } = this.chain;
      return { tip, measures, backlog: this.pool.backlog(measures.penaltyMedian) };
    });
  }

  /** Takes blocks off the tip, all but the first at most. @param keep gives their payments back to the pool. */
  async popBlocks(count: number, keep = true): Promise<void> {
    await this.#change(() => this.tree.pop(count, keep));
  }

  /** Drops transactions of the pool. @param hashes none: all of them. */
  async flushPool(hashes: readonly Hash[]): Promise<void> {
    await this.#change(() => {
      for (const hash of hashes.length === 0 ? this.#store.pool.hashes() : hashes)
        this.#store.pool.remove(hash);
    });
  }

  /** @returns the ones that are not in the pool. */
  relay(hashes: readonly Hash[]): Promise<Hash[]> {
    return this.#change(() => hashes.filter((hash) => !this.pool.relay(hash)));
  }

  async close(): Promise<void> {
    await this.#threads.close();
    await this.#mutex.run(() => Promise.resolve(this.#store.close()));
  }

  /** Runs rules until they rest on nothing but verdicts. Others may change the chain while claims are verified. */
  async #change<T>(work: () => T): Promise<T> {
    for (;;) {
      const outcome = await this.#mutex.run(() => Promise.resolve(this.#attempt(work)));
      if ('claims' in outcome) await this.#verify(outcome.claims);
      else if ('error' in outcome) throw outcome.error;
      else return outcome.result;
    }
  }

  #attempt<T>(work: () => T): { result: T } | { error: unknown } | { claims: Claim[] } {
    let claims: Claim[] = [];
    try {
      const result = this.#store.atomically(() => {
        const found = work();
        claims = this.#verdicts.takeOpen();
        if (claims.length > 0) throw new Unverified();
        return found;
      });
      this.poolLog.note(this.#store.pool.hashes());
      for (const tell of this.#listeners) tell();
      return { result };
    } catch (error) {
      const open = error instanceof Unverified ? claims : this.#verdicts.takeOpen();
      return open.length > 0 ? { claims: open } : { error };
    }
  }

  async #verify(claims: readonly Claim[]): Promise<void> {
    await Promise.all(
      claims.map(async ({ key, payment, rings }) => {
        const task = rings === undefined ? { blob: payment.blob } : { blob: payment.blob, rings };
        this.#verdicts.record({ key }, await this.#threads.run(task));
      }),
    );
  }
}

/** Undoes work that rests on claims. */
class Unverified extends Error {}
