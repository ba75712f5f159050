import type { Hash } from '../../monero/crypto/types.js';
import type { TxFindings } from '../../monero/wallet/scan/findings.js';
import { toHex } from '../../util/bytes.js';
import type { WalletContext } from '../context/wallet-context.js';

type Context = Pick<WalletContext, 'events' | 'name' | 'store'>;

/** Notifies the listeners of a wallet once of each of its incoming transactions. */
export class IncomingNotices {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  /**
   * Returns the mined incoming transactions without a notification so far; transactions that were seen in the pool had
   * a notification then.
   */
  newIn({ received, outputs }: TxFindings): Hash[] {
    if (received.length === 0) return [];
    const incoming = new Set(outputs.filter(({ change }) => !change).map(({ txHash }) => toHex(txHash)));
    for (const known of this.#context.store.read((r) => r.pool.hashes())) incoming.delete(toHex(known));
    return received.map(({ txHash }) => txHash).filter((txHash) => incoming.has(toHex(txHash)));
  }

  /** Returns the mined incoming transactions that are neither recorded nor had a notification so far. */
  unknownIn(found: TxFindings): Hash[] {
    const incoming = this.newIn(found);
    return this.#context.store.read((r) => incoming.filter((txHash) => !r.payments.has(txHash)));
  }

  /** Notifies of mined transactions, except transactions whose outputs are all burnt. */
  mined(txHashes: readonly Hash[]): void {
    if (txHashes.length > 0) this.seen(this.#context.store.read((r) => r.outputs.incomeAmong(txHashes)));
  }

  /** Notifies of transactions. */
  seen(txHashes: readonly Hash[]): void {
    if (txHashes.length > 0) this.#context.events.onIncoming(this.#context.name, txHashes);
  }
}
