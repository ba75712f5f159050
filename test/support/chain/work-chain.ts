import type { DaemonBlock, DaemonInfo } from '../../../src/daemon/daemon.js';
import { DaemonError } from '../../../src/daemon/errors.js';
import { block as blockCodec, blockHash } from '../../../src/monero/cryptonote/block.js';
import { GENESIS_HASH } from '../../../src/monero/cryptonote/constants.js';
import type { Block } from '../../../src/monero/cryptonote/types.js';
import type { Hash } from '../../../src/monero/crypto/types.js';
import type { BlockRef } from '../../../src/monero/wallet/scan/findings.js';
import { GENESIS } from '../../../src/regtest/rules/block-rules.js';
import type { BlockSource } from '../../../src/services/work/fetched-blocks.js';
import { encode } from '../../../src/util/codec.js';

/** Time of the first block of the chains of tests [Unix s]. */
export const CHAIN_START = 1_700_000_000;

/** Returns an empty block. @param nonce differs between branches. */
export const emptyBlock = (height: number, prevHash: Hash, timestamp: number, nonce = 0): Block => ({
  header: { ...{ majorVersion: 16, minorVersion: 16, timestamp, prevHash, nonce } },
  minerTx: { ...GENESIS.minerTx, prefix: { ...GENESIS.minerTx.prefix, inputs: [{ type: 'gen', height }] } },
  txHashes: [],
});

/** Returns a block as a daemon serves it, with the hashes of its transactions but the first. */
export const blockWith = (height: number, txHashes: readonly Hash[], timestamp = CHAIN_START): DaemonBlock =>
  daemonBlock({ ...emptyBlock(height, GENESIS_HASH.mainnet, timestamp), txHashes: [...txHashes] }, 1n);

/** A chain of empty blocks from the first block of the main network on, as a daemon serves it. */
export class WorkChain implements BlockSource {
  readonly blocks: DaemonBlock[];
  /** Number of blocks that the daemon names. */
  claimed: number | undefined;
  /** Number of requests for blocks. */
  requests = 0;

  constructor(blocks: readonly DaemonBlock[] = [daemonBlock(GENESIS, 1n)]) {
    this.blocks = [...blocks];
  }

  /** Returns a copy of the chain up to a height. */
  upTo(height: number): WorkChain {
    return new WorkChain(this.blocks.slice(0, height + 1));
  }

  /** Appends blocks. @param changed parts of the header of each block. */
  grow(count: number, changed: { readonly nonce?: number; readonly timestamp?: number } = {}): this {
    for (let i = 0; i < count; i++) {
      const height = this.blocks.length;
      const timestamp = changed.timestamp ?? CHAIN_START + 120 * height;
      this.blocks.push(
        daemonBlock(emptyBlock(height, this.ref(height - 1).hash, timestamp, changed.nonce), 1n),
      );
    }
    return this;
  }

  get tip(): BlockRef {
    return this.ref(this.blocks.length - 1);
  }

  ref(height: number): BlockRef {
    const block = this.blocks[height];
    if (block === undefined) throw new RangeError(`the chain has no block ${height}`);
    return { height, hash: block.hash };
  }

  getInfo(): Promise<DaemonInfo> {
    return Promise.resolve({
      ...{ height: this.claimed ?? this.blocks.length, targetHeight: 0, topBlockHash: this.tip.hash },
      ...{ network: 'fakechain', synchronized: true, blockWeightLimit: 600_000 },
    });
  }

  getBlock(height: number): Promise<DaemonBlock> {
    this.requests += 1;
    const block = this.blocks[height];
    return block === undefined
      ? Promise.reject(new DaemonError('rejected', `no block ${height}`))
      : Promise.resolve(block);
  }
}

const daemonBlock = (block: Block, cumulativeDifficulty: bigint): DaemonBlock => ({
  ...{ blob: encode(blockCodec, block), hash: blockHash(block), cumulativeDifficulty },
});
