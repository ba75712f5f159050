import type { Clock } from '../../util/clock.js';
import { LineFile, type LineFileOptions, printable } from '../../util/line-file.js';

/** Record of one call. Never contains parameters. */
export interface AuditRecord {
  /** Name of the credential; `login` for --rpc-login, `none` if no login is required. */
  readonly credential: string;
  /** IP address of the client. */
  readonly client: string;
  readonly method: string;
  /** Name of the wallet that the call concerns; absent if the call concerns no wallet. */
  readonly wallet?: string;
  /** Result of the call: `ok`, or the error code. */
  readonly outcome: 'ok' | number;
  /** Valid header `traceparent` of the request; absent without one. */
  readonly traceparent?: string;
  /** Hashes of the transactions that the call made, signed or relayed. */
  readonly transactions?: readonly string[];
}

/** Longest name in a line [characters]; clients can choose longer names. */
const MAX_NAME = 200;

/** Largest number of transactions in a line; a call with more transactions has several lines. */
const MAX_TRANSACTIONS = 50;

/**
 * Appends a JSON line for each call to a file that only its owner may read. Failed calls in a flood are counted
 * instead. Lines that cannot be written wait, and are written before later lines.
 */
export class AuditLog {
  readonly #file: LineFile;
  readonly #clock: Clock;
  readonly #refusals: RefusalCounts;

  /**
   * @param onProblem called at the first failed attempt to write. @param write replaces the write call of the operating
   * system in tests.
   * @throws an error of the operating system if the file cannot be opened.
   */
  constructor(
    path: string,
    onProblem: (error: unknown) => void,
    clock: Clock,
    write?: NonNullable<LineFileOptions['write']>,
  ) {
    this.#file = new LineFile(path, {
      onProblem,
      isPrivate: true,
      ...(write === undefined ? {} : { write }),
    });
    this.#clock = clock;
    this.#refusals = new RefusalCounts(clock, (count) => this.#append(count));
  }

  /** Tries to write the waiting lines. @returns true if all lines are written. */
  isWritable(): boolean {
    return this.#file.isWritable();
  }

  /**
   * Appends the line of a call. Failed calls without a transaction, of the same login and outcome, have a line only at
   * the beginning of each minute; one further line at the end of the minute has the number of all other failed calls.
   */
  record({ credential, client, method, wallet, outcome, traceparent, transactions = [] }: AuditRecord): void {
    if (outcome !== 'ok' && transactions.length === 0 && !this.#refusals.add({ credential, outcome })) return;
    for (let at = 0; at === 0 || at < transactions.length; at += MAX_TRANSACTIONS) {
      const part = transactions.slice(at, at + MAX_TRANSACTIONS);
      this.#append({
        ...{ credential, client, method: method.slice(0, MAX_NAME) },
        ...(wallet === undefined ? {} : { wallet: wallet.slice(0, MAX_NAME) }),
        outcome,
        ...(traceparent === undefined ? {} : { traceparent }),
        ...(part.length === 0 ? {} : { transactions: part }),
      });
    }
  }

  #append(facts: AuditRecord | RefusalCount): void {
    const time = new Date(this.#clock.now()).toISOString();
    this.#file.append(`${printable(JSON.stringify({ time, ...facts }))}\n`);
  }

  /** Opens the file again by its path, after the file was renamed. If that fails, lines wait until it succeeds. */
  reopen(): void {
    this.#file.close();
    this.#file.isWritable();
  }

  /** Writes the counts of failed calls, and closes the file. */
  close(): void {
    this.#refusals.end();
    this.#file.close();
  }
}

/** Login and outcome by which failed calls are counted. */
interface RefusalKey {
  readonly credential: string;
  /** Error code of the failed calls. */
  readonly outcome: number;
}

/** Number of failed calls in a period that have no line of their own. */
interface RefusalCount extends RefusalKey {
  readonly count: number;
}

/** Number of failed calls with the same login and outcome that have lines of their own in one period. */
const NOTED = 5;

/** Length of a period, which begins with a failed call [ms]. */
const PERIOD_MS = 60_000;

/**
 * Counts failed calls, so that a flood of them writes few lines: the first calls of a period get a line each, further
 * calls are counted until the period ends. The memory is bounded by the number of logins and of error codes.
 */
class RefusalCounts {
  readonly #clock: Clock;
  readonly #onCount: (count: RefusalCount) => void;
  readonly #seen = new Map<string, { readonly key: RefusalKey; times: number }>();
  #cancel: (() => void) | undefined;

  /** @param onCount called with each count at the end of a period. */
  constructor(clock: Clock, onCount: (count: RefusalCount) => void) {
    this.#clock = clock;
    this.#onCount = onCount;
  }

  /** Counts a failed call. @returns true if the call gets a line of its own. */
  add({ credential, outcome }: RefusalKey): boolean {
    this.#cancel ??= this.#clock.after(PERIOD_MS, () => this.end());
    const name = `${outcome} ${credential}`;
    const seen = this.#seen.get(name) ?? { key: { credential, outcome }, times: 0 };
    seen.times += 1;
    this.#seen.set(name, seen);
    return seen.times <= NOTED;
  }

  /** Ends the period, and reports its counts. */
  end(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    const seen = [...this.#seen.values()];
    this.#seen.clear();
    for (const { key, times } of seen) if (times > NOTED) this.#onCount({ ...key, count: times - NOTED });
  }
}
