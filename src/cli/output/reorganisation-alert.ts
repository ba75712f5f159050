import type { Logger } from 'pino';
import type { ReplacedBlocks } from '../../monero/wallet/scan/findings.js';

export interface ReorganisationAlertOptions {
  /** Number of replaced blocks above which a reorganisation is deep. */
  readonly limit: number;
  /**
   * Called with each deep reorganisation, and again with `isNew` false when another wallet shows that it was deeper.
   */
  readonly onDeep: (depth: number, isNew: boolean) => void;
}

/**
 * Logs deep reorganisations as errors. Every wallet sees the same reorganisation of the chain, those that were behind as
 * a less deep one: only the first wallet, and each that saw it deeper, is logged.
 */
export class ReorganisationAlert {
  readonly #log: Logger;
  readonly #options: ReorganisationAlertOptions;
  /** The latest deep reorganisation, and the wallets that have seen it. */
  #latest: ReplacedBlocks | undefined;
  readonly #seenBy = new Set<string>();

  constructor(log: Logger, options: ReorganisationAlertOptions) {
    this.#log = log;
    this.#options = options;
  }

  /** Notes a reorganisation of a wallet. @param name of the wallet; empty in memory. */
  note(name: string, blocks: ReplacedBlocks): void {
    const { fromHeight, depth } = blocks;
    if (depth <= this.#options.limit) return;
    // A wallet that reports the same height twice has seen another reorganisation.
    const isSame = this.#latest?.fromHeight === fromHeight && !this.#seenBy.has(name);
    if (!isSame) this.#seenBy.clear();
    this.#seenBy.add(name);
    if (isSame && depth <= (this.#latest?.depth ?? 0)) return;
    this.#latest = blocks;
    this.#log.error(
      { name, from_height: fromHeight, depth },
      'a deep reorganisation replaced blocks of the chain; payments in them may be missing or spent otherwise: compare the events payment.reversed with what was delivered',
    );
    this.#options.onDeep(depth, !isSame);
  }
}
