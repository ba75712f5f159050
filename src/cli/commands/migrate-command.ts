import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { formatCoins } from '../../monero/cryptonote/coins.js';
import { explain } from '../../rpc/faults/fault-table.js';
import { WalletDirectory } from '../../services/context/wallet-directory.js';
import { checkMigration, type MigrationCheck } from '../../services/manager/migration-check.js';
import { amount } from '../../util/amount.js';
import { faultOf } from '../../model/wallet-error.js';
import type { Terminal } from './credential-command.js';
import { readPassword } from '../opening.js';
import { ConfigError } from '../config/config-values.js';
import { accessOf, withAccess, type AccessOptions } from './wallet-access.js';

interface CheckOptions extends AccessOptions {
  readonly check: string;
  readonly passwordDir?: string;
}

const xmr = (value: bigint): string => `${formatCoins(amount(value))} XMR`;

/** Returns lines of text about a wallet; the first line has its name. */
function linesOf(name: string, check: MigrationCheck): string[] {
  if (check.state === 'no cache') return [`${name}: it has no cache of monero-wallet-rpc`];
  const { balance, height, outputs, accounts, addresses, payments, txKeys } = check.cache;
  const cache = `balance ${xmr(balance)} at height ${height}, ${accounts} accounts, ${addresses} addresses, ${outputs} outputs, ${payments} payments, ${txKeys} transaction keys`;
  if (check.state === 'not migrated')
    return [`${name}: it is not migrated, and its cache can be read: ${cache}`];
  if (check.differences.length === 0) return [`${name}: it equals its old cache: ${cache}`];
  return [
    `${name}: it differs from its old cache (${cache}):`,
    ...check.differences.map((difference) => {
      const { subject } = difference;
      if (subject === 'height')
        return `  it is scanned up to height ${difference.here}: refresh it, then check again`;
      const text = (value: bigint | number): string => (typeof value === 'bigint' ? xmr(value) : `${value}`);
      return `  ${subject}: ${text(difference.here)} here, ${text(difference.cached)} in the cache`;
    }),
    ...(check.isMultisig ? ['  the multisig info of the other signers must be imported again'] : []),
  ];
}

const reasonOf = (error: unknown): string => {
  const fault = faultOf(error);
  if (fault !== undefined) return explain(fault);
  if (error instanceof Error) return error.message;
  throw error;
};

/**
 * Compares every wallet of a directory with the cache that it was imported from.
 * @throws ConfigError if a wallet differs, or cannot be read.
 */
async function check({ check: directory, passwordDir, ...options }: CheckOptions, terminal: Terminal) {
  if (passwordDir !== undefined && options.passwordFile !== undefined)
    throw new ConfigError('--password-file and --password-dir exclude each other');
  if (!existsSync(directory)) throw new ConfigError(`${directory}: there is no such directory`);
  const wallets = new WalletDirectory(directory);
  const names = wallets.names().filter((name) => !name.endsWith('.background'));
  if (names.length === 0) throw new ConfigError(`${directory}: there is no wallet in it`);
  let failed = 0;
  for (const name of names) {
    try {
      const password = passwordDir === undefined ? undefined : readPassword(passwordDir, name);
      const wallet = wallets.locate(name);
      const access = await accessOf(options, { wallet, isOneOfMany: true, known: password });
      const found = await checkMigration(wallet, access);
      if (found.state === 'migrated' && found.differences.length > 0) failed += 1;
      for (const line of linesOf(name, found)) terminal.print(line);
    } catch (error) {
      if (error instanceof ConfigError) throw error;
      failed += 1;
      terminal.print(`${name}: ${reasonOf(error)}`);
    }
  }
  if (failed > 0) throw new ConfigError(`${failed} of ${names.length} wallets differ or cannot be checked`);
}

/** Creates the command `wallet-rpc migrate`. */
export const migrateCommand = (terminal: Terminal): Command =>
  withAccess(new Command('wallet-rpc migrate'))
    .description(
      'Compares the wallets of a directory with the caches of monero-wallet-rpc that were found with them. Changes nothing.',
    )
    .requiredOption('--check <dir>', 'directory of the wallets')
    .option('--password-dir <dir>', 'directory of password files, each named as its wallet')
    .action((options: CheckOptions) => check(options, terminal));
