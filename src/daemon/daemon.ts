import type { Hash, KeyImage, PublicKey, Commitment } from '../monero/crypto/types.js';
import type { ParsedBlock, UnreadBlock, ParsedTxs } from '../monero/wallet/scan/block-page.js';

/** Options of a call that may take a long time. */
export interface CallOptions {
  /** Signal that ends the call with its reason when it is aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Time limit of the call, which the size of a long answer extends [ms]. Default: one minute. */
  readonly deadline?: number;
}

/** State of a daemon and of its chain. */
export interface DaemonInfo {
  /** Number of blocks of the daemon's chain. */
  readonly height: number;
  /** Height that the peers of the daemon report; 0 or `height` when it is synchronised. */
  readonly targetHeight: number;
  readonly topBlockHash: Hash;
  /** Network of the daemon: `mainnet`, `testnet`, `stagenet`, or `fakechain` for regtest. */
  readonly network: string;
  readonly synchronized: boolean;
  /** Largest weight that a block may have. */
  readonly blockWeightLimit: number;
  /** Version of the daemon's program; absent if the daemon does not tell it, as a restricted one. */
  readonly software?: string;
  /** Numbers of connections to peers; absent if the daemon does not tell them. */
  readonly peers?: { readonly outgoing: number; readonly incoming: number };
}

/** A hard fork in the schedule of a daemon. */
export interface ScheduledFork {
  /** Height of the first block of the fork. */
  readonly height: number;
  /** Version of its blocks. */
  readonly version: number;
}

/** Fee rates that the daemon recommends. */
export interface FeeEstimate {
  /** Fee rates from slow to fastest [atomic units per byte of weight]. */
  readonly perByte: readonly bigint[];
  /** Fees are rounded up to a multiple of this amount [atomic units]. */
  readonly quantizationMask: bigint;
}

/** State of a hard fork. */
export interface HardForkInfo {
  /** Version that the next block of the chain has. */
  readonly version: number;
  /** True if the next block follows the rules of the requested fork. */
  readonly enabled: boolean;
  /** Height of the first block of the requested fork; absent if the daemon does not know this fork. */
  readonly earliestHeight?: number;
}

/** Start and size of a page of blocks. */
export interface BlocksRequest extends CallOptions {
  /**
   * Hashes of blocks that the wallet holds, newest first, genesis block last. The answer starts at the newest of these
   * blocks that is in the daemon's chain.
   */
  readonly shortHistory?: readonly Hash[];
  /** Height of the first block, above 0; takes the place of a short history. */
  readonly startHeight?: number;
  /** Largest number of blocks in the answer. Daemons of version 0.18.0 ignore it. */
  readonly maxBlocks?: number | undefined;
}

/** Consecutive blocks of the daemon's chain, with their transactions. */
export interface DaemonBlocks {
  readonly startHeight: number;
  /** Number of blocks of the daemon's chain. */
  readonly currentHeight: number;
  readonly blocks: readonly ParsedBlock[];
  /** The block after `blocks`, if the daemon sent this block and it cannot be read. */
  readonly unread?: UnreadBlock;
  readonly txs: ParsedTxs;
  /** Length of the answer [bytes]. */
  readonly bytes: number;
}

/** Hashes of consecutive blocks. */
export interface ChainHashes {
  readonly startHeight: number;
  readonly currentHeight: number;
  readonly hashes: readonly Hash[];
}

/** An output that may become a member of a ring. */
export interface RingCandidate {
  readonly publicKey: PublicKey;
  readonly commitment: Commitment;
  readonly unlocked: boolean;
}

/** Cumulative number of RingCT outputs after each block, from the block at `startHeight` on. */
export interface OutputDistribution {
  readonly startHeight: number;
  /** Number of RingCT outputs in the blocks below `startHeight`. */
  readonly base: number;
  readonly cumulative: readonly number[];
}

/** A transaction of the chain or of the pool, as the daemon sent it. */
export interface DaemonTransaction {
  readonly hash: Hash;
  /** Encoded transaction: complete, or pruned if that was requested or if the daemon is pruned. */
  readonly blob: Uint8Array;
  /** Hash of the prunable part that a pruned `blob` lacks; absent for a transaction of version 1. */
  readonly prunableHash?: Hash;
  readonly inPool: boolean;
  readonly doubleSpendSeen: boolean;
  /** Height of the block that contains the transaction; absent for a pool transaction. */
  readonly blockHeight?: number;
  readonly blockTimestamp?: number;
  readonly outputIndices?: readonly number[];
}

/** A transaction of a page of blocks. */
export interface ListedTx {
  /** Hash that the block lists. */
  readonly hash: Hash;
  /** Pruned encoding. */
  readonly blob: Uint8Array;
}

/** Result of submitting a transaction. */
export interface RelayOutcome {
  readonly accepted: boolean;
  /** True if the daemon has accepted the transaction but does not relay it to its peers. */
  readonly notRelayed: boolean;
  /** Reason why the daemon refused the transaction, to be shown to users. */
  readonly reason: string;
}

/** Header of a block of the daemon's chain. */
export interface DaemonBlockHeader {
  readonly height: number;
  readonly hash: Hash;
  /** Time of the block [Unix s]. */
  readonly timestamp: number;
  readonly reward: bigint;
  readonly weight: number;
}

/** A block of the daemon's chain, with the work that the daemon reports; neither is checked. */
export interface DaemonBlock {
  /** Encoded block, with the hashes of its transactions. */
  readonly blob: Uint8Array;
  readonly hash: Hash;
  /** Sum of the difficulties of the block and of all blocks before it. */
  readonly cumulativeDifficulty: bigint;
}

/** Weight and fee of a pool transaction, from which the waiting time of a new payment is estimated. */
export interface BacklogEntry {
  readonly weight: number;
  readonly fee: bigint;
}

export interface MiningStatus {
  readonly active: boolean;
  readonly threads: number;
}

/** State of a key image: {@link UNSPENT}, {@link SPENT_IN_CHAIN}, or 2: spent in the pool. */
export type KeyImageStatus = 0 | 1 | 2;

export const UNSPENT = 0 satisfies KeyImageStatus;
export const SPENT_IN_CHAIN = 1 satisfies KeyImageStatus;

/**
 * The calls to a daemon that wallets need. A daemon is not trusted: implementations check every size, length and index
 * before use. Every call may throw DaemonError.
 */
export interface Daemon {
  /** True if the operator trusts the daemon with the privacy of the wallets. No answer is believed because of it. */
  readonly isTrusted: boolean;
  getInfo(options?: CallOptions): Promise<DaemonInfo>;
  /**
   * Returns the RPC version of the daemon: the major version in the high 16 bits, the minor version in the low 16 bits.
   */
  getVersion(): Promise<number>;
  hardForkInfo(version?: number): Promise<HardForkInfo>;
  /** Fetches the hard forks that the daemon knows, past and future; empty if it does not tell them. */
  getForks(options?: CallOptions): Promise<readonly ScheduledFork[]>;
  getFeeEstimate(): Promise<FeeEstimate>;
  getBlocks(request: BlocksRequest): Promise<DaemonBlocks>;
  getHashes(shortHistory: readonly Hash[], options?: CallOptions): Promise<ChainHashes>;
  getOutputIndexes(txHash: Hash): Promise<readonly number[]>;
  /**
   * Fetches outputs by their global index among all outputs of one amount. The result has the order of `indices`.
   * @param amount atomic units; zero or absent: RingCT outputs.
   */
  getOutputs(indices: readonly number[], amount?: bigint): Promise<readonly RingCandidate[]>;
  getOutputDistribution(): Promise<OutputDistribution>;
  /**
   * Fetches a part of the output distribution. @param toHeight height of the last block; 0: the tip. A daemon rejects a
   * height above its tip.
   */
  getOutputCounts(fromHeight: number, toHeight: number): Promise<OutputDistribution>;
  getPoolHashes(options?: CallOptions): Promise<readonly Hash[]>;
  /** Fetches transactions. The result lacks transactions that the daemon does not know. */
  getTransactions(
    hashes: readonly Hash[],
    options: { readonly prune: boolean } & CallOptions,
  ): Promise<{ readonly transactions: readonly DaemonTransaction[] }>;
  /**
   * Proves transactions of a page of blocks that came without the hash of their prunable part: fetches them by their hashes,
   * verifies these, and compares the bytes. @throws DaemonError `forged` if a transaction differs.
   */
  proveTransactions(listed: readonly ListedTx[], options?: CallOptions): Promise<void>;
  /**
   * Verifies the signatures with which an unmined transaction spends key images.
   * @returns false if the daemon does not have the transaction any more. @throws DaemonError `forged` for an invalid signature
   */
  proveSpends(txHash: Hash, keyImages: readonly KeyImage[], options?: CallOptions): Promise<boolean>;
  /**
   * Submits a transaction. It is sent only once: after any of its bytes were sent there is no retry.
   * @throws DaemonError. If its `notTaken` is true, the transaction was certainly not relayed; the same holds for an
   * error of any other class.
   */
  sendRawTransaction(blob: Uint8Array): Promise<RelayOutcome>;
  isKeyImageSpent(keyImages: readonly KeyImage[]): Promise<readonly KeyImageStatus[]>;
  /** Fetches the block at a height of the daemon's chain, and the work that the daemon reports; neither is checked. */
  getBlock(height: number, options?: CallOptions): Promise<DaemonBlock>;
  getBlockHeader(height: number, options?: CallOptions): Promise<DaemonBlockHeader>;
  getLastBlockHeader(options?: CallOptions): Promise<DaemonBlockHeader>;
  /** Fetches `count` consecutive headers from the height `start`. */
  getBlockHeaders(start: number, count: number): Promise<readonly DaemonBlockHeader[]>;
  getPoolBacklog(): Promise<readonly BacklogEntry[]>;
  /** Starts mining on the daemon. @param threads number of mining threads, at least 1. */
  startMining(address: string, threads: number, background: boolean, ignoreBattery: boolean): Promise<void>;
  stopMining(): Promise<void>;
  miningStatus(): Promise<MiningStatus>;
}
