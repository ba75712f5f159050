import { closeSync, fchmodSync, openSync, writeSync } from 'node:fs';
import { RefusalCounts, type PeriodClock, type RefusalCount } from './refusal-counts.js';

/** One call, as it is recorded. Never holds parameters. */
export interface AuditRecord {
  /** Name of the credential; `login` for --rpc-login, `none` where no login is required. */
  readonly credential: string;
  /** IP address. */
  readonly client: string;
  readonly method: string;
  /** Absent: the call concerned none. */
  readonly wallet?: string;
  /** `ok`, or the error code. */
  readonly outcome: 'ok' | number;
  /** Hashes of the transactions that the call made, signed or relayed. */
  readonly transactions?: readonly string[];
}

/** Longest name in a line [characters]: clients choose them. */
const MAX_NAME = 200;

/** Most transactions in a line; a call with more has several lines. */
const MAX_TRANSACTIONS = 50;

/** Most lines that wait until the file can be written again; later ones are lost. */
const MAX_WAITING = 10_000;

/**
 * Appends a JSON line for each call, failed ones in floods aside, to a file that its owner alone may read. Lines that
 * cannot be written wait, and are written before later ones.
 */
export class AuditLog {
  readonly #path: string;
  readonly #onProblem: (error: unknown) => void;
  readonly #clock: PeriodClock;
  readonly #refusals: RefusalCounts;
  #file: number | undefined;
  /** Lines not written yet; the first one may be the rest of a line. */
  readonly #waiting: Buffer[] = [];
  /** The last attempt to write failed, which was reported. */
  #isBroken = false;

  /**
   * @param onProblem reports that lines cannot be written, at the first attempt that fails.
   * @throws an error of the operating system if the file cannot be opened.
   */
  constructor(path: string, onProblem: (error: unknown) => void, clock: PeriodClock) {
    this.#path = path;
    this.#onProblem = onProblem;
    this.#clock = clock;
    this.#refusals = new RefusalCounts(clock, (count) => this.#append(count));
    this.#open();
  }

  /** Whether all lines are written, after a further attempt. */
  isWritable(): boolean {
    this.#flush();
    return this.#waiting.length === 0 && this.#file !== undefined;
  }

  /**
   * Appends the line of a call. Of failed calls of one login with one outcome, without a transaction, the first ones of a
   * minute have a line; further ones are counted in a line at its end.
   */
  record({ credential, client, method, wallet, outcome, transactions = [] }: AuditRecord): void {
    if (outcome !== 'ok' && transactions.length === 0 && !this.#refusals.add({ credential, outcome })) return;
    for (let at = 0; at === 0 || at < transactions.length; at += MAX_TRANSACTIONS) {
      const part = transactions.slice(at, at + MAX_TRANSACTIONS);
      this.#append({
        ...{ credential, client, method: method.slice(0, MAX_NAME) },
        ...(wallet === undefined ? {} : { wallet: wallet.slice(0, MAX_NAME) }),
        outcome,
        ...(part.length === 0 ? {} : { transactions: part }),
      });
    }
  }

  #append(facts: AuditRecord | RefusalCount): void {
    const time = new Date(this.#clock.now()).toISOString();
    if (this.#waiting.length < MAX_WAITING)
      this.#waiting.push(Buffer.from(`${JSON.stringify({ time, ...facts })}\n`));
    this.#flush();
  }

  /** Opens the file anew by its path, after it was renamed. While that fails, lines wait: the log cannot be written. */
  reopen(): void {
    this.#closeFile();
    this.#flush();
  }

  /** Writes the counts of failed calls, and closes the file. */
  close(): void {
    this.#refusals.end();
    this.#closeFile();
  }

  #closeFile(): void {
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined) closeSync(file);
  }

  #open(): number {
    const file = openSync(this.#path, 'a', 0o600);
    try {
      fchmodSync(file, 0o600);
    } catch (error) {
      closeSync(file);
      throw error;
    }
    this.#file = file;
    return file;
  }

  #flush(): void {
    try {
      const file = this.#file ?? this.#open();
      for (;;) {
        const [line] = this.#waiting;
        if (line === undefined) {
          this.#isBroken = false;
          return;
        }
        const written = writeSync(file, line);
        if (written === line.length) this.#waiting.shift();
        else this.#waiting[0] = line.subarray(written);
      }
    } catch (error) {
      if (!this.#isBroken) this.#onProblem(error);
      this.#isBroken = true;
    }
  }
}
