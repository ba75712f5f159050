import type { TxProofVersion } from '../../crypto/tx-proof.js';
import type { Hash, KeyImage, PublicKey, Signature } from '../../crypto/types.js';
import { encodeBase58 } from '../../cryptonote/base58.js';
import { toHex } from '../../../util/bytes.js';
import { CodecError, decode, encode, list, role, varintNumber, type Codec } from '../../../util/codec.js';
import { badProof, NOT_DECODED, proofBytes, WRONG_HEADER } from './proof-text.js';

/**
 * One output of a reserve proof.
 * @example
 * const text = proveReserve({ message: new Uint8Array(), address: account, outputs, keys: account }, systemRng);
 * const [entry]: readonly ReserveEntry[] = readReserveProof(text).entries;
 * equalBytes(entry.keyImage, found[1].outputs[0].keyImage); // => true
 */
export interface ReserveEntry {
  readonly txHash: Hash;
  /** Index of the output in its transaction. */
  readonly outputIndex: number;
  /** Shared secret `a·R`, with R the public key by which the output is recognised. */
  readonly sharedSecret: PublicKey;
  readonly keyImage: KeyImage;
  readonly sharedSecretSignature: Signature;
  /** Ring signature in a ring with this output as the only member. */
  readonly keyImageSignature: Signature;
}

/**
 * Spend key of an address that received some of the outputs, with a signature by this key.
 * @example
 * const text = proveReserve({ message: new Uint8Array(), address: account, outputs, keys: account }, systemRng);
 * const keys: readonly SignedSpendKey[] = readReserveProof(text).spendKeys;
 * keys.some(({ publicKey }) => equalBytes(publicKey, parseAddress(address).spendPublicKey)); // => true
 */
export interface SignedSpendKey {
  readonly publicKey: PublicKey;
  readonly signature: Signature;
}

/**
 * A parsed reserve proof. A plain value.
 * @example
 * const text = proveReserve({ message: new Uint8Array(), address: account, outputs, keys: account }, systemRng);
 * const proof: ReserveProof = readReserveProof(text);
 * proof.version; // => 2
 */
export interface ReserveProof {
  readonly version: TxProofVersion;
  readonly entries: readonly ReserveEntry[];
  readonly spendKeys: readonly SignedSpendKey[];
}

const hash = role<Hash>(32);
const publicKey = role<PublicKey>(32);
const keyImage = role<KeyImage>(32);
const signature = role<Signature>(64);
/** Version of the layout of an entry; readers accept any version. */
const ENTRY_VERSION = 0;

const entry: Codec<ReserveEntry> = {
  write(value, w) {
    varintNumber.write(ENTRY_VERSION, w);
    hash.write(value.txHash, w);
    varintNumber.write(value.outputIndex, w);
    publicKey.write(value.sharedSecret, w);
    keyImage.write(value.keyImage, w);
    signature.write(value.sharedSecretSignature, w);
    signature.write(value.keyImageSignature, w);
  },
  read(r) {
    varintNumber.read(r);
    return {
      txHash: hash.read(r),
      outputIndex: varintNumber.read(r),
      sharedSecret: publicKey.read(r),
      keyImage: keyImage.read(r),
      sharedSecretSignature: signature.read(r),
      keyImageSignature: signature.read(r),
    };
  },
};

/** Codec of a pair: the element count 2, then the elements. */
const signedSpendKey: Codec<SignedSpendKey> = {
  write(value, w) {
    varintNumber.write(2, w);
    publicKey.write(value.publicKey, w);
    signature.write(value.signature, w);
  },
  read(r) {
    if (varintNumber.read(r) !== 2) throw new CodecError('reserve proof: expected a pair');
    return { publicKey: publicKey.read(r), signature: signature.read(r) };
  },
};

const entries = list(entry);
const spendKeys = list(signedSpendKey);

/** Codec of a reserve proof. Source: wallet2.h `reserve_proof_entry`, wallet2.cpp `get_reserve_proof`. */
const reserveProof: Codec<Omit<ReserveProof, 'version'>> = {
  write(value, w) {
    entries.write(value.entries, w);
    spendKeys.write(value.spendKeys, w);
  },
  read: (r) => ({ entries: entries.read(r), spendKeys: spendKeys.read(r) }),
};

const HEADER = /^ReserveProofV([12])/;
/** Largest length of a proof; it suffices for about 40,000 outputs. */
const MAX_CHARS = 16 * 1024 * 1024;

const hasDuplicates = (names: readonly string[]): boolean => new Set(names).size !== names.length;

/**
 * The reference's message for a proof that cannot be parsed, after which the reference continues with an empty proof.
 */
const UNREADABLE = "The given address isn't found in the proof";

/**
 * Parses a reserve proof. @throws ProofError `bad_proof`, also if an output is listed twice.
 * @example
 * const text = proveReserve({ message: new Uint8Array(), address: account, outputs, keys: account }, systemRng);
 * equalBytes(readReserveProof(text).entries[0].txHash, found[1].hash); // => true
 */
export function readReserveProof(text: string): ReserveProof {
  const [header, version] = HEADER.exec(text) ?? [];
  if (header === undefined) throw badProof('the proof does not start with ReserveProofV2', WRONG_HEADER);
  if (text.length > MAX_CHARS) throw badProof('the proof is too long', NOT_DECODED);
  try {
    const proof = decode(reserveProof, proofBytes(text.slice(header.length)));
    if (hasDuplicates(proof.entries.map((one) => toHex(one.keyImage))))
      throw badProof('the proof lists a key image twice', UNREADABLE);
    if (hasDuplicates(proof.entries.map((one) => `${toHex(one.txHash)}/${one.outputIndex}`)))
      throw badProof('the proof lists an output twice', UNREADABLE);
    return { version: version === '1' ? 1 : 2, ...proof };
  } catch (cause) {
    if (cause instanceof CodecError) throw badProof('the proof cannot be read', UNREADABLE, cause);
    throw cause;
  }
}

/** Formats a reserve proof: `ReserveProofV2` followed by base58. */
export const formatReserveProof = (proof: Omit<ReserveProof, 'version'>): string =>
  `ReserveProofV2${encodeBase58(encode(reserveProof, proof))}`;
