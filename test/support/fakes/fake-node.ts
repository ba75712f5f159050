import type { Hash } from '../../../src/monero/crypto/types.js';
import { GENESIS_HASH } from '../../../src/monero/cryptonote/constants.js';
import type {
  BlocksRequest,
  DaemonBlockHeader,
  DaemonBlocks,
  DaemonInfo,
} from '../../../src/daemon/daemon.js';
import { DaemonError } from '../../../src/daemon/errors.js';
import type { ParsedBlock } from '../../../src/daemon/block-parser.js';
import type { DaemonClient } from '../../../src/services/context/daemon-list.js';
import type { BlockRef } from '../../../src/monero/wallet/model/records.js';

/** Hash of a block of a named branch; branch and height are its first bytes. */
export const hashOn = (branch: string, height: number): Hash => {
  if (height === 0 && branch !== 'other genesis') return GENESIS_HASH.mainnet;
  const bytes = new Uint8Array(32);
  bytes.set(Buffer.from(branch.slice(0, 20)));
  new DataView(bytes.buffer).setUint32(24, height);
  return bytes as Hash;
};

/** Blocks that a wallet holds of a branch, newest first. */
export const historyOn = (branch: string, tip: number, length = 10): BlockRef[] =>
  Array.from({ length: Math.min(length, tip + 1) }, (_, i) => ({
    height: tip - i,
    hash: hashOn(branch, tip - i),
  }));

/** Daemon with a chain of named branches, which a test makes fail, stall or lie. */
export class FakeNode {
  /** Number of blocks. */
  height: number;
  branch = 'main';
  /** Height of the first block of `branch`; those below are of `main`. */
  forkHeight = 0;
  network = 'mainnet';
  synchronized = true;
  /** Height that it claims. */
  claimed: number | undefined;
  /** Headers of blocks that it claims exist. */
  forgesHeaders = false;
  failure: DaemonError | undefined;
  /** Names of the calls. */
  readonly calls: string[] = [];

  constructor(height: number) {
    this.height = height;
  }

  hashAt(height: number): Hash {
    return hashOn(height >= this.forkHeight ? this.branch : 'main', height);
  }

  get client(): DaemonClient {
    const client = {
      getInfo: () => this.#answer('getInfo', () => this.#info()),
      getBlockHeader: (height: number) => this.#answer('getBlockHeader', () => this.#header(height)),
      getBlocks: (request: BlocksRequest) => this.#answer('getBlocks', () => this.#blocks(request)),
      until: () => client,
      close: () => void this.calls.push('close'),
    } as Partial<DaemonClient> as DaemonClient;
    return client;
  }

  async #answer<T>(name: string, answer: () => T): Promise<T> {
    this.calls.push(name);
    await Promise.resolve();
    if (this.failure !== undefined) throw this.failure;
    return answer();
  }

  #info(): DaemonInfo {
    const height = this.claimed ?? this.height;
    return {
      ...{ height, targetHeight: 0, topBlockHash: this.hashAt(height - 1) },
      ...{ network: this.network, synchronized: this.synchronized, blockWeightLimit: 600_000 },
    };
  }

  #header(height: number): DaemonBlockHeader {
    if (height >= this.height && !this.forgesHeaders) throw new DaemonError('rejected', 'too high');
    return { height, hash: this.hashAt(height), timestamp: 0, reward: 0n, weight: 0 };
  }

  #blocks({ startHeight = 0, maxBlocks = 1000 }: BlocksRequest): DaemonBlocks {
    const count = Math.max(0, Math.min(maxBlocks, this.height - startHeight));
    const blocks = Array.from(
      { length: count },
      (_, i) => ({ hash: this.hashAt(startHeight + i) }) as ParsedBlock,
    );
    return {
      startHeight,
      currentHeight: this.claimed ?? this.height,
      blocks,
    } as Partial<DaemonBlocks> as DaemonBlocks;
  }
}
