import { parentPort } from 'node:worker_threads';
import type { FeeRates } from '../cryptonote/fees.js';
import { loadCurve } from '../kernel/load-kernel.js';
import { systemRng } from '../util/random.js';
import type { UnsignedTx } from '../wallet/construction.js';
import { assembleRings, type Ring, type RingParts } from '../wallet/decoys.js';
import { WalletError, type Fault } from '../wallet/fault.js';
import { signOffline, type OfflineOrder, type OfflineSigned } from '../wallet/offline-signing.js';
import {
  buildTransaction,
  settleFee,
  weightOnceSigned,
  type PricedPlan,
  type SignedTx,
} from '../wallet/signing.js';

/** A transaction whose fee is still to be found. */
export interface PricedTask {
  readonly plan: PricedPlan;
  /** Atomic units per byte. */
  readonly rate: bigint;
  readonly rates: FeeRates;
}

/** A transaction as it would be signed, apart from its keys. */
export type LaidOut = Pick<UnsignedTx, 'targets' | 'payees' | 'fee' | 'change'> & { readonly weight: number };

/** What the signing thread does, by kind. */
export interface SigningWork {
  readonly rings: { readonly task: readonly RingParts[]; readonly result: readonly Ring[] };
  readonly build: { readonly task: PricedTask; readonly result: SignedTx };
  readonly layOut: { readonly task: PricedTask; readonly result: LaidOut };
  readonly offline: { readonly task: OfflineOrder; readonly result: OfflineSigned };
}

export type SigningTask = {
  readonly [K in keyof SigningWork]: { readonly kind: K; readonly task: SigningWork[K]['task'] };
}[keyof SigningWork];

export type SigningAnswer =
  | { readonly result: unknown }
  /** With a fault where the caller is to blame. */
  | { readonly problem: string; readonly fault?: Fault };

const curve = loadCurve();

function layOut({ plan, rate, rates }: PricedTask): LaidOut {
  const unsigned = settleFee(plan, rate, rates, systemRng, curve);
  const { targets, payees, fee, change } = unsigned;
  return { targets, payees, fee, change, weight: weightOnceSigned(unsigned) };
}

function run(work: SigningTask): SigningWork[keyof SigningWork]['result'] {
  switch (work.kind) {
    case 'rings':
      return assembleRings(work.task, curve);
    case 'build':
      return buildTransaction(work.task.plan, work.task.rate, work.task.rates, systemRng, curve);
    case 'layOut':
      return layOut(work.task);
    case 'offline':
      return signOffline(work.task, systemRng, curve);
  }
}

function wipe(work: SigningTask): void {
  if (work.kind === 'rings') return;
  if (work.kind === 'offline') {
    work.task.keys.viewSecret.fill(0);
    work.task.keys.spendSecret.fill(0);
    return;
  }
  work.task.plan.viewSecret.fill(0);
  for (const { secretKey } of work.task.plan.inputs) secretKey.fill(0);
}

const port = parentPort;
if (port === null) throw new Error('signing-thread runs as a worker thread only');
port.on('message', (work: SigningTask) => {
  let answer: SigningAnswer;
  try {
    answer = { result: run(work) };
  } catch (error) {
    const problem = error instanceof Error ? error.message : 'signing failed';
    answer = error instanceof WalletError ? { problem, fault: error.fault } : { problem };
  }
  wipe(work);
  port.postMessage(answer);
});
