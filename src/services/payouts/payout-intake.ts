import { formatAddress } from '../../monero/cryptonote/address.js';
import type { SpentTx } from '../../monero/wallet/build/spent-tx.js';
import { costOfInput, sampleFee, type Prices } from '../../monero/wallet/select/fees.js';
import {
  badPayout,
  spendingHash,
  type Payout,
  type PayoutClient,
  type PayoutTerms,
} from '../../model/payout.js';
import type { RefundOf } from '../../model/payout.js';
import type { Spender } from '../../model/spender.js';
import { faultOf, WalletError, type Fault } from '../../model/wallet-error.js';
import { formatCoins } from '../../monero/cryptonote/coins.js';
import { betweenWrites } from '../../store/between-writes.js';
import { refundLimit } from '../../store/tables/request-refunds.js';
import type { WalletWriter } from '../../store/wallet-writer.js';
import { amount, ZERO, type Amount } from '../../util/amount.js';
import { unixSeconds } from '../../util/clock.js';
import type { Accounts } from '../accounts/accounts.js';
import type { WalletContext } from '../context/wallet-context.js';
import type { SpendGuard } from '../payments/spend-guard.js';
import type { PayoutApprovals } from './payout-approvals.js';

type Context = Pick<WalletContext, 'assertOpen' | 'clock' | 'store'>;

/** Other services of the wallet that this service calls. */
interface Services {
  readonly accounts: Accounts;
  readonly approvals: PayoutApprovals;
  readonly spending: SpendGuard;
}

/** Client that creates payouts. */
export interface PayoutCreator extends PayoutClient {
  /** Limits of the client; undefined: none. */
  readonly spender: Spender | undefined;
}

/** A payout as a client requests it. */
export interface PayoutRequest extends PayoutTerms {
  readonly payoutId: string;
  /** Payment request whose money it returns; absent: it is no refund. */
  readonly refund?: RefundOf;
}

/** Result of one item: the payout, or the fault for which the item was refused. */
export type IntakeResult =
  | { readonly payout: Payout; readonly isNew: boolean }
  | { readonly payoutId: string; readonly fault: Fault };

/** Number of payouts that one transaction creates: some milliseconds. */
const AT_ONCE = 50;
/** Largest integer of SQLite. */
const MAX_AMOUNT = (1n << 63n) - 1n;
/** Longest time until a payout may be sent, or expires: ten years [s]. */
const MAX_AHEAD = 10 * 365 * 86_400;
/** Priority of the lowest fee rate, at which an output that is not worth spending counts as dust. */
const SLOW = 1;

/** Names of the terms that a repeated request must have, in the order in which they are compared. */
const TERM_NAMES = {
  account: 'account_index',
  address: 'address',
  amount: 'amount',
  feePayer: 'fee',
  maxFee: 'max_fee',
  priority: 'priority',
  allowOwn: 'allow_own',
  notBefore: 'not_before',
  expires: 'expires_at',
  reference: 'reference',
  metadata: 'metadata',
} as const satisfies Readonly<Record<keyof PayoutTerms, string>>;

/** Checks that a request has the terms of the payout with its id. @throws WalletError `payout_mismatch` */
function assertSame(payout: Payout, request: PayoutRequest): void {
  const differs = (name: keyof PayoutTerms): boolean => payout[name] !== request[name];
  const [different] = (Object.keys(TERM_NAMES) as (keyof PayoutTerms)[]).filter(differs);
  const { payoutId, refund } = request;
  const mismatch = (field: string): WalletError =>
    new WalletError({ kind: 'payout_mismatch', payoutId, field });
  if (refund?.request !== payout.refund?.request) throw mismatch('request_id');
  if (different !== undefined) throw mismatch(TERM_NAMES[different]);
  if (refund?.kind !== payout.refund?.kind) throw mismatch('amount');
}

/** Checks requests for payouts and records them, each on its own: a refused request does not stop the others. */
export class PayoutIntake {
  readonly #context: Context;
  readonly #services: Services;

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
  }

  /**
   * Creates payouts. A request whose id is known returns the known payout if its terms are the same. All new payouts are
   * on disk when this resolves.
   * @param creator client, whose limits count the payouts from now on.
   * @param prices prices that were read last; undefined: none, so that dust is found when it is to be sent.
   * @throws WalletError `wallet_io`, after which some payouts may exist: the call is to be repeated.
   */
  async create(
    requests: readonly PayoutRequest[],
    creator: PayoutCreator,
    prices: Prices | undefined,
  ): Promise<readonly IntakeResult[]> {
    const { store } = this.#context;
    const results: IntakeResult[] = [];
    for (let start = 0; start < requests.length; start += AT_ONCE) {
      // The parameters of a long call were read in this turn of the event loop.
      if (requests.length > AT_ONCE) await betweenWrites(store);
      this.#context.assertOpen();
      const checked = requests
        .slice(start, start + AT_ONCE)
        .map((request) => ({ request, outcome: resultOf(request, () => this.check(request, prices)) }));
      const part = store.writeRecoverable((w) =>
        checked.map(({ request, outcome }) =>
          isRefused(outcome)
            ? outcome
            : this.#record(w, { asked: request, request: outcome, creator, prices }),
        ),
      );
      results.push(...part);
    }
    await store.flushToDisk();
    return results;
  }

  /**
   * Checks a request for a payout that does not exist. @returns the request with the address in the standard spelling.
   * @throws WalletError `bad_payout`, `wrong_address`, `account_out_of_range`
   */
  check(request: PayoutRequest, prices: Prices | undefined): PayoutRequest {
    const { accounts } = this.#services;
    const { store, clock } = this.#context;
    accounts.assertAccount(request.account);
    const address = accounts.parse(request.address);
    const text = formatAddress(address);
    const standard = { ...request, address: text };
    // The terms of a known payout may be out of date, and hold nevertheless.
    if (store.read((r) => r.payouts.byId(request.payoutId)) !== undefined) return standard;
    const isOwn = store.read((r) => r.subaddresses.find(address.spendPublicKey)) !== undefined;
    if (isOwn && !request.allowOwn)
      throw badPayout('the address is one of this wallet: allow_own allows that');
    const { amount: value, notBefore, expires } = request;
    if (value === 0n) throw badPayout('the amount is 0');
    if (value > MAX_AMOUNT) throw badPayout(`the amount is greater than ${MAX_AMOUNT}`);
    const least = prices === undefined ? 1n : costOfInput(prices.rates, SLOW);
    if (value < least)
      throw badPayout(
        `the amount is dust: to spend it costs ${formatCoins(amount(least))} at the lowest fee rate`,
      );
    const now = unixSeconds(clock);
    if (expires !== undefined && expires <= now) throw badPayout('expires_at is not in the future');
    if (Math.max(expires ?? 0, notBefore ?? 0) > now + MAX_AHEAD)
      throw badPayout('not_before and expires_at are at most ten years away');
    if (expires !== undefined && notBefore !== undefined && expires <= notBefore)
      throw badPayout('expires_at is not after not_before');
    return standard;
  }

  #record(
    w: WalletWriter,
    {
      asked,
      request,
      creator,
      prices,
    }: {
      readonly asked: PayoutRequest;
      readonly request: PayoutRequest;
      readonly creator: PayoutCreator;
      readonly prices: Prices | undefined;
    },
  ): IntakeResult {
    const { approvals, spending } = this.#services;
    return resultOf(asked, () => {
      const known = w.payouts.byId(request.payoutId);
      if (known !== undefined) {
        assertSame(known, request);
        return { payout: known, isNew: false };
      }
      const created = unixSeconds(this.#context.clock);
      if (request.refund !== undefined) this.#assertRefundable(w, request.refund, request.amount);
      // An error of a limit must leave nothing behind, so the limit comes first.
      if (creator.spender !== undefined)
        spending.record(w, creator.spender, [this.#spendingOf(w, request, prices)]);
      const terms = { ...request, creator: creator.credential, created };
      const sequence = w.payouts.add({ ...terms, state: 'queued' });
      w.payouts.act(sequence, 'created', creator, { time: created });
      const state = approvals.stateOf(w, w.payouts.at(sequence));
      if (state !== 'queued') w.payouts.setState(sequence, state, { time: created });
      const payout = w.payouts.at(sequence);
      w.events.payouts.begin(payout);
      return { payout, isNew: true };
    });
  }

  /**
   * Checks that a request has received the money of a new refund, and that it was not refunded.
   * @throws WalletError `bad_payment_request`
   */
  #assertRefundable(w: WalletWriter, { request, kind }: RefundOf, value: Amount): void {
    const { store, clock } = this.#context;
    const view = { tip: store.height() - 1, now: unixSeconds(clock) };
    const left = refundLimit(w, w.requests.at(request), kind, view);
    if (value <= left) return;
    const reason = `${formatCoins(value)} XMR are more than the ${formatCoins(left)} XMR that are left to be refunded`;
    throw new WalletError({ kind: 'bad_payment_request', reason });
  }

  /** Returns the money that a payout takes out of the wallet, with its largest share of the fee, or an estimate of it. */
  #spendingOf(w: WalletWriter, request: PayoutRequest, prices: Prices | undefined): SpentTx {
    const { address, feePayer, maxFee, payoutId } = request;
    const isOwn = w.subaddresses.find(this.#services.accounts.parse(address).spendPublicKey) !== undefined;
    const usual = prices === undefined ? ZERO : sampleFee(prices);
    const fee: Amount = feePayer === 'payee' ? ZERO : (maxFee ?? usual);
    return {
      signingHash: spendingHash(payoutId),
      amount: amount((isOwn ? 0n : request.amount) + fee),
      payees: isOwn ? [] : [address],
      ...{ hasUnknownPayee: false, isLocked: false },
    };
  }
}

const isRefused = (outcome: object): outcome is { readonly payoutId: string; readonly fault: Fault } =>
  'fault' in outcome;

/** Runs a step for one request. @returns its result, or the expected fault of the request. @throws any other error. */
function resultOf<T>(
  { payoutId }: PayoutRequest,
  step: () => T,
): T | { readonly payoutId: string; readonly fault: Fault } {
  try {
    return step();
  } catch (error) {
    const fault = faultOf(error);
    if (fault === undefined || fault.kind === 'wallet_io' || fault.kind === 'wallet_corrupt') throw error;
    return { payoutId, fault };
  }
}
