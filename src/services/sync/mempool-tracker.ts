import type { Hash } from '../../crypto/types.js';
import { parseTransaction } from '../../cryptonote/transaction.js';
import type { PoolFinding } from '../../refresh/wallet-scanner.js';
import { toHex } from '../../util/bytes.js';
import { keyImagesOf } from '../../wallet/exchange/pending-tx.js';
import { CachedRead } from '../../store/cached-read.js';
import type { WalletWriter } from '../../store/wallet-writer.js';
import type { WalletContext } from '../context/wallet-context.js';

type Context = Pick<WalletContext, 'store'>;

/** Updates the records of unmined incoming and outgoing payments from the pool. */
export class MempoolTracker {
  readonly #context: Context;
  readonly #listed: CachedRead<{ readonly hashes: readonly Hash[]; readonly isUndecided: boolean }>;
  readonly #hasOpen: CachedRead<boolean>;
  #present: ReadonlySet<string> = new Set();

  constructor(context: Context) {
    this.#context = context;
    this.#listed = new CachedRead(context.store, (r) => ({
      hashes: r.pool.hashes(),
      isUndecided: r.events.awaitsPool(),
    }));
    this.#hasOpen = new CachedRead(context.store, (r) => r.outgoing.hasUnmined());
  }

  /** Hashes in hex of the transactions that the pool held when it was last read. */
  get present(): ReadonlySet<string> {
    return this.#present;
  }

  /** @param present hashes of all transactions in the pool. @returns hashes of new incoming transactions. */
  commitPool(present: readonly Hash[], findings: readonly PoolFinding[]): Hash[] {
    const names = new Set(present.map(toHex));
    this.#present = names;
    const { hashes, isUndecided } = this.#listed.value;
    const gone = goneFrom(names, hashes);
    // Most reads change nothing.
    if (gone.length === 0 && findings.length === 0 && !isUndecided) return [];
    return this.#context.store.write((w) => {
      for (const txHash of gone) w.pool.remove(txHash);
      const fresh = this.#record(w, findings);
      w.events.poolRead();
      return fresh;
    });
  }

  /** True if committing a later pool changes nothing, because all its transactions were in the one read before. */
  isUpToDate(present: readonly Hash[]): boolean {
    const { hashes, isUndecided } = this.#listed.value;
    if (isUndecided) return false;
    const names = new Set(present.map(toHex));
    return [...names].every((name) => this.#present.has(name)) && goneFrom(names, hashes).length === 0;
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
      // Skipped if it was mined between the scan of blocks and this read of the pool: the block has all facts.
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
    if (!this.#hasOpen.value) return;
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

/** Recorded transactions that the pool no longer has. @param names hashes in hex of the pool. */
const goneFrom = (names: ReadonlySet<string>, recorded: readonly Hash[]): Hash[] =>
  recorded.filter((txHash) => !names.has(toHex(txHash)));
