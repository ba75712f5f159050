import { decodeBase58 } from '../../cryptonote/base58.js';
import { CodecError } from '../../../util/codec.js';
import { WalletError } from '../model/wallet-error.js';

/** Characters of a public key (32 bytes) in base58. */
export const KEY_CHARS = 44;
/** Characters of a signature (64 bytes) in base58. */
export const SIGNATURE_CHARS = 88;

/** @param text upstream's message for the same cause. */
export const badProof = (reason: string, text: string, cause?: unknown): WalletError =>
  new WalletError({ kind: 'bad_proof', reason, text }, { cause });

/** Upstream's message for a proof of another kind. */
export const WRONG_HEADER = 'Signature header check error';

export const NOT_DECODED = 'Signature decoding error';

/** Decodes base58 inside a proof. @throws WalletError `bad_proof` */
export function proofBytes(text: string): Uint8Array {
  try {
    return decodeBase58(text);
  } catch (cause) {
    if (cause instanceof CodecError) throw badProof('the proof is not base58', NOT_DECODED, cause);
    throw cause;
  }
}
