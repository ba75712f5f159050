import {
  derivationToScalar,
  derivePublicKey,
  keyDerivation,
  publicKeyOf,
  toPublicKey,
  viewTag,
} from '../crypto/derivation.js';
import { decompress, multiply } from '../crypto/point.js';
import { scalarBytes, toScalar } from '../crypto/scalar.js';
import type { PublicKey, SecretKey } from '../crypto/types.js';
import { paymentIdField, writeExtra, type ExtraField } from '../cryptonote/extra.js';
import { cryptPaymentId } from '../cryptonote/payment-id.js';
import type { Address, PaymentId, TxOutput } from '../cryptonote/types.js';
import { commitmentMask, encryptAmount } from '../ringct/ecdh.js';
import { ZERO, type Amount } from '../util/amount.js';
import { sameAddress } from './transfer-request.js';

export interface OutputTarget {
  readonly address: Address;
  readonly amount: Amount;
}

/** An output's share of the signature. */
export interface OutputSecrets {
  readonly amount: Amount;
  readonly mask: bigint;
  readonly encryptedAmount: Uint8Array;
}

const unique = (addresses: readonly Address[]): Address[] =>
  addresses.filter((address, i) => addresses.findIndex((other) => sameAddress(address, other)) === i);

/** `s·D`, the public key that only the holder of subaddress D finds. */
const keyFor = (secret: SecretKey, { spendPublicKey }: Address): PublicKey =>
  toPublicKey(multiply(decompress(spendPublicKey), toScalar(secret)));

/**
 * How a transaction tells its receivers apart. One subaddress alone makes the transaction key its own; beside
 * others every output gets a key. Source: cryptonote_tx_utils.cpp `classify_addresses`.
 */
interface Addressing {
  /** Payees other than the payer's change address, each once. */
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

/** What outputs are made from. */
export interface OutputPlan {
  /** In the order of the outputs. */
  readonly targets: readonly OutputTarget[];
  /** Every address that is paid, the change address and the dummy's left out or not. */
  readonly recipients: readonly Address[];
  /** What is paid here, the payer's view key opens. */
  readonly changeAddress: Address;
  readonly viewSecret: SecretKey;
  readonly paymentId: PaymentId | undefined;
}

export interface TxSecrets {
  readonly txSecretKey: SecretKey;
  /** One an output where destinations mix subaddresses with others. */
  readonly additionalSecretKeys: readonly SecretKey[];
}

export interface LaidOutOutputs extends TxSecrets {
  readonly txOutputs: readonly TxOutput[];
  readonly outputs: readonly OutputSecrets[];
  readonly extra: Uint8Array;
}

/**
 * Keys, amounts and extra of a transaction's outputs.
 * @param keys gives the transaction's secret key, and as many additional ones as are asked for.
 * @throws RangeError for a payment id beside several receivers.
 * Source: cryptonote_tx_utils.cpp `construct_tx_with_tx_key`, device_default.cpp `generate_output_ephemeral_keys`.
 */
export function layOutOutputs(
  { targets, recipients, changeAddress, viewSecret, paymentId }: OutputPlan,
  keys: (additional: number) => TxSecrets,
): LaidOutOutputs {
  const addressing = addressingOf(recipients, changeAddress);
  const secrets = keys(addressing.needsAdditionalKeys ? targets.length : 0);
  const { txSecretKey, additionalSecretKeys } = secrets;
  const txPublicKey =
    addressing.onlySubaddress === undefined
      ? publicKeyOf(txSecretKey)
      : keyFor(txSecretKey, addressing.onlySubaddress);

  const additionalKeys: PublicKey[] = [];
  const outputs: OutputSecrets[] = [];
  const txOutputs = targets.map(({ address, amount }, i): TxOutput => {
    const own = additionalSecretKeys[i];
    if (own !== undefined)
      additionalKeys.push(address.kind === 'subaddress' ? keyFor(own, address) : publicKeyOf(own));
    const secret = own !== undefined && address.kind === 'subaddress' ? own : txSecretKey;
    // a·R finds our own output whatever R is made of; for a payee it is s·A, or s·C of a subaddress.
    const derivation = sameAddress(address, changeAddress)
      ? keyDerivation(txPublicKey, viewSecret)
      : keyDerivation(address.viewPublicKey, secret);
    const shared = scalarBytes(derivationToScalar(derivation, i));
    outputs.push({ amount, mask: commitmentMask(shared), encryptedAmount: encryptAmount(amount, shared) });
    return {
      amount: ZERO,
      publicKey: derivePublicKey(derivation, i, address.spendPublicKey),
      viewTag: viewTag(derivation, i),
    };
  });

  const fields: ExtraField[] = [{ type: 'publicKey', key: txPublicKey }];
  if (additionalKeys.length > 0) fields.push({ type: 'additionalKeys', keys: additionalKeys });
  const { others } = addressing;
  if (paymentId !== undefined && others.length > 1) throw new RangeError('a payment id is sent to one payee');
  // Zeros stand in for an id, so that payments with and without one look alike, unless there are more outputs.
  if (paymentId !== undefined || (targets.length <= 2 && others.length <= 1)) {
    const { viewPublicKey } = others[0] ?? changeAddress;
    const id = cryptPaymentId(
      paymentId ?? (new Uint8Array(8) as PaymentId),
      keyDerivation(viewPublicKey, txSecretKey),
    );
    fields.push(paymentIdField({ kind: 'short', id }));
  }
  return { ...secrets, txOutputs, outputs, extra: writeExtra(fields) };
}

/** The id of the integrated address that is paid, if one is. */
export const paymentIdIn = (payees: readonly OutputTarget[]): PaymentId | undefined =>
  payees.find(({ address }) => address.paymentId !== undefined)?.address.paymentId;
