import type { Address } from '../../cryptonote/types.js';
import type { Node } from './node.js';

/** What the miner is at. */
export interface MiningJob {
  readonly address: Address;
  readonly threads: number;
}

/** Mines a block at a set pace, for as long as it has a job. */
export class Miner {
  readonly #node: Node;
  readonly #blockTimeMs: number;
  readonly #onError: (error: unknown) => void;
  #job: MiningJob | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param onError told when a block could not be made; the miner goes on. */
  constructor(node: Node, blockTimeMs: number, onError: (error: unknown) => void) {
    this.#node = node;
    this.#blockTimeMs = blockTimeMs;
    this.#onError = onError;
  }

  /** Absent while idle. */
  get job(): MiningJob | undefined {
    return this.#job;
  }

  /** Hashes a second that its pace amounts to. */
  get speed(): number {
    return Math.round((Number(this.#node.chain.difficulty) * 1000) / this.#blockTimeMs);
  }

  /** @returns false while it has a job already. */
  start(job: MiningJob): boolean {
    if (this.#job !== undefined) return false;
    this.#job = job;
    this.#schedule(job);
    return true;
  }

  /** @returns false when it had none. */
  stop(): boolean {
    const was = this.#job;
    this.#job = undefined;
    clearTimeout(this.#timer);
    return was !== undefined;
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
