import { BASE, type Curve } from '../crypto/curve/curve.js';
import { loadCurve } from '../crypto/curve/load-curve.js';
import { scalarBytes } from '../crypto/scalar.js';
import type { PublicKey, SecretKey } from '../crypto/types.js';
import type { Address, PaymentId } from '../cryptonote/types.js';
import { commit } from '../ringct/commitment.js';
import type { Amount } from '../../util/amount.js';
import {
  contextSecret,
  cryptAnchor,
  cryptPaymentId,
  encryptAmount,
  ephemeralSecret,
  extensionsOf,
  maskOf,
  NO_PAYMENT_ID,
  specialAnchor,
  viewTagOf,
  type EnoteType,
} from './derivations.js';
import type { Enote } from './enote.js';
import { ephemeralKeyOf } from './opening.js';
import { toMontgomery } from './point-conversion.js';

/*
 * Outputs as a sender makes them. Source: carrot.md § 7, payment_proposal.cpp. The transactions that contain them need
 * proofs of membership, which this library does not make.
 */

/** Payment to an address. */
export interface Payment {
  readonly address: Address;
  readonly amount: Amount;
  /** Random anchor, 16 bytes, another one for each payment. */
  readonly anchor: Uint8Array;
}

/** An output with the blinding scalar of its commitment. */
export interface MadeEnote {
  readonly enote: Enote;
  readonly mask: bigint;
}

/** Returns the point that ephemeral keys of payments to an address are multiples of. */
export const baseOf = ({ kind, spendPublicKey }: Address): PublicKey =>
  kind === 'subaddress' ? spendPublicKey : BASE;

/** Computes the ephemeral public key of a payment, which the other output of a transaction with two shares. */
export const paymentEphemeralKey = (
  { address, anchor }: Payment,
  context: Uint8Array,
  curve: Curve = loadCurve(),
): Uint8Array => ephemeralKeyOf(paymentSecret(address, anchor, context), baseOf(address), curve);

const paymentSecret = (address: Address, anchor: Uint8Array, context: Uint8Array): bigint =>
  ephemeralSecret(anchor, context, address.spendPublicKey, address.paymentId ?? NO_PAYMENT_ID);

/**
 * Makes the output of a payment.
 * @param coinbase true: an output of a miner transaction, which pays a main address without a payment id.
 * @throws RangeError if an address of another kind is paid by a miner transaction, or a key of it is not a point.
 */
export function payAddress(
  payment: Payment,
  context: Uint8Array,
  { coinbase = false, curve = loadCurve() }: { readonly coinbase?: boolean; readonly curve?: Curve } = {},
): MadeEnote {
  const { address, amount, anchor } = payment;
  if (coinbase && address.kind !== 'standard')
    throw new RangeError('a miner transaction pays main addresses without payment ids');
  const secret = paymentSecret(address, anchor, context);
  const ephemeralKey = ephemeralKeyOf(secret, baseOf(address), curve);
  const shared = toMontgomery(
    curve.multiplySecret([address.viewPublicKey], [scalarBytes(secret)])[0] as Uint8Array,
  );
  const { spendPublicKey, paymentId } = address;
  const parts = { shared, spendPublicKey, amount, type: 'payment' as const, ephemeralKey, context, curve };
  return makeEnote({ ...parts, anchor: () => anchor, coinbase, ...(paymentId && { paymentId }) });
}

/** Output of a wallet to itself. */
export interface OwnPayment {
  /** Spend public key of the address of the wallet. */
  readonly spendPublicKey: PublicKey;
  readonly amount: Amount;
  readonly type: EnoteType;
  /** Ephemeral public key; that of the other output in a transaction with two. */
  readonly ephemeralKey: Uint8Array;
}

/**
 * Makes an output of a wallet to itself that its view secret key recognises.
 * @param sharedSecret product of the view secret key and the ephemeral public key.
 */
export const payOwnAddress = (
  own: OwnPayment,
  { viewSecret, sharedSecret }: { readonly viewSecret: SecretKey; readonly sharedSecret: Uint8Array },
  context: Uint8Array,
  curve: Curve = loadCurve(),
): MadeEnote =>
  makeEnote({
    ...own,
    ...{ shared: sharedSecret, context, curve },
    anchor: (outputKey) => specialAnchor(viewSecret, { ephemeralKey: own.ephemeralKey, context, outputKey }),
  });

/** Makes an output of a wallet to itself that its view-balance secret alone recognises. */
export const payInternally = (
  own: OwnPayment,
  balanceSecret: Uint8Array,
  context: Uint8Array,
  curve: Curve = loadCurve(),
): MadeEnote =>
  makeEnote({ ...own, ...{ shared: balanceSecret, context, curve }, anchor: () => new Uint8Array(16) });

interface Parts extends OwnPayment {
  readonly shared: Uint8Array;
  readonly context: Uint8Array;
  readonly curve: Curve;
  /** Returns the anchor of the output with an output key. */
  readonly anchor: (outputKey: PublicKey) => Uint8Array;
  readonly paymentId?: PaymentId;
  readonly coinbase?: boolean;
}

function makeEnote(parts: Parts): MadeEnote {
  const { shared, spendPublicKey, amount, type, ephemeralKey, context, curve, paymentId } = parts;
  const secret = contextSecret(shared, { ephemeralKey, context });
  const mask = parts.coinbase === true ? 1n : maskOf(secret, amount, spendPublicKey, type);
  const commitment = commit(amount, mask, curve);
  const extensions = extensionsOf(
    secret,
    parts.coinbase === true
      ? { kind: 'plain', amount }
      : { kind: 'encrypted', commitment, bytes: new Uint8Array(8) },
    spendPublicKey,
  );
  const outputKey = curve.addMultiplesOfBoth(
    [spendPublicKey],
    [scalarBytes(extensions.g)],
    [scalarBytes(extensions.t)],
  )[0] as PublicKey;
  return {
    mask,
    enote: {
      ...{ context, ephemeralKey, outputKey },
      viewTag: viewTagOf(shared, { context, outputKey }),
      encryptedAnchor: cryptAnchor(parts.anchor(outputKey), secret, outputKey),
      amount:
        parts.coinbase === true
          ? { kind: 'plain', amount }
          : { kind: 'encrypted', commitment, bytes: encryptAmount(amount, secret, outputKey) },
      ...(paymentId === undefined
        ? {}
        : { encryptedPaymentId: cryptPaymentId(paymentId, secret, outputKey) }),
    },
  };
}
