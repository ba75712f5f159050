import type { WrittenSections } from '../../../monero/epee/storage-writer.js';
import { toHex } from '../../../util/bytes.js';
import type { ChainStore } from '../../store/chain-store.js';
import type { ServedBlock } from '../../store/served-blocks.js';
import { encodeBlocks, encodeIndices, joinedSections, type EncodedSections } from './block-page.js';

/** Number of blocks in a run of encoded blocks. The first height of a run is a multiple of this number. */
const RUN_BLOCKS = 100;

/** Largest total size of the encoded runs that are kept [bytes]. */
const MOST_BYTES = 64 << 20;

/** Limits at which a page ends. */
export interface PageLimits {
  /** Largest number of blocks. */
  readonly blocks: number;
  /** Number of blocks that a page contains even if they exceed the limits below. */
  readonly fewest: number;
  /** Number of transactions, and size of blocks with their payments [bytes], after which a page ends. */
  readonly transactions: number;
  readonly bytes: number;
}

/** Parts of blocks that are left out. */
export interface EncodingOptions {
  /** True: payments have no signatures and proofs, but the hash of the removed part. */
  readonly prune: boolean;
  /** True: the output indices of miner transactions are empty lists. */
  readonly noMinerTx: boolean;
}

/** A page of encoded blocks, with the encoded indices of their outputs. */
export interface EncodedPage {
  readonly blocks: WrittenSections;
  readonly outputIndices: WrittenSections;
}

/** Consecutive encoded blocks. */
interface Run {
  /** Number of blocks in the run. */
  readonly length: number;
  readonly blocks: EncodedSections;
  readonly indices: EncodedSections;
  /** For each block, the number of its transactions, the miner transaction included. */
  readonly transactions: readonly number[];
  /** For each block, its size with its payments [bytes]. */
  readonly sizes: readonly number[];
}

/** The part of a run that belongs to a page. */
interface Taken {
  readonly run: Run;
  readonly from: number;
  readonly to: number;
}

/**
 * Encodes blocks of the main chain as wallets request them. Runs of blocks are kept after they were encoded, because
 * every wallet requests the whole chain.
 */
export class EncodedBlocks {
  readonly #store: Pick<ChainStore, 'blocks' | 'served'>;
  readonly #mostBytes: number;
  /**
   * Kept runs, least recently used first. The key contains the encoding options, and height and hash of the run's last
   * block, which changes if any block of the run does.
   */
  readonly #kept = new Map<string, Run>();
  #keptBytes = 0;

  /** @param mostBytes largest total size of the kept runs [bytes]. */
  constructor(store: Pick<ChainStore, 'blocks' | 'served'>, mostBytes = MOST_BYTES) {
    this.#store = store;
    this.#mostBytes = mostBytes;
  }

  /** Total size of the kept runs [bytes]. */
  get keptBytes(): number {
    return this.#keptBytes;
  }

  /** Encodes the blocks from the height `start` on, until a limit is reached. Source: db_lmdb.cpp `get_blocks_from`. */
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
      // The run has no block at this height: the chain ends before it.
      if (from === run.length) break;
      at += to - from;
    }
    return taken;
  }

  /**
   * Finds the run that contains the block at a height.
   * @returns the run and the index of the block in it; above the tip, an empty run.
   */
  #runAt(
    height: number,
    most: number,
    { prune, noMinerTx }: EncodingOptions,
  ): { readonly run: Run; readonly from: number } {
    const first = height - (height % RUN_BLOCKS);
    const [lastHash] = this.#store.blocks.hashes(first + RUN_BLOCKS - 1, 1);
    // An incomplete run is not kept, because blocks will be added to it.
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

  /** Makes a run the most recently used one, and drops the least recently used runs above the size limit. */
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
