import { rmSync } from 'node:fs';
import { Command } from 'commander';
import { ClusterSecret } from '../../cluster/cluster-secret.js';
import { ClusterRefused, ClusterUnreachable, NotReplicated } from '../../cluster/errors.js';
import { ConfigError } from '../config/config-error.js';
import { makeSecret } from './cluster-secret-file.js';
import {
  removeMember,
  removeWallet,
  rotateSecret,
  showCluster,
  type ClusterOptions,
} from './cluster-upkeep.js';
import { joinCluster, leaveCluster, type ClusterWalletOptions } from './cluster-wallets.js';
import type { Terminal } from './credential-command.js';

interface InitOptions {
  readonly cluster: string;
  readonly clusterSecretFile: string;
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

/** Adds the options of {@link ClusterOptions}. */
const withDatabase = (command: Command): Command =>
  withAddress(command).option('--cluster-single', 'accept a database without a quorum of standbys');

/** Adds the options of {@link ClusterWalletOptions}. */
const withWallets = (command: Command): Command =>
  withDatabase(command).requiredOption('--wallet-dir <dir>', 'directory of the wallets on this machine');

/** Runs `wallet-rpc cluster …`. @throws ConfigError with the reason of a failure. */
export async function runClusterCommand(argv: readonly string[], terminal: Terminal): Promise<void> {
  const program = new Command('wallet-rpc cluster')
    .description('Prepares, shows and changes the database of a cluster, and moves wallets in and out of it.')
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
  withAddress(program.command('status'))
    .description('print the database, the members and the wallets of the cluster')
    .action((options: ClusterOptions) => showCluster(options, terminal));
  withDatabase(program.command('remove-member'))
    .description('forget a process that has ended; others take its wallets over')
    .argument('<url>', '--cluster-url of the process')
    .action((url: string, options: ClusterOptions) => removeMember(url, options, terminal));
  withDatabase(program.command('remove-wallet'))
    .description('delete what the database has of a wallet that has left; its name stays taken')
    .argument('<name>', 'name of the wallet')
    .action((name: string, options: ClusterOptions) => removeWallet(name, options, terminal));
  withDatabase(program.command('rotate-secret'))
    .description('write everything under another secret, while no process of the cluster runs')
    .requiredOption('--new-cluster-secret-file <file>', 'file of the other secret; made unless it is there')
    .action((options: ClusterOptions & { readonly newClusterSecretFile: string }) =>
      rotateSecret(options, terminal),
    );
  try {
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    const isKnown = [ClusterRefused, ClusterUnreachable, NotReplicated].some((kind) => error instanceof kind);
    if (isKnown) throw new ConfigError((error as Error).message, { cause: error });
    throw error;
  }
}
