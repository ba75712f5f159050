import { existsSync, rmSync } from 'node:fs';
import { ClusterSecret } from '../../cluster/cluster-secret.js';
import { ClusterRefused, ClusterUnreachable, NotReplicated } from '../../cluster/errors.js';
import { ConfigError } from '../config/config-values.js';
import type { Administration } from '../../cluster/administration.js';
import type { WalletEntry } from '../../cluster/lease.js';
import type { Terminal } from './credential-command.js';
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { type Cluster, DEFAULT_LEASE_MS, OF_COMMAND } from '../../cluster/cluster.js';
import { faultOf } from '../../model/wallet-error.js';
import { explain } from '../../rpc/faults/fault-table.js';
import { Custody } from '../../services/cluster/custody.js';
import { WalletDirectory } from '../../services/context/wallet-directory.js';
import { monotonicMs, systemClock } from '../../util/clock.js';
import { Command } from 'commander';

/** Makes a secret file, unless it exists. @returns true if it was made. @throws ConfigError */
function makeSecret(path: string): boolean {
  if (existsSync(path)) return false;
  try {
    ClusterSecret.create(path);
    return true;
  } catch (cause) {
    if (cause instanceof ClusterRefused) throw cause;
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new ConfigError(`the secret file ${path} cannot be written (${code})`, { cause });
  }
}

/** Options of the commands that change or show the database of a cluster. */
interface ClusterOptions {
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

/** Describes the place of a wallet: its holder, or the directory to which it has left. */
function whereabouts({ holder, hasFalseHolder, isLapsed, departure }: WalletEntry): string {
  if (departure !== undefined)
    return `left at ${new Date(departure.time).toISOString()} to ${departure.directory} on ${departure.host}`;
  if (hasFalseHolder === true) return 'with a holder that was not written with the secret';
  if (holder === undefined) return 'closed';
  return isLapsed ? 'without a holder' : `held by ${holder}`;
}

/** Prints the database, members and wallets of a cluster. */
async function showCluster(options: ClusterOptions, terminal: Terminal): Promise<void> {
  // The command also shows a database without a quorum, which processes would refuse.
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

/** Forgets a member that has ended. @throws ConfigError for a member that lives, and for an unknown member. */
async function removeMember(url: string, options: ClusterOptions, terminal: Terminal): Promise<void> {
  const result = await withAdministration(options, terminal, (administration) =>
    administration.removeMember(url),
  );
  if (result === 'alive')
    throw new ConfigError(`${url} lives: stop its process, or wait until its lease has ended`);
  if (result === 'unknown') throw new ConfigError(`the cluster has no member ${url}`);
  terminal.print(`${url}: is no member any more; other processes take its wallets over`);
}

/** Deletes the rows of a wallet that has left the cluster. @throws ConfigError for any other wallet. */
async function removeWallet(name: string, options: ClusterOptions, terminal: Terminal): Promise<void> {
  const isRemoved = await withAdministration(options, terminal, (administration) =>
    administration.removeWallet(name),
  );
  if (!isRemoved)
    throw new ConfigError(
      `the cluster has no wallet '${name}' that has left: take it out with wallet-rpc cluster leave ${name}`,
    );
  terminal.print(`${name}: the database has nothing of it any more but its name`);
}

/** Encrypts all rows of the cluster under another secret. @throws ClusterRefused while a process lives. */
async function rotateSecret(
  { newClusterSecretFile: path, ...options }: ClusterOptions & { readonly newClusterSecretFile: string },
  terminal: Terminal,
): Promise<void> {
  // The secret is written before the tables: tables whose new secret is lost cannot be decrypted.
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

/** Options of the commands that move wallets between a cluster and a directory. */
interface ClusterWalletOptions extends ClusterOptions {
  readonly walletDir: string;
}

/** Pause between two tries to get a wallet whose holder may be about to end [ms]. */
const PAUSE_MS = 200;

/** Longest wait for the end of the leases of processes that were killed, in times of the longest lease. */
const PATIENCE = 2;

/**
 * Runs a task with the wallets of a cluster, as a member that receives neither calls nor wallets.
 * @throws ClusterRefused, ClusterUnreachable, NotReplicated, the errors of the task.
 */
async function withCluster<T>(
  { cluster: urls, clusterSecretFile, clusterSingle = false }: ClusterWalletOptions,
  { hint }: Terminal,
  task: (custody: Custody, cluster: Cluster) => Promise<T>,
): Promise<T> {
  // The client of the database is loaded by these commands and by servers of a cluster alone.
  const { openCluster } = await import('../../cluster/cluster-database.js');
  const log = {
    info: () => undefined,
    warn: (_fields: object, message: string) => hint(message),
    error: (_fields: object, message: string) => hint(message),
  };
  const cluster = await openCluster({
    ...{ urls, secret: ClusterSecret.read(clusterSecretFile), isSingle: clusterSingle, log },
    // Top-level domain that no name server knows. Source: RFC 6761, section 6.4.
    member: { url: `https://command-${randomUUID()}.invalid`, capacity: OF_COMMAND },
  });
  try {
    const { leases, logs, quorum } = cluster;
    return await task(new Custody({ leases, logs, quorum, clock: systemClock, log }), cluster);
  } finally {
    await cluster.members.leave().catch(() => undefined);
    await cluster.close();
  }
}

/** Runs a task for a wallet, and repeats it while the wallet is held by a process that may have ended. */
async function patiently<T>({ members }: Cluster, task: () => Promise<T>): Promise<T> {
  // A member counts as living until it was watched for the time of its lease, also a command that was killed.
  const leases = (await members.list()).map(({ remainingMs }) => remainingMs);
  const until = monotonicMs() + PATIENCE * Math.max(...leases, DEFAULT_LEASE_MS);
  for (;;) {
    try {
      return await task();
    } catch (error) {
      const isHeld = faultOf(error)?.kind === 'wallet_elsewhere';
      if (!isHeld || monotonicMs() > until) throw error;
    }
    await delay(PAUSE_MS);
  }
}

/** Explains why a wallet stayed where it is. @throws any other error. */
function reasonOf(error: unknown): string {
  const fault = faultOf(error);
  if (fault?.kind === 'wallet_elsewhere')
    return `${fault.holder} holds it: close it there with close_wallet, or stop that process`;
  if (fault !== undefined) return explain(fault);
  if (error instanceof NotReplicated || error instanceof ClusterUnreachable) return error.message;
  throw error;
}

/**
 * Takes wallets out of a cluster.
 * @param name absent: all wallets.
 * @throws ConfigError if a wallet stays in the cluster.
 */
async function leaveCluster(
  name: string | undefined,
  options: ClusterWalletOptions,
  terminal: Terminal,
): Promise<void> {
  const directory = new WalletDirectory(options.walletDir);
  await withCluster(options, terminal, async (custody, cluster) => {
    const hasFiles = new Set(directory.names());
    const present = async (): Promise<string[]> =>
      (await cluster.leases.list())
        // A wallet that has left before is listed only if this directory has its files.
        .filter((wallet) => wallet.departure === undefined || hasFiles.has(wallet.name))
        .map((wallet) => wallet.name);
    const names = name === undefined ? await present() : [name];
    let stayed = 0;
    for (const one of names) {
      const paths = directory.locate(one);
      try {
        const place = { host: hostname(), directory: directory.path };
        const isNew = await patiently(cluster, () => custody.takeOut(paths, place));
        terminal.print(`${one}: ${isNew ? 'has left' : 'had left before'}, its files are ${paths.store}`);
      } catch (error) {
        stayed += 1;
        terminal.print(`${one}: ${reasonOf(error)}`);
      }
    }
    if (stayed > 0) throw new ConfigError(`${stayed} of ${names.length} wallets did not leave the cluster`);
  });
}

/** Brings a wallet of a directory into a cluster. @throws ConfigError */
async function joinCluster(name: string, options: ClusterWalletOptions, terminal: Terminal): Promise<void> {
  const directory = new WalletDirectory(options.walletDir);
  const paths = directory.locate(name);
  await withCluster(options, terminal, async (custody, cluster) => {
    try {
      const isNew = await patiently(cluster, () => custody.bringIn(paths));
      terminal.print(`${name}: ${isNew ? 'is in the cluster, and closed' : 'was in the cluster already'}`);
    } catch (error) {
      throw new ConfigError(`${name}: ${reasonOf(error)}`, { cause: error });
    }
  });
}

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
    // The database was certainly not changed: an unused secret in the file would be taken for the secret of the
    // cluster.
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

/** Creates the command `wallet-rpc cluster`. */
export function clusterCommand(terminal: Terminal): Command {
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
  return program;
}

/** True for an error of a cluster whose message says what the operator can do. */
export const isClusterError = (error: unknown): error is Error =>
  [ClusterRefused, ClusterUnreachable, NotReplicated].some((kind) => error instanceof kind);
