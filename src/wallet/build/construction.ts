import type { Curve } from '../../crypto/curve.js';
import { publicKeyOf, randomSecretKey } from '../../crypto/derivation.js';
import { plainCurve } from '../../crypto/plain-curve.js';
import type { KeyImage, SecretKey } from '../../crypto/types.js';
import { MAX_OUTPUTS } from '../../cryptonote/constants.js';
import type { Address, KeyInput, TxPrefix } from '../../cryptonote/types.js';
import { ZERO, type Amount } from '../../util/amount.js';
import { compareBytes } from '../../util/bytes.js';
import { shuffled, type Rng } from '../../util/random.js';
import type { Ring } from '../select/decoys.js';
import {
  layOutOutputs,
  paymentIdIn,
  type LaidOutOutputs,
  type OutputSecrets,
  type OutputTarget,
} from './output-layout.js';

/** An input with everything that spends it. Secret; plain data, so that it crosses to a thread. */
export interface SpendableInput {
  readonly ring: Ring;
  /** Of the real output. */
  readonly secretKey: SecretKey;
  readonly keyImage: KeyImage;
  readonly amount: Amount;
  readonly mask: bigint;
}

/** All that one transaction is made of. Plain data. */
export interface TransactionPlan {
  readonly inputs: readonly SpendableInput[];
  readonly payees: readonly OutputTarget[];
  /** Where change returns: the account's own address. */
  readonly changeAddress: Address;
  readonly fee: Amount;
  readonly unlockTime: bigint;
  /** The payer's view key opens its own change. */
  readonly viewSecret: SecretKey;
}

/** A transaction without proofs and signatures. */
export interface UnsignedTx {
  readonly prefix: TxPrefix;
  /** In the order of the prefix. */
  readonly inputs: readonly SpendableInput[];
  readonly outputs: readonly OutputSecrets[];
  /** Whom each output pays, change and the dummy among them. */
  readonly targets: readonly OutputTarget[];
  /** In the order of the plan, with what each receives. */
  readonly payees: readonly OutputTarget[];
  readonly fee: Amount;
  readonly change: Amount;
  readonly txSecretKey: SecretKey;
  /** One an output where destinations mix subaddresses with others. */
  readonly additionalSecretKeys: readonly SecretKey[];
}

/** An address that nobody holds, for the second output that every transaction has. */
const randomAddress = ({ network }: Address, rng: Rng): Address => ({
  network,
  kind: 'standard',
  spendPublicKey: publicKeyOf(randomSecretKey(rng)),
  viewPublicKey: publicKeyOf(randomSecretKey(rng)),
});

/** Whom the outputs pay. */
export interface Targets {
  /** In the order of the outputs. */
  readonly targets: readonly OutputTarget[];
  readonly change: Amount;
  /** The output for change, or the dummy; absent where payees are enough. */
  readonly back?: OutputTarget;
}

/** Payees, and change or a dummy where nothing is left over, in random order. @throws RangeError */
export function targetsOf(plan: TransactionPlan, rng: Rng): Targets {
  const held = plan.inputs.reduce((total, { amount }) => total + amount, 0n);
  const change = held - plan.payees.reduce((total, { amount }) => total + amount, 0n) - plan.fee;
  if (change < 0n) throw new RangeError('the inputs do not cover payees and fee');
  if (plan.payees.length === 0 || plan.payees.some(({ amount }) => amount <= 0n))
    throw new RangeError('every payee is paid something');
  const address =
    change > 0n
      ? plan.changeAddress
      : plan.payees.length < 2
        ? randomAddress(plan.changeAddress, rng)
        : undefined;
  const back = address && { address, amount: change as Amount };
  const targets = [...plan.payees, ...(back === undefined ? [] : [back])];
  if (targets.length > MAX_OUTPUTS) throw new RangeError(`a transaction has at most ${MAX_OUTPUTS} outputs`);
  return {
    targets: shuffled(targets, rng),
    change: change as Amount,
    ...(back === undefined ? {} : { back }),
  };
}

/** In the order of a transaction: by descending key image. */
export const inOrder = <T extends { readonly keyImage: KeyImage }>(inputs: readonly T[]): T[] =>
  [...inputs].sort((a, b) => compareBytes(b.keyImage, a.keyImage));

export const keyInputOf = ({ ring, keyImage }: Pick<SpendableInput, 'ring' | 'keyImage'>): KeyInput => ({
  type: 'key',
  amount: ZERO,
  keyOffsets: relativeOffsets(ring),
  keyImage,
});

/**
 * Lays out a transaction: inputs by descending key image, outputs in random order, keys, amounts and extra.
 * @throws RangeError when the inputs do not cover payees and fee, or the plan contradicts itself.
 * Source: cryptonote_tx_utils.cpp `construct_tx_with_tx_key`, device_default.cpp `generate_output_ephemeral_keys`.
 */
export function constructTransaction(plan: TransactionPlan, rng: Rng, curve: Curve = plainCurve): UnsignedTx {
  if (plan.inputs.length === 0) throw new RangeError('a transaction spends something');
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

/** Puts a transaction together from its parts. */
export function unsignedTx(
  plan: TransactionPlan,
  { targets, change }: Targets,
  { txOutputs, outputs, extra, txSecretKey, additionalSecretKeys }: LaidOutOutputs,
): UnsignedTx {
  const inputs = inOrder(plan.inputs);
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
