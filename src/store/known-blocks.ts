import { amount, type Amount } from '../util/amount.js';
import type { BlockRef, PageFindings } from '../monero/wallet/scan/findings.js';
import { CachedRead } from './cached-read.js';
import type { DeferredBlocks, StoreTransactions } from './store-transactions.js';
import type { WalletReader } from './wallet-reader.js';

/** Objects of a store from which {@link KnownBlocks} reads. */
interface Parts {
  readonly deferred: DeferredBlocks;
  readonly transactions: Pick<StoreTransactions, 'isAtRest' | 'isWriting'>;
  readonly store: {
    readonly version: number;
    read<T>(task: (r: WalletReader) => T): T;
  };
}

const heightOf = (tip: BlockRef | undefined): number => (tip?.height ?? 0) + 1;

/**
 * Blocks that a wallet holds: the stored blocks, which are read again only after a write, and above them the deferred
 * blocks.
 */
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

  /** Returns the number of blocks. */
  height(): number {
    const { deferred, store, transactions } = this.#parts;
    // Each write starts by storing the deferred blocks, so the stored tip includes them.
    if (transactions.isWriting) return heightOf(store.read((r) => r.chain.tip()));
    return deferred.height ?? heightOf(this.#storedTip.value);
  }

  /** Returns the oldest block at or above a height; undefined if there is no such block. */
  oldestFrom(height: number): BlockRef | undefined {
    const { deferred, store } = this.#parts;
    const stored = store.read((r) => r.chain.oldestFrom(height));
    return stored ?? deferred.newestFirst().findLast((block) => block.height >= height);
  }

  /** Returns blocks, newest first: at least the last ten, then blocks at growing distances, and the oldest block. */
  shortHistory(): BlockRef[] {
    return [...this.#parts.deferred.newestFirst(), ...this.#storedHistory.value];
  }

  /** Returns the reward of the newest block [atomic units]; 0 if it is not known. */
  lastBlockReward(): Amount {
    const { deferred, store } = this.#parts;
    if (deferred.page !== undefined) return deferred.page.lastBlockReward;
    return amount(BigInt(store.read((r) => r.meta.get('last_block_reward')) ?? '0'));
  }

  /** Returns the time of the newest block [Unix s]; undefined if it is not known. */
  lastBlockTime(): number | undefined {
    const { deferred, store } = this.#parts;
    if (deferred.page?.lastBlockTime !== undefined) return deferred.page.lastBlockTime;
    const stored = store.read((r) => r.meta.get('last_block_time'));
    return stored === undefined ? undefined : Number(stored);
  }

  /** Returns true if a page changes only the tip, so that it may be stored later. */
  mayDefer(page: PageFindings): boolean {
    return (
      this.#parts.deferred.hasRoomFor(page) && page.startHeight === this.height() && this.#isAtRest.value
    );
  }

  /** Reads the values that the next refresh needs, unless they are cached. */
  prefetch(): void {
    this.height();
    this.shortHistory();
    void this.#isAtRest.value;
  }
}
