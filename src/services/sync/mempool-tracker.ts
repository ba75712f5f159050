import type { Hash } from '../../crypto/types.js';
import { parseTransaction } from '../../cryptonote/transaction.js';
import type { PoolFinding } from '../../refresh/wallet-scanner.js';
import { toHex } from '../../util/bytes.js';
import { keyImagesOf } from '../../wallet/exchange/pending-tx.js';
import type { WalletContext } from '../context/wallet-context.js';

type Context = Pick<WalletContext, 'store'>;

/** Keeps what the wallet shows of unmined payments, ours and others', in step with the pool. */
export class MempoolTracker {
  readonly #context: Context;
  #present: ReadonlySet<string> = new Set();

  constructor(context: Context) {
    this.#context = context;
  }

  /** Hashes in hex of the transactions that the pool held when it was last read. */
  get present(): ReadonlySet<string> {
    return this.#present;
  }

  /** @param present everything in the pool. @returns incoming transactions that were not known yet. */
  commitPool(present: readonly Hash[], findings: readonly PoolFinding[]): Hash[] {
    const names = new Set(present.map(toHex));
    this.#present = names;
    this.#context.store.write((w) => {
      for (const { txHash } of w.pool.list()) if (!names.has(toHex(txHash))) w.pool.remove(txHash);
    });
    return this.admit(findings);
  }

  /** Shows unmined transactions. @returns incoming ones that were not known yet. */
  admit(findings: readonly PoolFinding[]): Hash[] {
    const fresh: Hash[] = [];
    this.#context.store.write((w) => {
      for (const { incoming, outgoing } of findings) {
        // Mined between the scan of blocks and this look into the pool: the block tells all of it.
        if (incoming !== undefined && w.payments.byTx(incoming.txHash).length === 0) {
          const known = w.pool.has(incoming.txHash);
          w.pool.add(incoming);
          if (!known && w.pool.isIncome(incoming.txHash)) fresh.push(incoming.txHash);
        }
        if (outgoing === undefined) continue;
        // It looked like income as long as what it spends was not known.
        if (incoming === undefined) w.pool.remove(outgoing.txHash);
        const known = w.outgoing.byHash(outgoing.txHash);
        if (known === undefined) {
          // Paid by another wallet with our keys.
          w.outgoing.insert({ ...outgoing, state: 'pending', destinations: [] });
          w.outputs.reserveByKeyImages(outgoing.keyImages, outgoing.txHash, { seen: true });
        } else if (known.state !== 'confirmed') {
          if (known.state !== 'pending') w.outgoing.setState(outgoing.txHash, 'pending');
          // Its inputs may have been found after it: it failed before, or the chain was read again.
          w.outputs.reserveByKeyImages(outgoing.keyImages, outgoing.txHash, { seen: true });
        }
      }
    });
    return fresh;
  }

  /** Payments undone while the spend key was put away take their inputs again, as far as those are free. */
  reserveLost(): void {
    const { store } = this.#context;
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
