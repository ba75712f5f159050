import { concatBytes, utf8 } from '../util/bytes.js';
import type { Rng } from '../util/random.js';
import { keccak } from './keccak.js';
import { decompress, G, multiply, multiplyBy8, multiplyPublic, tryDecompress } from './point.js';
import { bytesToInt, hashToScalar, ORDER, randomScalar, reduce, scalarBytes, toScalar } from './scalar.js';
import type { Hash, KeyDerivation, PublicKey, SecretKey, Signature } from './types.js';

/**
 * What a proof is about: one who knows `r` with `R = r·B` made the shared secret `D = r·A`. Who paid proves it
 * with the transaction's key and the payee's view key as A; who was paid, with the view key and the transaction's
 * public key as A.
 */
export interface SharedSecretClaim {
  /** Hash of what the proof is bound to. */
  readonly message: Hash;
  readonly R: PublicKey;
  readonly A: PublicKey;
  /** The spend key of a subaddress; absent: the base point. */
  readonly B?: PublicKey;
  readonly D: PublicKey;
}

/** Version 1 binds neither R nor A nor B. Still read, never made. */
export type TxProofVersion = 1 | 2;

const SEPARATOR = keccak(utf8('TXPROOF_V2'));
/** In the place of B where there is none. */
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

/** `r·P` as a key, of the other side's public key. @throws RangeError when P is not a point or r not canonical. */
export const sharedSecret = (publicKey: PublicKey, secret: SecretKey): PublicKey =>
  multiply(decompress(publicKey), toScalar(secret)).toBytes() as PublicKey;

/**
 * Schnorr proof of one `r` for both equations of the claim, which the caller has made sure of.
 * @throws RangeError when A or B is not a point or r not canonical. Source: crypto.cpp `generate_tx_proof`.
 */
export function proveSharedSecret(claim: SharedSecretClaim, secret: SecretKey, rng: Rng): Signature {
  const nonce = randomScalar(rng);
  const X = multiply(claim.B === undefined ? G : decompress(claim.B), nonce).toBytes();
  const Y = multiply(decompress(claim.A), nonce).toBytes();
  const c = challenge(claim, X, Y, 2);
  return concatBytes(scalarBytes(c), scalarBytes(reduce(nonce - c * toScalar(secret)))) as Signature;
}

/** False for keys and scalars that are not valid too. Source: crypto.cpp `check_tx_proof`. */
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
