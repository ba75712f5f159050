import { formatAddress } from '../cryptonote/address.js';
import type { Amount } from '../util/amount.js';
import { WalletError } from '../wallet/fault.js';
import { planTransfers } from '../wallet/transfer-plan.js';
import type { Payee, TransferRequest } from '../wallet/transfer-request.js';
import type { MadePayments, MakingOptions } from './payment-maker.js';
import type { WalletSession } from './wallet-session.js';

/** A payment as a caller asks for it. */
export interface PaymentOrder extends MakingOptions {
  readonly destinations: readonly { readonly address: string; readonly amount: Amount }[];
  /** Empty: every address of the account. */
  readonly minors: readonly number[];
  /** Places of the destinations that the fee is taken from; empty: it is paid on top. */
  readonly feeFrom: readonly number[];
  /** More than one transaction may be made. */
  readonly split: boolean;
}

/** Payments to destinations. */
export class Transfers {
  readonly #session: WalletSession;

  constructor(session: WalletSession) {
    this.#session = session;
  }

  /** @throws WalletError, DaemonError */
  async pay(order: PaymentOrder): Promise<MadePayments> {
    const payees: Payee[] = [];
    for (const destination of order.destinations) payees.push(await this.#payee(destination));
    if (payees.length === 0) throw new WalletError({ kind: 'no_destination' });
    if (payees.filter(({ address }) => address.paymentId !== undefined).length > 1)
      throw new WalletError({
        kind: 'wrong_payment_id',
        reason: 'one payment carries one payment id: give one integrated address',
      });
    const { payments, accounts, link } = this.#session;
    accounts.assertAccount(order.account);
    return payments.make(order, ({ rates, priority }) => {
      const { account, unlockTime, feeFrom: subtractFeeFrom } = order;
      const request: TransferRequest = { payees, account, priority, unlockTime, subtractFeeFrom };
      const purse = payments.builder.purse(order.account, order.minors);
      const planned = planTransfers(request, purse, rates, link.rng);
      if (!order.split && planned.length > 1)
        throw new WalletError({ kind: 'needs_split', transactions: planned.length });
      return planned;
    });
  }

  /** What is recorded is the address that was paid, not the name that it was found by. */
  async #payee(asked: { readonly address: string; readonly amount: Amount }): Promise<Payee> {
    const address = await this.#session.accounts.resolve(asked.address);
    return { address, text: formatAddress(address), amount: asked.amount };
  }
}
