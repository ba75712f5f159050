import type { Curve } from '../../crypto/curve/curve.js';
import { loadCurve } from '../../crypto/curve/load-curve.js';
import { randomScalar, reduce, toScalar } from '../../crypto/scalar.js';
import type { Hash, KeyImage, SecretKey, PublicKey } from '../../crypto/types.js';
import { MAX_TX_WEIGHT } from '../../cryptonote/constants.js';
import { feeOfWeight, feeShares, type FeeRates } from '../select/fees.js';
import { prefixHash, transaction, transactionHash, transactionWeight } from '../../cryptonote/transaction.js';
import type { Transaction, SubaddressIndex } from '../../cryptonote/types.js';
import { proveRange } from '../../ringct/bulletproofs-plus.js';
import { signClsag } from '../../ringct/clsag.js';
import { amountsBalance, commit, commitEach } from '../../ringct/commitment.js';
import { preMlsagHash } from '../../ringct/message.js';
import type { BulletproofPlus, Clsag, ProofPoint, ProofScalar, RctBase, RctPrunable } from '../../ringct/types.js';
import { amount, ZERO, type Amount } from '../../../util/amount.js';
import { encode } from '../../../util/codec.js';
import type { Rng } from '../../../util/random.js';
import { constructTransaction, type TransactionPlan, type UnsignedTx, type SpendableInput } from './construction.js';
import { PlanError } from '../select/transfer-request.js';
import { changeOutputsFor, type ChangeSplit } from '../select/change-split.js';
import type { OutputTarget } from './output-layout.js';
import { keyDerivation } from '../../crypto/derivation.js';
import { outputSecretKey } from '../../cryptonote/own-outputs.js';

/** A signed transaction, with the data that its creator must record. A plain value. */
export interface SignedTx {
  readonly blob: Uint8Array;
  readonly hash: Hash;
  readonly weight: number;
  readonly fee: Amount;
  /** Sum of the change outputs [atomic units]. */
  readonly change: Amount;
  /** Key images in the order of the inputs. */
  readonly keyImages: readonly KeyImage[];
  /** Destination of each output, including change and dummy outputs. */
  readonly targets: readonly OutputTarget[];
  /**
   * Payees in the order of the plan, with the amounts that they receive; the amounts are smaller than planned if the
   * payees pay the fee.
   */
  readonly payees: readonly OutputTarget[];
  readonly txSecretKey: SecretKey;
  readonly additionalSecretKeys: readonly SecretKey[];
}

const NO_PRUNABLE: Omit<RctPrunable, 'bulletproofsPlus' | 'clsags' | 'pseudoOuts'> = {
  rangeSigs: [],
  bulletproofs: [],
  mlsags: [],
};

/**
 * Returns random blinding scalars for the pseudo outputs; their sum equals the sum of the outputs' blinding scalars.
 */
function pseudoOutMasks(inputs: number, outputMasks: readonly bigint[], rng: Rng): bigint[] {
  const free = Array.from({ length: inputs - 1 }, () => randomScalar(rng));
  const last = [...outputMasks, ...free.map((mask) => -mask)].reduce((total, mask) => total + mask, 0n);
  return [...free, reduce(last)];
}

/** A transaction with range proof and pseudo outputs: all data that its ring signatures sign. */
export interface ProvedTx {
  readonly base: RctBase;
  /** Range proof and pseudo outputs; the ring signatures are still missing. */
  readonly prunable: RctPrunable;
  readonly message: Hash;
  /** Secret blinding scalars of the pseudo outputs, one per input. */
  readonly inputMasks: readonly bigint[];
}

/** Makes the range proof and the pseudo outputs. @throws RangeError if the amounts do not balance. */
export function proveTransaction(
  { prefix, inputs, outputs, fee }: UnsignedTx,
  rng: Rng,
  curve: Curve = loadCurve(),
): ProvedTx {
  const masks = outputs.map(({ mask }) => mask);
  const amounts = outputs.map((output) => output.amount);
  const { proof, commitments } = proveRange(amounts, masks, rng, curve);
  const inputMasks = pseudoOutMasks(inputs.length, masks, rng);
  const pseudoOuts = commitEach(
    inputs.map((input) => input.amount),
    inputMasks,
    curve,
  );
  if (!amountsBalance(pseudoOuts, commitments, fee, curve))
    throw new RangeError('the amounts do not balance');
  const base: RctBase = {
    type: 6,
    fee,
    pseudoOuts: [],
    ecdhInfo: outputs.map(({ encryptedAmount }) => ({ amount: encryptedAmount })),
    outPk: commitments,
  };
  const prunable: RctPrunable = { ...NO_PRUNABLE, bulletproofsPlus: [proof], clsags: [], pseudoOuts };
  const message = preMlsagHash(prefixHash(prefix), base, prunable, inputs.length, outputs.length);
  return { base, prunable, message, inputMasks };
}

/**
 * Makes the proofs and ring signatures of a transaction. Slow: run it on a worker thread.
 * @throws RangeError if keys, masks or amounts do not match the rings. Source: rctSigs.cpp `genRctSimple`.
 */
export function signTransaction(unsigned: UnsignedTx, rng: Rng, curve: Curve = loadCurve()): SignedTx {
  const { base, prunable, message, inputMasks } = proveTransaction(unsigned, rng, curve);
  const clsags = unsigned.inputs.map(({ ring, secretKey, mask }, i): Clsag => {
    const { clsag } = signClsag(
      {
        message,
        ring: ring.members,
        realIndex: ring.realIndex,
        secretKey: toScalar(secretKey),
        realMask: reduce(mask),
        pseudoOutMask: inputMasks[i] ?? 0n,
        pseudoOut: prunable.pseudoOuts[i] ?? commit(ZERO, 0n),
        rng,
      },
      curve,
    );
    return clsag;
  });
  return signedTx(unsigned, { prefix: unsigned.prefix, rct: { base, prunable: { ...prunable, clsags } } });
}

/** Joins a signed transaction with the data of its unsigned form. */
export const signedTx = (unsigned: UnsignedTx, tx: Transaction): SignedTx => ({
  blob: encode(transaction, tx),
  hash: transactionHash(tx),
  weight: transactionWeight(tx),
  fee: unsigned.fee,
  change: unsigned.change,
  keyImages: unsigned.inputs.map(({ keyImage }) => keyImage),
  targets: unsigned.targets,
  payees: unsigned.payees,
  txSecretKey: unsigned.txSecretKey,
  additionalSecretKeys: unsigned.additionalSecretKeys,
});

/** Computes the weight that an unsigned transaction will have after signing; proofs and signatures have fixed sizes. */
export function weightOnceSigned({ prefix, fee, inputs, outputs }: UnsignedTx): number {
  const scalar = new Uint8Array(32) as unknown as ProofScalar;
  const point = new Uint8Array(32) as unknown as ProofPoint;
  const commitment = commit(ZERO, 0n);
  const rounds = Array.from({ length: 6 + Math.ceil(Math.log2(outputs.length)) }, () => point);
  const proof: BulletproofPlus = {
    A: point,
    A1: point,
    B: point,
    r1: scalar,
    s1: scalar,
    d1: scalar,
    L: rounds,
    R: rounds,
  };
  const clsags = inputs.map(({ ring }): Clsag => ({
    s: ring.members.map(() => scalar),
    c1: scalar,
    D: point,
  }));
  const ecdhInfo = outputs.map(() => ({ amount: new Uint8Array(8) }));
  return transactionWeight({
    prefix,
    rct: {
      base: { type: 6, fee, pseudoOuts: [], ecdhInfo, outPk: outputs.map(() => commitment) },
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
 * Subtracts a fee from some payees' amounts in equal shares.
 * @param feeAmongAll true: each of these payees pays its share among all payees, and the change pays the rest.
 * @throws PlanError `tx_not_possible` if these payees receive less than the fee, `zero_amount` if a payee would receive
 * nothing. Source: wallet2.cpp `get_adjusted_dsts`.
 */
function lessFee(
  payees: readonly OutputTarget[],
  feeFrom: readonly number[],
  fee: Amount,
  feeAmongAll: boolean,
): OutputTarget[] {
  if (feeFrom.length === 0) return [...payees];
  const shares = feeShares(fee, feeAmongAll ? payees.length : feeFrom.length);
  const reduced = [...payees];
  const payers = feeFrom.map((index) => {
    const payee = payees[index];
    if (payee === undefined) throw new RangeError('a payee listed to pay the fee does not exist');
    return { index, payee };
  });
  if (!feeAmongAll && payers.reduce((total, { payee }) => total + payee.amount, 0n) < fee)
    throw new PlanError({
      kind: 'tx_not_possible',
      reason: 'the destinations that pay the fee receive less than the fee',
    });
  payers.forEach(({ index, payee }, i) => {
    const received = payee.amount - (shares[feeAmongAll ? index : i] ?? ZERO);
    if (received <= 0n) throw new PlanError({ kind: 'zero_amount' });
    reduced[index] = { ...payee, amount: amount(received) };
  });
  return reduced;
}

/**
 * Largest number of iterations to find the fee. A fee changes the weight slightly, so usually one or two iterations
 * suffice.
 */
const FEE_ATTEMPTS = 10;

const ONE_CHANGE_OUTPUT: ChangeSplit = { outputs: 1, least: 0n };

/** A plan of a transaction whose fee is computed from the exact weight. */
export interface PricedPlan extends Omit<TransactionPlan, 'changeOutputs'> {
  /** Division of the change into outputs; absent: one output. */
  readonly changeSplit?: ChangeSplit | undefined;
  /**
   * Indices of the payees from whose amounts the fee is subtracted; absent or empty: the fee is subtracted from the
   * change.
   */
  readonly feeFrom?: readonly number[];
  /** True: the payees of `feeFrom` pay their shares of the fee among all payees; absent: the whole fee. */
  readonly feeAmongAll?: boolean | undefined;
}

/**
 * Constructs a transaction with the given number of change outputs and the fee for its exact weight.
 * @throws the errors of `settleFee`.
 */
function settleFeeWith(
  { feeFrom = [], feeAmongAll = false, ...plan }: PricedPlan & Pick<TransactionPlan, 'changeOutputs'>,
  rate: bigint,
  rates: FeeRates,
  construct: (plan: TransactionPlan) => UnsignedTx,
): UnsignedTx {
  const attempt = (fee: Amount): { unsigned: UnsignedTx; needed: Amount } => {
    const unsigned = construct({ ...plan, fee, payees: lessFee(plan.payees, feeFrom, fee, feeAmongAll) });
    const weight = weightOnceSigned(unsigned);
    if (weight >= MAX_TX_WEIGHT) throw new RangeError('the transaction is too heavy');
    return { unsigned, needed: feeOfWeight(weight, rate, rates) };
  };
  // An estimated fee may exceed the payees' amounts, so the iteration starts with a fee of zero.
  let { needed: fee } = attempt(feeFrom.length > 0 ? ZERO : plan.fee);
  for (let attempts = 0; attempts < FEE_ATTEMPTS; attempts++) {
    const { unsigned, needed } = attempt(fee);
    // If the iteration does not reach an exact fee, a slightly too high fee is accepted.
    if (needed === fee || (needed < fee && attempts > 2)) return unsigned;
    fee = needed;
  }
  throw new RangeError('the fee of the transaction does not converge');
}

/**
 * Constructs a transaction with the fee for its exact weight. The iteration starts with the plan's fee. The transaction
 * has as many of the requested change outputs as are each worth spending.
 * @param rate atomic units per byte of weight.
 * @param construct constructs the transaction for a given fee.
 * @throws RangeError if the inputs do not cover the fee, or the transaction is too heavy.
 * @throws PlanError `tx_not_possible`, `zero_amount` if the payees do not cover the fee.
 */
export function settleFee(
  plan: PricedPlan,
  rate: bigint,
  rates: FeeRates,
  rng: Rng,
  curve: Curve = loadCurve(),
  construct: typeof constructTransaction = constructTransaction,
): UnsignedTx {
  const { changeSplit = ONE_CHANGE_OUTPUT } = plan;
  let changeOutputs = changeSplit.outputs;
  for (;;) {
    const unsigned = settleFeeWith({ ...plan, changeOutputs }, rate, rates, (priced) =>
      construct(priced, rng, curve),
    );
    if (changeOutputs <= changeOutputsFor(unsigned.change, changeSplit)) return unsigned;
    // Fewer outputs lower the fee and leave more change, but the change grows at most by the whole fee.
    const most = changeOutputsFor(unsigned.change + unsigned.fee, changeSplit);
    changeOutputs = Math.min(changeOutputs - 1, most);
  }
}

/** Constructs a transaction with {@link settleFee}, then signs it with {@link signTransaction}. @throws RangeError */
export const buildTransaction = (
  plan: PricedPlan,
  rate: bigint,
  rates: FeeRates,
  rng: Rng,
  curve: Curve = loadCurve(),
): SignedTx => signTransaction(settleFee(plan, rate, rates, rng, curve), rng, curve);

/**
 * An input whose secret key is derived from the wallet's keys later. A plain value, so that it can be posted to a
 * thread.
 */
export interface OwnInput extends Omit<SpendableInput, 'secretKey'> {
  readonly derivationKey: PublicKey;
  /** Index of the output in its transaction. */
  readonly outputIndex: number;
  readonly subaddress: SubaddressIndex;
}

/** Plan of a payment that spends outputs of one wallet. */
export interface OwnPlan extends Omit<PricedPlan, 'inputs'> {
  readonly inputs: readonly OwnInput[];
  readonly spendSecret: SecretKey;
}

/**
 * Derives the secret keys of the inputs, runs `buildTransaction`, and wipes the secret keys.
 * @throws the errors of `buildTransaction`.
 */
export function buildFromOwn(
  { spendSecret, ...plan }: OwnPlan,
  rate: bigint,
  rates: FeeRates,
  rng: Rng,
  curve: Curve = loadCurve(),
): SignedTx {
  const keys = { viewSecret: plan.viewSecret, spendSecret };
  const inputs = plan.inputs.map(({ derivationKey, outputIndex, subaddress, ...input }) => {
    const derivation = keyDerivation(derivationKey, keys.viewSecret);
    return { ...input, secretKey: outputSecretKey(keys, derivation, outputIndex, subaddress) };
  });
  try {
    return buildTransaction({ ...plan, inputs }, rate, rates, rng, curve);
  } finally {
    for (const { secretKey } of inputs) secretKey.fill(0);
  }
}
