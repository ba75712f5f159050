import { decodeBase58 } from '../../cryptonote/base58.js';
import { CodecError } from '../../../util/codec.js';
import { ProtocolError, type Reasoned } from '../protocol-error.js';

/** Number of base58 characters of a public key of 32 bytes. */
export const KEY_CHARS = 44;
/** Number of base58 characters of a signature of 64 bytes. */
export const SIGNATURE_CHARS = 88;

/**
 * Facts of a {@link ProofError}. `bad_proof`: a malformed proof; `invalid`: nothing can be proven or checked; `fork_proof`: the
 * proof would be about the form of the fork, which has no proofs yet.
 * @example
 * const fault: ProofFault = { kind: 'invalid', reason: 'the amount to prove is zero' };
 * new ProofError(fault).message; // => 'the amount to prove is zero'
 */
export type ProofFault = (
  | { readonly kind: 'bad_proof' }
  | { readonly kind: 'invalid' }
  | { readonly kind: 'fork_proof' }
) &
  Reasoned;

/**
 * Error of a proof that is malformed, that is about another subject, or that cannot be made.
 * @example
 * try {
 *   readReserveProof('no proof');
 * } catch (error) {
 *   error instanceof ProofError; // => true
 *   error.fault.kind; // => 'bad_proof'
 * }
 */
export class ProofError extends ProtocolError<ProofFault> {
  override readonly name = 'ProofError';
}

/** Returns the error of an invalid proof. @param text the reference's message for the same cause. */
export const badProof = (reason: string, text: string, cause?: unknown): ProofError =>
  new ProofError({ kind: 'bad_proof', reason, text }, { cause });

/** The reference's message for a proof of another kind. */
export const WRONG_HEADER = 'Signature header check error';

export const NOT_DECODED = 'Signature decoding error';

/** Decodes a base58 part of a proof. @throws ProofError `bad_proof` */
export function proofBytes(text: string): Uint8Array {
  try {
    return decodeBase58(text);
  } catch (cause) {
    if (cause instanceof CodecError) throw badProof('the proof is not base58', NOT_DECODED, cause);
    throw cause;
  }
}
