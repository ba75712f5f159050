import type { Curve } from '../../crypto/curve/curve.js';
import { loadCurve } from '../../crypto/curve/load-curve.js';
import { publicKeyOf } from '../../crypto/derivation.js';
import { reduce, scalarBytes, toScalar } from '../../crypto/scalar.js';
import type { Hash, PublicKey, SecretKey } from '../../crypto/types.js';
import { transactionHash } from '../../cryptonote/transaction.js';
import type { Transaction } from '../../cryptonote/types.js';
import { verifyClsag } from '../../ringct/clsag.js';
import { clsagShare, NONCES } from '../../ringct/clsag-multisig.js';
import { equalBytes, toHex } from '../../../util/bytes.js';
import type { MultisigSig, PendingTx } from '../exchange/pending-tx.js';
import { withResponse } from './proposal.js';
import { reconstruct, type Reconstruction, type ReconstructionKeys } from './reconstruction.js';

/** Data with which a further signer adds a partial signature. Secret; a plain value. */
export interface CosigningRequest {
  readonly pending: PendingTx;
  /** Public keys of the signers who have signed the transaction already. */
  readonly signers: readonly PublicKey[];
  readonly threshold: number;
  /** Public key of this signer. */
  readonly signer: PublicKey;
  readonly shares: readonly SecretKey[];
  readonly keys: ReconstructionKeys;
  /**
   * Unused nonces for each input, in the order of the transaction. Nonces are overwritten with zeros when they are
   * used.
   */
  readonly nonces: readonly (readonly SecretKey[])[];
}

/** A transaction after a further signer has signed it. */
export interface Cosigned {
  readonly pending: PendingTx;
  /** Hash of the transaction; absent while more signers are needed. */
  readonly txHash?: Hash;
}

/** Thrown if the nonces of an attempt are missing or were used before. */
export class NoNonceError extends RangeError {
  override readonly name = 'NoNonceError';
}

const isAmong = (keys: readonly Uint8Array[], key: Uint8Array): boolean =>
  keys.some((other) => equalBytes(other, key));

/** Takes the nonces that an attempt uses for one input, and wipes them so that they cannot be used again. */
function takeNonces(usedL: ReadonlySet<string>, nonces: readonly SecretKey[]): bigint[] {
  const taken: bigint[] = [];
  for (const nonce of nonces) {
    if (taken.length === NONCES) break;
    const scalar = toScalar(nonce);
    if (scalar === 0n || !usedL.has(toHex(publicKeyOf(nonce)))) continue;
    taken.push(scalar);
    nonce.fill(0);
  }
  if (taken.length < NONCES) throw new NoNonceError('no unused nonces for an attempt');
  return taken;
}

/** Adds the responses of this signer to an attempt. Source: multisig_tx_builder_ringct.cpp `next_partial_sign`. */
function respondToAttempt(
  sig: MultisigSig,
  { shares, nonces }: CosigningRequest,
  { challengers }: Reconstruction,
): MultisigSig {
  const counts = [sig.totalAlphaG, sig.totalAlphaH, sig.s, sig.c0].map(({ length }) => length);
  if (counts.some((count) => count !== challengers.length))
    throw new RangeError('an attempt does not answer every input');
  const usedL = new Set(sig.usedL.map(toHex));
  const added = shares.flatMap((share) => {
    const publicKey = publicKeyOf(share);
    return isAmong(sig.signingKeys, publicKey) ? [] : [{ share, publicKey }];
  });
  const x = reduce(added.reduce((sum, { share }) => sum + toScalar(share), 0n));
  const responses = challengers.map((challenger, i) => {
    const challenge = challenger.challenge({ G: sig.totalAlphaG[i] ?? [], H: sig.totalAlphaH[i] ?? [] });
    const own = clsagShare(challenge, takeNonces(usedL, nonces[i] ?? []), challenger.muP * x);
    return {
      c1: scalarBytes(challenge.c1),
      s: scalarBytes(reduce(toScalar(sig.s[i] ?? new Uint8Array()) + own)),
    };
  });
  return {
    ...sig,
    signingKeys: [...sig.signingKeys, ...added.map(({ publicKey }) => publicKey)],
    c0: responses.map(({ c1 }) => c1),
    s: responses.map(({ s }) => s),
  };
}

/** Completes the transaction with the attempt that has all responses. Source: wallet2.cpp `sign_multisig_tx`. */
function complete(
  sigs: readonly MultisigSig[],
  signers: readonly PublicKey[],
  reconstruction: Reconstruction,
): Transaction {
  const completable = sigs.filter(({ ignore }) => !signers.some((signer) => isAmong(ignore, signer)));
  const [sig] = completable;
  if (sig === undefined || completable.length > 1)
    throw new RangeError('it does not have exactly one attempt for the signers who signed');
  const { prefix, base, prunable, sources } = reconstruction;
  const clsags = prunable.clsags.map((clsag, i) => withResponse(clsag, sources[i]?.realIndex ?? -1, sig, i));
  const tx: Transaction = { prefix, rct: { base, prunable: { ...prunable, clsags } } };
  return tx;
}

/**
 * Verifies every ring signature; this is the only check that detects a wrong response of a signer.
 * @throws RangeError
 */
function assertSigned(tx: Transaction, reconstruction: Reconstruction, curve: Curve): void {
  const holds = reconstruction.challengers.every(({ open }, i) => {
    const clsag = tx.rct?.prunable?.clsags[i];
    return clsag !== undefined && verifyClsag({ ...open, clsag }, curve);
  });
  if (!holds)
    throw new RangeError('the responses of the signers do not form a valid signature: one of them is wrong');
}

/**
 * Signs a transaction of another signer in every attempt that includes this signer. Slow: run it on a worker thread.
 * @throws NoNonceError if nonces are missing; RangeError if the transaction differs from its record or cannot be
 * completed. The error's text is a predicate whose subject is the transaction.
 */
export function cosign(request: CosigningRequest, curve: Curve = loadCurve()): Cosigned {
  const { pending, signers, threshold, signer, keys } = request;
  if (pending.multisigSigs.length === 0) throw new RangeError('it has no attempt to sign it');
  const reconstruction = reconstruct(pending, keys, curve);
  const sigs = pending.multisigSigs.map((sig) =>
    isAmong(sig.ignore, signer) ? sig : respondToAttempt(sig, request, reconstruction),
  );
  const construction = { ...pending.construction, sources: reconstruction.sources };
  const signed = { ...pending, construction, multisigSigs: sigs };
  const all = [...signers, signer];
  if (all.length < threshold) return { pending: signed };
  const tx = complete(sigs, all, reconstruction);
  assertSigned(tx, reconstruction, curve);
  return { pending: { ...signed, tx }, txHash: transactionHash(tx) };
}
