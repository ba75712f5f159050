import type { Address } from '../../monero/cryptonote/types.js';
import type { Node } from './node.js';

/** Parameters of `start_mining`. */
export interface MiningJob {
  readonly address: Address;
  readonly threads: number;
}

/** Mines blocks at a fixed interval while it has a job. */
export class Miner {
  readonly #node: Node;
  readonly #blockTimeMs: number;
  readonly #onError: (error: unknown) => void;
  #job: MiningJob | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param onError called when mining a block fails; the miner goes on. */
  constructor(node: Node, blockTimeMs: number, onError: (error: unknown) => void) {
    this.#node = node;
    this.#blockTimeMs = blockTimeMs;
    this.#onError = onError;
  }

  /** Current job; undefined while idle. */
  get job(): MiningJob | undefined {
    return this.#job;
  }

  /** Hash rate equivalent to the block interval [1/s]. */
  get speed(): number {
    return Math.round((Number(this.#node.chain.difficulty) * 1000) / this.#blockTimeMs);
  }

  /** @returns false when the miner already has a job. */
  start(job: MiningJob): boolean {
    if (this.#job !== undefined) return false;
    this.#job = job;
    this.#schedule(job);
    return true;
  }

  /** @returns false when the miner had no job. */
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
