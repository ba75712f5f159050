import { toPublicKey } from '../crypto/derivation.js';
import { keccak } from '../crypto/keccak.js';
import { decompress, G, multiply, Point } from '../crypto/point.js';
import { hashToScalar, reduceBytes, scalarBytes, toScalar } from '../crypto/scalar.js';
import type { PublicKey, SecretKey } from '../crypto/types.js';
import { encode, u32 } from '../util/codec.js';
import type { SubaddressIndex } from './types.js';

/** The salt is the text with its closing zero. Source: cryptonote_config.h `HASH_KEY_SUBADDRESS`. */
const SALT = new TextEncoder().encode('SubAddr\0');

/** `a = keccak(b) mod ℓ`: deterministic wallets derive the view key. Source: account.cpp `generate`. */
export const viewSecretOf = (spendSecret: SecretKey): SecretKey => scalarBytes(reduceBytes(keccak(spendSecret)));

/** `m = Hs("SubAddr" || a || major || minor)`. Source: device_default.cpp `get_subaddress_secret_key`. */
export const subaddressSecret = (viewSecret: SecretKey, { major, minor }: SubaddressIndex): bigint =>
  hashToScalar(SALT, viewSecret, encode(u32, major), encode(u32, minor));

/**
 * Keys of an address other than {0, 0}: `D = B + m·G`, `C = a·D`.
 * Source: device_default.cpp `get_subaddress`.
 */
export function subaddressKeys(
  spendPublicKey: PublicKey,
  viewSecret: SecretKey,
  index: SubaddressIndex,
): { readonly spendPublicKey: PublicKey; readonly viewPublicKey: PublicKey } {
  const spend = decompress(spendPublicKey).add(multiply(G, subaddressSecret(viewSecret, index)));
  return { spendPublicKey: toPublicKey(spend), viewPublicKey: toPublicKey(multiply(spend, toScalar(viewSecret))) };
}

/** Spend keys D of addresses `from` ≤ minor < `to` of an account, the primary address being B itself. */
export function subaddressSpendPublicKeys(
  spendPublicKey: PublicKey,
  viewSecret: SecretKey,
  major: number,
  from: number,
  to: number,
): PublicKey[] {
  const base = decompress(spendPublicKey);
  const points = Array.from({ length: to - from }, (_, i) => {
    const index = { major, minor: from + i };
    return major === 0 && index.minor === 0 ? base : base.add(multiply(G, subaddressSecret(viewSecret, index)));
  });
  return normalize(points).map(toPublicKey);
}

/** Brings points to Z = 1 with one inversion for all (Montgomery's trick), which makes compressing them cheap. */
function normalize(points: readonly Point[]): Point[] {
  const { Fp } = Point;
  const inverses = Fp.invertBatch(points.map(({ Z }) => Z));
  return points.map(({ X, Y }, i) => {
    const inverse = inverses[i] ?? 1n;
    return Point.fromAffine({ x: Fp.mul(X, inverse), y: Fp.mul(Y, inverse) });
  });
}
