import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { writeBackup } from '../store/backup/backup.js';
import { openSource, restoreBackup, verifyBackup, type KeysAccess } from '../store/backup/restore.js';
import { withFileErrors } from '../store/file/file-errors.js';
import { lockWallet } from '../store/file/wallet-lock.js';
import { assertApart, WalletDirectory } from '../services/context/wallet-directory.js';
import { withoutLineEnd } from './config-values.js';
import { ConfigError } from './options.js';
import { promptSecret } from './prompt.js';

/** Options of every command that reads a wallet. */
interface AccessOptions {
  readonly passwordFile?: string;
  readonly kdfRounds: string;
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Password of a wallet from a file or the terminal, never from the command line. @throws ConfigError */
async function accessOf({ passwordFile, kdfRounds }: AccessOptions): Promise<KeysAccess> {
  const rounds = Number(kdfRounds);
  if (!Number.isSafeInteger(rounds) || rounds < 1)
    throw new ConfigError('--kdf-rounds takes a number from 1 on');
  if (passwordFile !== undefined) {
    const text = withFileErrors(passwordFile, () => readFileSync(passwordFile, 'utf8'));
    return { password: withoutLineEnd(text), kdfRounds: rounds };
  }
  const secret = await promptSecret('wallet password', true);
  return { password: Buffer.from(secret.expose()).toString('utf8'), kdfRounds: rounds };
}

const withAccess = (command: Command): Command =>
  command
    .option(
      '--password-file <file>',
      'file that holds the password of the wallet (default: ask on the terminal)',
    )
    .option('--kdf-rounds <n>', 'key-stretching rounds of the keys file', '1')
    .allowExcessArguments(false)
    .exitOverride();

/** Writes a backup of a wallet that may be open in a server. */
const backup = withAccess(new Command('wallet-rpc backup'))
  .description('Writes a checked copy of a wallet, which a server may have open, and prints its directory.')
  .argument('<name>', 'name of the wallet')
  .requiredOption('--wallet-dir <dir>', 'directory of the wallet')
  .requiredOption('--backup-dir <dir>', 'directory of the backups')
  .action(async (name: string, options: AccessOptions & { walletDir: string; backupDir: string }) => {
    const paths = new WalletDirectory(options.walletDir).locate(name);
    assertApart(paths);
    const { source } = await openSource(paths, await accessOf(options));
    const { directory } = await writeBackup(source, resolve(options.backupDir), new Date());
    say(directory);
  });

/** Checks a backup. */
const verify = withAccess(new Command('wallet-rpc verify'))
  .description('Opens a backup and checks every page, reference and index of its store.')
  .argument('<directory>', 'directory of the backup, <backup-dir>/<wallet>/<time>')
  .action(async (directory: string, options: AccessOptions) => {
    const { name, network, viewOnly, height, bytes } = await verifyBackup(directory, await accessOf(options));
    const kind = viewOnly ? 'view-only wallet' : 'wallet';
    say(`${name}: intact ${kind} of ${network}, height ${height}, ${bytes} bytes`);
  });

/** Makes a wallet of a backup. */
const restore = withAccess(new Command('wallet-rpc restore'))
  .description('Checks a backup and copies it to a wallet directory. An existing wallet is never replaced.')
  .argument('<directory>', 'directory of the backup, <backup-dir>/<wallet>/<time>')
  .requiredOption('--wallet-dir <dir>', 'directory of the wallet')
  .option('--name <name>', 'name of the restored wallet (default: its name in the backup)')
  .action(async (directory: string, options: AccessOptions & { walletDir: string; name?: string }) => {
    const { name, height } = await verifyBackup(directory, await accessOf(options));
    const paths = new WalletDirectory(options.walletDir).locateNew(options.name ?? name);
    const lock = lockWallet(paths.lock, paths.name);
    try {
      await restoreBackup(directory, paths);
    } finally {
      lock.release();
    }
    say(`${paths.name}: restored at height ${height}`);
    say('Orders made after the backup are unknown to it: a repeated idempotency key would pay again.');
  });

/** Commands beside the server, by their first word. */
export const backupCommands: Readonly<Record<string, Command>> = { backup, restore, verify };
