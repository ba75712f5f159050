import type { FeeRates } from '../../monero/wallet/select/fees.js';
import { systemRng } from '../../util/random.js';
import { answerCalls, job } from '../../util/thread-jobs.js';
import { unusableDecoys } from '../../monero/wallet/select/decoys.js';
import { signOffline, type OfflineSigningRequest } from '../../monero/wallet/exchange/offline-signing.js';
import { knownDerivations } from '../../monero/wallet/scan/key-images.js';
import {
  buildFromOwn,
  settleFee,
  type OwnPlan,
  type PricedPlan,
  type SignedTx,
} from '../../monero/wallet/build/signing.js';
import { placeholderTx } from '../../monero/wallet/build/placeholder-tx.js';
import { faultRefusal, type ThreadRefusal } from './thread-refusal.js';
import { detectingDamage, openSnapshot } from '../../store/file/database.js';
import type { SharedFile } from '../../store/file/store-file.js';
import { SpendableOutputReader } from '../../store/tables/spendable-outputs.js';
import { planPayment, type PlanRequest } from '../../monero/wallet/select/payment-plan.js';
import {
  SpendableOutputs,
  type SpendableOutput,
  type SpendableTerms,
} from '../../monero/wallet/select/spendable-outputs.js';
import type { PaymentPlan } from '../../monero/wallet/select/transfer-plan.js';

/** A transaction plan whose fee is still to be determined from the fee rate. */
export interface PricedTask<Plan = PricedPlan> {
  readonly plan: Plan;
  /** Fee rate [atomic units per byte]. */
  readonly rate: bigint;
  readonly rates: FeeRates;
}

/** Request to plan a payment from the committed state of a store. */
interface PlanTask {
  readonly store: SharedFile;
  readonly account: number;
  /** Minor indices of the paying addresses; empty: all addresses of the account. */
  readonly minors: readonly number[];
  readonly terms: SpendableTerms;
  readonly request: PlanRequest;
  readonly rates: FeeRates;
}

/**
 * Plans a payment, with a database connection of its own. @throws WalletError, also `wallet_corrupt` and `wallet_io`
 */
function planFromStore({
  store: { path, key },
  account,
  minors,
  terms,
  request,
  rates,
}: PlanTask): readonly PaymentPlan<SpendableOutput>[] {
  return detectingDamage(path, () => {
    const db = openSnapshot(path, key);
    try {
      const outputs = new SpendableOutputReader(db);
      const spendableOf = (of: readonly number[]): SpendableOutputs =>
        new SpendableOutputs(outputs.of(account, of), terms);
      const paying = { spendable: spendableOf(minors), ofAccount: () => spendableOf([]) };
      return planPayment(request, paying, rates, systemRng);
    } finally {
      db.close();
    }
  });
}

export const SIGNING_JOBS = {
  /** Selects the inputs of a payment; the same thread signs the payment next. */
  plan: job(planFromStore, { secretsOf: ({ store }) => [store.key.key] }),
  unusableDecoys: job(unusableDecoys),
  build: job(({ plan, rate, rates }: PricedTask<OwnPlan>) => buildFromOwn(plan, rate, rates, systemRng), {
    secretsOf: ({ plan }) => [plan.viewSecret, plan.spendSecret],
  }),
  /** Builds a transaction whose ring signatures are placeholders. */
  buildUnsigned: job(
    ({ plan, rate, rates }: PricedTask): SignedTx =>
      placeholderTx(settleFee(plan, rate, rates, systemRng), systemRng),
    { secretsOf: ({ plan }) => [plan.viewSecret] },
  ),
  offline: job((request: OfflineSigningRequest) => signOffline(request, systemRng), {
    secretsOf: ({ keys, located }) => [keys.viewSecret, keys.spendSecret, ...knownDerivations(located)],
  }),
};

export type SigningJobs = typeof SIGNING_JOBS;

answerCalls<ThreadRefusal>(
  SIGNING_JOBS,
  (error) => faultRefusal(error) ?? { problem: error instanceof Error ? error.message : 'signing failed' },
);
