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
export const sharedSecret = (
  publicKey: PublicKey,
  secret: SecretKey,
  curve: Curve = loadCurve(),
): PublicKey => curve.multiplySecret([publicKey], [secret])[0] as PublicKey;

/**
 * Schnorr proofs of one `r` for both equations of each claim, computed as a batch; the caller must ensure that they
 * hold.
 * @throws RangeError when A or B is not a point or r not canonical. Source: crypto.cpp `generate_tx_proof`.
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

/** {@link proveSharedSecrets} for one claim. */
export const proveSharedSecret = (
  claim: SharedSecretClaim,
  secret: SecretKey,
  rng: Rng,
  curve: Curve = loadCurve(),
): Signature => proveSharedSecrets([claim], secret, rng, curve)[0] as Signature;

/** Verifies a proof; false for invalid keys and scalars. Source: crypto.cpp `check_tx_proof`. */
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

/** Key derivation of a shared secret, `8·D`. @throws RangeError when D is not a point. */
export const derivationOf = (secret: PublicKey, curve: Curve = loadCurve()): KeyDerivation =>
  curve.multiplyEach([secret], 8n)[0] as KeyDerivation;
