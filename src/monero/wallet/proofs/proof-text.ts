import { decodeBase58 } from '../../cryptonote/base58.js';
import { CodecError } from '../../../util/codec.js';
import { WalletError } from '../model/wallet-error.js';

/** Number of base58 characters of a public key of 32 bytes. */
export const KEY_CHARS = 44;
/** Number of base58 characters of a signature of 64 bytes. */
export const SIGNATURE_CHARS = 88;

/** Returns the error of an invalid proof. @param text upstream's message for the same cause. */
export const badProof = (reason: string, text: string, cause?: unknown): WalletError =>
  new WalletError({ kind: 'bad_proof', reason, text }, { cause });

/** Upstream's message for a proof of another kind. */
export const WRONG_HEADER = 'Signature header check error';

export const NOT_DECODED = 'Signature decoding error';

/** Decodes a base58 part of a proof. @throws WalletError `bad_proof` */
export function proofBytes(text: string): Uint8Array {
  try {
    return decodeBase58(text);
  } catch (cause) {
    if (cause instanceof CodecError) throw badProof('the proof is not base58', NOT_DECODED, cause);
    throw cause;
  }
}
