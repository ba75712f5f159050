import type { OpenWallet } from '../../services/open-wallet.js';
import { toHex } from '../../util/bytes.js';
import { workSlices } from '../../util/event-loop.js';
import { readable, type WalletFacts } from '../wallet-facts.js';

/** An own payment that is in no block. */
export interface WaitingPayment {
  readonly wallet: string;
  /** Hash of the transaction, in hex. */
  readonly txHash: string;
  /** Time at which it was made [Unix s]. */
  readonly made: number;
  /** Key of its order; undefined for a payment without a key, and for a batch of payouts. */
  readonly order: string | undefined;
  /** Number of payouts that it pays. */
  readonly payouts: number;
}

/** Part of an open wallet with its payments. */
export interface SpendingWallet {
  readonly name: string;
  readonly store: Pick<OpenWallet['store'], 'read'>;
}

/** Largest number of payments in the list. */
const SHOWN = 8;
/** Largest number of wallets whose payments are read: those with the oldest ones come first. */
const MAX_WALLETS = 64;

/** Reads the oldest payments of some wallets that are in no block, the oldest first. @param facts facts of the wallets. */
export async function waitingPayments(
  wallets: readonly SpendingWallet[],
  facts: readonly WalletFacts[],
): Promise<WaitingPayment[]> {
  const waiting = wallets
    .flatMap((wallet, i) => {
      const since = facts[i]?.oldestPending;
      return since === undefined ? [] : [{ wallet, since }];
    })
    .sort((a, b) => a.since - b.since)
    .slice(0, MAX_WALLETS);
  const lists = await workSlices.map(waiting, ({ wallet: { name: wallet, store } }) =>
    readable(() =>
      store.read((r) =>
        r.outgoingSearch.oldestPending(SHOWN).map(({ txHash, timestamp: made }): WaitingPayment => {
          const payouts = r.payouts.idsPaidBy(txHash).length;
          const order = payouts > 0 ? undefined : r.orders.keyOf(txHash);
          return { wallet, txHash: toHex(txHash), made, order, payouts };
        }),
      ),
    ),
  );
  return lists
    .flatMap((list) => list ?? [])
    .sort((a, b) => a.made - b.made)
    .slice(0, SHOWN);
}
