import { existsSync, rmSync } from 'node:fs';
import { Command } from 'commander';
import { ClusterSecret } from '../../cluster/cluster-secret.js';
import { ClusterRefused, ClusterUnreachable } from '../../cluster/errors.js';
import { ConfigError } from '../config/config-error.js';
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

/** Runs `wallet-rpc cluster …`. @throws ConfigError with the reason of a failure. */
export async function runClusterCommand(argv: readonly string[], terminal: Terminal): Promise<void> {
  const program = new Command('wallet-rpc cluster')
    .description('Prepares the database of a cluster.')
    .showHelpAfterError('(--help lists the options)');
  program
    .command('init')
    .description('make the tables in the database, and the secret file, unless they are there')
    .requiredOption(
      '--cluster <address>',
      'postgres://user@host:port,host:port/database; the environment variable PGPASSWORD gives a password',
    )
    .requiredOption('--cluster-secret-file <file>', 'file of the secret, the same on every machine')
    .action((options: InitOptions) => init(options, terminal));
  try {
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    if (error instanceof ClusterRefused || error instanceof ClusterUnreachable)
      throw new ConfigError(error.message, { cause: error });
    throw error;
  }
}
