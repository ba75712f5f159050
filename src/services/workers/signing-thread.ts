import type { FeeRates } from '../../monero/cryptonote/fees.js';
import { systemRng } from '../../util/random.js';
import { answerCalls, job } from '../../util/thread-jobs.js';
import { unusableDecoys } from '../../monero/wallet/select/decoys.js';
import { signOffline, type OfflineSigningRequest } from '../../monero/wallet/exchange/offline-signing.js';
import { knownDerivations } from '../../monero/wallet/scan/key-images.js';
import { buildFromOwn, type OwnPlan } from '../../monero/wallet/build/own-inputs.js';
import { placeholderTx } from '../../monero/wallet/build/placeholder-tx.js';
import { settleFee, type PricedPlan, type SignedTx } from '../../monero/wallet/build/signing.js';
import { planFromStore } from './plan-task.js';
import { faultRefusal, type ThreadRefusal } from './thread-refusal.js';

/** A transaction plan whose fee is still to be determined from the fee rate. */
export interface PricedTask<Plan = PricedPlan> {
  readonly plan: Plan;
  /** Fee rate [atomic units per byte]. */
  readonly rate: bigint;
  readonly rates: FeeRates;
}

export const SIGNING_JOBS = {
  /** Inputs of a payment; the thread that plans it signs it next. */
  plan: job(planFromStore, { secretsOf: ({ store }) => [store.key.key] }),
  unusableDecoys: job(unusableDecoys),
  build: job(({ plan, rate, rates }: PricedTask<OwnPlan>) => buildFromOwn(plan, rate, rates, systemRng), {
    secretsOf: ({ plan }) => [plan.viewSecret, plan.spendSecret],
  }),
  /** Its ring signatures are placeholders. */
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
