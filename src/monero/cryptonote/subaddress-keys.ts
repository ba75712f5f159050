import { loadCurve } from '../crypto/curve/load-curve.js';
import { publicKeyOf } from '../crypto/derivation.js';
import { sharedSecret } from '../crypto/tx-proof.js';
import { hashToScalar, scalarBytes } from '../crypto/scalar.js';
import type { PublicKey, SecretKey } from '../crypto/types.js';
import { utf8 } from '../../util/bytes.js';
import { encode, u32 } from '../../util/codec.js';
import type { SubaddressIndex } from './types.js';

/** Includes the terminating zero. Source: cryptonote_config.h `HASH_KEY_SUBADDRESS`. */
const SALT = utf8('SubAddr\0');
/** One more than the largest index. */
const INDEX_LIMIT = 2 ** 32;

/** The two public keys of an address. */
export interface AddressKeys {
  readonly spendPublicKey: PublicKey;
  readonly viewPublicKey: PublicKey;
}

/** True for {0, 0}, the wallet's primary address, which is not a subaddress. */
export const isPrimary = ({ major, minor }: SubaddressIndex): boolean => major === 0 && minor === 0;

/**
 * `m = Hs("SubAddr\0" || a || major || minor)`, both indices as u32. Not used for {0, 0}, whose m is zero.
 * @throws RangeError when an index is not a u32. Source: device_default.cpp `get_subaddress_secret_key`.
 */
export const subaddressSecret = (viewSecret: SecretKey, { major, minor }: SubaddressIndex): bigint =>
  hashToScalar(SALT, viewSecret, encode(u32, major), encode(u32, minor));

/** Size of the hashed message of one subaddress secret m [bytes]. */
export const SUBADDRESS_MESSAGE_BYTES = SALT.length + 40;
/** Byte offsets of the two indices in it. */
const MAJOR_AT = SALT.length + 32;
const MINOR_AT = MAJOR_AT + 4;

/** Contiguous messages with indices of zero. */
function blankMessages(viewSecret: SecretKey, count: number): DataView {
  const messages = new Uint8Array(SUBADDRESS_MESSAGE_BYTES * count);
  for (let at = 0; at < messages.length; at += SUBADDRESS_MESSAGE_BYTES) {
    messages.set(SALT, at);
    messages.set(viewSecret, at + SALT.length);
  }
  return new DataView(messages.buffer);
}

function setIndex(messages: DataView, i: number, { major, minor }: SubaddressIndex): void {
  const at = SUBADDRESS_MESSAGE_BYTES * i;
  messages.setUint32(at + MAJOR_AT, major, true);
  messages.setUint32(at + MINOR_AT, minor, true);
}

/** Contiguous messages that hash to the secret m of each subaddress. Secret. */
export function subaddressMessagesOf(viewSecret: SecretKey, indices: readonly SubaddressIndex[]): Uint8Array {
  const messages = blankMessages(viewSecret, indices.length);
  indices.forEach((index, i) => {
    setIndex(messages, i, index);
  });
  return new Uint8Array(messages.buffer);
}

/**
 * {@link subaddressMessagesOf} the addresses `from` ≤ minor < `to` of one account.
 * @throws RangeError when the range runs backwards or beyond u32.
 */
export function subaddressMessages(
  viewSecret: SecretKey,
  major: number,
  from: number,
  to: number,
): Uint8Array {
  assertRange(from, to);
  const messages = blankMessages(viewSecret, to - from);
  for (let i = 0; i < to - from; i++) setIndex(messages, i, { major, minor: from + i });
  return new Uint8Array(messages.buffer);
}

function assertRange(from: number, to: number): void {
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to) || from < 0 || from > to || to > INDEX_LIMIT)
    throw new RangeError(`subaddress range: ${from} to ${to}`);
}

/** {@link subaddressSecret} of any address: zero for {0, 0}. */
export const addressSecret = (viewSecret: SecretKey, index: SubaddressIndex): bigint =>
  isPrimary(index) ? 0n : subaddressSecret(viewSecret, index);

/** `D = B + m·G` for each m. @throws RangeError when B is not a point. */
function addSecrets(spendPublicKey: PublicKey, secrets: readonly bigint[]): PublicKey[] {
  const scalars = secrets.map(scalarBytes);
  const keys = loadCurve().addSecretMultiples(
    scalars.map(() => spendPublicKey),
    scalars,
  );
  scalars.forEach((scalar) => scalar.fill(0));
  return keys as PublicKey[];
}

/**
 * `D = B + m·G`; {0, 0} gives B.
 * @throws RangeError when B is not a point or an index not a u32.
 * Source: device_default.cpp `get_subaddress_spend_public_key`.
 */
export const subaddressSpendPublicKey = (
  spendPublicKey: PublicKey,
  viewSecret: SecretKey,
  index: SubaddressIndex,
): PublicKey => addSecrets(spendPublicKey, [addressSecret(viewSecret, index)])[0] as PublicKey;

/**
 * `D` and `C = a·D`; {0, 0} gives the primary address, `B` and `a·G`.
 * @throws RangeError when B is not a point, a not canonical or an index not a u32.
 * Source: device_default.cpp `get_subaddress`.
 */
export function subaddressKeys(
  primary: PublicKey,
  viewSecret: SecretKey,
  index: SubaddressIndex,
): AddressKeys {
  if (isPrimary(index)) return { spendPublicKey: primary, viewPublicKey: publicKeyOf(viewSecret) };
  const spendPublicKey = subaddressSpendPublicKey(primary, viewSecret, index);
  return { spendPublicKey, viewPublicKey: sharedSecret(spendPublicKey, viewSecret) };
}

/**
 * Spend keys of `from` ≤ minor < `to` in one account, computed as a batch.
 * @throws RangeError when B is not a point, or the range runs backwards or beyond u32.
 * Source: device_default.cpp `get_subaddress_spend_public_keys`.
 */
export function subaddressSpendPublicKeys(
  spendPublicKey: PublicKey,
  viewSecret: SecretKey,
  major: number,
  from: number,
  to: number,
): PublicKey[] {
  assertRange(from, to);
  const secrets: bigint[] = [];
  for (let minor = from; minor < to; minor++) secrets.push(addressSecret(viewSecret, { major, minor }));
  return addSecrets(spendPublicKey, secrets);
}
