import { AMOUNT_BASE, type Curve } from '../crypto/curve/curve.js';
import { loadCurve } from '../crypto/curve/load-curve.js';
import { sumOfPoints } from '../crypto/curve/points.js';
import { reduce, scalarBytes, bytesToInt, hashToScalar, intToBytes } from '../crypto/scalar.js';
import type { Commitment } from '../crypto/types.js';
import { chunks, concatBytes, equalBytes } from '../../util/bytes.js';
import { keccak } from '../crypto/keccak.js';
import { amount, U64_MAX, type Amount } from '../../util/amount.js';
import type { EcdhInfo, RctType } from './types.js';

/**
 * Computes the commitment `mask·G + amount·H`. The amount is a secret, so both products take constant time. Source:
 * rctOps.cpp `commit`.
 */
export const commit = (amount: Amount, mask: bigint, curve: Curve = loadCurve()): Commitment =>
  curve.commit([amount], scalarBytes(reduce(mask))) as Commitment;

/** Computes the commitment of each amount with its mask, as {@link commit}. */
export const commitEach = (
  amounts: readonly Amount[],
  masks: readonly bigint[],
  curve: Curve = loadCurve(),
): Commitment[] =>
  chunks(curve.commit(amounts, concatBytes(...masks.map((mask) => scalarBytes(reduce(mask))))), 32).map(
    (bytes) => bytes as Commitment,
  );

/** Computes the commitment to a public amount, with mask 1. Source: rctOps.cpp `zeroCommit`. */
export const zeroCommit = (amount: Amount, curve: Curve = loadCurve()): Commitment =>
  commit(amount, 1n, curve);

/** Returns true if a commitment has this amount and mask. */
export const commitsTo = (
  commitment: Commitment,
  amount: Amount,
  mask: bigint,
  curve: Curve = loadCurve(),
): boolean => equalBytes(commit(amount, mask, curve), commitment);

/**
 * Returns true if `Σ pseudoOuts = Σ outPk + fee·H`; false also if a commitment is not a point. Source: rctSigs.cpp
 * `verRctSemanticsSimple`.
 */
export function amountsBalance(
  pseudoOuts: readonly Commitment[],
  outPk: readonly Commitment[],
  fee: Amount,
  curve: Curve = loadCurve(),
): boolean {
  if (!curve.arePoints([...pseudoOuts, ...outPk])) return false;
  const paid = sumOfPoints(pseudoOuts, curve);
  return equalBytes(paid, curve.multiexp([...outPk, AMOUNT_BASE], [...outPk.map(() => 1n), fee]));
}

const text = new TextEncoder();
const MASK_SALT = text.encode('commitment_mask');
const AMOUNT_SALT = text.encode('amount');

/**
 * Computes the blinding scalar of an output's commitment, which sender and receiver know. Source: rctOps.cpp
 * `genCommitmentMask`.
 */
export const commitmentMask = (sharedSecret: Uint8Array): bigint => hashToScalar(MASK_SALT, sharedSecret);

/**
 * Encrypts or decrypts an amount: XOR with 8 bytes that sender and receiver know. Source: rctOps.cpp `ecdhEncode`,
 * `ecdhDecode`, short form.
 */
function cryptAmount(bytes: Uint8Array, sharedSecret: Uint8Array): Uint8Array {
  const pad = keccak(AMOUNT_SALT, sharedSecret);
  return bytes.map((byte, i) => byte ^ (pad[i] ?? 0));
}

/** Encrypts an amount as 8 bytes. @param sharedSecret 32 bytes, `Hs(D || i)`. */
export const encryptAmount = (value: Amount, sharedSecret: Uint8Array): Uint8Array =>
  cryptAmount(intToBytes(value).slice(0, 8), sharedSecret);

/** Amount and mask that the sender of an output claims, which must be verified against the commitment. */
export interface Opening {
  readonly amount: Amount;
  readonly mask: bigint;
}

/** Decrypts amount and mask of an output. @returns undefined for an amount above 64 bits. */
export function decryptOutput(info: EcdhInfo, type: RctType, sharedSecret: Uint8Array): Opening | undefined {
  const { value, mask } = type >= 4 ? openShort(info, sharedSecret) : openLong(info, sharedSecret);
  return value > U64_MAX ? undefined : { amount: amount(value), mask };
}

/**
 * Decrypts amount and mask of an output with a key derivation, and verifies them.
 * @returns undefined if amount and mask do not match the commitment: the sender's claim is false, or the output belongs
 * to another wallet.
 */
export function openOutput(
  info: EcdhInfo,
  type: RctType,
  sharedSecret: Uint8Array,
  commitment: Commitment,
): Opening | undefined {
  const opening = decryptOutput(info, type, sharedSecret);
  return opening !== undefined && commitsTo(commitment, opening.amount, opening.mask) ? opening : undefined;
}

const openShort = (info: EcdhInfo, sharedSecret: Uint8Array): { value: bigint; mask: bigint } => ({
  value: bytesToInt(cryptAmount(info.amount, sharedSecret)),
  mask: commitmentMask(sharedSecret),
});

/**
 * Decrypts an output of types 1 to 3: mask and amount are scalars, to each of which a hash of the shared secret was
 * added.
 */
function openLong(info: EcdhInfo, sharedSecret: Uint8Array): { value: bigint; mask: bigint } {
  const shared1 = hashToScalar(sharedSecret);
  const shared2 = hashToScalar(intToBytes(shared1));
  return {
    mask: reduce(bytesToInt(info.mask ?? new Uint8Array(32)) - shared1),
    value: reduce(bytesToInt(info.amount) - shared2),
  };
}
