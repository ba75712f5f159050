import { existsSync, rmSync } from 'node:fs';
import { Command } from 'commander';
import { ClusterSecret } from '../../cluster/cluster-secret.js';
import { ClusterRefused, ClusterUnreachable, NotReplicated } from '../../cluster/errors.js';
import { ConfigError } from '../config/config-error.js';
import { joinCluster, leaveCluster, type ClusterWalletOptions } from './cluster-wallets.js';
import type { Terminal } from './credential-command.js';

interface InitOptions {
  readonly cluster: string;
  readonly clusterSecretFile: string;
}

/** Makes the secret file, unless it exists. @returns true if it was made. @throws ConfigError */
function makeSecret(path: string): boolean {
  if (existsSync(path)) return false;
  try {
    ClusterSecret.create(path);
    return true;
  } catch (cause) {
    if (cause instanceof ClusterRefused) throw cause;
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new ConfigError(`--cluster-secret-file: ${path} cannot be written (${code})`, { cause });
  }
}

async function init({ cluster, clusterSecretFile: path }: InitOptions, { hint }: Terminal): Promise<void> {
  // The client of the database is loaded by this command and by servers of a cluster alone.
  const { initCluster } = await import('../../cluster/cluster-database.js');
  const isNew = makeSecret(path);
  try {
    const areNew = await initCluster(cluster, ClusterSecret.read(path));
    if (isNew)
      hint(`${path} holds the new secret of the cluster: copy it to every machine, and to your backups`);
    hint(areNew ? 'The tables of the cluster were made.' : 'The tables of the cluster are there already.');
  } catch (error) {
    // The database was certainly not changed: a secret that nothing needs would be taken for that of the cluster.
    if (isNew && error instanceof ClusterRefused) rmSync(path, { force: true });
    throw error;
  }
}

/** Adds the options that say where a cluster is. */
const withAddress = (command: Command): Command =>
  command
    .requiredOption(
      '--cluster <address>',
      'postgres://user@host:port,host:port/database; the environment variable PGPASSWORD gives a password',
    )
    .requiredOption('--cluster-secret-file <file>', 'file of the secret, the same on every machine')
    .allowExcessArguments(false);

/** Adds the options of {@link ClusterWalletOptions}. */
const withWallets = (command: Command): Command =>
  withAddress(command)
    .requiredOption('--wallet-dir <dir>', 'directory of the wallets on this machine')
    .option('--cluster-single', 'accept a database without a quorum of standbys');

/** Runs `wallet-rpc cluster …`. @throws ConfigError with the reason of a failure. */
export async function runClusterCommand(argv: readonly string[], terminal: Terminal): Promise<void> {
  const program = new Command('wallet-rpc cluster')
    .description('Prepares the database of a cluster, and moves wallets in and out of it.')
    .showHelpAfterError('(--help lists the options)');
  withAddress(program.command('init'))
    .description('make the tables in the database, and the secret file, unless they are there')
    .action((options: InitOptions) => init(options, terminal));
  withWallets(program.command('leave'))
    .description(
      'take a closed wallet out of the cluster: its files are in the directory, and no process can take it',
    )
    .argument('[name]', 'name of the wallet')
    .option('--all', 'all wallets of the cluster')
    .action((name: string | undefined, options: ClusterWalletOptions & { readonly all?: boolean }) => {
      if ((name === undefined) !== (options.all === true))
        throw new ConfigError('cluster leave takes the name of a wallet, or --all');
      return leaveCluster(name, options, terminal);
    });
  withWallets(program.command('join'))
    .description(
      'bring a closed wallet of the directory into the cluster: one that has left it, or a new one',
    )
    .argument('<name>', 'name of the wallet')
    .action((name: string, options: ClusterWalletOptions) => joinCluster(name, options, terminal));
  try {
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    const isKnown = [ClusterRefused, ClusterUnreachable, NotReplicated].some((kind) => error instanceof kind);
    if (isKnown) throw new ConfigError((error as Error).message, { cause: error });
    throw error;
  }
}
