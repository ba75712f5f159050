import { utf8 } from '../../util/bytes.js';
import type { Rng } from '../../util/random.js';
import { zip } from '../../util/zip.js';
import { BASE, type Curve } from './curve/curve.js';
import { loadCurve } from './curve/load-curve.js';
import { keccak } from './keccak.js';
import { Nonces } from './nonces.js';
import { bytesToInt, hashToScalar, ORDER } from './scalar.js';
import type { Hash, KeyDerivation, PublicKey, SecretKey, Signature } from './types.js';

/**
 * Claim that a proof proves: the prover knows `r` with `R = r·B` and `D = r·A`. If the payer proves it, r is the tx
 * secret key and A is the view key of the payee. If the payee proves it, r is the view secret key and A is the tx
 * public key.
 */
export interface SharedSecretClaim {
  /** Message to which the proof is bound. */
  readonly message: Hash;
  readonly R: PublicKey;
  readonly A: PublicKey;
  /** Spend key of a subaddress; absent: the base point G. */
  readonly B?: PublicKey;
  readonly D: PublicKey;
}

/** Version of a proof. Version 1 is not bound to R, A and B; it is verified but never created. */
export type TxProofVersion = 1 | 2;

const SEPARATOR = keccak(utf8('TXPROOF_V2'));
/** Bytes that are hashed in place of an absent B. */
const NO_BASE = new Uint8Array(32);

/**
 * Computes the challenge `Hs(message || D || X || Y)`; in version 2 the hash ends with `|| keccak("TXPROOF_V2") || R ||
 * A || B`.
 */
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
 * Computes the shared secret `r·P`, with P the public key of the other party.
 * @throws RangeError if P is not a point or r is not below ℓ.
 */
export const sharedSecret = (
  publicKey: PublicKey,
  secret: SecretKey,
  curve: Curve = loadCurve(),
): PublicKey => curve.multiplySecret([publicKey], [secret])[0] as PublicKey;

/**
 * Makes Schnorr proofs, with one `r` for both equations of each claim, computed as a batch. The caller must ensure that
 * the equations hold.
 * @throws RangeError if A or B is not a point or r is not below ℓ. Source: crypto.cpp `generate_tx_proof`.
 */
export function proveSharedSecrets(
  claims: readonly SharedSecretClaim[],
  secret: SecretKey,
  rng: Rng,
  curve: Curve = loadCurve(),
): Signature[] {
  const nonces = new Nonces(claims.length, rng, curve);
  const ofBases = nonces.ofPoints(claims.map(({ B = BASE }) => B));
  const ofKeys = nonces.ofPoints(claims.map(({ A }) => A));
  return nonces.respond(
    zip(claims, ofBases, ofKeys).map(([claim, X, Y]) => ({ challenge: challenge(claim, X, Y, 2), secret })),
  );
}

/** Makes the proof of {@link proveSharedSecrets} for one claim. */
export const proveSharedSecret = (
  claim: SharedSecretClaim,
  secret: SecretKey,
  rng: Rng,
  curve: Curve = loadCurve(),
): Signature => proveSharedSecrets([claim], secret, rng, curve)[0] as Signature;

/** Verifies a proof. @returns false also for invalid keys and scalars. Source: crypto.cpp `check_tx_proof`. */
export function checkSharedSecret(
  claim: SharedSecretClaim,
  signature: Uint8Array,
  version: TxProofVersion,
  curve: Curve = loadCurve(),
): boolean {
  const { R, A, B = BASE, D } = claim;
  if (!curve.arePoints([R, A, B, D]) || signature.length !== 64) return false;
  const c = bytesToInt(signature.subarray(0, 32));
  const r = bytesToInt(signature.subarray(32));
  if (c >= ORDER || r >= ORDER) return false;
  const X = curve.multiexp([R, B], [c, r]);
  const Y = curve.multiexp([D, A], [c, r]);
  return challenge(claim, X, Y, version) === c;
}

/** Computes the key derivation `8·D` of a shared secret D. @throws RangeError if D is not a point. */
export const derivationOf = (secret: PublicKey, curve: Curve = loadCurve()): KeyDerivation =>
  curve.multiplyEach([secret], 8n)[0] as KeyDerivation;
