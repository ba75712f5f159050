import type { Curve } from '../../crypto/curve/curve.js';
import { publicKeyOf, randomSecretKey } from '../../crypto/derivation.js';
import { loadCurve } from '../../crypto/curve/load-curve.js';
import type { KeyImage, SecretKey } from '../../crypto/types.js';
import { MAX_OUTPUTS } from '../../cryptonote/constants.js';
import type { Address, KeyInput, TxPrefix } from '../../cryptonote/types.js';
import { ZERO, type Amount } from '../../../util/amount.js';
import { compareBytes } from '../../../util/bytes.js';
import { shuffled, type Rng } from '../../../util/random.js';
import { splitChange } from '../select/change-split.js';
import type { Ring } from '../select/decoys.js';
import {
  layOutOutputs,
  paymentIdIn,
  type LaidOutOutputs,
  type OutputSecrets,
  type OutputTarget,
} from './output-layout.js';

/** An input with all data that is needed to spend it. Secret; a plain value, so that it can be posted to a thread. */
export interface SpendableInput {
  readonly ring: Ring;
  /** Secret key of the output that is spent. */
  readonly secretKey: SecretKey;
  readonly keyImage: KeyImage;
  readonly amount: Amount;
  readonly mask: bigint;
}

/** Inputs, payees and fee of a transaction to be constructed. A plain value. */
export interface TransactionPlan {
  readonly inputs: readonly SpendableInput[];
  readonly payees: readonly OutputTarget[];
  /** Primary address of the paying account, to which change returns. */
  readonly changeAddress: Address;
  /** Number of outputs into which the change is divided; default: 1. */
  readonly changeOutputs?: number;
  readonly fee: Amount;
  readonly unlockTime: bigint;
  /** View secret key of the payer, with which change outputs are derived. */
  readonly viewSecret: SecretKey;
}

/** A constructed transaction without proofs and signatures. */
export interface UnsignedTx {
  readonly prefix: TxPrefix;
  /** Inputs in the order of the prefix. */
  readonly inputs: readonly SpendableInput[];
  readonly outputs: readonly OutputSecrets[];
  /** Destination of each output, including change and dummy outputs. */
  readonly targets: readonly OutputTarget[];
  /** Payees in the order of the plan, with the amounts that they receive. */
  readonly payees: readonly OutputTarget[];
  readonly fee: Amount;
  /** Sum of the change outputs [atomic units]. */
  readonly change: Amount;
  readonly txSecretKey: SecretKey;
  /**
   * Additional secret keys: one per output if the destinations include subaddresses besides other addresses, otherwise
   * no keys.
   */
  readonly additionalSecretKeys: readonly SecretKey[];
}

/**
 * Makes a random address for a dummy output, which holds no money, and is added only because a transaction must have at
 * least two outputs. The secret keys of the address are not kept.
 */
const randomAddress = ({ network }: Address, rng: Rng): Address => ({
  network,
  kind: 'standard',
  spendPublicKey: publicKeyOf(randomSecretKey(rng)),
  viewPublicKey: publicKeyOf(randomSecretKey(rng)),
});

/** Destinations of the outputs of a transaction. */
export interface Targets {
  /** Destination of each output, in the order of the outputs. */
  readonly targets: readonly OutputTarget[];
  /** Sum of the change outputs [atomic units]. */
  readonly change: Amount;
  /** Address of the change outputs or of the dummy output; absent if there are no such outputs. */
  readonly changeOrDummy?: Address;
}

/** Returns the change outputs. If there is no change and less than two payees, returns a dummy output. */
function changeOrDummies(
  { payees, changeAddress, changeOutputs = 1 }: TransactionPlan,
  change: Amount,
  rng: Rng,
): OutputTarget[] {
  if (change > 0n)
    return splitChange(change, changeOutputs, rng).map((part) => ({ address: changeAddress, amount: part }));
  return payees.length < 2 ? [{ address: randomAddress(changeAddress, rng), amount: ZERO }] : [];
}

/**
 * Returns payees and change, or a dummy output if one is needed, in random order.
 * @throws RangeError if the inputs do not cover the amounts.
 */
export function targetsOf(plan: TransactionPlan, rng: Rng): Targets {
  const amountIn = plan.inputs.reduce((total, { amount }) => total + amount, 0n);
  const change = amountIn - plan.payees.reduce((total, { amount }) => total + amount, 0n) - plan.fee;
  if (change < 0n) throw new RangeError('the inputs do not cover payees and fee');
  if (plan.payees.length === 0 || plan.payees.some(({ amount }) => amount <= 0n))
    throw new RangeError('every payee receives a positive amount');
  const returned = changeOrDummies(plan, change as Amount, rng);
  const targets = [...plan.payees, ...returned];
  if (targets.length > MAX_OUTPUTS) throw new RangeError(`a transaction has at most ${MAX_OUTPUTS} outputs`);
  return {
    targets: shuffled(targets, rng),
    change: change as Amount,
    ...(returned[0] === undefined ? {} : { changeOrDummy: returned[0].address }),
  };
}

/** Sorts inputs by descending key image, as a transaction requires. */
export const byDescendingKeyImage = <T extends { readonly keyImage: KeyImage }>(inputs: readonly T[]): T[] =>
  [...inputs].sort((a, b) => compareBytes(b.keyImage, a.keyImage));

export const keyInputOf = ({ ring, keyImage }: Pick<SpendableInput, 'ring' | 'keyImage'>): KeyInput => ({
  type: 'key',
  amount: ZERO,
  keyOffsets: relativeOffsets(ring),
  keyImage,
});

/**
 * Constructs a transaction: inputs by descending key image, outputs in random order, with keys, amounts and extra.
 * @throws RangeError if the inputs do not cover payees and fee, or the plan is inconsistent. Source:
 * cryptonote_tx_utils.cpp `construct_tx_with_tx_key`, device_default.cpp `generate_output_ephemeral_keys`.
 */
export function constructTransaction(plan: TransactionPlan, rng: Rng, curve: Curve = loadCurve()): UnsignedTx {
  if (plan.inputs.length === 0) throw new RangeError('a transaction has at least one input');
  const { targets, change } = targetsOf(plan, rng);
  const laidOut = layOutOutputs(
    {
      targets,
      recipients: plan.payees.map(({ address }) => address),
      changeAddress: plan.changeAddress,
      viewSecret: plan.viewSecret,
      paymentId: paymentIdIn(plan.payees),
    },
    (additional) => ({
      txSecretKey: randomSecretKey(rng),
      additionalSecretKeys: Array.from({ length: additional }, () => randomSecretKey(rng)),
    }),
    curve,
  );
  return unsignedTx(plan, { targets, change }, laidOut);
}

/**
 * Makes an unsigned transaction of a plan, the destinations and the constructed outputs. Sorts the inputs by descending
 * key image.
 */
export function unsignedTx(
  plan: TransactionPlan,
  { targets, change }: Targets,
  { txOutputs, outputs, extra, txSecretKey, additionalSecretKeys }: LaidOutOutputs,
): UnsignedTx {
  const inputs = byDescendingKeyImage(plan.inputs);
  return {
    prefix: {
      version: 2,
      unlockTime: plan.unlockTime,
      inputs: inputs.map(keyInputOf),
      outputs: txOutputs,
      extra,
    },
    inputs,
    outputs,
    targets,
    payees: plan.payees,
    fee: plan.fee,
    change,
    txSecretKey,
    additionalSecretKeys,
  };
}

const relativeOffsets = ({ members }: Ring): bigint[] =>
  members.map(({ globalIndex }, i) => BigInt(globalIndex - (members[i - 1]?.globalIndex ?? 0)));
