import { statfs } from 'node:fs/promises';
import type { ClusterNode } from '../services/cluster/cluster-node.js';
import { workSlices } from '../util/event-loop.js';
import type { DaemonHealth } from './daemon-health.js';
import { lagOf, type FollowingWallet } from './wallet-facts.js';
import type { Page, PageAnswer } from '../http/pages/pages.js';
import type { DaemonFailover } from '../services/failover/daemon-failover.js';
import { writeWholeJson } from '../util/json-writer.js';

/** Free and total space of a file system [bytes]. */
export interface DiskSpace {
  readonly free: number;
  readonly total: number;
}

/** Reads the space that this process may use on the file system of a directory; undefined if it cannot be read. */
export async function diskSpace(directory: string): Promise<DiskSpace | undefined> {
  try {
    const { bavail, blocks, bsize } = await statfs(directory);
    return { free: bavail * bsize, total: blocks * bsize };
  } catch {
    return undefined;
  }
}

/** Limits above (for disk space: below) which a server is not ready. */
export interface ReadinessLimits {
  /** Longest outage of the daemon [s]. */
  readonly daemonSeconds: number;
  /** Largest number of blocks that a wallet may lack. */
  readonly blocksBehind: number;
  /** Smallest free space on the file system of the wallets [bytes]. */
  readonly diskBytes: number;
}

/** Progress of opening the wallets at the start of the server. */
export interface StartProgress {
  /** Number of wallets that are still to be opened. */
  readonly waiting: number;
  /** Wallets that could not be opened so far. */
  readonly unopened: readonly UnopenedWallet[];
}

/** A wallet of `--open` that could not be opened. */
export interface UnopenedWallet {
  readonly name: string;
  /** Kind of the fault; `other` for an error that is not a WalletError. */
  readonly cause: string;
  /** Explanation for the operator, one sentence. */
  readonly reason: string;
}

/** Cause of a wallet whose files are damaged. */
const DAMAGED = 'wallet_corrupt';

/** Reason why a server is not ready. Contains no name of a wallet. */
export type NotReady =
  | { readonly reason: 'opening_wallets'; readonly wallets: number }
  /** `causes`: distinct causes in alphabetical order. */
  | { readonly reason: 'wallets_not_opened'; readonly wallets: number; readonly causes: readonly string[] }
  /** `seconds`: duration of the outage [s]; absent before the first answer of the daemon. */
  | { readonly reason: 'daemon_unreachable'; readonly seconds?: number }
  | { readonly reason: 'wallets_behind'; readonly wallets: number; readonly blocks: number }
  /** `height`, `version`: lowest block of a newer version than this server knows, which only an update can read. */
  | {
      readonly reason: 'update_needed';
      readonly wallets: number;
      readonly height: number;
      readonly version: number;
    }
  /** `seconds`: time since a quorum of the cluster's databases has confirmed something [s]. */
  | { readonly reason: 'no_quorum'; readonly seconds: number }
  | { readonly reason: 'disk_nearly_full'; readonly free_bytes: number }
  | { readonly reason: 'store_damaged'; readonly wallets: number };

export interface ReadinessParts {
  readonly limits: ReadinessLimits;
  readonly health: DaemonHealth;
  readonly wallets: () => readonly FollowingWallet[];
  readonly start: () => StartProgress;
  /** Quorum of the cluster; absent without a cluster. */
  readonly quorum?: ClusterNode['quorum'] | undefined;
  /** Wallet directory, whose free space is checked. */
  readonly directory: string;
  readonly space?: (directory: string) => Promise<DiskSpace | undefined>;
}

/** Decides whether a server is ready for requests. */
export class Readiness {
  readonly #parts: ReadinessParts;
  /** The running check, whose result all clients receive that ask meanwhile: clients need no login, and may be many. */
  #reading: Promise<NotReady[]> | undefined;

  constructor(parts: ReadinessParts) {
    this.#parts = parts;
  }

  /** Returns all reasons why the server is not ready; an empty list if it is ready. */
  reasons(): Promise<NotReady[]> {
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  async #read(): Promise<NotReady[]> {
    const { health, directory, space = diskSpace, start } = this.#parts;
    const [disk] = await Promise.all([space(directory), health.check()]);
    const wallets = await this.#walletReasons();
    const { waiting, unopened } = start();
    return [
      ...(waiting > 0 ? [{ reason: 'opening_wallets', wallets: waiting } as const] : []),
      ...notOpened(unopened),
      ...withoutQuorum(this.#parts.quorum),
      ...this.#daemonReasons(),
      ...wallets,
      ...this.#diskReasons(disk),
    ];
  }

  #daemonReasons(): NotReady[] {
    const { health, limits } = this.#parts;
    if (health.isOffline) return [];
    if (!health.hasAnswered) return [{ reason: 'daemon_unreachable' }];
    return health.outage > limits.daemonSeconds
      ? [{ reason: 'daemon_unreachable', seconds: Math.round(health.outage) }]
      : [];
  }

  async #walletReasons(): Promise<NotReady[]> {
    const { health, limits, wallets, start } = this.#parts;
    const latest = health.info?.height;
    const lags = await workSlices.map(wallets(), (wallet) => lagOf(wallet, latest));
    const behind = lags.filter(({ blocks }) => blocks > limits.blocksBehind);
    const unopened = start().unopened.filter(({ cause }) => cause === DAMAGED);
    const damaged = lags.filter(({ isDamaged }) => isDamaged).length + unopened.length;
    const blocks = Math.max(0, ...behind.map((lag) => lag.blocks));
    const newer = lags.flatMap(({ newerBlock }) => newerBlock ?? []).sort((a, b) => a.height - b.height);
    return [
      ...newer
        .slice(0, 1)
        .map((block) => ({ reason: 'update_needed', wallets: newer.length, ...block }) as const),
      ...(behind.length > 0 ? [{ reason: 'wallets_behind', wallets: behind.length, blocks } as const] : []),
      ...(damaged > 0 ? [{ reason: 'store_damaged', wallets: damaged } as const] : []),
    ];
  }

  #diskReasons(disk: DiskSpace | undefined): NotReady[] {
    const { diskBytes } = this.#parts.limits;
    return disk !== undefined && disk.free < diskBytes
      ? [{ reason: 'disk_nearly_full', free_bytes: disk.free }]
      : [];
  }
}

const withoutQuorum = (quorum: ReadinessParts['quorum']): NotReady[] =>
  quorum?.isLost === true ? [{ reason: 'no_quorum', seconds: Math.round(quorum.silentMs / 1000) }] : [];

function notOpened(unopened: readonly UnopenedWallet[]): NotReady[] {
  if (unopened.length === 0) return [];
  const causes = [...new Set(unopened.map(({ cause }) => cause))].sort();
  return [{ reason: 'wallets_not_opened', wallets: unopened.length, causes }];
}

const OK = 200;
const UNAVAILABLE = 503;

const json = (status: number, value: Parameters<typeof writeWholeJson>[0]): PageAnswer => ({
  status,
  type: 'application/json',
  body: `${writeWholeJson(value)}\n`,
});

/**
 * Returns the position of the serving daemon in the list, from 1; an empty object for a single daemon. The address of
 * the daemon is left out: see `/metrics`.
 */
function servingDaemon({ statuses }: Pick<DaemonFailover, 'statuses'>): {
  readonly daemon?: { readonly serving: number; readonly listed: number; readonly preferred: boolean };
} {
  if (statuses.length < 2) return {};
  const index = statuses.findIndex(({ serves }) => serves);
  return { daemon: { serving: index + 1, listed: statuses.length, preferred: index === 0 } };
}

/**
 * Returns the pages for supervisors and load balancers. `/livez` depends on the event loop only, since a restart
 * repairs neither the daemon nor the disk; `/readyz` names every reason why requests may fail.
 */
export const healthPages = (
  readiness: Pick<Readiness, 'reasons'>,
  failover: Pick<DaemonFailover, 'statuses'>,
): readonly Page[] => [
  { path: '/livez', answer: () => json(OK, { alive: true }) },
  {
    path: '/readyz',
    async answer() {
      const reasons = await readiness.reasons();
      const ready = reasons.length === 0;
      return json(ready ? OK : UNAVAILABLE, {
        ...{ ready, reasons: reasons.map((reason) => ({ ...reason })) },
        ...servingDaemon(failover),
      });
    },
  },
];
