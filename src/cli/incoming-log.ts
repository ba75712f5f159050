import type { Logger } from 'pino';
import type { Hash } from '../crypto/types.js';
import { toHex } from '../util/bytes.js';

/** Transactions of one notice whose hashes are logged at level info; a wallet that is restored finds more at once. */
const FEW = 10;

/** Transaction hashes in a line of level debug at most: journals cut long lines. */
const HASHES_A_LINE = 100;

/** Time in which the transactions of larger notices are counted [ms]: a line takes as long as the commit of a block. */
const WINDOW_MS = 1000;

/** Logs incoming transactions: few at once with their hashes, many as a number once a second, with hashes at level debug. */
export class IncomingLog {
  readonly #log: Logger;
  /** Number of transactions to log, by wallet. */
  readonly #counted = new Map<string, number>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Logs transactions that pay a wallet. */
  note(name: string, txHashes: readonly Hash[]): void {
    const [first] = txHashes;
    if (first !== undefined && txHashes.length === 1)
      this.#log.info({ name, txid: toHex(first) }, 'incoming transaction');
    else if (txHashes.length <= FEW)
      this.#log.info({ name, txids: txHashes.map(toHex) }, 'incoming transactions');
    else this.#count(name, txHashes);
  }

  /** Logs the numbers of transactions that were only counted so far. */
  flush(): void {
    for (const [name, count] of this.#counted) this.#log.info({ name, count }, 'incoming transactions');
    this.#counted.clear();
  }

  #count(name: string, txHashes: readonly Hash[]): void {
    if (this.#counted.size === 0) setTimeout(() => this.flush(), WINDOW_MS).unref();
    this.#counted.set(name, (this.#counted.get(name) ?? 0) + txHashes.length);
    if (!this.#log.isLevelEnabled('debug')) return;
    for (let at = 0; at < txHashes.length; at += HASHES_A_LINE) {
      const txids = txHashes.slice(at, at + HASHES_A_LINE).map(toHex);
      this.#log.debug({ name, txids }, 'incoming transactions');
    }
  }
}
