import { formatCoins } from '../../monero/cryptonote/coins.js';
import type { FeePayer, RefundKind } from '../../model/payout.js';
import { WalletError } from '../../model/wallet-error.js';
import { refundLimit, unsettled } from '../../store/tables/request-refunds.js';
import { ZERO, type Amount } from '../../util/amount.js';
import { unixSeconds } from '../../util/clock.js';
import type { Accounts } from '../accounts/accounts.js';
import type { WalletContext } from '../context/wallet-context.js';
import type { PayoutCreator } from './payout-intake.js';
import type { Payouts } from './payouts.js';
import type { PaymentRequests, RequestName } from '../requests/payment-requests.js';
import type { RequestView } from '../requests/request-views.js';
import { badRequest, refundAddressOf } from '../requests/request-terms.js';

type Context = Pick<WalletContext, 'clock' | 'store'>;

/** Other services of the wallet that this service calls. */
interface Services {
  readonly accounts: Accounts;
  readonly payouts: Payouts;
  readonly requests: PaymentRequests;
}

/** A refund as a client requests it. */
export interface RefundSpec {
  /** Id of the refund, and of its payout. */
  readonly refundId: string;
  /** Money that is returned: an amount [atomic units], or a kind whose amount is computed. */
  readonly amount: Amount | Exclude<RefundKind, 'amount'>;
  /** Address of the customer; absent: the address that the request has. */
  readonly address?: string | undefined;
  readonly feePayer: FeePayer;
  readonly maxFee?: Amount | undefined;
  readonly priority: number;
}

/** Kinds of refunds whose amount is computed. */
export const COMPUTED_KINDS = ['excess', 'late', 'all'] as const satisfies readonly RefundKind[];

/** Refunds of payment requests. Each is a payout, which never returns more than the request has received. */
export class Refunds {
  readonly #context: Context;
  readonly #services: Services;

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
  }

  /**
   * Returns money of a request by a payout. A repeated id returns the request with the known refund if its terms are the
   * same.
   * @param mayUse checks the right of the client to the account of the request.
   * @throws WalletError `request_missing`, `bad_payment_request` if nothing is left to be refunded or no address is
   * known, and the faults of a payout
   */
  async refund(
    name: RequestName,
    spec: RefundSpec,
    creator: PayoutCreator,
    mayUse: (account: number) => void,
  ): Promise<RequestView> {
    const { store } = this.#context;
    const { payouts, requests } = this.#services;
    const found = requests.find(name);
    const { sequence, subaddress, reference } = found;
    mayUse(subaddress.major);
    const address = spec.address ?? found.refundAddress;
    if (address === undefined)
      throw badRequest('no address is given, and the payment request has no refund address');
    const kind = typeof spec.amount === 'bigint' ? 'amount' : spec.amount;
    store.commitPages();
    const amount = typeof spec.amount === 'bigint' ? spec.amount : this.#amountOf(spec.refundId, found, kind);
    const [outcome] = await payouts.create(
      [
        {
          ...{ payoutId: spec.refundId, account: subaddress.major, address, amount, reference },
          ...{ feePayer: spec.feePayer, maxFee: spec.maxFee, priority: spec.priority, allowOwn: false },
          refund: { request: sequence, kind },
        },
      ],
      creator,
    );
    if (outcome !== undefined && 'fault' in outcome) throw new WalletError(outcome.fault);
    return requests.get({ requestId: found.requestId });
  }

  /** Returns the amount of a known refund, or the largest one that is left for a new refund of a kind. */
  #amountOf(refundId: string, request: Parameters<typeof refundLimit>[1], kind: RefundKind): Amount {
    const { store, clock } = this.#context;
    return store.read((r) => {
      const known = r.payouts.byId(refundId);
      // Other terms than those of the known one are refused with the payout.
      if (known !== undefined) return known.amount;
      const view = { tip: store.height() - 1, now: unixSeconds(clock) };
      const left = refundLimit(r, request, kind, view);
      if (left > ZERO) return left;
      const awaited = unsettled(r, request, view);
      const reason =
        awaited > ZERO ? `: ${formatCoins(awaited)} XMR of it lack confirmations or are locked` : '';
      throw badRequest(`nothing of the payment request is left to be refunded (${kind})${reason}`);
    });
  }

  /**
   * Sets the address for refunds that the customer gives on the pay page. It can be changed until a refund uses it.
   * @param token names the pay page. @returns the request; undefined if there is no such request.
   * @throws WalletError `wrong_address`; `bad_payment_request` if the request does not ask for an address
   */
  giveAddress(token: Uint8Array, text: string): RequestView | undefined {
    const { store, clock } = this.#context;
    const { accounts, requests } = this.#services;
    const found = store.read((r) => r.requests.byToken(token));
    if (found === undefined) return undefined;
    if (!found.asksRefundAddress) throw badRequest('the payment request does not ask for a refund address');
    const address = refundAddressOf(accounts, text);
    const isUsed = store.read((r) => r.refunds.of(found.sequence)).length > 0;
    if (isUsed) throw badRequest('a refund was made already');
    store.write((w) => {
      w.requests.setRefundAddress(found.sequence, address);
      w.requests.touch(found.sequence, unixSeconds(clock));
    });
    requests.noteChange(found);
    return requests.get({ requestId: found.requestId });
  }
}
