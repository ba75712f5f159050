import { type Curve, BASE } from '../../crypto/curve/curve.js';
import { derivationToScalar, keyDerivation, keyDerivations, viewTag } from '../../crypto/derivation.js';
import { loadCurve } from '../../crypto/curve/load-curve.js';
import { scalarBytes } from '../../crypto/scalar.js';
import type { PublicKey, SecretKey } from '../../crypto/types.js';
import { paymentIdField, writeExtra, type ExtraField, cryptPaymentId } from '../../cryptonote/extra.js';
import type { Address, PaymentId, TxOutput } from '../../cryptonote/types.js';
import { commitmentMask, encryptAmount } from '../../ringct/commitment.js';
import { ZERO, type Amount } from '../../../util/amount.js';
import { sameAddress } from '../select/transfer-request.js';

/** Address and amount of an output to be constructed. */
export interface OutputTarget {
  readonly address: Address;
  readonly amount: Amount;
}

/** Amount, mask and encrypted amount of an output, for its commitment and the range proof. */
export interface OutputSecrets {
  readonly amount: Amount;
  readonly mask: bigint;
  readonly encryptedAmount: Uint8Array;
}

const unique = (addresses: readonly Address[]): Address[] =>
  addresses.filter((address, i) => addresses.findIndex((other) => sameAddress(address, other)) === i);

/** Returns the base point B of the tx public key `s·B`: the spend key D of a subaddress, otherwise G. */
const baseFor = (address: Address | undefined): PublicKey =>
  address?.kind === 'subaddress' ? address.spendPublicKey : BASE;

/**
 * Kind of tx public keys that a transaction needs. If a subaddress is the only payee, the tx public key is based on its
 * spend key. If there are subaddresses besides other payees, there is an additional key per output. Source:
 * cryptonote_tx_utils.cpp `classify_addresses`.
 */
interface Addressing {
  /** Distinct payees, without the change address. */
  readonly others: readonly Address[];
  readonly onlySubaddress: Address | undefined;
  readonly needsAdditionalKeys: boolean;
}

function addressingOf(recipients: readonly Address[], changeAddress: Address): Addressing {
  const others = unique(recipients.filter((address) => !sameAddress(address, changeAddress)));
  const subaddresses = others.filter(({ kind }) => kind === 'subaddress');
  const alone = others.length === 1;
  return {
    others,
    onlySubaddress: alone ? subaddresses[0] : undefined,
    needsAdditionalKeys: subaddresses.length > 0 && !alone,
  };
}

/** Data from which the outputs of a transaction are constructed. */
export interface OutputPlan {
  /** Destination of each output, in the order of the outputs. */
  readonly targets: readonly OutputTarget[];
  /** Every paid address; change and dummy addresses may be included. */
  readonly recipients: readonly Address[];
  /** Address whose outputs are derived with the payer's view secret key. */
  readonly changeAddress: Address;
  readonly viewSecret: SecretKey;
  readonly paymentId: PaymentId | undefined;
}

/** Secret keys from which the public keys of a transaction are computed. */
export interface TxSecrets {
  readonly txSecretKey: SecretKey;
  /**
   * Additional secret keys: one per output if the destinations include subaddresses besides other addresses, otherwise
   * no keys.
   */
  readonly additionalSecretKeys: readonly SecretKey[];
}

/** Constructed outputs of a transaction, with its extra and its secret keys. */
export interface LaidOutOutputs extends TxSecrets {
  readonly txOutputs: readonly TxOutput[];
  readonly outputs: readonly OutputSecrets[];
  readonly extra: Uint8Array;
}

/**
 * Constructs keys, amounts and extra of a transaction's outputs.
 * @param keys returns the tx secret key and the requested number of additional secret keys.
 * @throws RangeError for a payment id with several payees. Source: cryptonote_tx_utils.cpp `construct_tx_with_tx_key`,
 * device_default.cpp `generate_output_ephemeral_keys`.
 */
export function layOutOutputs(
  { targets, recipients, changeAddress, viewSecret, paymentId }: OutputPlan,
  keys: (additional: number) => TxSecrets,
  curve: Curve = loadCurve(),
): LaidOutOutputs {
  const addressing = addressingOf(recipients, changeAddress);
  const secrets = keys(addressing.needsAdditionalKeys ? targets.length : 0);
  const { txSecretKey, additionalSecretKeys } = secrets;
  const bases = additionalSecretKeys.map((_, i) => baseFor(targets[i]?.address));
  const [txPublicKey = BASE, ...additionalKeys] = curve
    .multiplySecret([baseFor(addressing.onlySubaddress), ...bases], [txSecretKey, ...additionalSecretKeys])
    .map((bytes) => bytes as PublicKey);

  const derivations = keyDerivations(
    targets.map(({ address }, i) => {
      const own = additionalSecretKeys[i];
      const secret = own !== undefined && address.kind === 'subaddress' ? own : txSecretKey;
      // An output to the payer is derived by a·R, for any R; an output to a payee by s·A, or s·C for a subaddress.
      return sameAddress(address, changeAddress)
        ? [txPublicKey, viewSecret]
        : [address.viewPublicKey, secret];
    }),
    curve,
  );
  const sharedSecrets = derivations.map((derivation, i) => scalarBytes(derivationToScalar(derivation, i)));
  const outputs = sharedSecrets.map((shared, i): OutputSecrets => {
    const amount = targets[i]?.amount ?? ZERO;
    return { amount, mask: commitmentMask(shared), encryptedAmount: encryptAmount(amount, shared) };
  });
  const spendKeys = targets.map(({ address }) => address.spendPublicKey);
  const viewTags = derivations.map(viewTag);
  const txOutputs = curve.addSecretMultiples(spendKeys, sharedSecrets).map((publicKey, i): TxOutput => ({
    amount: ZERO,
    publicKey: publicKey as PublicKey,
    viewTag: viewTags[i] ?? 0,
  }));

  const fields: ExtraField[] = [{ type: 'publicKey', key: txPublicKey }];
  if (additionalKeys.length > 0) fields.push({ type: 'additionalKeys', keys: additionalKeys });
  const { others } = addressing;
  if (paymentId !== undefined && others.length > 1) throw new RangeError('a payment id requires a single payee');
  // Without a payment id, an encrypted id of zeros is written, so that payments with and without an id look alike. The
  // id of zeros is left out if there are more than two outputs.
  if (paymentId !== undefined || (targets.length <= 2 && others.length <= 1)) {
    const { viewPublicKey } = others[0] ?? changeAddress;
    const derivation = keyDerivation(viewPublicKey, txSecretKey, curve);
    const id = cryptPaymentId(paymentId ?? (new Uint8Array(8) as PaymentId), derivation);
    fields.push(paymentIdField({ kind: 'short', id }));
  }
  return { ...secrets, txOutputs, outputs, extra: writeExtra(fields) };
}

/**
 * Returns the payment id of the integrated address among the payees; undefined if no payee has an integrated address.
 */
export const paymentIdIn = (payees: readonly OutputTarget[]): PaymentId | undefined =>
  payees.find(({ address }) => address.paymentId !== undefined)?.address.paymentId;
