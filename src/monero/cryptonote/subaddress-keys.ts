import { loadCurve } from '../crypto/curve/load-curve.js';
import { publicKeyOf } from '../crypto/derivation.js';
import { sharedSecret } from '../crypto/tx-proof.js';
import { hashToScalar, scalarBytes } from '../crypto/scalar.js';
import type { PublicKey, SecretKey } from '../crypto/types.js';
import { utf8 } from '../../util/bytes.js';
import { encode, u32 } from '../../util/codec.js';
import type { SubaddressIndex, Address, NetworkType } from './types.js';
import type { AccountKeys } from './account-keys.js';

/**
 * Domain text in the hash of a subaddress secret, with its terminating zero. Source: cryptonote_config.h
 * `HASH_KEY_SUBADDRESS`.
 */
const SALT = utf8('SubAddr\0');
/** Largest index plus one. */
const INDEX_LIMIT = 2 ** 32;

/**
 * Spend public key and view public key of an address.
 * @example
 * const { spendPublicKey, viewPublicKey }: AddressKeys = parseAddress(primary);
 * equalBytes(viewPublicKey, account.viewPublicKey); // => true
 */
export interface AddressKeys {
  readonly spendPublicKey: PublicKey;
  readonly viewPublicKey: PublicKey;
}

/** Returns true for {0, 0}, the primary address of a wallet, which is not a subaddress. */
export const isPrimary = ({ major, minor }: SubaddressIndex): boolean => major === 0 && minor === 0;

/**
 * Computes the secret `m = Hs("SubAddr\0" || a || major || minor)` of a subaddress, with both indices as u32. Must not
 * be used for {0, 0}, whose m is zero.
 * @throws RangeError if an index is not a u32. Source: device_default.cpp `get_subaddress_secret_key`.
 */
export const subaddressSecret = (viewSecret: SecretKey, { major, minor }: SubaddressIndex): bigint =>
  hashToScalar(SALT, viewSecret, encode(u32, major), encode(u32, minor));

/** Size of the message that is hashed to the secret m of a subaddress [bytes]. */
export const SUBADDRESS_MESSAGE_BYTES = SALT.length + 40;
/** Offsets of the major and the minor index in the message that is hashed to the secret m [bytes]. */
const MAJOR_AT = SALT.length + 32;
const MINOR_AT = MAJOR_AT + 4;

/** Returns joined messages whose indices are still zero. */
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

/** Returns the joined messages that hash to the secret m of each subaddress. They contain the view secret key. */
export function subaddressMessagesOf(viewSecret: SecretKey, indices: readonly SubaddressIndex[]): Uint8Array {
  const messages = blankMessages(viewSecret, indices.length);
  indices.forEach((index, i) => {
    setIndex(messages, i, index);
  });
  return new Uint8Array(messages.buffer);
}

/**
 * Returns the messages of {@link subaddressMessagesOf} for the addresses `from` ≤ minor < `to` of one account.
 * @throws RangeError if `from` exceeds `to`, or an index is not a u32.
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

/** Returns {@link subaddressSecret} of any address; zero for {0, 0}. */
export const addressSecret = (viewSecret: SecretKey, index: SubaddressIndex): bigint =>
  isPrimary(index) ? 0n : subaddressSecret(viewSecret, index);

/** Computes `D = B + m·G` for each m. @throws RangeError if B is not a point. */
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
 * Computes the spend public key `D = B + m·G` of an address; for {0, 0} this key is B.
 * @throws RangeError if B is not a point or an index is not a u32. Source: device_default.cpp
 * `get_subaddress_spend_public_key`.
 */
export const subaddressSpendPublicKey = (
  spendPublicKey: PublicKey,
  viewSecret: SecretKey,
  index: SubaddressIndex,
): PublicKey => addSecrets(spendPublicKey, [addressSecret(viewSecret, index)])[0] as PublicKey;

/**
 * Computes the spend public key `D` and the view public key `C = a·D` of an address; for {0, 0} these keys are `B` and
 * `a·G`.
 * @throws RangeError if B is not a point, a is not below ℓ, or an index is not a u32. Source: device_default.cpp
 * `get_subaddress`.
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
 * Computes the spend public keys of the addresses `from` ≤ minor < `to` of one account, as a batch.
 * @throws RangeError if B is not a point, `from` exceeds `to`, or an index is not a u32. Source: device_default.cpp
 * `get_subaddress_spend_public_keys`.
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

/**
 * Computes the address of an account at an index: the standard address at {0, 0}, otherwise a subaddress. The spend
 * secret is not needed.
 * @throws RangeError when the public spend key is not a point, the view secret not canonical or an index not a u32.
 * @example
 * formatAddress(ownAddress(account, 'mainnet', { major: 0, minor: 1 })) === address; // => true
 */
export const ownAddress = (
  { spendPublicKey, viewSecret }: Pick<AccountKeys, 'spendPublicKey' | 'viewSecret'>,
  network: NetworkType,
  index: SubaddressIndex,
): Address => ({
  network,
  kind: isPrimary(index) ? 'standard' : 'subaddress',
  ...subaddressKeys(spendPublicKey, viewSecret, index),
});
