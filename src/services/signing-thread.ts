import { parentPort } from 'node:worker_threads';
import type { FeeRates } from '../cryptonote/fees.js';
import { systemRng } from '../util/random.js';
import { buildTransaction, type PricedPlan, type SignedTx } from '../wallet/signing.js';

/** What the signing thread is asked for. */
export interface SigningTask {
  readonly plan: PricedPlan;
  /** Atomic units per byte. */
  readonly rate: bigint;
  readonly rates: FeeRates;
}

export type SigningAnswer = { readonly signed: SignedTx } | { readonly problem: string };

const port = parentPort;
if (port === null) throw new Error('signing-thread runs as a worker thread only');
port.on('message', ({ plan, rate, rates }: SigningTask) => {
  let answer: SigningAnswer;
  try {
    answer = { signed: buildTransaction(plan, rate, rates, systemRng) };
  } catch (error) {
    answer = { problem: error instanceof Error ? error.message : 'signing failed' };
  }
  plan.viewSecret.fill(0);
  for (const { secretKey } of plan.inputs) secretKey.fill(0);
  port.postMessage(answer);
});
