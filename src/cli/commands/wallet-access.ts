import type { Command } from 'commander';
import type { KeysAccess } from '../../store/backup/restore.js';
import { readText, withoutLineEnd, ConfigError } from '../config/config-values.js';
import { promptSecret } from '../config/prepare.js';

/** Options of the commands that read a wallet. */
export interface AccessOptions {
  readonly passwordFile?: string;
  readonly kdfRounds: string;
}

/**
 * Reads the password of a wallet from a file or the terminal, never from the command line.
 * @param of name of the wallet, for a command that reads several wallets.
 * @param known password, if another option has given it.
 * @throws ConfigError
 */
export async function accessOf(
  { passwordFile, kdfRounds }: AccessOptions,
  of?: string,
  known?: string,
): Promise<KeysAccess> {
  const rounds = Number(kdfRounds);
  if (!Number.isSafeInteger(rounds) || rounds < 1)
    throw new ConfigError('--kdf-rounds takes a number from 1 on');
  if (known !== undefined) return { password: known, kdfRounds: rounds };
  if (passwordFile !== undefined) {
    const text = readText(passwordFile, 'password-file');
    return { password: withoutLineEnd(text), kdfRounds: rounds };
  }
  const secret = await promptSecret(of === undefined ? 'wallet password' : `password of ${of}`, true);
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
