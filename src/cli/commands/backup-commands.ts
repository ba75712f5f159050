import { systemClock } from '../../util/clock.js';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { writeBackup } from '../../store/backup/backup.js';
import { openSource, restoreBackup, verifyBackup } from '../../store/backup/restore.js';
import { lockWallet } from '../../store/file/wallet-lock.js';
import { assertNoCopy, releaseName } from '../../services/cluster/local-copy.js';
import { assertApart, backgroundPaths, WalletDirectory } from '../../services/context/wallet-directory.js';
import { accessOf, withAccess, type AccessOptions } from './wallet-access.js';

type Say = (line: string) => void;

/** Command that writes a backup of a wallet, which may be open in a server. */
const backup = (say: Say) =>
  withAccess(new Command('wallet-rpc backup'))
    .description('Writes a checked copy of a wallet, which a server may have open, and prints its directory.')
    .argument('<name>', 'name of the wallet')
    .requiredOption('--wallet-dir <dir>', 'directory of the wallet')
    .requiredOption('--backup-dir <dir>', 'directory of the backups')
    .action(async (name: string, options: AccessOptions & { walletDir: string; backupDir: string }) => {
      const paths = new WalletDirectory(options.walletDir).locate(name);
      assertApart(paths);
      assertNoCopy(backgroundPaths(paths));
      const { source } = await openSource(paths, await accessOf(options));
      const { directory } = await writeBackup(
        source,
        resolve(options.backupDir),
        new Date(systemClock.now()),
      );
      say(directory);
    });

/** Command that checks a backup. */
const verify = (say: Say) =>
  withAccess(new Command('wallet-rpc verify'))
    .description('Opens a backup and checks every page, reference and index of its store.')
    .argument('<directory>', 'directory of the backup, <backup-dir>/<wallet>/<time>')
    .action(async (directory: string, options: AccessOptions) => {
      const { name, network, viewOnly, height, bytes } = await verifyBackup(
        directory,
        await accessOf(options),
      );
      const kind = viewOnly ? 'view-only wallet' : 'wallet';
      say(`${name}: intact ${kind} of ${network}, height ${height}, ${bytes} bytes`);
    });

/** Command that creates a wallet from a backup. */
const restore = (say: Say) =>
  withAccess(new Command('wallet-rpc restore'))
    .description('Checks a backup and copies it to a wallet directory. An existing wallet is never replaced.')
    .argument('<directory>', 'directory of the backup, <backup-dir>/<wallet>/<time>')
    .requiredOption('--wallet-dir <dir>', 'directory of the wallet')
    .option('--name <name>', 'name of the restored wallet (default: its name in the backup)')
    .action(async (directory: string, options: AccessOptions & { walletDir: string; name?: string }) => {
      const { name, height } = await verifyBackup(directory, await accessOf(options));
      const paths = new WalletDirectory(options.walletDir).locateNew(options.name ?? name);
      const lock = lockWallet(paths.lock, paths.name);
      try {
        releaseName(paths);
        await restoreBackup(directory, paths);
      } finally {
        lock.release();
      }
      say(`${paths.name}: restored at height ${height}`);
      say('Orders made after the backup are unknown to it: a repeated idempotency key would pay again.');
    });

/** Returns the commands for backups, by the first word of the command line. @param say writes a line. */
export const backupCommands = (say: Say): Readonly<Record<string, Command>> => ({
  backup: backup(say),
  restore: restore(say),
  verify: verify(say),
});
