import type { Curve } from '../../crypto/curve.js';
import { plainCurve } from '../../crypto/plain-curve.js';
import { publicKeyOf } from '../../crypto/derivation.js';
import { G, multiply } from '../../crypto/point.js';
import { reduce, scalarBytes, toScalar } from '../../crypto/scalar.js';
import type { Hash, PublicKey, SecretKey } from '../../crypto/types.js';
import { transactionHash } from '../../cryptonote/transaction.js';
import type { Transaction } from '../../cryptonote/types.js';
import { verifyClsag } from '../../ringct/clsag.js';
import { clsagShare, NONCES } from '../../ringct/clsag-multisig.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import type { MultisigSig, PendingTx } from '../exchange/pending-tx.js';
import { withAnswer } from './proposal.js';
import { reconstruct, type Reconstruction, type ReconstructionKeys } from './reconstruction.js';

/** What a further signer answers with. Secret; plain data. */
export interface CosigningOrder {
  readonly pending: PendingTx;
  /** Who has signed. */
  readonly signers: readonly PublicKey[];
  readonly threshold: number;
  /** This signer. */
  readonly signer: PublicKey;
  readonly shares: readonly SecretKey[];
  readonly keys: ReconstructionKeys;
  /** Unused nonces of each input, in the order of the transaction. Those taken go to zeros. */
  readonly nonces: readonly (readonly SecretKey[])[];
}

export interface Cosigned {
  readonly pending: PendingTx;
  /** Of a transaction that enough have signed. */
  readonly txHash?: Hash;
}

/** Where the nonces that an attempt asks for are not there, or were used. */
export class NoNonceError extends RangeError {
  override readonly name = 'NoNonceError';
}

const isAmong = (keys: readonly Uint8Array[], key: Uint8Array): boolean =>
  keys.some((other) => equalBytes(other, key));

/** Takes the nonces that an attempt asks for, of one input; none is there a second time. */
function takeNonces(usedL: ReadonlySet<string>, nonces: readonly SecretKey[]): bigint[] {
  const taken: bigint[] = [];
  for (const nonce of nonces) {
    if (taken.length === NONCES) break;
    const scalar = toScalar(nonce);
    if (scalar === 0n || !usedL.has(toHex(multiply(G, scalar).toBytes()))) continue;
    taken.push(scalar);
    nonce.fill(0);
  }
  if (taken.length < NONCES) throw new NoNonceError('no unused nonces for an attempt');
  return taken;
}

/** Adds this signer's answers to an attempt. Source: multisig_tx_builder_ringct.cpp `next_partial_sign`. */
function answerAttempt(
  sig: MultisigSig,
  { shares, nonces }: CosigningOrder,
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
  const answers = challengers.map((challenger, i) => {
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
    c0: answers.map(({ c1 }) => c1),
    s: answers.map(({ s }) => s),
  };
}

/** The transaction, once one attempt has all its answers. Source: wallet2.cpp `sign_multisig_tx`. */
function complete(
  sigs: readonly MultisigSig[],
  signers: readonly PublicKey[],
  made: Reconstruction,
): Transaction {
  const whole = sigs.filter(({ ignore }) => !signers.some((signer) => isAmong(ignore, signer)));
  const [sig] = whole;
  if (sig === undefined || whole.length > 1)
    throw new RangeError('it has not exactly one attempt for those who signed');
  const { prefix, base, prunable, sources } = made;
  const clsags = prunable.clsags.map((clsag, i) => withAnswer(clsag, sources[i]?.realIndex ?? -1, sig, i));
  const tx: Transaction = { prefix, rct: { base, prunable: { ...prunable, clsags } } };
  return tx;
}

/** Does every ring signature hold? A signer that answered wrongly shows only now. */
function assertSigned(tx: Transaction, made: Reconstruction, curve: Curve): void {
  const holds = made.challengers.every(({ open }, i) => {
    const clsag = tx.rct?.prunable?.clsags[i];
    return clsag !== undefined && verifyClsag({ ...open, clsag }, curve);
  });
  if (!holds)
    throw new RangeError('the answers of those who signed do not make a signature: one of them is wrong');
}

/**
 * Signs what another signer made, in every attempt that this one is part of. Slow, on a thread of its own.
 * @throws NoNonceError where nonces are missing; RangeError, its text a predicate of the transaction, where it
 * is not what its record says or cannot be completed.
 */
export function cosign(order: CosigningOrder, curve: Curve = plainCurve): Cosigned {
  const { pending, signers, threshold, signer, keys } = order;
  if (pending.multisigSigs.length === 0) throw new RangeError('it holds no attempt to sign it');
  const made = reconstruct(pending, keys, curve);
  const sigs = pending.multisigSigs.map((sig) =>
    isAmong(sig.ignore, signer) ? sig : answerAttempt(sig, order, made),
  );
  const construction = { ...pending.construction, sources: made.sources };
  const signed = { ...pending, construction, multisigSigs: sigs };
  const all = [...signers, signer];
  if (all.length < threshold) return { pending: signed };
  const tx = complete(sigs, all, made);
  assertSigned(tx, made, curve);
  return { pending: { ...signed, tx }, txHash: transactionHash(tx) };
}
