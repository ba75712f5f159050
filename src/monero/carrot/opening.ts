import { BASE, IDENTITY, type Curve } from '../crypto/curve/curve.js';
import { loadCurve } from '../crypto/curve/load-curve.js';
import { bytesToInt, reduce, scalarBytes } from '../crypto/scalar.js';
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
import { toMontgomery, toMontgomeryEach } from './point-conversion.js';

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
  if (isCoinbase && internal) return undefined;
  const secret = contextSecret(shared, enote);
  const extensions = extensionsOf(secret, enote.amount, spendPublicKey);
  const spendKey = withoutExtensions(enote.outputKey, extensions, curve);
  if (spendKey === undefined || (isCoinbase && !equalBytes(spendKey, spendPublicKey))) return undefined;
  return { spendKey, extensions, secret, internal };
}

/** Computes `K − g·G − t·T`, in constant time for the scalars; undefined if the output key K is not a point. */
function withoutExtensions(outputKey: PublicKey, { g, t }: Extensions, curve: Curve): PublicKey | undefined {
  try {
    const [byG, byT] = [scalarBytes(reduce(-g)), scalarBytes(reduce(-t))];
    return curve.addMultiplesOfBoth([outputKey], [byG], [byT])[0] as PublicKey;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
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

/** An output whose address is known to be of the wallet. */
export interface NominalEnote {
  readonly enote: Enote;
  /** Result of {@link nominalAddress}. */
  readonly nominal: Nominal;
}

/**
 * Decrypts outputs, verifies their amounts against their commitments, and refuses outputs that a sender has made of two
 * addresses to learn whether they belong to one wallet. Source: carrot.md § 8.1 from step 7 on; an output of a miner
 * transaction has no special anchor, as in scan.cpp.
 * @returns one entry per output; undefined for an output that does not belong to this wallet.
 */
export function openEnotes(
  items: readonly NominalEnote[],
  keys: OpeningKeys,
  curve: Curve = loadCurve(),
): (OpenedEnote | undefined)[] {
  const amounts = openAmounts(items, curve);
  const inGroup = curve.eachInMainSubgroup(items.map(({ nominal }) => nominal.spendKey));
  const anchors = items.map(({ enote, nominal }) =>
    cryptAnchor(enote.encryptedAnchor, nominal.secret, enote.outputKey),
  );
  const isOpen = (i: number): boolean => amounts[i] !== undefined && inGroup[i] === true;
  const ids = paymentIdsOf(items, anchors, isOpen, keys, curve);
  return items.map(({ enote, nominal: { internal } }, i) => {
    const [opened, anchor, id] = [amounts[i], anchors[i], ids[i]];
    if (!isOpen(i) || opened === undefined || anchor === undefined) return undefined;
    if (internal) return { ...opened, paymentId: NO_PAYMENT_ID, path: 'internal', anchor };
    if (id !== undefined) return { ...opened, paymentId: id, path: 'normal', anchor };
    const isSpecial =
      enote.amount.kind === 'encrypted' && equalBytes(anchor, specialAnchor(keys.viewSecret, enote));
    return isSpecial ? { ...opened, paymentId: NO_PAYMENT_ID, path: 'special', anchor } : undefined;
  });
}

/** Opens a single output: see {@link openEnotes}. */
export const openEnote = (
  enote: Enote,
  nominal: Nominal,
  keys: OpeningKeys,
  curve?: Curve,
): OpenedEnote | undefined => openEnotes([{ enote, nominal }], keys, curve)[0];

/**
 * Finds the payment id that the ephemeral key of each output binds, together with its anchor; undefined if the key binds neither
 * the encrypted payment id nor none.
 * @param isOpen returns true for the outputs to try.
 */
function paymentIdsOf(
  items: readonly NominalEnote[],
  anchors: readonly Uint8Array[],
  isOpen: (i: number) => boolean,
  { spendPublicKey }: OpeningKeys,
  curve: Curve,
): (PaymentId | undefined)[] {
  const found: (PaymentId | undefined)[] = items.map(() => undefined);
  const tries = items.map(({ enote, nominal }) => (nominal.internal ? [] : triedIds(enote, nominal.secret)));
  for (const round of [0, 1]) {
    const tried = items.flatMap(({ enote, nominal: { spendKey } }, i) => {
      const paymentId = tries[i]?.[round];
      const anchor = anchors[i];
      if (paymentId === undefined || anchor === undefined || found[i] !== undefined || !isOpen(i)) return [];
      const secret = ephemeralSecret(anchor, enote.context, spendKey, paymentId);
      return [{ i, enote, paymentId, secret, base: equalBytes(spendKey, spendPublicKey) ? BASE : spendKey }];
    });
    const points = curve.multiplySecret(
      tried.map(({ base }) => base),
      tried.map(({ secret }) => scalarBytes(secret)),
    );
    const ephemeral = toMontgomeryEach(points);
    tried.forEach(({ i, enote, paymentId }, at) => {
      if (equalBytes(ephemeral[at] as Uint8Array, enote.ephemeralKey)) found[i] = paymentId;
    });
  }
  return found;
}

/** Returns the payment ids that the ephemeral key may bind. */
function triedIds({ encryptedPaymentId, outputKey, amount }: Enote, secret: Uint8Array): PaymentId[] {
  if (encryptedPaymentId === undefined || amount.kind === 'plain') return [NO_PAYMENT_ID];
  return [cryptPaymentId(encryptedPaymentId, secret, outputKey), NO_PAYMENT_ID];
}

/** Amount of an output, with the type and the mask with which its commitment opens. */
type OpenedAmount = Pick<OpenedEnote, 'amount' | 'mask' | 'type'>;

/** Decrypts the amounts of outputs; undefined where no type fits the commitment. */
function openAmounts(items: readonly NominalEnote[], curve: Curve): (OpenedAmount | undefined)[] {
  const opened: (OpenedAmount | undefined)[] = items.map(({ enote: { amount } }) =>
    amount.kind === 'plain' ? { amount: amount.amount, mask: 1n, type: 'payment' } : undefined,
  );
  for (const type of ['payment', 'change'] as const) {
    const claimed = items.flatMap(({ enote: { amount, outputKey }, nominal: { secret, spendKey } }, i) => {
      if (amount.kind === 'plain' || opened[i] !== undefined) return [];
      const value = amountOf(bytesToInt(cryptAmount(amount.bytes, secret, outputKey)));
      return [{ i, value, commitment: amount.commitment, mask: maskOf(secret, value, spendKey, type) }];
    });
    const commitments = commitEach(
      claimed.map(({ value }) => value),
      claimed.map(({ mask }) => mask),
      curve,
    );
    claimed.forEach(({ i, value, mask, commitment }, at) => {
      if (equalBytes(commitments[at] as Uint8Array, commitment)) opened[i] = { amount: value, mask, type };
    });
  }
  return opened;
}

/**
 * Computes the ephemeral public key of a payment. @param base G for the main address, else the spend public key of the
 * subaddress. Source: carrot.md § 7.5.
 */
export const ephemeralKeyOf = (secret: bigint, base: PublicKey, curve: Curve = loadCurve()): Uint8Array =>
  toMontgomery(curve.multiplySecret([base], [scalarBytes(secret)])[0] as Uint8Array);
