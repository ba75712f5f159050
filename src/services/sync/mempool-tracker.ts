import type { Hash } from '../../monero/crypto/types.js';
import { parseTransaction } from '../../monero/cryptonote/transaction.js';
import type { PoolFinding } from '../../refresh/scan/wallet-scanner.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import { keyImagesOf } from '../../monero/wallet/exchange/pending-tx.js';
import { CachedRead } from '../../store/cached-read.js';
import type { ListedTx } from '../../store/tables/pool.js';
import type { WalletWriter } from '../../store/wallet-writer.js';
import type { BlockRef } from '../../monero/wallet/scan/findings.js';
import type { WalletContext } from '../context/wallet-context.js';

type Context = Pick<WalletContext, 'store'>;

/**
 * Two limits [blocks]: the number of blocks above its own that a wallet waits for before a missing transaction counts
 * as gone, and the number of blocks that it reads without knowing the daemon's newest block before it decides
 * nevertheless. A daemon may claim blocks and then be replaced by a daemon that is fewer blocks behind; without a
 * limit, false claims would keep a transaction listed for ever.
 */
const MOST_NEEDED_BLOCKS = 10;

/** Transaction hashes [hex]. */
type Names = ReadonlySet<string>;

/**
 * Updates the records of unmined incoming and outgoing payments from the pool. Lists an incoming payment that left the
 * pool until the wallet knows every block that may contain it. Source: wallet2.cpp `update_pool_state_by_pool_query`,
 * which removes payments after a refresh only.
 */
export class MempoolTracker {
  readonly #context: Context;
  readonly #listed: CachedRead<{ readonly txs: readonly ListedTx[]; readonly isUndecided: boolean }>;
  readonly #open: CachedRead<readonly Hash[]>;
  #present: Names = new Set();
  /**
   * Number of blocks of the wallet when it first lacked the daemon's newest block; undefined if the wallet has this
   * block, or if no payment is missing.
   */
  #undecidedFrom: number | undefined;

  constructor(context: Context) {
    this.#context = context;
    this.#listed = new CachedRead(context.store, (r) => ({
      txs: r.pool.listed(),
      isUndecided: r.events.awaitsPool(),
    }));
    this.#open = new CachedRead(context.store, (r) =>
      r.outgoing.hasUnmined()
        ? r.outgoing.list({ states: ['prepared', 'pending'] }).map(({ txHash }) => txHash)
        : [],
    );
  }

  /** Hashes of the payments of the wallet that are prepared or pending; empty if there are none. */
  get made(): { readonly made?: readonly Hash[] } {
    return this.#open.value.length === 0 ? {} : { made: this.#open.value };
  }

  /** Hashes of the transactions in the pool that was committed last [hex]. */
  get present(): Names {
    return this.#present;
  }

  /**
   * Records a scanned pool. @param present hashes of all transactions in the pool.
   * @returns hashes of new incoming transactions.
   */
  commitPool(present: readonly Hash[], findings: readonly PoolFinding[]): Hash[] {
    const names = namesOf(present);
    this.#present = names;
    if (!this.lacksPayments) this.#undecidedFrom = undefined;
    const back = this.#returned(names);
    // Most reads of the pool change nothing and need no transaction.
    if (back.length === 0 && findings.length === 0 && !this.#listed.value.isUndecided) return [];
    return this.#context.store.write((w) => {
      for (const { txHash } of back) w.pool.setMissing(txHash, undefined);
      const fresh = this.#record(w, findings);
      w.events.poolRead();
      return fresh;
    });
  }

  /** True if committing a later pool would change nothing, because the last committed pool has all its transactions. */
  isUpToDate(present: readonly Hash[]): boolean {
    if (this.#listed.value.isUndecided) return false;
    const names = namesOf(present);
    return [...names].every((name) => this.#present.has(name)) && this.#returned(names).length === 0;
  }

  /**
   * True if the last committed pool lacks a listed payment or an own unmined payment, so that {@link decide} must be
   * called.
   */
  get lacksPayments(): boolean {
    const isMissing = ({ txHash }: { readonly txHash: Hash }): boolean => !this.#present.has(toHex(txHash));
    return this.#listed.value.txs.some(isMissing) || this.#open.value.some((txHash) => isMissing({ txHash }));
  }

  /** True if a pool lacks a listed payment that no earlier pool lacked, so that {@link noteMissing} must be called. */
  hasNewlyMissing(present: Names): boolean {
    return this.#newlyMissing(present).length > 0;
  }

  /**
   * Keeps listed payments that a pool newly lacks, until the wallet knows as many blocks as the daemon has now.
   * @param height number of blocks of the daemon, requested after its pool was listed.
   */
  noteMissing(present: Names, height: number): void {
    this.#update([], this.#newlyMissing(present), height);
  }

  /**
   * Removes the listed payments that the last committed pool lacks, if the wallet knows all blocks that may contain
   * them; otherwise keeps them as {@link noteMissing}.
   * @param tip newest block of the daemon, requested after its pool was listed; undefined if the daemon did not answer.
   * @returns true if the wallet knows the tip, so that no unknown block took a payment from the pool; also true if the
   * wallet has not known a tip for ten blocks.
   */
  decide(tip: BlockRef | undefined): boolean {
    const height = this.#context.store.height();
    const isKnown = this.#knows(tip);
    this.#undecidedFrom = isKnown ? undefined : (this.#undecidedFrom ?? height);
    const isDecided = height >= (this.#undecidedFrom ?? -Infinity) + MOST_NEEDED_BLOCKS;
    const atOnce = isKnown ? 0 : Infinity;
    const gone = isDecided
      ? this.#missing(this.#present).filter(({ neededHeight = atOnce }) => neededHeight <= height)
      : [];
    const waiting = this.#newlyMissing(this.#present).filter((tx) => !gone.includes(tx));
    this.#update(gone, tip === undefined ? [] : waiting, (tip?.height ?? 0) + 1);
    return isDecided;
  }

  #knows(block: BlockRef | undefined): boolean {
    const known = block && this.#context.store.blockAt(block.height);
    return block !== undefined && known !== undefined && equalBytes(known.hash, block.hash);
  }

  /** Returns the listed payments that a pool lacks. */
  #missing(present: Names): readonly ListedTx[] {
    return this.#listed.value.txs.filter(({ txHash }) => !present.has(toHex(txHash)));
  }

  /** Returns the listed payments that a pool contains and an earlier pool lacked. */
  #returned(present: Names): readonly ListedTx[] {
    return this.#listed.value.txs.filter(
      ({ txHash, neededHeight }) => neededHeight !== undefined && present.has(toHex(txHash)),
    );
  }

  /** Returns the listed payments that a pool lacks and no earlier pool lacked. */
  #newlyMissing(present: Names): readonly ListedTx[] {
    return this.#missing(present).filter(({ neededHeight }) => neededHeight === undefined);
  }

  /**
   * Removes and keeps listed payments. @param gone payments to remove.
   * @param waiting payments to keep until the wallet knows `height` blocks. @param height number of blocks of the
   * daemon.
   */
  #update(gone: readonly ListedTx[], waiting: readonly ListedTx[], height: number): void {
    if (gone.length === 0 && waiting.length === 0) return;
    const { store } = this.#context;
    const needed = Math.min(height, store.height() + MOST_NEEDED_BLOCKS);
    store.write((w) => {
      for (const { txHash } of waiting) w.pool.setMissing(txHash, needed);
      for (const { txHash } of gone) w.pool.remove(txHash);
      if (gone.length > 0) w.events.poolRead();
    });
  }

  /** Records unmined transactions. @returns hashes of new incoming transactions. */
  admit(findings: readonly PoolFinding[]): Hash[] {
    if (findings.length === 0) return [];
    return this.#context.store.write((w) => {
      const fresh = this.#record(w, findings);
      w.events.poolChanged();
      return fresh;
    });
  }

  #record(w: WalletWriter, findings: readonly PoolFinding[]): Hash[] {
    const fresh: Hash[] = [];
    for (const { incoming, outgoing } of findings) {
      // A transaction that was mined between the scan of blocks and this read of the pool is left out: the block has
      // all facts. If this block is replaced, the pool is scanned again: `WalletSync.commitPage`.
      if (incoming !== undefined && w.payments.byTx(incoming.txHash).length === 0) {
        const known = w.pool.has(incoming.txHash);
        w.pool.add(incoming);
        if (!known && w.pool.isIncome(incoming.txHash)) fresh.push(incoming.txHash);
      }
      if (outgoing === undefined) continue;
      // The payment was recorded as incoming while its inputs were unknown.
      if (incoming === undefined) w.removeIncoming(outgoing.txHash);
      const known = w.outgoing.byHash(outgoing.txHash);
      if (known === undefined) {
        // Another wallet with the same keys made this payment.
        w.outputs.reserveByKeyImages(outgoing.keyImages, outgoing.txHash, { seen: true });
        w.addPending({ ...outgoing, destinations: [] });
      } else if (known.state !== 'confirmed') {
        if (known.state !== 'pending') w.markPending(outgoing.txHash);
        // The inputs may be recorded later than the payment: after it failed, or after a rescan.
        w.outputs.reserveByKeyImages(outgoing.keyImages, outgoing.txHash, { seen: true });
      }
    }
    return fresh;
  }

  /** Reserves the free inputs of payments that a reorganisation undid during background sync. */
  reserveLost(): void {
    const { store } = this.#context;
    if (this.#open.value.length === 0) return;
    const lost = store.read((r) =>
      r.outgoing
        .unreserved()
        .map(({ txHash, blob }) => ({ txHash, keyImages: keyImagesOf(parseTransaction(blob)) })),
    );
    if (lost.length === 0) return;
    store.write((w) => {
      for (const { txHash, keyImages } of lost)
        w.outputs.reserveByKeyImages(keyImages, txHash, { seen: false });
    });
  }
}

const namesOf = (hashes: readonly Hash[]): Names => new Set(hashes.map(toHex));
