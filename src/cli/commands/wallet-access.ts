import type { Command } from 'commander';
import { assertPresent, type WalletPaths } from '../../services/context/wallet-directory.js';
import type { KeysAccess } from '../../store/backup/restore.js';
import { readText, withoutLineEnd, ConfigError } from '../config/config-values.js';
import { promptSecret } from '../config/prepare.js';

/** Options of the commands that read a wallet. */
export interface AccessOptions {
  readonly passwordFile?: string;
  readonly kdfRounds: string;
}

/** A wallet whose password is read. */
export interface AskedWallet {
  /** Name and path of the keys file. */
  readonly wallet: Pick<WalletPaths, 'keys' | 'name'>;
  /** True: the question names the wallet, since the command reads several wallets. */
  readonly isOneOfMany?: boolean;
  /** Password, if another option has given it. */
  readonly known?: string | undefined;
}

/**
 * Reads the password of a wallet from a file or the terminal, never from the command line. Nobody is asked for the
 * password of a wallet that does not exist.
 * @throws ConfigError; WalletError `wallet_missing`, `wallet_io`
 */
export async function accessOf(
  { passwordFile, kdfRounds }: AccessOptions,
  { wallet, isOneOfMany = false, known }: AskedWallet,
): Promise<KeysAccess> {
  assertPresent(wallet);
  const rounds = Number(kdfRounds);
  if (!Number.isSafeInteger(rounds) || rounds < 1)
    throw new ConfigError('--kdf-rounds takes a number from 1 on');
  if (known !== undefined) return { password: known, kdfRounds: rounds };
  if (passwordFile !== undefined) {
    const text = readText(passwordFile, 'password-file');
    return { password: withoutLineEnd(text), kdfRounds: rounds };
  }
  const secret = await promptSecret(isOneOfMany ? `password of ${wallet.name}` : 'wallet password', true);
  return { password: Buffer.from(secret.expose()).toString('utf8'), kdfRounds: rounds };
}

/** Removes the value of an unknown option from the message about it, since it may be a password. */
const withoutValue = (message: string): string =>
  message.replace(/^(error: unknown option '-[^=]*)=.*$/s, "$1'\n");

/** Adds the options of {@link AccessOptions}. */
export const withAccess = (command: Command): Command =>
  command
    .configureOutput({ outputError: (message, write) => write(withoutValue(message)) })
    .option(
      '--password-file <file>',
      'file that holds the password of the wallet (default: ask on the terminal)',
    )
    .option('--kdf-rounds <n>', 'key-stretching rounds of the keys file', '1')
    .allowExcessArguments(false)
    .exitOverride();
