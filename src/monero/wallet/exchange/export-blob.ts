import { chacha20 } from '../../crypto/chacha.js';
import { publicKeyOf } from '../../crypto/derivation.js';
import { keccak } from '../../crypto/keccak.js';
import { checkSignature, signHash } from '../../crypto/signature.js';
import type { SecretKey } from '../../crypto/types.js';
import { FORK_RULES } from '../../fork-rules.js';
import { equalBytes, utf8 } from '../../../util/bytes.js';
import { CodecError } from '../../../util/codec.js';
import type { Rng } from '../../../util/random.js';

/*
 * Export format between wallets with the same view key: plaintext magic, nonce, ChaCha20 ciphertext, and a signature
 * of nonce and ciphertext by the view key. Source: wallet2.cpp `encrypt`, `decrypt`.
 */

/** Text at the beginning of each kind of export, with the version of its format. Source: wallet2.cpp, at its top. */
const MAGIC = {
  outputs: utf8('Monero output export\x04'),
  // A format of this server: others refuse its magic, and so do servers with other rules of the fork.
  forkOutputs: utf8(`wallet-rpc output export ${FORK_RULES}\x01`),
  unsignedTxs: utf8('Monero unsigned tx set\x05'),
  signedTxs: utf8('Monero signed tx set\x05'),
  multisigInfo: utf8('Monero multisig export\x01'),
  multisigTxs: utf8('Monero multisig unsigned tx set\x01'),
};

export type ExportKind = keyof typeof MAGIC;

/** Secret keys with which the exports of one wallet are encrypted, signed and verified. */
export interface ExportKeys {
  /** ChaCha key of 32 bytes, from the view secret key: `exportKey`. */
  readonly cipherKey: Uint8Array;
  readonly viewSecret: SecretKey;
}

/** Returns true if an export has the magic bytes of a kind. */
export const isExportOf = (kind: ExportKind, exported: Uint8Array): boolean =>
  equalBytes(exported.subarray(0, MAGIC[kind].length), MAGIC[kind]);

const IV_LENGTH = 8;
const SIGNATURE_LENGTH = 64;

/** Encrypts and signs an export. */
export function sealExport(
  kind: ExportKind,
  plaintext: Uint8Array,
  { cipherKey, viewSecret }: ExportKeys,
  rng: Rng,
): Uint8Array {
  const magic = MAGIC[kind];
  const iv = rng(IV_LENGTH);
  const blob = new Uint8Array(magic.length + IV_LENGTH + plaintext.length + SIGNATURE_LENGTH);
  const sealed = blob.subarray(magic.length, -SIGNATURE_LENGTH);
  blob.set(magic);
  sealed.set(iv);
  sealed.set(chacha20(cipherKey, iv, plaintext), IV_LENGTH);
  const key = { publicKey: publicKeyOf(viewSecret), secret: viewSecret };
  blob.set(signHash(keccak(sealed), key, rng), blob.length - SIGNATURE_LENGTH);
  return blob;
}

/** Thrown for an export that cannot be opened; `part` names the invalid part. */
export class ExportError extends CodecError {
  readonly part: 'magic' | 'size' | 'signature';

  constructor(part: ExportError['part'], message: string) {
    super(message);
    this.part = part;
  }
}

/**
 * Verifies and decrypts an export.
 * @throws ExportError for an export of another kind, version or wallet, and for an altered export.
 */
export function openExport(
  kind: ExportKind,
  blob: Uint8Array,
  { cipherKey, viewSecret }: ExportKeys,
): Uint8Array {
  const magic = MAGIC[kind];
  const body = blob.subarray(magic.length);
  if (!isExportOf(kind, blob)) throw new ExportError('magic', 'export: wrong magic');
  if (body.length < IV_LENGTH + SIGNATURE_LENGTH) throw new ExportError('size', 'export: too short');
  const sealed = body.subarray(0, -SIGNATURE_LENGTH);
  const signature = body.subarray(-SIGNATURE_LENGTH);
  if (!checkSignature(keccak(sealed), publicKeyOf(viewSecret), signature))
    throw new ExportError('signature', 'export: wrong signature: altered, or from another wallet');
  return chacha20(cipherKey, sealed.subarray(0, IV_LENGTH), sealed.subarray(IV_LENGTH));
}
