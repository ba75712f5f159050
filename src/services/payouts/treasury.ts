import { keccak } from '../../monero/crypto/keccak.js';
import { formatAddress } from '../../monero/cryptonote/address.js';
import { MAX_CHANGE_OUTPUTS } from '../../monero/wallet/select/change-split.js';
import type { LowBalance } from '../../model/events.js';
import type { MadePayments } from '../../model/made-payment.js';
import { feePerByte } from '../../monero/wallet/select/fees.js';
import { POLICY, type PayoutPolicy } from '../../model/payout-rule.js';
import { isWaiting, type Payout } from '../../model/payout.js';
import { DaemonError } from '../../daemon/errors.js';
import { faultOf } from '../../model/wallet-error.js';
import { amount, ZERO, type Amount } from '../../util/amount.js';
import { toHex, utf8 } from '../../util/bytes.js';
import { unixSeconds } from '../../util/clock.js';
import { SharedRun } from '../../util/concurrency.js';
import type { Accounts } from '../accounts/accounts.js';
import type { Balances } from '../accounts/balances.js';
import { reasonOf } from '../context/fault-reason.js';
import type { WalletContext } from '../context/wallet-context.js';
import type { FeeEstimator } from '../payments/fee-estimator.js';
import type { Orders } from '../payments/orders.js';
import type { PaymentOptions } from '../payments/payment-maker.js';
import type { Sweeps } from '../payments/sweeps.js';
import type { Transfers } from '../payments/transfers.js';
import type { WalletSync } from '../sync/wallet-sync.js';
import type { PayoutBatches } from './payout-batches.js';
import { lowAccounts } from './payout-figures.js';
import type { PayoutIntake } from './payout-intake.js';

type Context = Pick<
  WalletContext,
  'assertOpen' | 'clock' | 'keystore' | 'log' | 'name' | 'payoutSettings' | 'rng' | 'store'
>;

/** Other services of the wallet that this service calls. */
interface Services {
  readonly accounts: Accounts;
  readonly balances: Balances;
  readonly batches: Pick<PayoutBatches, 'mayBeMined'>;
  readonly feeEstimator: FeeEstimator;
  readonly intake: PayoutIntake;
  readonly orders: Orders;
  readonly sweeps: Sweeps;
  readonly transfers: Transfers;
  readonly sync: Pick<WalletSync, 'isSynced'>;
}

/** Sums of an account [atomic units]. */
interface Sums {
  readonly total: Amount;
  readonly unlocked: Amount;
}

/** Name of the method in the orders that join outputs. */
const JOIN_METHOD = 'consolidate';
/** Name of the method in the orders that divide outputs. */
const DIVIDE_METHOD = 'divide';
/** Priority of payments without a waiting payee. */
const SLOW = 1;
/** Time between two orders that join or divide the outputs of an account [s]: their change is locked for so long. */
const JOIN_INTERVAL = 600;
/** Clients of payouts that a policy makes. */
const POLICY_CLIENT = { credential: POLICY, address: undefined, spender: undefined };

/**
 * Applies the policies of accounts, which files give: sends money above a balance to the cold store as a payout, joins
 * small outputs, and reports a low balance.
 */
export class Treasury {
  readonly #context: Context;
  readonly #services: Services;
  readonly #looks = new SharedRun(() => this.#look());
  /** Times of the last orders that joined or divided outputs [Unix s], by account. */
  readonly #joined = new Map<number, number>();

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
  }

  /** True if a policy concerns the wallet. */
  get isUsed(): boolean {
    return this.#policies.length > 0;
  }

  /** Returns the number of outputs that a policy keeps in an account; undefined: no policy does. */
  outputsOf(account: number): number | undefined {
    return this.#policies.find(
      ({ accounts, outputs }) => outputs !== undefined && accounts?.includes(account),
    )?.outputs;
  }

  get #policies(): readonly PayoutPolicy[] {
    const { name, payoutSettings } = this.#context;
    return payoutSettings.rules.policiesOf(name);
  }

  /** Applies the policies. A failure of one account is logged, and does not stop the others. */
  look(): Promise<void> {
    return this.#looks.run();
  }

  async #look(): Promise<void> {
    const policies = this.#policies;
    if (policies.length === 0) {
      this.#reportLow([]);
      return;
    }
    if (!this.#services.sync.isSynced) return;
    const sums = this.#services.balances.ofAccounts(false);
    const heldBy = (account: number): Sums => sums.get(account) ?? { total: ZERO, unlocked: ZERO };
    const count = this.#services.accounts.count();
    const ruled = policies.flatMap((policy) =>
      (policy.accounts ?? []).filter((account) => account < count).map((account) => ({ account, policy })),
    );
    this.#reportLow(
      ruled.flatMap(({ account, policy: { lowWater } }) => {
        const { total, unlocked } = heldBy(account);
        const isLow = lowWater !== undefined && total < lowWater;
        return isLow ? [{ account, balance: total, unlocked, limit: amount(lowWater) }] : [];
      }),
    );
    for (const { account, policy } of ruled) {
      const held = heldBy(account);
      const { isViewOnly, keys } = this.#context.keystore;
      if (isViewOnly || keys.carrot !== undefined || this.#isPaused(account)) continue;
      await this.#attempt(account, 'swept', () => this.#sweep(account, policy, held));
      await this.#attempt(account, 'consolidated', () => this.#join(account, policy, held));
      await this.#attempt(account, 'divided', () => this.#divide(account, policy, held));
    }
  }

  #isPaused(account: number): boolean {
    return this.#context.store.read((r) => r.payouts.pauseOf(account)) !== undefined;
  }

  /** Runs a step, whose expected failure is logged. */
  async #attempt(account: number, done: string, step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      if (faultOf(error) === undefined && !(error instanceof DaemonError)) throw error;
      const { reason } = reasonOf(error);
      this.#context.log.warn({ account, reason }, `an account could not be ${done} by its policy`);
    }
    this.#context.assertOpen();
  }

  /** Reports each balance below its limit once, until the balance has reached the limit or the limit is gone. */
  #reportLow(balances: readonly LowBalance[]): void {
    const { store } = this.#context;
    const reported = store.read((r) => lowAccounts(r));
    const low = new Set(balances.map(({ account }) => account));
    if (low.size === reported.size && [...low].every((account) => reported.has(account))) return;
    store.write((w) => {
      if (low.size === 0) w.meta.remove('low_accounts');
      else w.meta.set('low_accounts', [...low].join());
      for (const balance of balances) if (!reported.has(balance.account)) w.events.balanceLow(balance);
    });
  }

  /**
   * Makes a payout to the cold store of the unlocked money that neither the policy nor a waiting payout keeps. Cancels a
   * waiting one whose money is needed.
   */
  async #sweep(account: number, { sweep }: PayoutPolicy, { unlocked }: Sums): Promise<void> {
    const { store, clock } = this.#context;
    const latest = store.read((r) => r.payouts.latestSweep(account));
    const kept = (sweep?.keep ?? 0n) + store.read((r) => r.payouts.owed(account));
    if (latest !== undefined && isWaiting(latest.state)) {
      const isAllowed =
        sweep !== undefined && latest.address === sweep.to && latest.amount + kept <= unlocked;
      if (!isAllowed && !this.#services.batches.mayBeMined(latest)) this.#cancel(latest);
      return;
    }
    const now = unixSeconds(clock);
    if (sweep === undefined || unlocked <= sweep.above || unlocked <= kept) return;
    if (latest !== undefined && now - latest.created < sweep.interval) return;
    const request = {
      ...{ account, address: sweep.to, amount: amount(unlocked - kept), feePayer: 'payee' as const },
      ...{ payoutId: `sweep-${account}-${now}`, priority: SLOW, allowOwn: true, reference: 'sweep' },
    };
    const [result] = await this.#services.intake.create([request], POLICY_CLIENT, undefined);
    if (result !== undefined && 'fault' in result)
      this.#context.log.warn({ account, kind: result.fault.kind }, 'a sweep was refused');
  }

  #cancel({ sequence }: Payout): void {
    this.#context.store.write((w) => {
      const payout = w.payouts.at(sequence);
      if (isWaiting(payout.state)) w.events.payouts.move(payout, 'cancelled');
    });
  }

  /** Joins outputs below the average amount if there are too many, in quiet hours and at a low fee. */
  async #join(account: number, { consolidation }: PayoutPolicy, { unlocked }: Sums): Promise<void> {
    if (consolidation === undefined) return;
    const { store, clock } = this.#context;
    if (!isQuiet(unixSeconds(clock), consolidation.hours) || this.#isBusy(account)) return;
    const { above, maxFeeRate } = consolidation;
    if (store.read((r) => r.spendableOutputs.countUpTo(above + 1, account)) <= above) return;
    const { rates } = await this.#services.feeEstimator.prices(SLOW);
    if (feePerByte(rates, SLOW) > maxFeeRate) return;
    const average = amount(unlocked / BigInt(above));
    await this.#place(account, JOIN_METHOD, (options) =>
      this.#services.sweeps.join(account, average, { ...options, outputs: 1 }),
    );
  }

  /** Divides unlocked money into outputs if an account has fewer than its policy keeps. */
  async #divide(account: number, { outputs = 0 }: PayoutPolicy, { unlocked }: Sums): Promise<void> {
    const held = this.#context.store.read(
      (r) => r.spendableOutputs.countUpTo(outputs, account) + r.payouts.unminedBatches(account),
    );
    const lacking = outputs - held;
    if (lacking <= 0 || this.#isBusy(account)) return;
    const parts = Math.min(lacking, MAX_CHANGE_OUTPUTS) + 1;
    const address = this.#services.accounts.decoded({ major: account, minor: 0 });
    const part = amount(unlocked / BigInt(parts));
    if (part === 0n) return;
    await this.#place(account, DIVIDE_METHOD, (options) =>
      this.#services.transfers.payTogether({ ...options, account, changeOutputs: parts - 1 }, [
        { address, text: formatAddress(address), amount: part },
      ]),
    );
  }

  /** True if a payout of an account may be sent now, or if outputs were joined or divided recently. */
  #isBusy(account: number): boolean {
    const { store, clock } = this.#context;
    const now = unixSeconds(clock);
    if (now - (this.#joined.get(account) ?? 0) < JOIN_INTERVAL) return true;
    return store.read((r) => r.payouts.queued(account, now, 1)).length > 0;
  }

  /** Places the order of a payment to the account itself. */
  async #place(
    account: number,
    method: string,
    pay: (options: Omit<PaymentOptions, 'account'>) => Promise<MadePayments>,
  ): Promise<void> {
    const { clock, rng } = this.#context;
    this.#joined.set(account, unixSeconds(clock));
    const key = `${method}-${toHex(rng(16))}`;
    const options = {
      ...{ unlockTime: 0n, priority: SLOW, doNotRelay: false, withMetadata: false },
      spender: undefined,
    };
    await this.#services.orders.place(
      { key, method, requestHash: keccak(utf8(key)), retryFailed: false, withBlobs: false },
      { pay: (order) => pay({ ...options, ...(order === undefined ? {} : { order }) }) },
    );
  }
}

/** True in the hours of the day of a rule; equal hours stand for the whole day. */
function isQuiet(now: number, { from, to }: { readonly from: number; readonly to: number }): boolean {
  const hour = Math.floor((now % 86_400) / 3600);
  if (from === to) return true;
  return from < to ? hour >= from && hour < to : hour >= from || hour < to;
}
