import {
  EXTRA_ADDITIONAL_KEYS,
  EXTRA_MERGE_MINING,
  EXTRA_MINERGATE,
  EXTRA_NONCE,
  EXTRA_PADDING,
  EXTRA_PUBLIC_KEY,
  MAX_NONCE,
  MAX_PADDING,
} from '../format.js';
import type { Hash, PublicKey, KeyDerivation } from '../crypto/types.js';
import { blob, CodecError, list, Reader, role, varint, Writer, type Codec } from '../../util/codec.js';
import type { PaymentId } from './types.js';
import { keccak } from '../crypto/keccak.js';

/**
 * A field of tx_extra. Source: tx_extra.h.
 * @example
 * const fields: readonly ExtraField[] = parseExtra(tx.prefix.extra).fields;
 * fields.length; // => 2
 */
export type ExtraField =
  | { readonly type: 'padding'; readonly size: number }
  | { readonly type: 'publicKey'; readonly key: PublicKey }
  | { readonly type: 'nonce'; readonly nonce: Uint8Array }
  | { readonly type: 'mergeMining'; readonly depth: bigint; readonly root: Hash }
  | { readonly type: 'additionalKeys'; readonly keys: readonly PublicKey[] }
  | { readonly type: 'minergate'; readonly data: Uint8Array };

/** Tag bytes of the fields. */
const TAG = {
  padding: EXTRA_PADDING,
  publicKey: EXTRA_PUBLIC_KEY,
  nonce: EXTRA_NONCE,
  mergeMining: EXTRA_MERGE_MINING,
  additionalKeys: EXTRA_ADDITIONAL_KEYS,
  minergate: EXTRA_MINERGATE,
};

const key = role<PublicKey>(32);
const keys = list(key);
const hash = role<Hash>(32);

const mergeMining: Codec<{ readonly depth: bigint; readonly root: Hash }> = {
  write({ depth, root }, w) {
    const inner = new Writer();
    varint.write(depth, inner);
    hash.write(root, inner);
    blob.write(inner.finish(), w);
  },
  read(r) {
    const inner = new Reader(blob.read(r));
    const depth = varint.read(inner);
    const root = hash.read(inner);
    inner.end();
    return { depth, root };
  },
};

function readField(r: Reader): ExtraField {
  switch (r.byte()) {
    case TAG.padding: {
      // Padding consists of zeros and extends to the end.
      let size = 1;
      for (; r.remaining > 0; size++) if (r.byte() !== 0) throw new CodecError('extra: padding is not zero');
      if (size > MAX_PADDING) throw new CodecError('extra: too much padding');
      return { type: 'padding', size };
    }
    case TAG.publicKey:
      return { type: 'publicKey', key: key.read(r) };
    case TAG.nonce: {
      const nonce = blob.read(r);
      if (nonce.length > MAX_NONCE) throw new CodecError('extra: nonce too long');
      return { type: 'nonce', nonce };
    }
    case TAG.mergeMining:
      return { type: 'mergeMining', ...mergeMining.read(r) };
    case TAG.additionalKeys:
      return { type: 'additionalKeys', keys: keys.read(r) };
    case TAG.minergate:
      return { type: 'minergate', data: blob.read(r) };
    default:
      throw new CodecError('extra: unknown field');
  }
}

/**
 * Parses the fields of tx_extra up to the first invalid field.
 * @returns the fields; `complete` is false if bytes were left. Source: cryptonote_format_utils.cpp `parse_tx_extra`.
 * @example
 * parseExtra(tx.prefix.extra).fields.map(({ type }) => type); // => ['publicKey', 'nonce']
 */
export function parseExtra(extra: Uint8Array): {
  readonly fields: readonly ExtraField[];
  readonly complete: boolean;
} {
  const fields: ExtraField[] = [];
  const r = new Reader(extra);
  try {
    while (r.remaining > 0) fields.push(readField(r));
    return { fields, complete: true };
  } catch (error) {
    if (error instanceof CodecError) return { fields, complete: false };
    throw error;
  }
}

const ORDER: readonly ExtraField['type'][] = [
  'publicKey',
  'additionalKeys',
  'nonce',
  'mergeMining',
  'minergate',
  'padding',
];

/** Writes fields of tx_extra in the reference's order. Source: cryptonote_format_utils.cpp `sort_tx_extra`. */
export function writeExtra(fields: readonly ExtraField[]): Uint8Array {
  const w = new Writer();
  const sorted = [...fields].sort((a, b) => ORDER.indexOf(a.type) - ORDER.indexOf(b.type));
  for (const field of sorted) {
    if (field.type === 'padding') {
      w.bytes(new Uint8Array(field.size));
      continue;
    }
    w.byte(TAG[field.type]);
    if (field.type === 'publicKey') key.write(field.key, w);
    else if (field.type === 'nonce') blob.write(field.nonce, w);
    else if (field.type === 'mergeMining') mergeMining.write(field, w);
    else if (field.type === 'additionalKeys') keys.write(field.keys, w);
    else blob.write(field.data, w);
  }
  return w.finish();
}

/**
 * Returns all transaction public keys, in order; usually there is one, but some payers have written more.
 * @example
 * txPublicKeys(parseExtra(tx.prefix.extra).fields).length; // => 1
 */
export const txPublicKeys = (fields: readonly ExtraField[]): PublicKey[] =>
  fields.flatMap((field) => (field.type === 'publicKey' ? [field.key] : []));

/**
 * Returns the additional public keys: one per output if the destinations include subaddresses besides other addresses,
 * otherwise no keys.
 * @example
 * additionalPublicKeys(parseExtra(tx.prefix.extra).fields); // => []
 */
export const additionalPublicKeys = (fields: readonly ExtraField[]): readonly PublicKey[] =>
  fields.find((field) => field.type === 'additionalKeys')?.keys ?? [];

/**
 * A payment id of 8 bytes, encrypted for the payee, or a payment id of 32 bytes without encryption, which is obsolete.
 * @example
 * const id: ExtraPaymentId | undefined = paymentIdOf(parseExtra(tx.prefix.extra).fields);
 * id.id.length; // => 8
 */
export type ExtraPaymentId =
  | { readonly kind: 'short'; readonly id: PaymentId }
  | { readonly kind: 'long'; readonly id: Hash };

const LONG_ID = 0x00;
const SHORT_ID = 0x01;

/**
 * Returns the payment id in the nonce field; undefined if there is no payment id. A short payment id is still
 * encrypted.
 * @example
 * paymentIdOf(parseExtra(tx.prefix.extra).fields).kind; // => 'short'
 */
export function paymentIdOf(fields: readonly ExtraField[]): ExtraPaymentId | undefined {
  const nonce = fields.find((field) => field.type === 'nonce')?.nonce;
  if (nonce?.length === 9 && nonce[0] === SHORT_ID) return { kind: 'short', id: nonce.slice(1) as PaymentId };
  if (nonce?.length === 33 && nonce[0] === LONG_ID) return { kind: 'long', id: nonce.slice(1) as Hash };
  return undefined;
}

/** Returns the nonce field that contains a payment id. */
export const paymentIdField = ({ kind, id }: ExtraPaymentId): ExtraField => ({
  type: 'nonce',
  nonce: Uint8Array.of(kind === 'short' ? SHORT_ID : LONG_ID, ...id),
});

const TAIL = Uint8Array.of(0x8d);

/**
 * Encrypts or decrypts a payment id: XOR with the first bytes of `keccak(D || 0x8d)`; payer and payee share D. Source:
 * device_default.cpp `encrypt_payment_id`.
 */
export function cryptPaymentId(id: PaymentId, derivation: KeyDerivation): PaymentId {
  const mask = keccak(derivation, TAIL);
  return id.map((byte, i) => byte ^ (mask[i] ?? 0)) as PaymentId;
}
