import { costOfInput, type FeeRates } from './fees.js';
import type { Rng } from '../../../util/random.js';
import type { SpendableOutput, SpendableOutputs } from './spendable-outputs.js';
import { planSweep, sweepInputs, type SweepFilter } from './sweep-plan.js';
import { planTransfers, type PaymentPlan } from './transfer-plan.js';
import { PlanError, type SweepRequest, type TransferRequest } from './transfer-request.js';

/** Request to choose the inputs of a transfer. */
export interface TransferPlanRequest {
  readonly kind: 'transfer';
  readonly transfer: TransferRequest;
  /** Outputs that the first transaction spends in any case; absent: no output is required. */
  readonly required?: readonly SpendableOutput[] | undefined;
}

/** Request to choose the inputs of a payment. A plain value, which is posted to a thread. */
export type PlanRequest =
  | TransferPlanRequest
  | {
      readonly kind: 'sweep';
      readonly sweep: SweepRequest;
      readonly filter: SweepFilter;
    };

/** Outputs that a payment may spend. */
export interface PayingOutputs {
  /** Spendable outputs of the addresses that the request names, or of all addresses of the account. */
  readonly spendable: SpendableOutputs;
  /** Returns the spendable outputs of all addresses of the account. */
  ofAccount(): SpendableOutputs;
}

/** Plans the transactions of a payment. @throws PlanError if the request cannot be paid. */
export function planPayment(
  request: PlanRequest,
  { spendable, ofAccount }: PayingOutputs,
  rates: FeeRates,
  rng: Rng,
): PaymentPlan<SpendableOutput>[] {
  if (request.kind === 'transfer')
    return planTransfers(request.transfer, spendable, rates, rng, request.required);
  const { sweep, filter } = request;
  if (spendable.funds(0n).available === 0n)
    throw notSwept(
      'the requested addresses have no unlocked money',
      // Source: wallet2.cpp `create_transactions_all`, which tests the account first.
      ofAccount().funds(0n).available === 0n
        ? 'No unlocked balance in the specified account'
        : 'No unlocked balance in the specified subaddress(es)',
    );
  if (spendable.funds(costOfInput(rates, sweep.priority)).addresses.length === 0)
    throw notSwept(
      'each unlocked output of the requested addresses is worth less than the fee to spend it',
      'No unlocked balance in the specified subaddress(es)',
    );
  const inputs = sweepInputs(spendable, filter, sweep, rates, rng);
  if (inputs.length === 0)
    throw notSwept(
      'no output that is worth its fee is below below_amount',
      'The smallest amount found is not below the specified threshold',
    );
  return planSweep(sweep, inputs, rates, rng);
}

/** Returns the error of a sweep that takes no outputs. @param text the reference's message. */
const notSwept = (reason: string, text: string): PlanError =>
  new PlanError({ kind: 'transfer_failed', reason, text });
