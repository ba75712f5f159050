import type { Destination } from '../../monero/wallet/build/outgoing-tx.js';
import { formatAddress } from '../../monero/cryptonote/address.js';
import { amount } from '../../util/amount.js';
import { yieldToEventLoop } from '../../util/event-loop.js';
import type { MadePayments } from '../../model/made-payment.js';
import { faultOf, WalletError } from '../../model/wallet-error.js';
import type { FeeRates } from '../../monero/wallet/select/fees.js';
import type { TransferPlanRequest } from '../../monero/wallet/select/payment-plan.js';
import type { SpendableOutput } from '../../monero/wallet/select/spendable-outputs.js';
import type { PaymentPlan } from '../../monero/wallet/select/transfer-plan.js';
import type { Payee, TransferRequest } from '../../monero/wallet/select/transfer-request.js';
import { assertReplaces, type FailedPayment } from './failed-payment.js';
import type { PaymentOptions, PaymentMaker } from './payment-maker.js';
import type { Accounts } from '../accounts/accounts.js';
import type { Balances } from '../accounts/balances.js';

/** Other services of the wallet that this service calls. */
interface Services {
  readonly accounts: Accounts;
  readonly balances: Balances;
  readonly payments: PaymentMaker;
}

/** Request for a payment to destinations, as a client makes it. */
type Asked = TransferRequest<Destination> & PaymentOptions;

/** Number of addresses parsed between two yields to the event loop. */
const PARSE_BATCH_SIZE = 16;

/** Makes payments to destinations. */
export class Transfers {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  /** Pays the destinations of a request. @throws WalletError, DaemonError */
  async pay(request: Asked): Promise<MadePayments> {
    const payees: Payee[] = [];
    for (const [i, destination] of request.payees.entries()) {
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
    return this.#make(request, payees);
  }

  /**
   * Pays the destinations of a failed transaction again.
   * @param request request of the first attempt. @throws WalletError, DaemonError
   */
  async payAgain(request: Asked, failed: FailedPayment): Promise<MadePayments> {
    const payees: Payee[] = [];
    for (const [i, { address, amount }] of failed.destinations.entries()) {
      // If payees paid the fee, the recorded amounts lack the fee, so the amounts of the request are used. Such a
      // request has one transaction.
      const asked = (request.feeFrom ?? []).length === 0 ? amount : (request.payees[i]?.amount ?? amount);
      payees.push(await this.#payee({ address, amount: asked }));
    }
    return this.#make(request, payees, failed);
  }

  /**
   * Pays payees in one transaction. @param failed failed transactions that the new one must exclude.
   * @throws WalletError, DaemonError
   */
  payTogether(
    request: Omit<Asked, 'payees'>,
    payees: readonly Payee[],
    failed?: FailedPayment,
  ): Promise<MadePayments> {
    return this.#make(request, payees, failed);
  }

  #make(
    request: Omit<Asked, 'payees'>,
    payees: readonly Payee[],
    failed?: FailedPayment,
  ): Promise<MadePayments> {
    const { payments } = this.#services;
    const isAlone = failed !== undefined;
    return payments.make({ ...request, isAlone }, async ({ rates, priority }) => {
      const { account, unlockTime, feeFrom = [], feeAmongAll = false, changeOutputs = 1 } = request;
      const { savesOutputs = false } = request;
      const transfer = {
        ...{ payees, account, priority, unlockTime, feeFrom, feeAmongAll, changeOutputs, savesOutputs },
      };
      const required = failed?.requiredInputs();
      const planned = await this.#plan(request, { kind: 'transfer', transfer, required }, rates);
      if (failed !== undefined) assertReplaces(failed, planned);
      else if (request.split !== true && planned.length > 1)
        throw new WalletError({ kind: 'needs_split', transactions: planned.length });
      return planned;
    });
  }

  /**
   * Plans a transfer. Reads unconfirmed amounts only if money is lacking, and then plans the transfer again: the read
   * takes longer the more payments are unmined, and only the kind of the error depends on these amounts.
   */
  async #plan(
    { account, minors = [] }: Omit<Asked, 'payees'>,
    request: TransferPlanRequest,
    rates: FeeRates,
  ): Promise<readonly PaymentPlan<SpendableOutput>[]> {
    const { payments, balances } = this.#services;
    const paying = { account, minors };
    try {
      return await payments.planner.plan(paying, request, rates);
    } catch (error) {
      if (faultOf(error)?.kind !== 'not_enough_money') throw this.#withUnlocks(error, account, minors);
      const transfer = { ...request.transfer, unconfirmed: balances.unconfirmed(account, minors) };
      return await payments.planner.plan(paying, { ...request, transfer }, rates).catch((again: unknown) => {
        throw this.#withUnlocks(again, account, minors);
      });
    }
  }

  /** Adds to a lack of unlocked money when money is unlocked; returns any other error unchanged. */
  #withUnlocks(error: unknown, account: number, minors: readonly number[]): unknown {
    const fault = faultOf(error);
    if (fault?.kind !== 'not_enough_unlocked_money') return error;
    const { available, needed } = fault;
    const unlocks = this.#services.balances.unlockTimes.steps(account, minors, amount(needed - available));
    return new WalletError({ ...fault, unlocks }, { cause: error });
  }

  /** Resolves the address of a destination. The resolved address is recorded, not the OpenAlias name. */
  async #payee(destination: Destination): Promise<Payee> {
    const address = await this.#services.accounts.resolve(destination.address);
    return { address, text: formatAddress(address), amount: destination.amount };
  }
}
