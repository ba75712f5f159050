import { areSubgroupPoints } from '../../monero/crypto/curve/points.js';
import { loadCurve } from '../../monero/crypto/curve/load-curve.js';
import { inputVerifier } from '../../monero/cryptonote/input-signature.js';
import { verifyRange } from '../../monero/ringct/bulletproofs-plus.js';
import { amountsBalance } from '../../monero/ringct/commitment.js';
import type { RingMember } from '../../monero/ringct/types.js';
import { RCT_FCMP } from '../../monero/fork-rules.js';
import { systemRng } from '../../util/random.js';
import { answerCalls, job } from '../../util/thread-jobs.js';
import { readPayment, type Payment } from '../rules/tx-rules.js';

/**
 * Verifies the keys, the amounts and the range proof of a payment. The result does not depend on the chain. Source:
 * cryptonote_core.cpp `check_tx_semantic`; rctSigs.cpp `verRctSemanticsSimple`.
 */
function areAmountsProved({ inputs, tx, base, prunable }: Payment): boolean {
  const [proof] = prunable.bulletproofsPlus;
  const images = inputs.map(({ keyImage }) => keyImage);
  const outputKeys = tx.prefix.outputs.map(({ publicKey }) => publicKey);
  // Outputs in the form of the fork are leaves of the tree, and have no torsion part. Source: `stage` tx_verification_utils.cpp
  // `collect_points_for_torsion_check`.
  const withoutTorsion = base.type === RCT_FCMP ? [...images, ...outputKeys, ...base.outPk] : images;
  return (
    loadCurve().arePoints(outputKeys) &&
    areSubgroupPoints(withoutTorsion) &&
    amountsBalance(prunable.pseudoOuts, base.outPk, base.fee) &&
    proof !== undefined &&
    verifyRange([{ proof, commitments: base.outPk }], systemRng)
  );
}

/** Verifies the ring signatures of a payment. Source: rctSigs.cpp `verRctNonSemanticsSimple`. */
function isSigned({ inputs, tx }: Payment, rings: readonly (readonly RingMember[])[]): boolean {
  const verify = inputVerifier(tx);
  return inputs.every((_, i) => {
    const ring = rings[i];
    return ring !== undefined && verify(i, ring);
  });
}

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
