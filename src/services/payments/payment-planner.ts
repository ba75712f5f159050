import { unixSeconds } from '../../util/clock.js';
import type { FeeRates } from '../../monero/wallet/select/fees.js';
import {
  planPayment,
  type PayingOutputs,
  type PlanRequest,
} from '../../monero/wallet/select/payment-plan.js';
import {
  SpendableOutputs,
  type OutputRef,
  type SpendableOutput,
  type SpendableTerms,
} from '../../monero/wallet/select/spendable-outputs.js';
import type { PaymentPlan } from '../../monero/wallet/select/transfer-plan.js';
import type { WalletContext } from '../context/wallet-context.js';

type Context = Pick<WalletContext, 'assertOpen' | 'clock' | 'keystore' | 'rng' | 'store' | 'workers'>;

/** Addresses whose outputs pay. */
interface PayingAddresses {
  readonly account: number;
  /** Minor indices; empty: all addresses of the account. */
  readonly minors: readonly number[];
}

/** Largest number of addresses with which a payment is planned on the main thread: some milliseconds. */
const FEW_ADDRESSES = 256;

/** Largest number of outputs with which a payment is planned on the main thread: some milliseconds. */
const FEW_OUTPUTS = 1000;

/** Selects the inputs of payments, on another thread if there may be many inputs. Reserves no input in the store. */
export class PaymentPlanner {
  readonly #context: Context;
  readonly #fewAddresses: number;
  /** Inputs of payments that are being signed and sent. */
  readonly #held = new Set<SpendableOutput>();

  /** @param fewAddresses largest number of addresses with outputs for which a payment is planned on this thread. */
  constructor(context: Context, fewAddresses = FEW_ADDRESSES) {
    this.#context = context;
    this.#fewAddresses = fewAddresses;
  }

  /** Plans the transactions of a payment. @throws WalletError for a request that cannot be paid. */
  async plan(
    { account, minors }: PayingAddresses,
    request: PlanRequest,
    rates: FeeRates,
  ): Promise<readonly PaymentPlan<SpendableOutput>[]> {
    const { rng, store, workers } = this.#context;
    const shared = this.#hasFew(account, minors) ? undefined : store.shared();
    if (shared === undefined)
      // The plan is made within one read of the store, since it reads spendable outputs while it is made.
      return store.read(() => planPayment(request, this.#outputsOf(account, minors), rates, rng));
    const task = { store: shared, account, minors, terms: this.#terms(), request, rates };
    const planned = await workers.signing.run('plan', task, [shared.key.key]);
    this.#context.assertOpen();
    return planned;
  }

  /** True while payments hold inputs. */
  get isHolding(): boolean {
    return this.#held.size > 0;
  }

  /** Runs a task during which no plan selects the inputs of the given plans. */
  async holding<T>(plans: readonly PaymentPlan<SpendableOutput>[], task: () => Promise<T>): Promise<T> {
    const inputs = plans.flatMap((plan) => plan.inputs);
    for (const input of inputs) this.#held.add(input);
    try {
      return await task();
    } finally {
      for (const input of inputs) this.#held.delete(input);
    }
  }

  /** Returns the held inputs of an account that the store has as unspent: their payments are not recorded. */
  held(account: number): readonly SpendableOutput[] {
    const { store } = this.#context;
    const own = [...this.#held].filter(({ subaddress }) => subaddress.major === account);
    return own.length === 0 ? own : store.read((r) => own.filter((input) => r.outputs.areFree([input])));
  }

  #outputsOf(account: number, minors: readonly number[]): PayingOutputs {
    return {
      spendable: this.spendableOutputs(account, minors),
      ofAccount: () => this.spendableOutputs(account, []),
    };
  }

  /** Returns the spendable outputs of an account. @param minors minor indices; empty: all addresses of the account. */
  spendableOutputs(account: number, minors: readonly number[]): SpendableOutputs {
    const source = this.#context.store.read((r) => r.spendableOutputs.of(account, minors));
    return new SpendableOutputs(source, this.#terms());
  }

  #terms(): SpendableTerms {
    const { clock, keystore, store } = this.#context;
    const held = [...this.#held].map(({ txHash, outputIndex }): OutputRef => ({ txHash, outputIndex }));
    return { chainHeight: store.height(), now: unixSeconds(clock), blind: keystore.isViewOnly, held };
  }

  #hasFew(account: number, minors: readonly number[]): boolean {
    if (minors.length > this.#fewAddresses) return false;
    const limit = { addresses: this.#fewAddresses, outputs: FEW_OUTPUTS };
    return this.#context.store.read((r) => r.spendableOutputs.hasAtMost(account, minors, limit));
  }
}
