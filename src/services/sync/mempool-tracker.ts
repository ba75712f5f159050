import type { Hash } from '../../monero/crypto/types.js';
import { parseTransaction } from '../../monero/cryptonote/transaction.js';
import type { PoolFinding } from '../../refresh/scan/wallet-scanner.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import { keyImagesOf } from '../../monero/wallet/exchange/pending-tx.js';
import { CachedRead } from '../../store/cached-read.js';
import type { ListedTx } from '../../store/tables/pool.js';
import type { WalletWriter } from '../../store/wallet-writer.js';
import type { BlockRef } from '../../monero/wallet/model/records.js';
import type { WalletContext } from '../context/wallet-context.js';

type Context = Pick<WalletContext, 'store'>;

/**
 * Blocks above a wallet at most that it must know before a transaction counts as gone, and blocks that it reads at most
 * without knowing the daemon's newest one before it decides. A daemon that is fewer blocks behind may replace the one
 * that claimed them; with more, false claims would list a transaction for ever.
 */
const MOST_NEEDED_BLOCKS = 10;

/** Hashes in hex. */
type Names = ReadonlySet<string>;

/**
 * Updates the records of unmined incoming and outgoing payments from the pool. An incoming payment that the pool does
 * not hold any more is listed until the wallet knows every block that may contain it.
 * Source: wallet2.cpp `update_pool_state_by_pool_query`, which removes payments after a refresh only.
 */
export class MempoolTracker {
  readonly #context: Context;
  readonly #listed: CachedRead<{ readonly txs: readonly ListedTx[]; readonly isUndecided: boolean }>;
  readonly #open: CachedRead<readonly Hash[]>;
  #present: Names = new Set();
  /**
   * Number of blocks of the wallet when it first did not know the daemon's newest one; undefined if it does, or nothing is
   * missing.
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

  /** Hashes in hex of the transactions that the pool held when it was last committed. */
  get present(): Names {
    return this.#present;
  }

  /** @param present hashes of all transactions in the pool. @returns hashes of new incoming transactions. */
  commitPool(present: readonly Hash[], findings: readonly PoolFinding[]): Hash[] {
    const names = namesOf(present);
    this.#present = names;
    if (!this.lacksPayments) this.#undecidedFrom = undefined;
    const back = this.#returned(names);
    // Most reads change nothing.
    if (back.length === 0 && findings.length === 0 && !this.#listed.value.isUndecided) return [];
    return this.#context.store.write((w) => {
      for (const { txHash } of back) w.pool.setMissing(txHash, undefined);
      const fresh = this.#record(w, findings);
      w.events.poolRead();
      return fresh;
    });
  }

  /** True if committing a later pool changes nothing, because all its transactions were in the one read before. */
  isUpToDate(present: readonly Hash[]): boolean {
    if (this.#listed.value.isUndecided) return false;
    const names = namesOf(present);
    return [...names].every((name) => this.#present.has(name)) && this.#returned(names).length === 0;
  }

  /** True if the pool as last committed lacks a listed payment or an own unmined one: {@link decide} is to be called. */
  get lacksPayments(): boolean {
    const isMissing = ({ txHash }: { readonly txHash: Hash }): boolean => !this.#present.has(toHex(txHash));
    return this.#listed.value.txs.some(isMissing) || this.#open.value.some((txHash) => isMissing({ txHash }));
  }

  /** True if a pool lacks a listed payment that no earlier one lacked: {@link noteMissing} is to be called. */
  hasNewlyMissing(present: Names): boolean {
    return this.#newlyMissing(present).length > 0;
  }

  /**
   * Keeps listed payments that a pool lacks until the wallet knows as many blocks as the daemon had when they were first
   * missing.
   * @param height number of blocks of the daemon, asked for after its pool was listed.
   */
  noteMissing(present: Names, height: number): void {
    this.#update([], this.#newlyMissing(present), height);
  }

  /**
   * Removes the listed payments that the pool as last committed lacks, if the wallet knows all blocks that may contain
   * them; keeps them as {@link noteMissing} does otherwise.
   * @param tip newest block of the daemon, asked for after its pool was listed; undefined if it did not answer.
   * @returns whether the wallet knows the tip: no block that it does not know took a payment from the pool. Also true if
   * it has not known one for ten blocks.
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

  /** Listed payments that a pool lacks. */
  #missing(present: Names): readonly ListedTx[] {
    return this.#listed.value.txs.filter(({ txHash }) => !present.has(toHex(txHash)));
  }

  /** Listed payments that a pool holds and an earlier one lacked. */
  #returned(present: Names): readonly ListedTx[] {
    return this.#listed.value.txs.filter(
      ({ txHash, neededHeight }) => neededHeight !== undefined && present.has(toHex(txHash)),
    );
  }

  /** Listed payments that a pool lacks and no earlier one lacked. */
  #newlyMissing(present: Names): readonly ListedTx[] {
    return this.#missing(present).filter(({ neededHeight }) => neededHeight === undefined);
  }

  /** @param waiting payments that are kept until the wallet knows as many blocks as the daemon. @param height these. */
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

  /** Records unmined transactions. @returns hashes of new incoming ones. */
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
      // Skipped if it was mined between the scan of blocks and this read of the pool: the block has all facts. If that block
      // is replaced, the pool is scanned again: `WalletSync.commitPage`.
      if (incoming !== undefined && w.payments.byTx(incoming.txHash).length === 0) {
        const known = w.pool.has(incoming.txHash);
        w.pool.add(incoming);
        if (!known && w.pool.isIncome(incoming.txHash)) fresh.push(incoming.txHash);
      }
      if (outgoing === undefined) continue;
      // It was recorded as incoming while its inputs were unknown.
      if (incoming === undefined) w.removeIncoming(outgoing.txHash);
      const known = w.outgoing.byHash(outgoing.txHash);
      if (known === undefined) {
        // Paid by another wallet with our keys.
        w.addPending({ ...outgoing, destinations: [] });
        w.outputs.reserveByKeyImages(outgoing.keyImages, outgoing.txHash, { seen: true });
      } else if (known.state !== 'confirmed') {
        if (known.state !== 'pending') w.markPending(outgoing.txHash);
        // Its inputs may be recorded later than it: after a failure, or after a rescan.
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
        .list({ states: ['prepared', 'pending'] })
        .flatMap(({ txHash, blob }) =>
          blob === undefined || r.outputs.spentBy(txHash).length > 0
            ? []
            : [{ txHash, keyImages: keyImagesOf(parseTransaction(blob)) }],
        ),
    );
    if (lost.length === 0) return;
    store.write((w) => {
      for (const { txHash, keyImages } of lost)
        w.outputs.reserveByKeyImages(keyImages, txHash, { seen: false });
    });
  }
}

const namesOf = (hashes: readonly Hash[]): Names => new Set(hashes.map(toHex));
