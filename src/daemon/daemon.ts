import type { Hash, KeyImage, PublicKey, Commitment } from '../monero/crypto/types.js';
import type { ParsedBlock } from './block-parser.js';
import type { ParsedTxs } from './parsed-txs.js';

/** Options of a call that may take long. */
export interface CallOptions {
  /** Ends the call with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Time for the call, to which a long answer adds [ms]; absent: a minute. */
  readonly deadline?: number;
}

export interface DaemonInfo {
  /** Number of blocks. */
  readonly height: number;
  /** Height that peers claim; 0 or `height` when synchronised. */
  readonly targetHeight: number;
  readonly topBlockHash: Hash;
  /** `mainnet`, `testnet`, `stagenet`, or `fakechain` for regtest. */
  readonly network: string;
  readonly synchronized: boolean;
  /** Largest weight of a block. */
  readonly blockWeightLimit: number;
}

export interface FeeEstimate {
  /** Atomic units per byte of weight, from slow to fastest. */
  readonly perByte: readonly bigint[];
  /** Fees are rounded up to a multiple of it. */
  readonly quantizationMask: bigint;
}

export interface HardForkInfo {
  readonly version: number;
  readonly enabled: boolean;
  readonly earliestHeight: number;
}

export interface BlocksRequest extends CallOptions {
  /** Block hashes, newest first, genesis block last; the reply starts at the newest one that the daemon's chain has. */
  readonly shortHistory?: readonly Hash[];
  /** Height of the first block, instead of a short history; above 0. */
  readonly startHeight?: number;
  /** Most blocks of the reply. Daemons of 0.18.0 ignore it. */
  readonly maxBlocks?: number | undefined;
  readonly prune: boolean;
}

/** Consecutive blocks with their transactions. */
export interface DaemonBlocks {
  readonly startHeight: number;
  /** Number of blocks of the daemon's chain. */
  readonly currentHeight: number;
  readonly blocks: readonly ParsedBlock[];
  readonly txs: ParsedTxs;
  /** Length of the reply. */
  readonly bytes: number;
}

export interface ChainHashes {
  readonly startHeight: number;
  readonly currentHeight: number;
  readonly hashes: readonly Hash[];
}

/** An output that can be a ring member. */
export interface RingCandidate {
  readonly publicKey: PublicKey;
  readonly commitment: Commitment;
  readonly unlocked: boolean;
}

/** Cumulative number of RingCT outputs by block, from `startHeight` on. */
export interface OutputDistribution {
  readonly startHeight: number;
  /** Number of outputs below `startHeight`. */
  readonly base: number;
  readonly cumulative: readonly number[];
}

export interface DaemonTransaction {
  readonly hash: Hash;
  /** Complete, or pruned if that was requested or the daemon is pruned. */
  readonly blob: Uint8Array;
  /** Hash of the part that a pruned `blob` lacks; absent for version 1. */
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
  /** Accepted, but not relayed to peers. */
  readonly notRelayed: boolean;
  /** Reason of a refusal, for users. */
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

/** Weight and fee of a transaction of the mempool, for estimating the backlog. */
export interface BacklogEntry {
  readonly weight: number;
  readonly fee: bigint;
}

export interface MiningStatus {
  readonly active: boolean;
  readonly threads: number;
}

/** 0: unspent, 1: spent in the chain, 2: spent in the mempool. */
export type KeyImageStatus = 0 | 1 | 2;

/**
 * The calls to a node that wallets need. A node is not trusted: implementations check every size, length and index
 * before use. Every call may throw DaemonError.
 */
export interface Daemon {
  getInfo(options?: CallOptions): Promise<DaemonInfo>;
  /** RPC version: major in the high 16 bits, minor in the low ones. */
  getVersion(): Promise<number>;
  hardForkInfo(version?: number): Promise<HardForkInfo>;
  getFeeEstimate(): Promise<FeeEstimate>;
  getBlocks(request: BlocksRequest): Promise<DaemonBlocks>;
  getHashes(shortHistory: readonly Hash[], options?: CallOptions): Promise<ChainHashes>;
  getOutputIndexes(txHash: Hash): Promise<readonly number[]>;
  /**
   * Fetches outputs by their global index among the outputs of one amount, in the order of `indices`.
   * @param amount zero or absent: RingCT outputs.
   */
  getOutputs(indices: readonly number[], amount?: bigint): Promise<readonly RingCandidate[]>;
  getOutputDistribution(): Promise<OutputDistribution>;
  getPoolHashes(options?: CallOptions): Promise<readonly Hash[]>;
  /** Fetches transactions; the reply lacks unknown ones. */
  getTransactions(
    hashes: readonly Hash[],
    options: { readonly prune: boolean } & CallOptions,
  ): Promise<{ readonly transactions: readonly DaemonTransaction[] }>;
  /**
   * Submits a transaction. It is sent once only: never again after any of its bytes were sent.
   * @throws DaemonError; the transaction was certainly not relayed if `notTaken` is true. An error of another class
   * implies the same.
   */
  sendRawTransaction(blob: Uint8Array): Promise<RelayOutcome>;
  isKeyImageSpent(keyImages: readonly KeyImage[]): Promise<readonly KeyImageStatus[]>;
  getBlockHeader(height: number, options?: CallOptions): Promise<DaemonBlockHeader>;
  getLastBlockHeader(options?: CallOptions): Promise<DaemonBlockHeader>;
  /** Fetches `count` consecutive headers from the height `start`. */
  getBlockHeaders(start: number, count: number): Promise<readonly DaemonBlockHeader[]>;
  getPoolBacklog(): Promise<readonly BacklogEntry[]>;
  /** @param threads at least 1. */
  startMining(address: string, threads: number, background: boolean, ignoreBattery: boolean): Promise<void>;
  stopMining(): Promise<void>;
  miningStatus(): Promise<MiningStatus>;
}
