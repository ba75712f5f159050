import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { explain } from '../rpc/error-explanations.js';
import { isPlainName } from '../services/context/wallet-name.js';
import type { WalletManager } from '../services/manager/wallet-manager.js';
import { WalletError } from '../wallet/model/wallet-error.js';
import type { StartProgress } from '../watch/readiness.js';
import type { Config } from './config.js';
import { withoutLineEnd } from './config-values.js';

/** Wallets opened at the same time: one hashes its password while another reads its files. */
const AT_ONCE = 2;

/** Wallets after which the log says how many are open. */
const PROGRESS_WALLETS = 100;

/** The wallets of `--open` being opened. */
export interface Opening {
  /** Resolves once no wallet is being opened. */
  readonly done: Promise<void>;
  /** Opens no further wallet. */
  stop(): void;
  progress(): StartProgress;
}

/**
 * Opens the wallets of `--open` under their paths, beside the requests of clients. A wallet that cannot be opened is an
 * error line of the log; the others are opened all the same.
 */
export function openWallets(
  server: Pick<WalletManager, 'scope'>,
  { open, passwordDir }: Pick<Config['wallet'], 'open' | 'passwordDir'>,
  log: Logger,
): Opening {
  const waiting = [...open];
  let opened = 0;
  let failed = 0;
  let damaged = 0;
  const worker = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      try {
        await server.scope(name).openWallet({ filename: '', password: readPassword(passwordDir, name) });
        opened += 1;
        if (opened % PROGRESS_WALLETS === 0) log.info({ opened, of: open.length }, 'opening wallets');
      } catch (error) {
        failed += 1;
        if (isDamage(error)) damaged += 1;
        noteFailure(error, name, passwordDir, log);
      }
    }
  };
  const done = Promise.all(Array.from({ length: AT_ONCE }, worker)).then(() => {
    if (open.length > 0) log.info({ opened, failed }, 'wallets of --open were opened');
  });
  return {
    done,
    stop: () => void waiting.splice(0),
    progress: () => ({ waiting: open.length - opened - failed, damaged }),
  };
}

const isDamage = (error: unknown): boolean =>
  error instanceof WalletError && error.fault.kind === 'wallet_corrupt';

/** Password in the file of a wallet; empty where there is no such file. @throws PasswordFileError */
function readPassword(directory: string | undefined, name: string): string {
  // A name with a path is refused with a reason of its own.
  if (directory === undefined || !isPlainName(name)) return '';
  const path = join(directory, name);
  try {
    return withoutLineEnd(readFileSync(path, 'utf8'));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw new PasswordFileError(path, cause);
  }
}

/** A password file that cannot be read. */
class PasswordFileError extends Error {
  override readonly name = 'PasswordFileError';

  constructor(path: string, cause: unknown) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error';
    super(`its password file ${path} cannot be read (${code})`, { cause });
  }
}

function noteFailure(error: unknown, name: string, passwordDir: string | undefined, log: Logger): void {
  const text = 'a wallet of --open cannot be opened; the others are served';
  if (error instanceof PasswordFileError) return log.error({ name, reason: error.message }, text);
  if (!(error instanceof WalletError)) return log.error({ err: error, name }, text);
  const reason = explain(error.fault);
  const isWrong = error.fault.kind === 'wrong_password';
  const hint =
    passwordDir === undefined
      ? '--password-dir names the directory of password files'
      : `see ${join(passwordDir, name)}`;
  log.error({ name, reason: isWrong ? `${reason}: ${hint}` : reason }, text);
}
