import { formatAddress } from '../../cryptonote/address.js';
import type { Amount } from '../../util/amount.js';
import { yieldToEventLoop } from '../../util/yield-to-event-loop.js';
import type { MadePayments } from '../../wallet/model/made-payment.js';
import { WalletError } from '../../wallet/model/wallet-error.js';
import { planTransfers } from '../../wallet/select/transfer-plan.js';
import type { Payee, TransferRequest } from '../../wallet/select/transfer-request.js';
import { assertReplaces, type FailedPayment } from './failed-payment.js';
import type { PaymentOptions } from './payment-maker.js';
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

/** Request for a payment. */
export interface PaymentRequest extends PaymentOptions {
  readonly destinations: readonly { readonly address: string; readonly amount: Amount }[];
  /** Empty: every address of the account. */
  readonly minors: readonly number[];
  /** Indices of the destinations that pay the fee; empty: it is paid in addition. */
  readonly feeFrom: readonly number[];
  /** Outputs that the change is split into, 1 to 14. */
  readonly changeOutputs: number;
  /** Allows more than one transaction. */
  readonly split: boolean;
}

/** Addresses parsed between two yields to the event loop. */
const PARSE_BATCH_SIZE = 16;

/** Payments to destinations. */
export class Transfers {
  readonly #context: Context;
  readonly #services: Services;

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
  }

  /** @throws WalletError, DaemonError */
  async pay(request: PaymentRequest): Promise<MadePayments> {
    const payees: Payee[] = [];
    for (const [i, destination] of request.destinations.entries()) {
      if (i % PARSE_BATCH_SIZE === PARSE_BATCH_SIZE - 1) await yieldToEventLoop();
      payees.push(await this.#payee(destination));
    }
    if (payees.length === 0) throw new WalletError({ kind: 'no_destination' });
    if (payees.filter(({ address }) => address.paymentId !== undefined).length > 1)
      throw new WalletError({
        kind: 'wrong_payment_id',
        reason: 'a payment has one payment id at most: give one integrated address only',
        text: 'A single payment id is allowed per transaction',
      });
    return this.#make(request, payees, { split: request.split });
  }

  /**
   * Pays the destinations of a failed transaction again.
   * @param request as it was made first. @throws WalletError, DaemonError
   */
  async payAgain(request: PaymentRequest, failed: FailedPayment): Promise<MadePayments> {
    const payees: Payee[] = [];
    for (const [i, { address, amount }] of failed.destinations.entries()) {
      // The recorded amounts are less the fee where the payees paid it; there is one transaction then.
      const asked = request.feeFrom.length === 0 ? amount : (request.destinations[i]?.amount ?? amount);
      payees.push(await this.#payee({ address, amount: asked }));
    }
    return this.#make(request, payees, { split: false, failed });
  }

  #make(
    request: PaymentRequest,
    payees: readonly Payee[],
    { split, failed }: { readonly split: boolean; readonly failed?: FailedPayment },
  ): Promise<MadePayments> {
    const { rng } = this.#context;
    const { payments, balances } = this.#services;
    return payments.make(request, ({ rates, priority }) => {
      const { account, unlockTime, feeFrom: subtractFeeFrom, changeOutputs } = request;
      const transfer: TransferRequest = {
        ...{ payees, account, priority, unlockTime, subtractFeeFrom, changeOutputs },
        unconfirmed: () => balances.unconfirmed(account, request.minors),
      };
      const spendable = payments.builder.spendableOutputs(request.account, request.minors);
      const planned = planTransfers(transfer, spendable, rates, rng, failed?.requiredInputs());
      if (!split && planned.length > 1)
        throw new WalletError({ kind: 'needs_split', transactions: planned.length });
      if (failed !== undefined) assertReplaces(failed, planned);
      return planned;
    });
  }

  /** Resolves a destination; the resolved address is recorded, not the OpenAlias name. */
  async #payee(destination: { readonly address: string; readonly amount: Amount }): Promise<Payee> {
    const address = await this.#services.accounts.resolve(destination.address);
    return { address, text: formatAddress(address), amount: destination.amount };
  }
}
