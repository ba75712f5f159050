import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { explain } from '../rpc/faults/fault-table.js';
import { isPlainName } from '../services/context/wallet-directory.js';
import type { WalletManager } from '../services/manager/wallet-manager.js';
import { faultOf } from '../model/wallet-error.js';
import { fileErrorCode, readOperatorFile } from '../util/files.js';
import type { StartProgress, UnopenedWallet } from '../watch/readiness.js';
import { withoutLineEnd } from './config/config-values.js';

/** Number of wallets opened at the same time: one wallet can hash its password while another wallet reads its files. */
const AT_ONCE = 2;

/** Number of opened wallets after which the log has a line with the number so far. */
const PROGRESS_WALLETS = 100;

/** Interval between checks of the files of wallets that could not be opened [ms]. */
const LOOK_MS = 5000;

/**
 * Number of checks after which a wallet is tried again although its files are unchanged: a fault of its disk or a lock
 * of another process may have ended.
 */
const LOOKS_PER_RETRY = 12;

/** Causes of a failure that may end while the files of the wallet stay the same. */
const PASSING_CAUSES = ['wallet_locked', 'wallet_io', 'other'];

/** Settings and parts of the server that {@link Opening} needs. */
export interface OpeningParts {
  readonly server: Pick<WalletManager, 'scope' | 'openings'>;
  /** Names of the wallets to open. */
  readonly open: readonly string[];
  /** Wallet directory; undefined if there is none. */
  readonly directory: string | undefined;
  /** Directory of the files with the passwords; undefined if there is none. */
  readonly passwordDir: string | undefined;
  readonly log: Logger;
}

/** Causes of a failure, with the part of its reason that clients may read: without paths of password files. */
interface Causes extends UnopenedWallet {
  readonly clause: string;
}

interface Failure extends Causes {
  /** Versions of all files that decide whether the wallet can be opened. */
  readonly files: string;
}

/**
 * Opens the wallets of `--open` under their paths, while the server answers requests. A wallet that cannot be opened
 * causes an error line in the log, and the others are opened nevertheless. The wallet is tried again when its keys
 * file, its store or its password file changes, and when {@link retry} is called.
 */
export class Opening {
  readonly #parts: OpeningParts;
  readonly #waiting: string[];
  readonly #failures = new Map<string, Failure>();
  readonly #workers = new Set<Promise<void>>();
  #opened = 0;
  /** Number of wallets tried since the start. */
  #tried = 0;
  #looks = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #isStarted = false;

  constructor(parts: OpeningParts) {
    this.#parts = parts;
    this.#waiting = [...parts.open];
    for (const name of parts.open) parts.server.openings.expect(name);
  }

  /** Begins to open the wallets. */
  start(): void {
    this.#isStarted = true;
    this.#work();
  }

  /** Returns the number of wallets that are still to be opened, and the wallets that could not be opened. */
  progress(): StartProgress {
    this.#forgetOpened();
    const unopened = [...this.#failures.values()].map(({ name, cause, reason }) => ({ name, cause, reason }));
    const { length } = this.#parts.open;
    // Before the start a wallet of --wallet-file may be the only one to be opened.
    return { waiting: this.#isStarted ? length - this.#tried : length || 1, unopened };
  }

  /** Tries each wallet that could not be opened again. */
  retry(): void {
    this.#forgetOpened();
    this.#enqueue([...this.#failures.keys()]);
  }

  /** Tries each wallet again that could not be opened and whose files have changed since. */
  look(): void {
    this.#forgetOpened();
    this.#looks += 1;
    const isDue = this.#looks % LOOKS_PER_RETRY === 0;
    this.#enqueue(
      [...this.#failures.values()]
        .filter(
          ({ name, cause, files }) =>
            (isDue && PASSING_CAUSES.includes(cause)) || files !== this.#filesOf(name),
        )
        .map(({ name }) => name),
    );
  }

  /** Stops the opening of wallets. Resolves once no wallet is being opened. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#waiting.splice(0);
    clearInterval(this.#timer);
    await this.settled();
  }

  /** Resolves once no wallet is being opened. */
  async settled(): Promise<void> {
    await Promise.all(this.#workers);
  }

  #enqueue(names: readonly string[]): void {
    if (this.#isClosed) return;
    this.#waiting.push(...names.filter((name) => !this.#waiting.includes(name)));
    this.#work();
  }

  #work(): void {
    while (this.#workers.size < Math.min(AT_ONCE, this.#workers.size + this.#waiting.length)) {
      const worker = this.#openWaiting().finally(() => this.#workers.delete(worker));
      this.#workers.add(worker);
    }
  }

  async #openWaiting(): Promise<void> {
    for (let name = this.#waiting.shift(); name !== undefined; name = this.#waiting.shift())
      await this.#open(name);
    if (this.#failures.size === 0 || this.#isClosed) return;
    this.#timer ??= setInterval(() => this.look(), LOOK_MS).unref();
  }

  async #open(name: string): Promise<void> {
    const { server, passwordDir, log } = this.#parts;
    const before = this.#failures.get(name);
    // A client has opened the wallet before its turn, and may have closed it.
    if (before === undefined && !server.openings.isExpected(name)) return this.#noteOpened(name);
    // The versions are read before the attempt, so that a change during the attempt is noticed. The attempt itself may
    // change the store.
    const secrets = this.#secretsOf(name);
    try {
      await server.scope(name).openWallet({ filename: '', password: readPassword(passwordDir, name) });
      this.#noteOpened(name);
      return;
    } catch (error) {
      // In a cluster, every process may name the same wallets.
      if (faultOf(error)?.kind === 'wallet_elsewhere') return this.#finish(name);
      const failure = failureOf(error, name, passwordDir);
      server.openings.fail(name, failure.clause);
      this.#failures.set(name, { ...failure, files: `${secrets} ${versionOf(this.#storeOf(name))}` });
      // Logs each reason only once, although the wallet is tried many times.
      if (before?.reason !== failure.reason) logFailure(log, failure, error);
    }
    if (before === undefined) this.#noteTried();
  }

  #noteOpened(name: string): void {
    const { open, log } = this.#parts;
    const isRepeated = this.#failures.delete(name);
    this.#opened += 1;
    if (isRepeated) log.info({ name }, 'a wallet of --open that could not be opened before is open');
    else {
      if (this.#opened % PROGRESS_WALLETS === 0)
        log.info({ opened: this.#opened, of: open.length }, 'opening wallets');
      this.#noteTried();
    }
  }

  /** Notes that another process of the cluster serves a wallet. */
  #finish(name: string): void {
    this.#parts.server.openings.release(name);
    if (!this.#failures.delete(name)) this.#noteTried();
  }

  #noteTried(): void {
    const { open, log } = this.#parts;
    this.#tried += 1;
    if (this.#tried === open.length)
      log.info({ opened: this.#opened, failed: this.#failures.size }, 'wallets of --open were opened');
  }

  /** Forgets the failures of wallets that clients have opened since. */
  #forgetOpened(): void {
    const { openings } = this.#parts.server;
    for (const name of this.#failures.keys())
      if (openings.failureOf(name) === undefined) this.#failures.delete(name);
    if (this.#failures.size > 0 || this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #filesOf(name: string): string {
    return `${this.#secretsOf(name)} ${versionOf(this.#storeOf(name))}`;
  }

  /** Returns the versions of the keys file and the password file. */
  #secretsOf(name: string): string {
    const { passwordDir } = this.#parts;
    const store = this.#storeOf(name);
    const password = passwordDir === undefined || !isPlainName(name) ? undefined : join(passwordDir, name);
    return [store === undefined ? undefined : `${store}.keys`, password].map(versionOf).join(' ');
  }

  #storeOf(name: string): string | undefined {
    const { directory } = this.#parts;
    return directory === undefined || !isPlainName(name) ? undefined : join(directory, name);
  }
}

/**
 * Returns a text that changes when a file is written, replaced, or gets other rights; empty if the file does not exist.
 */
function versionOf(path: string | undefined): string {
  if (path === undefined) return '';
  try {
    const { ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
    return [ino, size, mtimeNs, ctimeNs].join(':');
  } catch {
    return '';
  }
}

/**
 * Reads the password file of a wallet. @returns an empty password if there is no such file. @throws PasswordFileError
 */
export function readPassword(directory: string | undefined, name: string): string {
  // A name with a path has no password file: the opening of the wallet refuses the name with a reason of its own.
  if (directory === undefined || !isPlainName(name)) return '';
  const path = join(directory, name);
  try {
    return withoutLineEnd(readOperatorFile(path).toString());
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw new PasswordFileError(path, cause);
  }
}

/** Error of a password file that cannot be read. */
class PasswordFileError extends Error {
  override readonly name = 'PasswordFileError';

  constructor(path: string, cause: unknown) {
    super(`its password file ${path} cannot be read (${fileErrorCode(cause)})`, { cause });
  }
}

function failureOf(error: unknown, name: string, passwordDir: string | undefined): Causes {
  if (error instanceof PasswordFileError)
    return {
      ...{ name, cause: 'wallet_io', reason: error.message },
      clause: 'its password file cannot be read',
    };
  const fault = faultOf(error);
  if (fault === undefined) {
    const reason = 'an unexpected error: see the log';
    return { name, cause: 'other', reason, clause: reason };
  }
  const { kind: cause } = fault;
  const reason = explain(fault);
  if (cause !== 'wrong_password') return { name, cause, reason, clause: reason };
  const hint =
    passwordDir === undefined
      ? '--password-dir names the directory of password files'
      : `see ${join(passwordDir, name)}`;
  return { name, cause, reason: `${reason}: ${hint}`, clause: reason };
}

function logFailure(log: Logger, { name, cause, reason }: UnopenedWallet, error: unknown): void {
  const text = 'a wallet of --open cannot be opened; the others are served';
  if (cause === 'other') log.error({ err: error, name }, text);
  else log.error({ name, reason }, text);
}
