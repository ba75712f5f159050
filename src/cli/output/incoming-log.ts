import type { Logger } from 'pino';
import type { Hash } from '../../monero/crypto/types.js';
import { toHex } from '../../util/bytes.js';

/** Transactions of a wallet whose hashes are logged at level info in a second; one that is restored finds more. */
const FEW = 10;

/** Transaction hashes in a line of level debug at most: journals cut long lines. */
const HASHES_A_LINE = 100;

/** Time in which further transactions are counted [ms]: a line takes as long as the commit of a block. */
const WINDOW_MS = 1000;

/** Number of transactions of a wallet in the present second. */
interface Window {
  /** Logged with their hashes. */
  logged: number;
  /** To log as a number. */
  counted: number;
}

/** Logs incoming transactions: a few of a second with their hashes, others as a number, with hashes at level debug. */
export class IncomingLog {
  readonly #log: Logger;
  /** Windows by wallet. */
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

  /** Logs the numbers of transactions that were only counted so far. */
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
