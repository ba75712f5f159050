/* Values of an output that its sender and its receiver derive from their shared secrets. Source: carrot.md § 7.4, enote_utils.cpp. */
import { intToBytes } from '../crypto/scalar.js';
import type { PublicKey, SecretKey } from '../crypto/types.js';
import type { PaymentId } from '../cryptonote/types.js';
import type { Amount } from '../../util/amount.js';
import {
  AMOUNT_SEPARATOR,
  ANCHOR_BYTES,
  ANCHOR_SEPARATOR,
  CARROT_TAG_BYTES,
  CHANGE_TYPE,
  COINBASE_EXTENSION_G_SEPARATOR,
  COINBASE_EXTENSION_T_SEPARATOR,
  EPHEMERAL_SEPARATOR,
  EXTENSION_G_SEPARATOR,
  EXTENSION_T_SEPARATOR,
  MASK_SEPARATOR,
  PAYMENT_ID_SEPARATOR,
  PAYMENT_TYPE,
  SECRET_SEPARATOR,
  SPECIAL_ANCHOR_SEPARATOR,
  VIEW_TAG_SEPARATOR,
} from '../fork-rules.js';
import type { Enote } from './enote.js';
import { deriveBytes, deriveScalar } from './transcript.js';

/** Purpose of an output as its sender states it. */
export type EnoteType = 'payment' | 'change';

/** Payment id of an output without one: zeros. */
export const NO_PAYMENT_ID = new Uint8Array(8) as PaymentId;

/** Returns an amount as 8 bytes, little-endian. */
const amountBytes = (value: Amount): Uint8Array => intToBytes(value).slice(0, 8);

/** Combines two byte strings of the same length by XOR: encrypts or decrypts with a mask. */
export const xor = (bytes: Uint8Array, mask: Uint8Array): Uint8Array =>
  bytes.map((byte, i) => byte ^ (mask[i] ?? 0));

/** Computes the view tag of an output, 3 bytes, from the shared secret. */
export const viewTagOf = (
  sharedSecret: Uint8Array,
  { context, outputKey }: Pick<Enote, 'context' | 'outputKey'>,
): Uint8Array => deriveBytes(CARROT_TAG_BYTES, sharedSecret, VIEW_TAG_SEPARATOR, context, outputKey);

/** Computes the shared secret that binds the transaction, 32 bytes, from the shared secret of the key exchange. */
export const contextSecret = (
  sharedSecret: Uint8Array,
  { ephemeralKey, context }: Pick<Enote, 'ephemeralKey' | 'context'>,
): Uint8Array => deriveBytes(32, sharedSecret, SECRET_SEPARATOR, ephemeralKey, context);

/** Scalars that the sender adds to an address: `K = K_s + g·G + t·T`. */
export interface Extensions {
  readonly g: bigint;
  readonly t: bigint;
}

/**
 * Computes the extensions of an output.
 * @param secret result of {@link contextSecret}.
 * @param mainSpendKey spend public key of the main address, which an output of a miner transaction binds.
 */
export function extensionsOf(
  secret: Uint8Array,
  amount: Enote['amount'],
  mainSpendKey: PublicKey,
): Extensions {
  if (amount.kind === 'encrypted')
    return {
      g: deriveScalar(secret, EXTENSION_G_SEPARATOR, amount.commitment),
      t: deriveScalar(secret, EXTENSION_T_SEPARATOR, amount.commitment),
    };
  const parts = [amountBytes(amount.amount), mainSpendKey];
  return {
    g: deriveScalar(secret, COINBASE_EXTENSION_G_SEPARATOR, ...parts),
    t: deriveScalar(secret, COINBASE_EXTENSION_T_SEPARATOR, ...parts),
  };
}

/** Computes the blinding scalar of the commitment of an output to an address. */
export const maskOf = (secret: Uint8Array, value: Amount, spendKey: PublicKey, type: EnoteType): bigint =>
  deriveScalar(
    secret,
    MASK_SEPARATOR,
    amountBytes(value),
    spendKey,
    Uint8Array.of(type === 'payment' ? PAYMENT_TYPE : CHANGE_TYPE),
  );

/** Encrypts or decrypts the anchor of an output, 16 bytes. */
export const cryptAnchor = (bytes: Uint8Array, secret: Uint8Array, outputKey: PublicKey): Uint8Array =>
  xor(bytes, deriveBytes(ANCHOR_BYTES, secret, ANCHOR_SEPARATOR, outputKey));

/** Encrypts or decrypts the amount of an output, 8 bytes, little-endian. */
export const cryptAmount = (bytes: Uint8Array, secret: Uint8Array, outputKey: PublicKey): Uint8Array =>
  xor(bytes, deriveBytes(8, secret, AMOUNT_SEPARATOR, outputKey));

/** Encrypts an amount as 8 bytes. */
export const encryptAmount = (value: Amount, secret: Uint8Array, outputKey: PublicKey): Uint8Array =>
  cryptAmount(amountBytes(value), secret, outputKey);

/** Encrypts or decrypts a payment id. */
export const cryptPaymentId = (id: PaymentId, secret: Uint8Array, outputKey: PublicKey): PaymentId =>
  xor(id, deriveBytes(8, secret, PAYMENT_ID_SEPARATOR, outputKey)) as PaymentId;

/** Computes the anchor of an output that a wallet sends to itself, 16 bytes, which proves the view secret key. */
export const specialAnchor = (
  viewSecret: SecretKey,
  { ephemeralKey, context, outputKey }: Pick<Enote, 'ephemeralKey' | 'context' | 'outputKey'>,
): Uint8Array =>
  deriveBytes(ANCHOR_BYTES, viewSecret, SPECIAL_ANCHOR_SEPARATOR, ephemeralKey, context, outputKey);

/** Computes the ephemeral secret key of a payment: scalar below ℓ. */
export const ephemeralSecret = (
  anchor: Uint8Array,
  context: Uint8Array,
  spendKey: PublicKey,
  paymentId: PaymentId,
): bigint => deriveScalar(undefined, EPHEMERAL_SEPARATOR, anchor, context, spendKey, paymentId);
