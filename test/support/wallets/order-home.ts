import { Balances } from '../../../src/services/accounts/balances.js';
import { WalletLocks } from '../../../src/services/context/wallet-context.js';
import { FeeEstimator } from '../../../src/services/payments/fee-estimator.js';
import { Orders } from '../../../src/services/payments/orders.js';
import { PaymentMaker } from '../../../src/services/payments/payment-maker.js';
import { Sweeps } from '../../../src/services/payments/sweeps.js';
import { Transfers } from '../../../src/services/payments/transfers.js';

/** Request of a payment to destinations. */
type PaymentRequest = Parameters<Transfers['pay']>[0];
import { LostPayments } from '../../../src/services/sync/lost-payments.js';
import { MempoolTracker } from '../../../src/services/sync/mempool-tracker.js';
import type { OutputFreezing } from '../../../src/services/sync/output-freezing.js';
import { PaymentRelay } from '../../../src/services/sync/payment-relay.js';
import { SignedSets } from '../../../src/services/sync/signed-sets.js';
import { amount } from '../../../src/util/amount.js';
import type { ConstructionData } from '../../../src/monero/wallet/exchange/construction-data.js';
import type { ImportedKeyImage } from '../../../src/monero/wallet/scan/key-images.js';
import type { PendingTx } from '../../../src/monero/wallet/exchange/pending-tx.js';
import { clearChain } from '../chain/cleared-chain.js';
import type { OrderNetwork } from './order-network.js';
import type { ServiceWallet } from './service-wallet.js';

/** Encryption of the sets that a wallet without all keys makes. */
export interface Sealers {
  readonly sealUnsigned: (txs: readonly ConstructionData[]) => Promise<Uint8Array>;
  readonly sealMultisig: (txs: readonly PendingTx[]) => Promise<Uint8Array>;
}

const sealsNothing: Sealers = {
  sealUnsigned: () => Promise.reject(new Error('nothing is unsigned')),
  sealMultisig: () => Promise.reject(new Error('nothing is proposed')),
};

/** Request that pays an amount to an address, from all of account 0. */
export const paymentRequest = (
  address: string,
  value: bigint,
  changes: Partial<PaymentRequest> = {},
): PaymentRequest => ({
  ...{ account: 0, unlockTime: 0n, priority: 1, doNotRelay: false, withMetadata: false, spender: undefined },
  ...{ minors: [], feeFrom: [], changeOutputs: 1, split: false },
  payees: [{ address, amount: amount(value) }],
  ...changes,
});

/** One process of a wallet that places orders: another one opens the same store after a crash. */
export class OrderHome {
  readonly payments: PaymentMaker;
  readonly transfers: Transfers;
  readonly sweeps: Sweeps;
  readonly orders: Orders;
  readonly wallet: ServiceWallet;
  readonly #network: OrderNetwork;
  readonly #mempool: MempoolTracker;
  readonly #lost: LostPayments;
  readonly #sets: SignedSets;

  constructor(wallet: ServiceWallet, network: OrderNetwork, sealers: Sealers = sealsNothing) {
    this.wallet = wallet;
    this.#network = network;
    // A process that crashed holds its locks for ever.
    const context = { ...wallet, locks: new WalletLocks() };
    const { accounts } = wallet;
    const relay = new PaymentRelay(context);
    this.#mempool = new MempoolTracker(context);
    this.#lost = new LostPayments(context, { relay });
    this.#sets = new SignedSets(context);
    this.payments = new PaymentMaker(context, {
      ...{ accounts, relay, mempool: this.#mempool, feeEstimator: new FeeEstimator(context) },
      ...sealers,
    });
    const { payments } = this;
    this.transfers = new Transfers({
      ...{ accounts, payments, balances: new Balances(context, { accounts }) },
    });
    const outputFreezing = {} as OutputFreezing;
    this.sweeps = new Sweeps(context, { accounts, payments, outputFreezing, ...sealers });
    this.orders = new Orders(context, { relay });
  }

  /** Reads blocks and pool, and follows the payments of the wallet. @returns key images that were learned. */
  async refresh(): Promise<readonly ImportedKeyImage[]> {
    const { store } = this.wallet;
    const from = this.#network.forkOf((height) => store.read((r) => r.chain.hashAt(height)));
    if (from <= this.#network.tip) store.write((w) => w.applyPage(this.#network.findings(from)));
    this.#mempool.commitPool(
      [...this.#network.pool.values()].map(({ txHash }) => txHash),
      this.#network.poolFindings(),
    );
    this.#mempool.reserveLost();
    await this.#lost.follow(this.#mempool.present);
    return this.#sets.follow();
  }

  /** Deletes what the chain has, then reads it again. */
  async rescan(hard: boolean): Promise<void> {
    this.wallet.store.write((w) => clearChain(w, { hard }));
    await this.refresh();
  }
}
