import type { Curve } from '../../crypto/curve/curve.js';
import { areUsableKeys, isIdentity } from '../../crypto/curve/points.js';
import { publicKeyOf } from '../../crypto/derivation.js';
import { keccak } from '../../crypto/keccak.js';
import { loadCurve } from '../../crypto/curve/load-curve.js';
import { checkSignature, signHash } from '../../crypto/signature.js';
import type { Hash, PublicKey, SecretKey, Signature } from '../../crypto/types.js';
import { decodeBase58, encodeBase58 } from '../../cryptonote/base58.js';
import { utf8 } from '../../../util/bytes.js';
import {
  CodecError,
  decode,
  encode,
  list,
  role,
  u32,
  varintNumber,
  type Codec,
} from '../../../util/codec.js';
import type { Rng } from '../../../util/random.js';
import { key, struct } from '../exchange/binary-archive.js';

/*
 * Messages of a multisig key exchange: a magic, then base58 of the round, the keys and a signature by the sender's
 * signing key. Source: multisig_kex_msg.h, multisig_kex_msg_serialization.h.
 */

/**
 * A message of a key exchange. In round 1 it contains the sender's share of the common view secret key, in later rounds
 * public keys.
 */
export interface KexMessage {
  /** Number of the round, from 1. */
  readonly round: number;
  /** Public key that identifies the sender. */
  readonly signer: PublicKey;
  /** Public keys; empty in round 1. */
  readonly keys: readonly PublicKey[];
  /** Share of the common view secret key; round 1 only. Must be kept secret from non-members. */
  readonly commonSecret?: SecretKey;
}

const FIRST_MAGIC = 'MultisigxV2R1';
const LATER_MAGIC = 'MultisigxV2Rn';
/** First bytes of messages of former schemes, which were insecure. */
const RETIRED_MAGICS = ['MultisigV1', 'MultisigxV1'];
const U32_MAX = 0xffff_ffff;

interface FirstBody {
  readonly commonSecret: SecretKey;
  readonly signer: PublicKey;
  readonly signature: Signature;
}

interface LaterBody {
  readonly round: number;
  readonly keys: readonly PublicKey[];
  readonly signer: PublicKey;
  readonly signature: Signature;
}

const signature = role<Signature>(64);

const firstBody: Codec<FirstBody> = struct<FirstBody>({
  commonSecret: key<SecretKey>(),
  signer: key<PublicKey>(),
  signature,
});

const laterBody: Codec<LaterBody> = struct<LaterBody>({
  round: varintNumber,
  keys: list(key<PublicKey>()),
  signer: key<PublicKey>(),
  signature,
});

/** Computes the hash that is signed: `keccak(magic || round || signer || common secret or keys)`. */
const digestOf = ({ round, signer, keys, commonSecret }: KexMessage): Hash =>
  commonSecret === undefined
    ? keccak(utf8(LATER_MAGIC), encode(u32, round), signer, ...keys)
    : keccak(utf8(FIRST_MAGIC), encode(u32, round), signer, commonSecret);

/** Signs and encodes a message. @param signerSecret secret key of `signer`. */
function seal(message: KexMessage, signerSecret: SecretKey, rng: Rng): string {
  const { round, signer, keys, commonSecret } = message;
  const made = signHash(digestOf(message), { publicKey: signer, secret: signerSecret }, rng);
  return commonSecret === undefined
    ? LATER_MAGIC + encodeBase58(encode(laterBody, { round, keys, signer, signature: made }))
    : FIRST_MAGIC + encodeBase58(encode(firstBody, { commonSecret, signer, signature: made }));
}

/** Makes the message of round 1. */
export const firstKexMessage = (signerSecret: SecretKey, commonSecret: SecretKey, rng: Rng): string =>
  seal({ round: 1, signer: publicKeyOf(signerSecret), keys: [], commonSecret }, signerSecret, rng);

/** Makes the message of a later round. @param round number of the round, above 1. */
export const laterKexMessage = (
  round: number,
  keys: readonly PublicKey[],
  signerSecret: SecretKey,
  rng: Rng,
): string => seal({ round, signer: publicKeyOf(signerSecret), keys }, signerSecret, rng);

/** Thrown for an invalid message; `message` is a predicate whose subject is the key exchange message. */
export class KexMessageError extends CodecError {
  /** Message of the reference for the same cause. */
  readonly text: string;

  constructor(message: string, text: string, options?: ErrorOptions) {
    super(message, options);
    this.text = text;
  }
}

/** Runs `read` and converts a CodecError. @throws KexMessageError with `text` in place of a CodecError. */
function orKexError<T>(text: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof CodecError) throw new KexMessageError(cause.message, text, { cause });
    throw cause;
  }
}

const NOT_READ = 'Deserializing kex msg failed.';

/**
 * Parses a message. The checks are in the order of the reference, because the order decides which error message a
 * client sees.
 */
function parse(text: string): { readonly message: KexMessage; readonly signature: Signature } {
  if (utf8(text).length < FIRST_MAGIC.length)
    throw new KexMessageError(
      'it is too short to be a message of a key exchange',
      'Kex message unexpectedly small.',
    );
  if (RETIRED_MAGICS.some((magic) => text.startsWith(magic)))
    throw new KexMessageError(
      'it is of an old scheme that is not safe: all participants need newer wallets',
      'V1 multisig kex messages are deprecated (unsafe).',
    );
  const bytes = orKexError('Multisig kex msg decoding error.', () =>
    decodeBase58(text.slice(FIRST_MAGIC.length)),
  );
  if (text.startsWith(FIRST_MAGIC)) {
    const { signature: made, ...rest } = orKexError(NOT_READ, () => decode(firstBody, bytes));
    return { message: { round: 1, keys: [], ...rest }, signature: made };
  }
  if (!text.startsWith(LATER_MAGIC))
    throw new KexMessageError(
      'it is not a message of a key exchange',
      'Only v2 multisig kex messages are supported.',
    );
  const { signature: made, ...message } = orKexError(NOT_READ, () => decode(laterBody, bytes));
  if (message.round < 2 || message.round > U32_MAX)
    throw new KexMessageError(
      'it has an impossible round number',
      'Invalid kex message round (must be > 1 for the general msg type).',
    );
  return { message, signature: made };
}

/**
 * Returns the reference's message for the first key that is not usable; undefined if all keys are usable.
 * @param role name of the keys in the reference's message.
 */
function unusableKeyText(role: string, keys: readonly PublicKey[], curve: Curve): string | undefined {
  if (areUsableKeys(keys, curve)) return undefined;
  const first = keys.find((one) => !areUsableKeys([one], curve));
  const isEmpty = first !== undefined && (isIdentity(first) || first.every((byte) => byte === 0));
  return isEmpty ? `${role} was invalid.` : `${role} was not in prime subgroup.`;
}

/**
 * Parses and verifies a message.
 * @throws KexMessageError for a text of another kind, a damaged message, unusable keys, or a wrong signature. Source:
 * multisig_kex_msg.cpp `parse_and_validate_msg`.
 */
export function readKexMessage(text: string, curve: Curve = loadCurve()): KexMessage {
  const { message, signature: made } = parse(text);
  const unusable =
    unusableKeyText('Pubkey from message', message.keys, curve) ??
    unusableKeyText('Message signing key', [message.signer], curve);
  if (unusable !== undefined) throw new KexMessageError('it has an unusable key', unusable);
  if (!checkSignature(digestOf(message), message.signer, made))
    throw new KexMessageError('its signature is not by its sender', 'Multisig kex msg signature invalid.');
  return message;
}
