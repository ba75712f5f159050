import { categoriesOf, changeCategories, LOG_LEVELS, MAX_CATEGORIES } from '../../util/log-categories.js';
import { unixSeconds } from '../../util/clock.js';
import type { Rng } from '../../util/random.js';
import { Bans } from '../bans.js';
import { Miner } from '../chain/miner.js';
import { Node, type NodeOptions } from '../chain/node.js';
import { FaultInjector } from '../fault-injection.js';
import { EncodedBlocks } from './binary/encoded-blocks.js';

/** Log categories to which `/set_log_categories` without an argument returns. */
export const DEFAULT_CATEGORIES =
  '*:WARNING,net:FATAL,net.p2p:FATAL,net.cn:FATAL,global:INFO,verify:FATAL,stacktrace:INFO,logging:INFO,msgwriter:INFO';

/**
 * Log level and categories that clients have set. They are returned to clients and have no effect on this daemon's log.
 */
class LogSettings {
  #categories = DEFAULT_CATEGORIES;

  get categories(): string {
    return this.#categories;
  }

  /** Sets the log level. @returns false for an unknown level. */
  setLevel(level: number): boolean {
    if (!Number.isInteger(level) || level < 0 || level >= LOG_LEVELS) return false;
    this.#categories = level === 0 ? DEFAULT_CATEGORIES : categoriesOf(level);
    return true;
  }

  /**
   * Sets or changes the log categories.
   * @param categories a list of categories, a level, or a change that begins with `+` or `-`.
   */
  set(categories: string): void {
    this.#categories = changeCategories(this.#categories, categories).slice(0, MAX_CATEGORIES);
  }
}

export interface DaemonOptions extends NodeOptions {
  /** Interval between two blocks while mining [ms]. */
  readonly blockTimeMs: number;
  /** Version of this program, which the daemon reports. */
  readonly version: string;
  /** Injects faults into answers; absent: no faults. */
  readonly faults?: FaultInjector;
  /** Stops the process; called by the RPC call `/stop_daemon`. */
  readonly stop: () => void;
  /** Is called when mining a block fails. */
  readonly onMiningError: (error: unknown) => void;
}

/** Default bandwidth limits [kB/s]. Source: cryptonote_config.h `P2P_DEFAULT_LIMIT_RATE_…`. */
export const DEFAULT_LIMITS = { down: 32_768, up: 8_192 } as const;
/** Default number of outgoing connections. Source: cryptonote_config.h `P2P_DEFAULT_CONNECTIONS_COUNT`. */
const DEFAULT_OUT_PEERS = 12;
const UNLIMITED = 0xffff_ffff;

/** A regtest daemon: a node, a miner, and the settings that clients can read and change. */
export class RegtestDaemon {
  readonly node: Node;
  readonly miner: Miner;
  readonly bans: Bans;
  readonly faults: FaultInjector;
  readonly encodedBlocks: EncodedBlocks;
  readonly rng: Rng;
  readonly log = new LogSettings();
  /** Bandwidth limits that clients have set [kB/s]. They have no effect, because there are no peers. */
  readonly limits: { down: number; up: number } = { ...DEFAULT_LIMITS };
  readonly peers: { in: number; out: number } = { in: UNLIMITED, out: DEFAULT_OUT_PEERS };
  /** Time when the daemon started [Unix s]. */
  readonly startTime: number;
  readonly version: string;
  readonly stop: () => void;

  /** @throws NewerSchemaError if a newer version of this program wrote the database. */
  constructor(options: DaemonOptions) {
    this.node = new Node(options);
    this.miner = new Miner(this.node, options.blockTimeMs, options.onMiningError);
    this.bans = new Bans(options.clock);
    this.encodedBlocks = new EncodedBlocks(this.node.store);
    this.faults = options.faults ?? new FaultInjector();
    this.rng = options.rng;
    this.startTime = unixSeconds(options.clock);
    this.version = options.version;
    this.stop = options.stop;
  }

  /** Returns this daemon with the node from which an answer is given: a fault may forge a copy of the node for it. */
  seenIn(answer: string): RegtestDaemon {
    const node = this.faults.nodeFor(answer, this.node);
    if (node === this.node) return this;
    const seen: RegtestDaemon = Object.create(this) as RegtestDaemon;
    return Object.assign(seen, { node, encodedBlocks: new EncodedBlocks(node.store) });
  }

  async close(): Promise<void> {
    this.faults.close();
    this.miner.stop();
    await this.node.close();
  }
}
