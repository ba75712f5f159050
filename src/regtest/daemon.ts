import type { Rng } from '../util/random.js';
import { Bans } from './bans.js';
import { Miner } from './chain/miner.js';
import { Node, type NodeOptions } from './chain/node.js';
import { LogSettings } from './log-settings.js';
import { Misbehaviour } from './misbehaviour.js';

export interface DaemonOptions extends NodeOptions {
  /** Between blocks while it mines. */
  readonly blockTimeMs: number;
  /** Of this program. */
  readonly version: string;
  /** Absent: it behaves. */
  readonly misbehaviour?: Misbehaviour;
  /** Ends the process, or what stands for it. */
  readonly stop: () => void;
  /** Told when a block could not be mined. */
  readonly onMiningError: (error: unknown) => void;
}

/** kB/s. Source: cryptonote_config.h `P2P_DEFAULT_LIMIT_RATE_…`. */
export const DEFAULT_LIMITS = { down: 32_768, up: 8_192 } as const;
/** Source: cryptonote_config.h `P2P_DEFAULT_CONNECTIONS_COUNT`. */
const DEFAULT_OUT_PEERS = 12;
const UNLIMITED = 0xffff_ffff;

/** A daemon of its own: a node, a miner, and what else its interface speaks of. */
export class RegtestDaemon {
  readonly node: Node;
  readonly miner: Miner;
  readonly bans: Bans;
  readonly misbehaviour: Misbehaviour;
  readonly rng: Rng;
  readonly log = new LogSettings();
  /** What was asked for; there are no peers to limit. */
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
    this.misbehaviour = options.misbehaviour ?? new Misbehaviour();
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
