import type { Hash, KeyImage, PublicKey, Commitment } from '../crypto/types.js';
import type { BlockOutline } from './outliner.js';
import type { TxOutlines } from './tx-outlines.js';

/** Options of a call that may take long. */
export interface CallOptions {
  /** Ends the call with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** ms for the call, before those that a long answer takes; absent: a minute. */
  readonly deadline?: number;
}

export interface DaemonInfo {
  /** Number of blocks. */
  readonly height: number;
  /** Height that peers claim; 0 or `height` once synchronised. */
  readonly targetHeight: number;
  readonly topBlockHash: Hash;
  /** `mainnet`, `testnet`, `stagenet`, or `fakechain` for regtest. */
  readonly network: string;
  readonly synchronized: boolean;
  /** Heaviest block that may be mined. */
  readonly blockWeightLimit: number;
}

export interface FeeEstimate {
  /** Atomic units per byte of weight, from slow to fastest. */
  readonly perByte: readonly bigint[];
  /** Fees are rounded up to a multiple of this. */
  readonly quantizationMask: bigint;
}

export interface HardForkInfo {
  readonly version: number;
  readonly enabled: boolean;
  readonly earliestHeight: number;
}

export interface BlocksRequest extends CallOptions {
  /** Block names, newest first, the genesis block last; the reply starts at the newest that the daemon holds. */
  readonly shortHistory?: readonly Hash[];
  /** Start here instead; above 0. */
  readonly startHeight?: number;
  /** Blocks of the reply at most. Daemons of 0.18.0 do not know it, and send as many as without. */
  readonly maxBlocks?: number | undefined;
  readonly prune: boolean;
}

/** Blocks in a row, with all their transactions. */
export interface DaemonBlocks {
  readonly startHeight: number;
  /** Number of blocks that the daemon holds. */
  readonly currentHeight: number;
  readonly blocks: readonly BlockOutline[];
  readonly txs: TxOutlines;
  /** Size of the reply. */
  readonly bytes: number;
}

export interface ChainHashes {
  readonly startHeight: number;
  readonly currentHeight: number;
  readonly hashes: readonly Hash[];
}

/** An output that a ring may use. */
export interface RingCandidate {
  readonly publicKey: PublicKey;
  readonly commitment: Commitment;
  readonly unlocked: boolean;
  readonly height: number;
  readonly txHash: Hash;
}

/** RingCT outputs a block, cumulative, from `startHeight` on. */
export interface OutputDistribution {
  readonly startHeight: number;
  /** Outputs before `startHeight`. */
  readonly base: number;
  readonly cumulative: readonly number[];
}

export interface DaemonTransaction {
  readonly hash: Hash;
  /** Whole, or pruned if that was asked for or the daemon keeps no more. */
  readonly blob: Uint8Array;
  /** Of the part that is missing from a pruned `blob`; version 1 has none. */
  readonly prunableHash?: Hash;
  readonly inPool: boolean;
  readonly doubleSpendSeen: boolean;
  /** Absent in the pool. */
  readonly blockHeight?: number;
  readonly blockTimestamp?: number;
  readonly outputIndices?: readonly number[];
}

export interface RelayOutcome {
  readonly accepted: boolean;
  /** Accepted, but not passed on to peers. */
  readonly notRelayed: boolean;
  /** Why it was refused, in words. */
  readonly reason: string;
}

export interface DaemonBlockHeader {
  readonly height: number;
  readonly hash: Hash;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly reward: bigint;
  readonly weight: number;
}

/** A transaction of the pool, as far as others wait behind it. */
export interface BacklogEntry {
  readonly weight: number;
  readonly fee: bigint;
}

export interface MiningStatus {
  readonly active: boolean;
  readonly threads: number;
}

/** unspent, spent in the chain, spent in the pool. */
export type KeyImageStatus = 0 | 1 | 2;

/**
 * A node, as far as wallets need one. It is not trusted: implementations check every size, length and index
 * before use. Every call may throw DaemonError.
 */
export interface Daemon {
  getInfo(options?: CallOptions): Promise<DaemonInfo>;
  /** Major in the high 16 bits, minor in the low. */
  getVersion(): Promise<number>;
  hardForkInfo(version?: number): Promise<HardForkInfo>;
  getFeeEstimate(): Promise<FeeEstimate>;
  getBlocks(request: BlocksRequest): Promise<DaemonBlocks>;
  getHashes(shortHistory: readonly Hash[], options?: CallOptions): Promise<ChainHashes>;
  getOutputIndexes(txHash: Hash): Promise<readonly number[]>;
  /**
   * Outputs by their index among those of one amount, in the order asked for.
   * @param amount zero, and absent: RingCT outputs.
   */
  getOutputs(indices: readonly number[], amount?: bigint): Promise<readonly RingCandidate[]>;
  getOutputDistribution(): Promise<OutputDistribution>;
  getPoolHashes(options?: CallOptions): Promise<readonly Hash[]>;
  /** Hashes that the daemon does not know are missing from the reply. */
  getTransactions(
    hashes: readonly Hash[],
    options: { readonly prune: boolean } & CallOptions,
  ): Promise<{ readonly transactions: readonly DaemonTransaction[] }>;
  /**
   * Hands over a transaction, once: it is not sent again after any of its bytes left.
   * @throws DaemonError, whose `notTaken` says that it certainly was not relayed. Any other error means the same.
   */
  sendRawTransaction(blob: Uint8Array): Promise<RelayOutcome>;
  isKeyImageSpent(keyImages: readonly KeyImage[]): Promise<readonly KeyImageStatus[]>;
  getBlockHeader(height: number, options?: CallOptions): Promise<DaemonBlockHeader>;
  getLastBlockHeader(): Promise<DaemonBlockHeader>;
  /** Of `count` blocks from a height on. */
  getBlockHeaders(start: number, count: number): Promise<readonly DaemonBlockHeader[]>;
  getPoolBacklog(): Promise<readonly BacklogEntry[]>;
  /** @param threads at least 1. */
  startMining(address: string, threads: number, background: boolean, ignoreBattery: boolean): Promise<void>;
  stopMining(): Promise<void>;
  miningStatus(): Promise<MiningStatus>;
}
