import type { Rng } from '../util/random.js';
import { Bans } from './bans.js';
import { Miner } from './chain/miner.js';
import { Node, type NodeOptions } from './chain/node.js';
import { LogSettings } from './log-settings.js';
import { FaultInjector } from './fault-injection.js';
import { EncodedBlocks } from './rpc/binary/encoded-blocks.js';

export interface DaemonOptions extends NodeOptions {
  /** Time between blocks while mining. */
  readonly blockTimeMs: number;
  /** Version of this program. */
  readonly version: string;
  /** Absent: no faults are injected. */
  readonly faults?: FaultInjector;
  /** Stops the process. */
  readonly stop: () => void;
  /** Called when mining a block fails. */
  readonly onMiningError: (error: unknown) => void;
}

/** Bandwidth limits [kB/s]. Source: cryptonote_config.h `P2P_DEFAULT_LIMIT_RATE_…`. */
export const DEFAULT_LIMITS = { down: 32_768, up: 8_192 } as const;
/** Source: cryptonote_config.h `P2P_DEFAULT_CONNECTIONS_COUNT`. */
const DEFAULT_OUT_PEERS = 12;
const UNLIMITED = 0xffff_ffff;

/** Regtest daemon: a node, a miner, and the settings that its interface exposes. */
export class RegtestDaemon {
  readonly node: Node;
  readonly miner: Miner;
  readonly bans: Bans;
  readonly faults: FaultInjector;
  readonly encodedBlocks: EncodedBlocks;
  readonly rng: Rng;
  readonly log = new LogSettings();
  /** Requested limits; they have no effect without peers. */
  readonly limits: { down: number; up: number } = { ...DEFAULT_LIMITS };
  readonly peers: { in: number; out: number } = { in: UNLIMITED, out: DEFAULT_OUT_PEERS };
  /** Unix seconds. */
  readonly startTime: number;
  readonly version: string;
  readonly stop: () => void;

  /** @throws NewerSchemaError */
  constructor(options: DaemonOptions) {
    this.node = new Node(options);
    this.miner = new Miner(this.node, options.blockTimeMs, options.onMiningError);
    this.bans = new Bans(options.clock);
    this.encodedBlocks = new EncodedBlocks(this.node.store);
    this.faults = options.faults ?? new FaultInjector();
    this.rng = options.rng;
    this.startTime = options.clock();
    this.version = options.version;
    this.stop = options.stop;
  }

  async close(): Promise<void> {
    this.miner.stop();
    await this.node.close();
  }
}
