import type { WrittenSections } from '../../../monero/epee/storage-writer.js';
import { toHex } from '../../../util/bytes.js';
import type { ChainStore } from '../../store/chain-store.js';
import type { ServedBlock } from '../../store/served-blocks.js';
import { encodeBlocks, encodeIndices, joinedSections, type EncodedSections } from './block-page.js';

/** Blocks of a run: runs begin at multiples of it. */
const RUN_BLOCKS = 100;

/** Size of the runs that are kept at most [bytes]. */
const MOST_BYTES = 64 << 20;

/** Limits of a page. */
export interface PageLimits {
  /** Blocks at most. */
  readonly blocks: number;
  /** Blocks that are not counted against the limits below. */
  readonly fewest: number;
  /** Transactions after which the page ends, and size of blocks and payments after which it ends [bytes]. */
  readonly transactions: number;
  readonly bytes: number;
}

export interface EncodingOptions {
  /** Payments lack signatures and proofs, and carry their prunable hash. */
  readonly prune: boolean;
  /** Leaves the output indices of miner transactions empty. */
  readonly noMinerTx: boolean;
}

export interface EncodedPage {
  readonly blocks: WrittenSections;
  readonly outputIndices: WrittenSections;
}

/** Consecutive encoded blocks. */
interface Run {
  /** Number of blocks. */
  readonly length: number;
  readonly blocks: EncodedSections;
  readonly indices: EncodedSections;
  /** Transactions of each block, with the miner's. */
  readonly transactions: readonly number[];
  /** Size of each block with its payments [bytes]. */
  readonly sizes: readonly number[];
}

/** The part of a run that belongs to a page. */
interface Taken {
  readonly run: Run;
  readonly from: number;
  readonly to: number;
}

/**
 * Blocks of the main chain, encoded as wallets request them. Every wallet requests the whole chain, so runs of blocks are
 * kept once they were encoded.
 */
export class EncodedBlocks {
  readonly #store: Pick<ChainStore, 'blocks' | 'served'>;
  readonly #mostBytes: number;
  /** By options, height and hash of the last block, which all blocks of a run depend on; the least recently used first. */
  readonly #kept = new Map<string, Run>();
  #keptBytes = 0;

  /** @param mostBytes size of the runs that are kept. */
  constructor(store: Pick<ChainStore, 'blocks' | 'served'>, mostBytes = MOST_BYTES) {
    this.#store = store;
    this.#mostBytes = mostBytes;
  }

  /** Size of the runs that are kept [bytes]. */
  get keptBytes(): number {
    return this.#keptBytes;
  }

  /** Encodes the blocks from a height up to the limits of a page. Source: db_lmdb.cpp `get_blocks_from`. */
  page(start: number, limits: PageLimits, options: EncodingOptions): EncodedPage {
    const taken = this.#take(start, limits, options);
    const count = taken.reduce((sum, { from, to }) => sum + to - from, 0);
    return {
      blocks: joinedSections(
        count,
        taken.map(({ run, from, to }) => run.blocks.part(from, to)),
      ),
      outputIndices: joinedSections(
        count,
        taken.map(({ run, from, to }) => run.indices.part(from, to)),
      ),
    };
  }

  #take(start: number, limits: PageLimits, options: EncodingOptions): Taken[] {
    const taken: Taken[] = [];
    let [blocks, transactions, bytes] = [0, 0, 0];
    for (let at = start; blocks < limits.blocks;) {
      const { run, from } = this.#runAt(at, limits.blocks - blocks, options);
      let to = from;
      for (; to < run.length && blocks < limits.blocks; to++) {
        if (blocks >= limits.fewest && (bytes >= limits.bytes || transactions >= limits.transactions))
          return [...taken, { run, from, to }];
        blocks += 1;
        transactions += run.transactions[to] ?? 0;
        bytes += run.sizes[to] ?? 0;
      }
      taken.push({ run, from, to });
      // The chain ends here.
      if (from === run.length) break;
      at += to - from;
    }
    return taken;
  }

  /** @returns the run with the block at a height, and the index of the block; the end of a run beyond the chain. */
  #runAt(
    height: number,
    most: number,
    { prune, noMinerTx }: EncodingOptions,
  ): { readonly run: Run; readonly from: number } {
    const first = height - (height % RUN_BLOCKS);
    const [lastHash] = this.#store.blocks.hashes(first + RUN_BLOCKS - 1, 1);
    // Blocks are added to the last run.
    if (lastHash === undefined)
      return { run: this.#encode(height, Math.min(RUN_BLOCKS, most), { prune, noMinerTx }), from: 0 };
    const key = `${prune ? 1 : 0}${noMinerTx ? 1 : 0} ${first} ${toHex(lastHash)}`;
    const known = this.#kept.get(key);
    const run = known ?? this.#encode(first, RUN_BLOCKS, { prune, noMinerTx });
    this.#keep(key, run, known !== undefined);
    return { run, from: height - first };
  }

  #encode(start: number, count: number, { prune, noMinerTx }: EncodingOptions): Run {
    const served = this.#store.served.range(start, count, prune);
    return {
      length: served.length,
      blocks: encodeBlocks(served, prune),
      indices: encodeIndices(served, noMinerTx),
      transactions: served.map(({ payments }) => 1 + payments.length),
      sizes: served.map(sizeOf),
    };
  }

  /** Makes a run the most recently used one, and drops the least recently used ones. */
  #keep(key: string, run: Run, isKnown: boolean): void {
    this.#kept.delete(key);
    this.#kept.set(key, run);
    if (isKnown) return;
    this.#keptBytes += bytesOf(run);
    for (const [oldest, dropped] of this.#kept) {
      if (this.#keptBytes <= this.#mostBytes) break;
      this.#kept.delete(oldest);
      this.#keptBytes -= bytesOf(dropped);
    }
  }
}

const sizeOf = ({ blob, payments }: ServedBlock): number =>
  payments.reduce((sum, payment) => sum + payment.blob.length, blob.length);

const bytesOf = ({ blocks, indices }: Run): number => blocks.bytes.length + indices.bytes.length;
