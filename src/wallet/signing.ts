import { reduce, toScalar } from '../crypto/scalar.js';
import type { Hash, KeyImage, SecretKey } from '../crypto/types.js';
import { feeOfWeight, type FeeRates } from '../cryptonote/fees.js';
import { prefixHash, transaction, transactionHash, transactionWeight } from '../cryptonote/transaction.js';
import type { Transaction } from '../cryptonote/types.js';
import { proveRange } from '../ringct/bulletproofs-plus.js';
import { signClsag } from '../ringct/clsag.js';
import { commit } from '../ringct/commitment.js';
import { preMlsagHash } from '../ringct/message.js';
import type {
  BulletproofPlus,
  Clsag,
  ProofPoint,
  ProofScalar,
  RctBase,
  RctPrunable,
} from '../ringct/types.js';
import type { Amount } from '../util/amount.js';
import { encode } from '../util/codec.js';
import type { Rng } from '../util/random.js';
import {
  constructTransaction,
  pseudoOutMasks,
  type TransactionPlan,
  type UnsignedTx,
} from './construction.js';

/** A transaction that the network accepts, and what its maker must remember. Plain data. */
export interface SignedTx {
  readonly blob: Uint8Array;
  readonly hash: Hash;
  readonly weight: number;
  readonly fee: Amount;
  readonly change: Amount;
  readonly keyImages: readonly KeyImage[];
  readonly txSecretKey: SecretKey;
  readonly additionalSecretKeys: readonly SecretKey[];
}

const NO_PRUNABLE: Omit<RctPrunable, 'bulletproofsPlus' | 'clsags' | 'pseudoOuts'> = {
  rangeSigs: [],
  bulletproofs: [],
  mlsags: [],
};

/** Proves and signs: slow, on a thread of its own. Source: rctSigs.cpp `genRctSimple`. */
export function signTransaction(unsigned: UnsignedTx, rng: Rng): SignedTx {
  const { prefix, inputs, outputs, fee } = unsigned;
  const masks = outputs.map(({ mask }) => mask);
  const { proof, commitments } = proveRange(
    outputs.map(({ amount }) => amount),
    masks,
    rng,
  );
  const inputMasks = pseudoOutMasks(inputs.length, masks, rng);
  const pseudoOuts = inputs.map(({ amount }, i) => commit(amount, inputMasks[i] ?? 0n));
  const base: RctBase = {
    type: 6,
    fee,
    pseudoOuts: [],
    ecdhInfo: outputs.map(({ encryptedAmount }) => ({ amount: encryptedAmount })),
    outPk: commitments,
  };
  const unsignedPrunable: RctPrunable = { ...NO_PRUNABLE, bulletproofsPlus: [proof], clsags: [], pseudoOuts };
  const message = preMlsagHash(prefixHash(prefix), base, unsignedPrunable, inputs.length, outputs.length);
  const clsags = inputs.map(({ ring, secretKey, mask }, i) => {
    const { clsag } = signClsag({
      message,
      ring: ring.members,
      realIndex: ring.realIndex,
      secretKey: toScalar(secretKey),
      realMask: reduce(mask),
      pseudoOutMask: inputMasks[i] ?? 0n,
      pseudoOut: pseudoOuts[i] ?? commit(0n as Amount, 0n),
      rng,
    });
    return clsag;
  });
  const tx: Transaction = { prefix, rct: { base, prunable: { ...unsignedPrunable, clsags } } };
  return {
    blob: encode(transaction, tx),
    hash: transactionHash(tx),
    weight: transactionWeight(tx),
    fee,
    change: unsigned.change,
    keyImages: inputs.map(({ keyImage }) => keyImage),
    txSecretKey: unsigned.txSecretKey,
    additionalSecretKeys: unsigned.additionalSecretKeys,
  };
}

/** The weight that a transaction will have once it is signed: proofs and signatures have fixed sizes. */
export function weightOnceSigned({ prefix, fee, inputs, outputs }: UnsignedTx): number {
  const scalar = new Uint8Array(32) as unknown as ProofScalar;
  const point = new Uint8Array(32) as unknown as ProofPoint;
  const commitment = commit(0n as Amount, 0n);
  const rounds = 6 + Math.ceil(Math.log2(outputs.length));
  const proof: BulletproofPlus = {
    A: point,
    A1: point,
    B: point,
    r1: scalar,
    s1: scalar,
    d1: scalar,
    L: Array.from({ length: rounds }, () => point),
    R: Array.from({ length: rounds }, () => point),
  };
  const clsags = inputs.map(({ ring }): Clsag => ({
    s: ring.members.map(() => scalar),
    c1: scalar,
    D: point,
  }));
  return transactionWeight({
    prefix,
    rct: {
      base: {
        type: 6,
        fee,
        pseudoOuts: [],
        ecdhInfo: outputs.map(() => ({ amount: new Uint8Array(8) })),
        outPk: outputs.map(() => commitment),
      },
      prunable: {
        ...NO_PRUNABLE,
        bulletproofsPlus: [proof],
        clsags,
        pseudoOuts: inputs.map(() => commitment),
      },
    },
  });
}

/**
 * Lays out, finds the fee that the real weight asks for, and signs.
 * @param rate atomic units per byte. @throws RangeError when the inputs do not cover that fee.
 */
export function buildTransaction(plan: TransactionPlan, rate: bigint, rates: FeeRates, rng: Rng): SignedTx {
  const fee = feeOfWeight(weightOnceSigned(constructTransaction(plan, rng)), rate, rates);
  return signTransaction(constructTransaction({ ...plan, fee }, rng), rng);
}
