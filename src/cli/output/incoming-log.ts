import type { Logger } from 'pino';
import type { Hash } from '../../monero/crypto/types.js';
import { toHex } from '../../util/bytes.js';

/**
 * Largest number of transactions of a wallet per second that are logged with their hashes at level info; a wallet that
 * is being restored finds more.
 */
const FEW = 10;

/** Largest number of transaction hashes in a line of level debug, since journals cut long lines. */
const HASHES_A_LINE = 100;

/** Period in which further transactions are only counted [ms]: writing a line takes as long as committing a block. */
const WINDOW_MS = 1000;

/** Numbers of transactions of a wallet in the current period. */
interface Window {
  /** Number of transactions that were logged with their hashes. */
  logged: number;
  /** Number of transactions that are to be logged as a number. */
  counted: number;
}

/**
 * Logs incoming transactions: a few per second with their hashes, further transactions as a number (at level debug with
 * their hashes).
 */
export class IncomingLog {
  readonly #log: Logger;
  /** Current period of each wallet. */
  readonly #windows = new Map<string, Window>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Logs transactions that pay a wallet. */
  note(name: string, txHashes: readonly Hash[]): void {
    const [first] = txHashes;
    if (first === undefined) return;
    const window = this.#windowOf(name);
    if (window.logged + txHashes.length > FEW) {
      window.counted += txHashes.length;
      this.#debug(name, txHashes);
      return;
    }
    window.logged += txHashes.length;
    if (txHashes.length === 1) this.#log.info({ name, txid: toHex(first) }, 'incoming transaction');
    else this.#log.info({ name, txids: txHashes.map(toHex) }, 'incoming transactions');
  }

  /** Logs the numbers of the transactions that were only counted so far. */
  flush(): void {
    for (const [name, { counted: count }] of this.#windows)
      if (count > 0) this.#log.info({ name, count }, 'incoming transactions');
    this.#windows.clear();
  }

  #windowOf(name: string): Window {
    const known = this.#windows.get(name);
    if (known !== undefined) return known;
    if (this.#windows.size === 0) setTimeout(() => this.flush(), WINDOW_MS).unref();
    const window = { logged: 0, counted: 0 };
    this.#windows.set(name, window);
    return window;
  }

  #debug(name: string, txHashes: readonly Hash[]): void {
    if (!this.#log.isLevelEnabled('debug')) return;
    for (let at = 0; at < txHashes.length; at += HASHES_A_LINE) {
      const txids = txHashes.slice(at, at + HASHES_A_LINE).map(toHex);
      this.#log.debug({ name, txids }, 'incoming transactions');
    }
  }
}
