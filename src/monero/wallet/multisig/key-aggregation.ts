import { publicKeysOf } from '../../crypto/derivation.js';
import { loadCurve } from '../../crypto/curve/load-curve.js';
import { hashToScalar, reduce, scalarBytes, toScalar } from '../../crypto/scalar.js';
import type { PublicKey, SecretKey } from '../../crypto/types.js';
import { compareBytes, paddedName, toHex } from '../../../util/bytes.js';

/**
 * Domain names in the hashes below. Source: cryptonote_config.h `HASH_KEY_MULTISIG`,
 * `HASH_KEY_MULTISIG_KEY_AGGREGATION`.
 */
const BLINDING = paddedName('Multisig');
const AGGREGATION = paddedName('Multisig_key_agg');

/**
 * Computes `Hs(key || salt)`, which converts an ordinary or a shared secret into a secret key of the key exchange.
 * @param key 32 bytes, a scalar or the bytes of a shared point.
 * @throws RangeError for zeros. Source: multisig.cpp `get_multisig_blinded_secret_key`.
 */
export function blindedSecret(key: Uint8Array): SecretKey {
  if (key.every((byte) => byte === 0)) throw new RangeError('a secret of zeros cannot be blinded');
  return scalarBytes(hashToScalar(key, BLINDING));
}

/**
 * Computes the common view secret key of all participants: a hash of their sorted contributions. Source:
 * multisig_account_kex_impl.cpp `make_multisig_common_privkey`.
 */
export const commonSecretOf = (contributions: readonly SecretKey[]): SecretKey =>
  scalarBytes(hashToScalar(...[...contributions].sort(compareBytes)));

/** Computes the aggregation coefficient of one key. It depends on all keys, which prevents rogue-key attacks. */
const coefficientOf = (publicKey: PublicKey, sorted: readonly PublicKey[]): bigint =>
  hashToScalar(publicKey, ...sorted, AGGREGATION);

/** Result of {@link aggregateKeys}. */
export interface Aggregate {
  readonly publicKey: PublicKey;
  /** Secret shares of this participant, each multiplied by its coefficient. */
  readonly secrets: readonly SecretKey[];
}

/**
 * Computes the spend key of the group by aggregation as in MuSig, `Σ H(Kᵢ, all)·Kᵢ`.
 * @param others public keys of the shares that this participant does not hold.
 * @param own secret shares of this participant.
 * @throws RangeError for a duplicate key or an invalid point. Source: multisig_account_kex_impl.cpp
 * `generate_multisig_aggregate_key`.
 */
export function aggregateKeys(others: readonly PublicKey[], own: readonly SecretKey[]): Aggregate {
  const ownKeys = publicKeysOf(own);
  const sorted = [...others, ...ownKeys].sort(compareBytes);
  if (new Set(sorted.map(toHex)).size !== sorted.length) throw new RangeError('a key share is listed twice');
  const publicKey = loadCurve().multiexp(
    sorted,
    sorted.map((share) => coefficientOf(share, sorted)),
  ) as PublicKey;
  const secrets = own.map((secret, i) =>
    scalarBytes(reduce(toScalar(secret) * coefficientOf(ownKeys[i] as PublicKey, sorted))),
  );
  return { publicKey, secrets };
}
