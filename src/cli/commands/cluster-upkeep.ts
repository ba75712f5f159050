import type { Administration } from '../../cluster/administration.js';
import { ClusterSecret } from '../../cluster/cluster-secret.js';
import type { WalletEntry } from '../../cluster/lease.js';
import { ConfigError } from '../config/config-error.js';
import { makeSecret } from './cluster-secret-file.js';
import type { Terminal } from './credential-command.js';

/** Options of the commands that change or show the database of a cluster. */
export interface ClusterOptions {
  readonly cluster: string;
  readonly clusterSecretFile: string;
  readonly clusterSingle?: boolean;
}

/** Runs a task with the database of a cluster. @throws ClusterRefused, ClusterUnreachable, NotReplicated */
async function withAdministration<T>(
  { cluster: urls, clusterSecretFile, clusterSingle = false }: ClusterOptions,
  { hint }: Terminal,
  task: (administration: Administration) => Promise<T>,
): Promise<T> {
  // The client of the database is loaded by these commands and by servers of a cluster alone.
  const { Administration: Loaded } = await import('../../cluster/administration.js');
  const secret = ClusterSecret.read(clusterSecretFile);
  return Loaded.run({ urls, secret, isSingle: clusterSingle, warn: hint }, task);
}

/** Describes where a wallet is. */
function whereabouts({ holder, hasFalseHolder, isLapsed, departure }: WalletEntry): string {
  if (departure !== undefined)
    return `left at ${new Date(departure.time).toISOString()} to ${departure.directory} on ${departure.host}`;
  if (hasFalseHolder === true) return 'with a holder that was not written with the secret';
  if (holder === undefined) return 'closed';
  return isLapsed ? 'without a holder' : `held by ${holder}`;
}

/** Prints the database, members and wallets of a cluster. */
export async function showCluster(options: ClusterOptions, terminal: Terminal): Promise<void> {
  // It also shows a database that processes would refuse.
  await withAdministration({ ...options, clusterSingle: true }, terminal, async (administration) => {
    const { server, database, standbys, members, wallets } = await administration.state();
    const names = database.standbyNames.trim();
    terminal.print(
      `database ${server}: ${standbys} standbys, synchronous_standby_names ${names === '' ? 'is empty: processes need --cluster-single' : `'${names}'`}`,
    );
    for (const { url, isAlive, wallets: number, capacity } of members)
      terminal.print(`member ${url}: ${isAlive ? `alive, ${number} of ${capacity} wallets` : 'not alive'}`);
    for (const wallet of wallets) terminal.print(`wallet ${wallet.name}: ${whereabouts(wallet)}`);
  });
}

/** Forgets a member that has ended. @throws ConfigError for one that lives, and for an unknown one. */
export async function removeMember(url: string, options: ClusterOptions, terminal: Terminal): Promise<void> {
  const result = await withAdministration(options, terminal, (administration) =>
    administration.removeMember(url),
  );
  if (result === 'alive')
    throw new ConfigError(`${url} lives: stop its process, or wait until its lease has ended`);
  if (result === 'unknown') throw new ConfigError(`the cluster has no member ${url}`);
  terminal.print(`${url}: is no member any more; other processes take its wallets over`);
}

/** Deletes what the database has of a wallet that has left. @throws ConfigError for any other wallet. */
export async function removeWallet(name: string, options: ClusterOptions, terminal: Terminal): Promise<void> {
  const isRemoved = await withAdministration(options, terminal, (administration) =>
    administration.removeWallet(name),
  );
  if (!isRemoved)
    throw new ConfigError(
      `the cluster has no wallet '${name}' that has left: take it out with wallet-rpc cluster leave ${name}`,
    );
  terminal.print(`${name}: the database has nothing of it any more but its name`);
}

/** Writes everything under another secret. @throws ClusterRefused while a process lives. */
export async function rotateSecret(
  { newClusterSecretFile: path, ...options }: ClusterOptions & { readonly newClusterSecretFile: string },
  terminal: Terminal,
): Promise<void> {
  // Before the tables: a secret that was lost after they were written would make them noise.
  makeSecret(path);
  const next = ClusterSecret.read(path);
  const wallets = await withAdministration(options, terminal, (administration) =>
    administration.rotate(next),
  );
  terminal.print(
    wallets === undefined
      ? `The tables are under the secret of ${path} already.`
      : `${wallets} wallets are under the secret of ${path} now: copy it to every machine, in place of ${options.clusterSecretFile}, and to your backups`,
  );
}
