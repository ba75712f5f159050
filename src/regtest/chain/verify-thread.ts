import type { RingMember } from '../../monero/ringct/types.js';
import { answerCalls, job } from '../../util/thread-jobs.js';
import { areAmountsProved, isSigned } from '../rules/proofs.js';
import { readPayment } from '../rules/tx-rules.js';

interface VerifyTask {
  readonly blob: Uint8Array;
  /** Rings whose signatures are to be verified; absent: the amounts and the range proof are to be verified. */
  readonly rings?: readonly (readonly RingMember[])[];
}

const JOBS = {
  verify: job(({ blob, rings }: VerifyTask): boolean => {
    const payment = readPayment(blob);
    return rings === undefined ? areAmountsProved(payment) : isSigned(payment, rings);
  }),
};

export type VerifyJobs = typeof JOBS;

answerCalls(JOBS);
