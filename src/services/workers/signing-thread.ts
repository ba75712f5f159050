import { parentPort } from 'node:worker_threads';
import type { FeeRates } from '../../monero/cryptonote/fees.js';
import { systemRng } from '../../util/random.js';
import { unusableDecoys, type Candidate } from '../../monero/wallet/select/decoys.js';
import { WalletError } from '../../monero/wallet/model/wallet-error.js';
import {
  signOffline,
  type OfflineSigningRequest,
  type OfflineSigned,
} from '../../monero/wallet/exchange/offline-signing.js';
import { buildFromOwn, type OwnPlan } from '../../monero/wallet/build/own-inputs.js';
import { placeholderTx } from '../../monero/wallet/build/placeholder-tx.js';
import type { SpendableOutput } from '../../monero/wallet/select/spendable-outputs.js';
import type { FundedTransfer } from '../../monero/wallet/select/transfer-plan.js';
import { settleFee, type PricedPlan, type SignedTx } from '../../monero/wallet/build/signing.js';
import { planFromStore, type PlanTask } from './plan-task.js';
import type { TaskOf, ThreadAnswer } from './worker-client.js';

/** A transaction plan whose fee is still to be determined from the fee rate. */
export interface PricedTask<Plan = PricedPlan> {
  readonly plan: Plan;
  /** Fee rate [atomic units per byte]. */
  readonly rate: bigint;
  readonly rates: FeeRates;
}

/** Task and result of each kind of work. */
export interface SigningWork {
  /** Selects the inputs of a payment. The threads that plan payments are those that sign them. */
  readonly plan: { readonly task: PlanTask; readonly result: readonly FundedTransfer<SpendableOutput>[] };
  readonly unusableDecoys: { readonly task: readonly Candidate[]; readonly result: readonly number[] };
  readonly build: { readonly task: PricedTask<OwnPlan>; readonly result: SignedTx };
  /** Builds a transaction with placeholders for its ring signatures. */
  readonly buildUnsigned: { readonly task: PricedTask; readonly result: SignedTx };
  readonly offline: { readonly task: OfflineSigningRequest; readonly result: OfflineSigned };
}

type SigningTask = TaskOf<SigningWork>;

const buildUnsigned = ({ plan, rate, rates }: PricedTask): SignedTx =>
  placeholderTx(settleFee(plan, rate, rates, systemRng), systemRng);

function run(work: SigningTask): SigningWork[keyof SigningWork]['result'] {
  switch (work.kind) {
    case 'plan':
      return planFromStore(work.task);
    case 'unusableDecoys':
      return unusableDecoys(work.task);
    case 'build':
      return buildFromOwn(work.task.plan, work.task.rate, work.task.rates, systemRng);
    case 'buildUnsigned':
      return buildUnsigned(work.task);
    case 'offline':
      return signOffline(work.task, systemRng);
  }
}

/** Lists the secrets of a task, copies in this thread, which are wiped after the task. */
function secretsOf(work: SigningTask): readonly Uint8Array[] {
  switch (work.kind) {
    case 'plan':
      return [work.task.store.key.key];
    case 'unusableDecoys':
      return [];
    case 'build':
      return [work.task.plan.viewSecret, work.task.plan.spendSecret];
    case 'buildUnsigned':
      return [work.task.plan.viewSecret];
    case 'offline':
      return [work.task.keys.viewSecret, work.task.keys.spendSecret];
  }
}

const port = parentPort;
if (port === null) throw new Error('signing-thread runs as a worker thread only');
port.on('message', (work: SigningTask) => {
  let answer: ThreadAnswer;
  try {
    answer = { result: run(work) };
  } catch (error) {
    const problem = error instanceof Error ? error.message : 'signing failed';
    answer = error instanceof WalletError ? { fault: error.fault } : { problem };
  }
  for (const secret of secretsOf(work)) secret.fill(0);
  port.postMessage(answer);
});
