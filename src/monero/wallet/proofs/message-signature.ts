import { keccak } from '../../crypto/keccak.js';
import { publicKeyOf } from '../../crypto/derivation.js';
import { reduce, scalarBytes, toScalar } from '../../crypto/scalar.js';
import { checkSignature, signHash } from '../../crypto/signature.js';
import type { Hash, PublicKey, SecretKey } from '../../crypto/types.js';
import { decodeBase58, encodeBase58 } from '../../cryptonote/base58.js';
import { isPrimary, subaddressSecret, type AddressKeys } from '../../cryptonote/subaddress-keys.js';
import type { SubaddressIndex } from '../../cryptonote/types.js';
import { utf8 } from '../../../util/bytes.js';
import { CodecError, encode, varintNumber } from '../../../util/codec.js';
import type { Rng } from '../../../util/random.js';
import { KeyError } from '../keys.js';
import type { ReceivingKeys } from '../scan/found-output.js';

/**
 * Which key of the address signs.
 * @example
 * const key: SigningKey = 'view';
 * key; // => 'view'
 */
export type SigningKey = 'spend' | 'view';

/**
 * Version of a signature. Version 1 signs the message alone, so it is valid for every address with the same key; it is
 * verified but never created.
 * @example
 * const version: MessageSignatureVersion = 2;
 * version; // => 2
 */
export type MessageSignatureVersion = 1 | 2;

/**
 * Result of a check of a signed message: version and key of a good signature.
 * @example
 * const signed = { message: new Uint8Array(), address: parseAddress(primary), signature: '' };
 * const verdict: MessageVerdict = verifyMessage(signed);
 * verdict.good; // => false
 */
export type MessageVerdict =
  | { readonly good: false }
  | { readonly good: true; readonly version: MessageSignatureVersion; readonly key: SigningKey };

const HEADER: Readonly<Record<MessageSignatureVersion, string>> = { 1: 'SigV1', 2: 'SigV2' };
/**
 * Text at the start of the hashed message, with its terminating zero. Source: cryptonote_config.h
 * `HASH_KEY_MESSAGE_SIGNING`.
 */
const SALT = utf8('MoneroMessageSignature\0');
const MODE: Readonly<Record<SigningKey, number>> = { spend: 0, view: 1 };
/** Number of base58 characters of a signature of 64 bytes. */
const SIGNATURE_CHARS = 88;

/**
 * Computes the hash that is signed: `keccak(salt || spend key || view key || mode || length || message)`. Source:
 * wallet2.cpp `get_message_hash`.
 */
const messageHash = (
  message: Uint8Array,
  { spendPublicKey, viewPublicKey }: AddressKeys,
  key: SigningKey,
): Hash =>
  keccak(
    SALT,
    spendPublicKey,
    viewPublicKey,
    Uint8Array.of(MODE[key]),
    encode(varintNumber, message.length),
    message,
  );

/** The signing secret key, and both public keys of the address to which it belongs. */
interface Signer extends AddressKeys {
  readonly secret: SecretKey;
}

/**
 * Returns the keys that sign for an address.
 * @throws KeyError `view_only` if the spend secret key is needed but absent; a subaddress needs the spend secret key
 * for its view key, too.
 */
function signerOf(
  { viewSecret, spendSecret }: ReceivingKeys,
  primarySpendKey: PublicKey,
  index: SubaddressIndex,
  key: SigningKey,
): Signer {
  if (isPrimary(index)) {
    const secret = key === 'view' ? viewSecret : spendSecret;
    if (secret === undefined) throw new KeyError({ kind: 'view_only' });
    return { secret, spendPublicKey: primarySpendKey, viewPublicKey: publicKeyOf(viewSecret) };
  }
  if (spendSecret === undefined) throw new KeyError({ kind: 'view_only' });
  const spend = reduce(toScalar(spendSecret) + subaddressSecret(viewSecret, index));
  const view = scalarBytes(reduce(toScalar(viewSecret) * spend));
  return {
    secret: key === 'view' ? view : scalarBytes(spend),
    spendPublicKey: publicKeyOf(scalarBytes(spend)),
    viewPublicKey: publicKeyOf(view),
  };
}

/**
 * A message to sign, with the address and the kind of the key that signs. A plain value.
 * @example
 * const task: MessageToSign = {
 *   message: new TextEncoder().encode('a message'),
 *   keys: account,
 *   spendPublicKey: account.spendPublicKey,
 *   index: { major: 0, minor: 0 },
 *   key: 'view',
 * };
 * signMessage(task, systemRng).slice(0, 5); // => 'SigV2'
 */
export interface MessageToSign {
  readonly message: Uint8Array;
  readonly keys: ReceivingKeys;
  /** Spend public key of the primary address. */
  readonly spendPublicKey: PublicKey;
  readonly index: SubaddressIndex;
  readonly key: SigningKey;
}

/**
 * Signs a message with a key of an address. The signature is bound to both keys of the address and to the kind of the
 * key.
 * @returns `SigV2` followed by 64 bytes in base58.
 * @throws KeyError `view_only` Source: wallet2.cpp `sign`.
 * @example
 * const message = new TextEncoder().encode('a message');
 * const task = { message, keys: account, spendPublicKey: account.spendPublicKey, index: { major: 0, minor: 1 }, key: 'spend' as const };
 * const signature = signMessage(task, systemRng);
 * verifyMessage({ message, address: parseAddress(address), signature }); // => { good: true, version: 2, key: 'spend' }
 */
export function signMessage(task: MessageToSign, rng: Rng): string {
  const { secret, ...address } = signerOf(task.keys, task.spendPublicKey, task.index, task.key);
  const publicKey = task.key === 'view' ? address.viewPublicKey : address.spendPublicKey;
  const hash = messageHash(task.message, address, task.key);
  return HEADER[2] + encodeBase58(signHash(hash, { publicKey, secret }, rng));
}

function readSignature(
  text: string,
): { readonly version: MessageSignatureVersion; readonly signature: Uint8Array } | undefined {
  const version = text.startsWith(HEADER[2]) ? 2 : text.startsWith(HEADER[1]) ? 1 : undefined;
  if (version === undefined || text.length !== HEADER[version].length + SIGNATURE_CHARS) return undefined;
  try {
    return { version, signature: decodeBase58(text.slice(HEADER[version].length)) };
  } catch (error) {
    if (error instanceof CodecError) return undefined;
    throw error;
  }
}

/**
 * A signed message to be verified. A plain value.
 * @example
 * const signed: SignedMessage = { message: new Uint8Array(), address: parseAddress(primary), signature: '' };
 * verifyMessage(signed).good; // => false
 */
export interface SignedMessage {
  readonly message: Uint8Array;
  readonly address: AddressKeys;
  readonly signature: string;
}

/**
 * Verifies a signature against both keys of an address. A malformed signature counts as invalid. Source: wallet2.cpp
 * `verify`.
 * @example
 * const message = new TextEncoder().encode('a message');
 * verifyMessage({ message, address: parseAddress(address), signature: 'SigV2' }); // => { good: false }
 */
export function verifyMessage({ message, address, signature: text }: SignedMessage): MessageVerdict {
  const read = readSignature(text);
  if (read === undefined) return { good: false };
  const { version, signature } = read;
  const keys: readonly SigningKey[] = ['spend', 'view'];
  const key = keys.find((tried) =>
    checkSignature(
      version === 1 ? keccak(message) : messageHash(message, address, tried),
      tried === 'view' ? address.viewPublicKey : address.spendPublicKey,
      signature,
    ),
  );
  return key === undefined ? { good: false } : { good: true, version, key };
}
