import { amount, type Amount } from '../util/amount.js';
import type { BlockRef, PageFindings } from '../monero/wallet/model/records.js';
import { CachedRead } from './cached-read.js';
import type { DeferredBlocks } from './deferred-blocks.js';
import type { StoreTransactions } from './store-transactions.js';
import type { WalletReader } from './wallet-reader.js';

/** Parts of a store that {@link KnownBlocks} reads. */
interface Parts {
  readonly deferred: DeferredBlocks;
  readonly transactions: Pick<StoreTransactions, 'isAtRest' | 'isWriting'>;
  readonly store: {
    readonly version: number;
    read<T>(task: (r: WalletReader) => T): T;
  };
}

const heightOf = (tip: BlockRef | undefined): number => (tip?.height ?? 0) + 1;

/** Blocks that a wallet knows: the stored ones, which are read again only after a write, and the deferred ones. */
export class KnownBlocks {
  readonly #parts: Parts;
  readonly #storedTip: CachedRead<BlockRef | undefined>;
  readonly #storedHistory: CachedRead<BlockRef[]>;
  readonly #isAtRest: CachedRead<boolean>;

  constructor(parts: Parts) {
    const { store, transactions } = parts;
    this.#parts = parts;
    this.#storedTip = new CachedRead(store, (r) => r.chain.tip());
    this.#storedHistory = new CachedRead(store, (r) => r.chain.shortHistory());
    this.#isAtRest = new CachedRead(store, () => transactions.isAtRest);
  }

  /** Number of blocks. */
  height(): number {
    const { deferred, store, transactions } = this.#parts;
    // A write begins by storing the deferred blocks.
    if (transactions.isWriting) return heightOf(store.read((r) => r.chain.tip()));
    return deferred.height ?? heightOf(this.#storedTip.value);
  }

  /** Oldest block at or above a height. */
  oldestFrom(height: number): BlockRef | undefined {
    const { deferred, store } = this.#parts;
    const stored = store.read((r) => r.chain.oldestFrom(height));
    return stored ?? deferred.newestFirst().findLast((block) => block.height >= height);
  }

  /** Blocks, newest first: the last ten at least, then with growing gaps, and the first. */
  shortHistory(): BlockRef[] {
    return [...this.#parts.deferred.newestFirst(), ...this.#storedHistory.value];
  }

  /** Reward of the last block [atomic units]; zero while unknown. */
  lastBlockReward(): Amount {
    const { deferred, store } = this.#parts;
    if (deferred.page !== undefined) return deferred.page.lastBlockReward;
    return amount(BigInt(store.read((r) => r.meta.get('last_block_reward')) ?? '0'));
  }

  /** True if a page changes nothing but the tip, and may be stored later. */
  mayDefer(page: PageFindings): boolean {
    return (
      this.#parts.deferred.hasRoomFor(page) && page.startHeight === this.height() && this.#isAtRest.value
    );
  }

  /** Reads the values that the next refresh needs, unless they are known. */
  prefetch(): void {
    this.height();
    this.shortHistory();
    void this.#isAtRest.value;
  }
}
