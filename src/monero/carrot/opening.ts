import { BASE, IDENTITY, type Curve } from '../crypto/curve/curve.js';
import { loadCurve } from '../crypto/curve/load-curve.js';
import { bytesToInt, scalarBytes } from '../crypto/scalar.js';
import type { PublicKey, SecretKey } from '../crypto/types.js';
import type { PaymentId } from '../cryptonote/types.js';
import { commitEach } from '../ringct/commitment.js';
import { amount as amountOf, type Amount } from '../../util/amount.js';
import { equalBytes } from '../../util/bytes.js';
import {
  contextSecret,
  cryptAmount,
  cryptAnchor,
  cryptPaymentId,
  ephemeralSecret,
  extensionsOf,
  maskOf,
  NO_PAYMENT_ID,
  specialAnchor,
  type EnoteType,
  type Extensions,
} from './derivations.js';
import type { Enote } from './enote.js';
import { toMontgomery } from './point-conversion.js';

/** Keys of an account with which its outputs are opened. */
export interface OpeningKeys {
  /** Spend public key of the main address. */
  readonly spendPublicKey: PublicKey;
  readonly viewSecret: SecretKey;
}

/** Shared secret with which an output was found. */
export interface FoundSecret {
  /** Shared secret of the key exchange, or the view-balance secret: 32 bytes. Secret. */
  readonly secret: Uint8Array;
  /** True for the view-balance secret: the wallet made the output itself. */
  readonly internal: boolean;
}

/** The address that an output pays if it belongs to the wallet, and the secrets from which the rest follows. */
export interface Nominal {
  /** Spend public key of the address. */
  readonly spendKey: PublicKey;
  readonly extensions: Extensions;
  /** Shared secret that binds the transaction. Secret. */
  readonly secret: Uint8Array;
  readonly internal: boolean;
}

/**
 * Computes the address that an output pays if it belongs to the wallet; undefined if the output key is not a point, or an
 * output of a miner transaction pays another address than the main one. Source: carrot.md § 8.1, steps 3 to 6.
 * @param found shared secret whose view tag the output has.
 */
export function nominalAddress(
  enote: Enote,
  { secret: shared, internal }: FoundSecret,
  { spendPublicKey }: Pick<OpeningKeys, 'spendPublicKey'>,
  curve: Curve = loadCurve(),
): Nominal | undefined {
  const isCoinbase = enote.amount.kind === 'plain';
  if ((isCoinbase && internal) || !curve.arePoints([enote.outputKey])) return undefined;
  const secret = contextSecret(shared, enote);
  const extensions = extensionsOf(secret, enote.amount, spendPublicKey);
  const spendKey = curve.subtractFromEach([enote.outputKey], extensionKey(extensions, curve))[0] as PublicKey;
  if (isCoinbase && !equalBytes(spendKey, spendPublicKey)) return undefined;
  return { spendKey, extensions, secret, internal };
}

/** Computes `g·G + t·T`, in constant time. */
export const extensionKey = ({ g, t }: Extensions, curve: Curve = loadCurve()): PublicKey =>
  curve.addMultiplesOfBoth([IDENTITY], [scalarBytes(g)], [scalarBytes(t)])[0] as PublicKey;

/** How an output was proven to be addressed to this wallet alone. */
export type OpeningPath = 'normal' | 'special' | 'internal';

/** Contents of an output of the wallet. */
export interface OpenedEnote {
  readonly amount: Amount;
  /** Blinding scalar of the commitment; 1 for a plain amount. */
  readonly mask: bigint;
  readonly type: EnoteType;
  /** Payment id; zeros for none. */
  readonly paymentId: PaymentId;
  readonly path: OpeningPath;
  /** Decrypted anchor, 16 bytes. */
  readonly anchor: Uint8Array;
}

/**
 * Decrypts an output, verifies its amount against its commitment, and refuses outputs that a sender has made of two
 * addresses to learn whether they belong to one wallet. Source: carrot.md § 8.1 from step 7 on; an output of a miner
 * transaction has no special anchor, as in scan.cpp.
 * @param nominal result of {@link nominalAddress}, whose spend key is known to be of this wallet.
 * @returns undefined for an output that does not belong to this wallet.
 */
export function openEnote(
  enote: Enote,
  nominal: Nominal,
  keys: OpeningKeys,
  curve: Curve = loadCurve(),
): OpenedEnote | undefined {
  const opened = openAmount(enote, nominal, curve);
  if (opened === undefined || curve.eachInMainSubgroup([nominal.spendKey])[0] !== true) return undefined;
  const anchor = cryptAnchor(enote.encryptedAnchor, nominal.secret, enote.outputKey);
  if (nominal.internal) return { ...opened, paymentId: NO_PAYMENT_ID, path: 'internal', anchor };
  for (const paymentId of paymentIdsOf(enote, nominal.secret))
    if (isEphemeralKey(enote, anchor, nominal.spendKey, paymentId, keys, curve))
      return { ...opened, paymentId, path: 'normal', anchor };
  const isSpecial =
    enote.amount.kind === 'encrypted' && equalBytes(anchor, specialAnchor(keys.viewSecret, enote));
  return isSpecial ? { ...opened, paymentId: NO_PAYMENT_ID, path: 'special', anchor } : undefined;
}

/** Returns the payment ids that the ephemeral key may bind. */
function paymentIdsOf({ encryptedPaymentId, outputKey, amount }: Enote, secret: Uint8Array): PaymentId[] {
  if (encryptedPaymentId === undefined || amount.kind === 'plain') return [NO_PAYMENT_ID];
  return [cryptPaymentId(encryptedPaymentId, secret, outputKey), NO_PAYMENT_ID];
}

function openAmount(
  { amount, outputKey }: Enote,
  { secret, spendKey }: Nominal,
  curve: Curve,
): Pick<OpenedEnote, 'amount' | 'mask' | 'type'> | undefined {
  if (amount.kind === 'plain') return { amount: amount.amount, mask: 1n, type: 'payment' };
  const value = amountOf(bytesToInt(cryptAmount(amount.bytes, secret, outputKey)));
  for (const type of ['payment', 'change'] as const) {
    const mask = maskOf(secret, value, spendKey, type);
    if (equalBytes(commitEach([value], [mask], curve)[0] as Uint8Array, amount.commitment))
      return { amount: value, mask, type };
  }
  return undefined;
}

/** Returns true if the ephemeral key of an output is that of a payment with this anchor to this address. */
function isEphemeralKey(
  { context, ephemeralKey }: Enote,
  anchor: Uint8Array,
  spendKey: PublicKey,
  paymentId: PaymentId,
  { spendPublicKey }: OpeningKeys,
  curve: Curve,
): boolean {
  const isMain = equalBytes(spendKey, spendPublicKey);
  const secret = ephemeralSecret(anchor, context, spendKey, paymentId);
  return equalBytes(ephemeralKeyOf(secret, isMain ? BASE : spendKey, curve), ephemeralKey);
}

/**
 * Computes the ephemeral public key of a payment. @param base G for the main address, else the spend public key of the
 * subaddress. Source: carrot.md § 7.5.
 */
export const ephemeralKeyOf = (secret: bigint, base: PublicKey, curve: Curve = loadCurve()): Uint8Array =>
  toMontgomery(curve.multiplySecret([base], [scalarBytes(secret)])[0] as Uint8Array);
