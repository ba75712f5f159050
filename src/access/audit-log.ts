import { closeSync, fchmodSync, openSync, writeSync } from 'node:fs';

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

/** Most lines that wait until the file can be written again; later ones are lost. */
const MAX_WAITING = 10_000;

/**
 * Appends a JSON line for each call to a file that its owner alone may read. Lines that cannot be written wait, and are
 * written before later ones.
 */
export class AuditLog {
  readonly #path: string;
  readonly #onProblem: (error: unknown) => void;
  readonly #now: () => Date;
  #file: number | undefined;
  /** Lines not written yet; the first one may be the rest of a line. */
  readonly #waiting: Buffer[] = [];
  /** The last attempt to write failed, which was reported. */
  #isBroken = false;

  /**
   * @param onProblem reports that lines cannot be written, at the first attempt that fails.
   * @throws an error of the operating system if the file cannot be opened.
   */
  constructor(path: string, onProblem: (error: unknown) => void, now: () => Date = () => new Date()) {
    this.#path = path;
    this.#onProblem = onProblem;
    this.#now = now;
    this.#open();
  }

  /** Whether all lines are written, after a further attempt. */
  isWritable(): boolean {
    this.#flush();
    return this.#waiting.length === 0 && this.#file !== undefined;
  }

  record(record: AuditRecord): void {
    if (this.#waiting.length < MAX_WAITING)
      this.#waiting.push(Buffer.from(`${JSON.stringify({ time: this.#now().toISOString(), ...record })}\n`));
    this.#flush();
  }

  /** Opens the file anew by its path, after it was renamed. */
  reopen(): void {
    this.close();
    this.#flush();
  }

  close(): void {
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined) closeSync(file);
  }

  #open(): number {
    const file = openSync(this.#path, 'a', 0o600);
    this.#file = file;
    fchmodSync(file, 0o600);
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
