import { formatAddress } from '../../cryptonote/address.js';
import type { Amount } from '../../util/amount.js';
import { yieldToEventLoop } from '../../util/yield-to-event-loop.js';
import { WalletError } from '../../wallet/model/wallet-error.js';
import { planTransfers } from '../../wallet/select/transfer-plan.js';
import type { Payee, TransferRequest } from '../../wallet/select/transfer-request.js';
import type { MadePayments, MakingOptions } from './payment-maker.js';
import type { Accounts } from '../accounts/accounts.js';
import type { Balances } from '../accounts/balances.js';
import type { PaymentMaker } from './payment-maker.js';
import type { WalletContext } from '../context/wallet-context.js';

type Context = Pick<WalletContext, 'rng'>;

/** Sibling services. */
interface Services {
  readonly accounts: Accounts;
  readonly balances: Balances;
  readonly payments: PaymentMaker;
}

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

/** Addresses that are parsed in one turn of the event loop. */
const PARSED_AT_ONCE = 16;

/** Payments to destinations. */
export class Transfers {
  readonly #context: Context;
  readonly #services: Services;

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
  }

  /** @throws WalletError, DaemonError */
  async pay(order: PaymentOrder): Promise<MadePayments> {
    const payees: Payee[] = [];
    for (const [i, destination] of order.destinations.entries()) {
      if (i % PARSED_AT_ONCE === PARSED_AT_ONCE - 1) await yieldToEventLoop();
      payees.push(await this.#payee(destination));
    }
    if (payees.length === 0) throw new WalletError({ kind: 'no_destination' });
    if (payees.filter(({ address }) => address.paymentId !== undefined).length > 1)
      throw new WalletError({
        kind: 'wrong_payment_id',
        reason: 'one payment carries one payment id: give one integrated address',
        text: 'A single payment id is allowed per transaction',
      });
    const { rng } = this.#context;
    const { payments, balances } = this.#services;
    return payments.make(order, ({ rates, priority }) => {
      const { account, unlockTime, feeFrom: subtractFeeFrom } = order;
      const request: TransferRequest = {
        ...{ payees, account, priority, unlockTime, subtractFeeFrom },
        unconfirmed: () => balances.unconfirmed(account, order.minors),
      };
      const purse = payments.builder.purse(order.account, order.minors);
      const planned = planTransfers(request, purse, rates, rng);
      if (!order.split && planned.length > 1)
        throw new WalletError({ kind: 'needs_split', transactions: planned.length });
      return planned;
    });
  }

  /** What is recorded is the address that was paid, not the name that it was found by. */
  async #payee(asked: { readonly address: string; readonly amount: Amount }): Promise<Payee> {
    const address = await this.#services.accounts.resolve(asked.address);
    return { address, text: formatAddress(address), amount: asked.amount };
  }
}
