import { explain } from '../../rpc/faults/fault-table.js';
import { assertPresent, locateFile } from '../../services/context/wallet-directory.js';
import { faultOf } from '../../model/wallet-error.js';
import { ConfigError } from './config-values.js';

/** Returns ": " and the explanation of a WalletError; empty for any other error. */
export function reasonIn(error: unknown): string {
  const fault = faultOf(error);
  return fault === undefined ? '' : `: ${explain(fault)}`;
}

/** Creates the error of a `--wallet-file` that cannot be opened. */
export function cannotOpen(file: string, cause: unknown): ConfigError {
  const isMissing = faultOf(cause)?.kind === 'wallet_missing';
  const reason = isMissing
    ? `: there is no ${file}.keys: name an existing wallet, or create one with --wallet-dir and create_wallet`
    : reasonIn(cause);
  return new ConfigError(`--wallet-file: ${file} cannot be opened${reason}`, { cause });
}

/** Checks that the wallet of `--wallet-file` exists. @throws ConfigError */
export function assertWalletFile(file: string): void {
  try {
    assertPresent(locateFile(file));
  } catch (cause) {
    throw cannotOpen(file, cause);
  }
}
