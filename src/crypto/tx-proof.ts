import { concatBytes, utf8 } from '../util/bytes.js';
import type { Rng } from '../util/random.js';
import { zip } from '../util/zip.js';
import type { Curve } from './curve.js';
import { keccak } from './keccak.js';
import { Nonces } from './nonces.js';
import { decompress, G, multiply, multiplyBy8, multiplyPublic, tryDecompress } from './point.js';
import { bytesToInt, hashToScalar, ORDER, randomScalar, reduce, scalarBytes, toScalar } from './scalar.js';
import type { Hash, KeyDerivation, PublicKey, SecretKey, Signature } from './types.js';

/**
 * Claim of a proof: the prover knows `r` with `R = r·B` and `D = r·A`. The payer proves it with the tx secret key as
 * r and the payee's view key as A; the payee proves it with the view secret as r and the tx public key as A.
 */
export interface SharedSecretClaim {
  /** Hash that the proof is bound to. */
  readonly message: Hash;
  readonly R: PublicKey;
  readonly A: PublicKey;
  /** Spend key of a subaddress; absent: the base point G. */
  readonly B?: PublicKey;
  readonly D: PublicKey;
}

/** Version 1 binds neither R nor A nor B; it is verified, never created. */
export type TxProofVersion = 1 | 2;

const SEPARATOR = keccak(utf8('TXPROOF_V2'));
/** Hashed instead of an absent B. */
const NO_BASE = new Uint8Array(32);

/** `Hs(message || D || X || Y)`, in version 2 with `|| keccak("TXPROOF_V2") || R || A || B`. */
function challenge(
  { message, R, A, B = NO_BASE as PublicKey, D }: SharedSecretClaim,
  X: Uint8Array,
  Y: Uint8Array,
  version: TxProofVersion,
): bigint {
  const bound = version === 1 ? [] : [SEPARATOR, R, A, B];
  return hashToScalar(message, D, X, Y, ...bound);
}

/**
 * Shared secret `r·P` with the other side's public key P. @throws RangeError when P is not a point or r not
 * canonical.
 */
export const sharedSecret = (publicKey: PublicKey, secret: SecretKey): PublicKey =>
  multiply(decompress(publicKey), toScalar(secret)).toBytes() as PublicKey;

/**
 * Schnorr proof of one `r` for both equations of the claim; the caller must ensure that they hold.
 * @throws RangeError when A or B is not a point or r not canonical. Source: crypto.cpp `generate_tx_proof`.
 */
export function proveSharedSecret(claim: SharedSecretClaim, secret: SecretKey, rng: Rng): Signature {
  const nonce = randomScalar(rng);
  const X = multiply(claim.B === undefined ? G : decompress(claim.B), nonce).toBytes();
  const Y = multiply(decompress(claim.A), nonce).toBytes();
  const c = challenge(claim, X, Y, 2);
  return concatBytes(scalarBytes(c), scalarBytes(reduce(nonce - c * toScalar(secret)))) as Signature;
}

/** {@link proveSharedSecret} for claims with the base point G and one secret, computed as a batch. */
export function proveSharedSecrets(
  claims: readonly Omit<SharedSecretClaim, 'B'>[],
  secret: SecretKey,
  rng: Rng,
  curve: Curve,
): Signature[] {
  const nonces = new Nonces(claims.length, rng, curve);
  return nonces.respond(
    zip(claims, nonces.ofBase(), nonces.ofPoints(claims.map(({ A }) => A))).map(([claim, X, Y]) => ({
      challenge: challenge(claim, X, Y, 2),
      secret,
    })),
  );
}

/** Verifies a proof; false for invalid keys and scalars. Source: crypto.cpp `check_tx_proof`. */
export function checkSharedSecret(
  claim: SharedSecretClaim,
  signature: Uint8Array,
  version: TxProofVersion,
): boolean {
  const R = tryDecompress(claim.R);
  const A = tryDecompress(claim.A);
  const B = claim.B === undefined ? G : tryDecompress(claim.B);
  const D = tryDecompress(claim.D);
  if (R === undefined || A === undefined || B === undefined || D === undefined) return false;
  if (signature.length !== 64) return false;
  const c = bytesToInt(signature.subarray(0, 32));
  const r = bytesToInt(signature.subarray(32));
  if (c >= ORDER || r >= ORDER) return false;
  const X = multiplyPublic(R, c).add(multiplyPublic(B, r));
  const Y = multiplyPublic(D, c).add(multiplyPublic(A, r));
  return challenge(claim, X.toBytes(), Y.toBytes(), version) === c;
}

/** Key derivation of a shared secret, `8·D`. @throws RangeError when D is not a point. */
export const derivationOf = (secret: PublicKey): KeyDerivation =>
  multiplyBy8(decompress(secret)).toBytes() as KeyDerivation;
