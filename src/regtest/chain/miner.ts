import type { Address } from '../../monero/cryptonote/types.js';
import type { Node } from './node.js';

/** Parameters of the RPC call `start_mining`. */
export interface MiningJob {
  readonly address: Address;
  readonly threads: number;
}

/** Mines a block at a fixed interval, while a job is set. */
export class Miner {
  readonly #node: Node;
  readonly #blockTimeMs: number;
  readonly #onError: (error: unknown) => void;
  #job: MiningJob | undefined;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param blockTimeMs interval between two blocks [ms].
   * @param onError is called when mining a block fails; the miner continues.
   */
  constructor(node: Node, blockTimeMs: number, onError: (error: unknown) => void) {
    this.#node = node;
    this.#blockTimeMs = blockTimeMs;
    this.#onError = onError;
  }

  /** The present job; undefined while the miner is stopped. */
  get job(): MiningJob | undefined {
    return this.#job;
  }

  /** Hash rate that would give the same interval between blocks [hashes per second]. */
  get speed(): number {
    return Math.round((Number(this.#node.chain.difficulty) * 1000) / this.#blockTimeMs);
  }

  /** Starts a job. @returns false if the miner already has a job. */
  start(job: MiningJob): boolean {
    if (this.#job !== undefined) return false;
    this.#job = job;
    this.#schedule(job);
    return true;
  }

  /** Ends the job. @returns false if the miner had no job. */
  stop(): boolean {
    const previous = this.#job;
    this.#job = undefined;
    clearTimeout(this.#timer);
    return previous !== undefined;
  }

  #schedule(job: MiningJob): void {
    this.#timer = setTimeout(() => {
      this.#mine(job)
        .catch(this.#onError)
        .finally(() => {
          if (this.#job === job) this.#schedule(job);
        });
    }, this.#blockTimeMs);
  }

  async #mine(job: MiningJob): Promise<void> {
    const { block } = await this.#node.template({ address: job.address, extraNonce: new Uint8Array() });
    if (this.#job === job) await this.#node.submitBlock(block);
  }
}
