import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { type Cluster, DEFAULT_LEASE_MS, OF_COMMAND } from '../../cluster/cluster.js';
import { ClusterSecret } from '../../cluster/cluster-secret.js';
import { ClusterUnreachable, NotReplicated } from '../../cluster/errors.js';
import { faultOf } from '../../model/wallet-error.js';
import { explain } from '../../rpc/faults/fault-table.js';
import { Custody } from '../../services/cluster/custody.js';
import { WalletDirectory } from '../../services/context/wallet-directory.js';
import { monotonicMs, systemClock } from '../../util/clock.js';
import { ConfigError } from '../config/config-error.js';
import type { ClusterOptions } from './cluster-upkeep.js';
import type { Terminal } from './credential-command.js';

/** Options of the commands that move wallets between a cluster and a directory. */
export interface ClusterWalletOptions extends ClusterOptions {
  readonly walletDir: string;
}

/** Pause between two tries to get a wallet whose holder may be about to end [ms]. */
const PAUSE_MS = 200;

/** Longest wait for the end of the leases of processes that were killed, in times of the longest lease. */
const PATIENCE = 2;

/**
 * Runs a task with the wallets of a cluster, as a member that no call is passed on to and no wallet is given to.
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

/** Runs a task for a wallet, again while a process holds the wallet that may be dead. */
async function patiently<T>({ members }: Cluster, task: () => Promise<T>): Promise<T> {
  // A member counts as living until it was watched for the time of its lease, and so does a command that was killed.
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

/** Takes wallets out of a cluster. @param name absent: all wallets. @throws ConfigError if one of them stays. */
export async function leaveCluster(
  name: string | undefined,
  options: ClusterWalletOptions,
  terminal: Terminal,
): Promise<void> {
  const directory = new WalletDirectory(options.walletDir);
  await withCluster(options, terminal, async (custody, cluster) => {
    const hasFiles = new Set(directory.names());
    const present = async (): Promise<string[]> =>
      (await cluster.leases.list())
        // One that has left before is of interest where its files are.
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
export async function joinCluster(
  name: string,
  options: ClusterWalletOptions,
  terminal: Terminal,
): Promise<void> {
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
