import { unixSeconds } from '../../util/clock.js';
import type { Rng } from '../../util/random.js';
import { Bans } from '../bans.js';
import { Miner } from '../chain/miner.js';
import { Node, type NodeOptions } from '../chain/node.js';
import { LogSettings } from '../log-settings.js';
import { FaultInjector } from '../fault-injection.js';
import { EncodedBlocks } from './binary/encoded-blocks.js';

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

  async close(): Promise<void> {
    this.miner.stop();
    await this.node.close();
  }
}
