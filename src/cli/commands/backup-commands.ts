import { systemClock } from '../../util/clock.js';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { filesOfBackup, writeBackup } from '../../store/backup/backup.js';
import { openSource, restoreBackup, verifyBackup } from '../../store/backup/restore.js';
import { lockWallet } from '../../store/file/wallet-lock.js';
import { assertNoCopy, releaseName } from '../../services/cluster/local-copy.js';
import { assertApart, backgroundPaths, WalletDirectory } from '../../services/context/wallet-directory.js';
import type { Terminal } from './credential-command.js';
import { accessOf, withAccess, type AccessOptions } from './wallet-access.js';

/** Creates the command `wallet-rpc backup`. */
export const backupCommand = ({ print }: Terminal): Command =>
  withAccess(new Command('wallet-rpc backup'))
    .description('Writes a checked copy of a wallet, which a server may have open, and prints its directory.')
    .argument('<name>', 'name of the wallet')
    .requiredOption('--wallet-dir <dir>', 'directory of the wallet')
    .requiredOption('--backup-dir <dir>', 'directory of the backups')
    .action(async (name: string, options: AccessOptions & { walletDir: string; backupDir: string }) => {
      const paths = new WalletDirectory(options.walletDir).locate(name);
      assertApart(paths);
      assertNoCopy(backgroundPaths(paths));
      const { source } = await openSource(paths, await accessOf(options, { wallet: paths }));
      const { directory } = await writeBackup(
        source,
        resolve(options.backupDir),
        new Date(systemClock.now()),
      );
      print(directory);
    });

/** Creates the command `wallet-rpc verify`. */
export const verifyCommand = ({ print }: Terminal): Command =>
  withAccess(new Command('wallet-rpc verify'))
    .description('Opens a backup and checks every page, reference and index of its store.')
    .argument('<directory>', 'directory of the backup, <backup-dir>/<wallet>/<time>')
    .action(async (directory: string, options: AccessOptions) => {
      const access = await accessOf(options, { wallet: filesOfBackup(directory) });
      const { name, network, viewOnly, height, bytes } = await verifyBackup(directory, access);
      const kind = viewOnly ? 'view-only wallet' : 'wallet';
      print(`${name}: intact ${kind} of ${network}, height ${height}, ${bytes} bytes`);
    });

/** Creates the command `wallet-rpc restore`. */
export const restoreCommand = ({ print }: Terminal): Command =>
  withAccess(new Command('wallet-rpc restore'))
    .description('Checks a backup and copies it to a wallet directory. An existing wallet is never replaced.')
    .argument('<directory>', 'directory of the backup, <backup-dir>/<wallet>/<time>')
    .requiredOption('--wallet-dir <dir>', 'directory of the wallet')
    .option('--name <name>', 'name of the restored wallet (default: its name in the backup)')
    .action(async (directory: string, options: AccessOptions & { walletDir: string; name?: string }) => {
      const files = filesOfBackup(directory);
      const paths = new WalletDirectory(options.walletDir).locateNew(options.name ?? files.name);
      const { height } = await verifyBackup(directory, await accessOf(options, { wallet: files }));
      const lock = lockWallet(paths.lock, paths.name);
      try {
        releaseName(paths);
        await restoreBackup(directory, paths);
      } finally {
        lock.release();
      }
      print(`${paths.name}: restored at height ${height}`);
      print('Orders made after the backup are unknown to it: a repeated idempotency key would pay again.');
    });
