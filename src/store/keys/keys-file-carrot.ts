import { ACCOUNT_TIERS, tierKeysOf, type AccountSecrets } from '../../monero/carrot/account-secrets.js';
import type { AddressKeys } from '../../monero/cryptonote/subaddress-keys.js';
import type { PublicKey, SecretKey } from '../../monero/crypto/types.js';
import { bytes32, concatBytes, equalBytes, toLatin1 } from '../../util/bytes.js';
import { CodecError } from '../../util/codec.js';
import { fromLatin1, type Fields } from './latin1-json.js';

/*
 * Form of a keys file of an account of the fork. Such a file has the fields of a keys file of the reference, but for `key_data`:
 * neither the reference nor versions of this server before the fork open a file without it, so that they never take the keys for
 * others. In its place it has the fields below.
 */

/** Version of this form, which a later form must raise. */
const VERSION = 1n;

const VERSION_FIELD = 'carrot_version';
const TIER_FIELD = 'carrot_tier';
/** Name of the field with the keys from which all others follow, which are encrypted a second time. */
const SECRETS_FIELD = 'carrot_secrets';
/** Name of the field with the keys of the main address, which show damaged secrets. */
const ADDRESS_FIELD = 'carrot_address';
const IV_FIELD = 'carrot_iv';
const CREATED_FIELD = 'carrot_created';

/** Names of the fields that describe an account of the fork. */
export const CARROT_FIELDS = [
  VERSION_FIELD,
  TIER_FIELD,
  SECRETS_FIELD,
  ADDRESS_FIELD,
  IV_FIELD,
  CREATED_FIELD,
];

/** Encrypts or decrypts the secrets inside the file with an initialisation vector. */
type Crypt = (secrets: Uint8Array, iv: Uint8Array) => Promise<Uint8Array>;

/** Account of a keys file, with the keys of its main address. */
export interface StoredCarrot extends AddressKeys {
  readonly carrot: AccountSecrets;
  /** Zeros in an account without a view secret key. */
  readonly viewSecret: SecretKey;
  readonly creationTimestamp: number;
}

/** Error of a keys file whose form is newer than this server. */
export class NewerKeysFile extends Error {
  override readonly name = 'NewerKeysFile';
}

/** Returns true if the fields of a keys file describe an account of the fork. */
export const isCarrot = (fields: Fields): boolean => fields[VERSION_FIELD] !== undefined;

/**
 * Reads the account from the fields of a keys file.
 * @throws NewerKeysFile for a later form; CodecError; RangeError for keys that are not keys.
 */
export async function readCarrot(fields: Fields, decrypt: Crypt): Promise<StoredCarrot> {
  const version = fields[VERSION_FIELD];
  if (version !== VERSION)
    throw new NewerKeysFile(`its keys file has form ${String(version)}, and this server reads ${VERSION}`);
  const { [TIER_FIELD]: tier, [CREATED_FIELD]: created } = fields;
  const secrets = await decrypt(bytesIn(fields, SECRETS_FIELD), bytesIn(fields, IV_FIELD));
  const carrot = unpacked(tier, secrets);
  const { spendPublicKey, mainViewKey, viewSecret } = tierKeysOf(carrot);
  if (!equalBytes(concatBytes(spendPublicKey, mainViewKey), bytesIn(fields, ADDRESS_FIELD)))
    throw new CodecError('its secret keys do not belong to its address');
  return {
    ...{ carrot, spendPublicKey, viewPublicKey: mainViewKey },
    viewSecret: viewSecret ?? (new Uint8Array(32) as SecretKey),
    creationTimestamp: typeof created === 'bigint' ? Number(created) : 0,
  };
}

function bytesIn(fields: Fields, name: string): Uint8Array {
  const value = fields[name];
  if (typeof value !== 'string') throw new CodecError(`no ${name}`);
  return fromLatin1(value);
}

/**
 * Returns the fields of a keys file that describe an account of the fork.
 * @param iv fresh, 8 bytes. @throws Error for keys that are not those of the address, such as wiped ones, which must never be
 * written.
 */
export async function carrotFields(
  { carrot, spendPublicKey, viewPublicKey, creationTimestamp }: Omit<StoredCarrot, 'viewSecret'>,
  iv: Uint8Array,
  encrypt: Crypt,
): Promise<Fields> {
  const own = tierKeysOf(carrot);
  if (!equalBytes(own.spendPublicKey, spendPublicKey) || !equalBytes(own.mainViewKey, viewPublicKey))
    throw new Error('the keys file cannot be written with the keys of another account');
  return {
    [VERSION_FIELD]: VERSION,
    [TIER_FIELD]: carrot.tier,
    [SECRETS_FIELD]: toLatin1(await encrypt(concatBytes(...packed(carrot)), iv)),
    [ADDRESS_FIELD]: toLatin1(concatBytes(spendPublicKey, viewPublicKey)),
    [IV_FIELD]: toLatin1(iv),
    [CREATED_FIELD]: BigInt(creationTimestamp),
  };
}

/** Returns the keys of a tier in the order of the file, 32 bytes each. */
function packed(account: AccountSecrets): readonly Uint8Array[] {
  switch (account.tier) {
    case 'master':
      return [account.masterSecret];
    case 'view-balance':
      return [account.balanceSecret, account.partialSpendKey];
    case 'view-received':
      return [account.viewSecret, account.addressSecret, account.spendPublicKey];
    case 'generate-address':
      return [account.addressSecret, account.spendPublicKey, account.accountViewKey, account.mainViewKey];
  }
}

/** Returns the keys of a tier from the bytes of {@link packed}. @throws CodecError, RangeError */
function unpacked(name: unknown, bytes: Uint8Array): AccountSecrets {
  const tier = ACCOUNT_TIERS.find((known) => known === name);
  const secret = <K extends string>(at: number, role: K) =>
    bytes32<K>(bytes.slice(32 * at, 32 * at + 32), role);
  const publicKey = (at: number): PublicKey => secret(at, 'PublicKey');
  switch (tier) {
    case 'master':
      return { tier, masterSecret: secret(0, 'secret') };
    case 'view-balance':
      return { tier, balanceSecret: secret(0, 'secret'), partialSpendKey: publicKey(1) };
    case 'view-received':
      return {
        tier,
        viewSecret: secret(0, 'SecretKey'),
        addressSecret: secret(1, 'secret'),
        spendPublicKey: publicKey(2),
      };
    case 'generate-address':
      return {
        tier,
        addressSecret: secret(0, 'secret'),
        spendPublicKey: publicKey(1),
        accountViewKey: publicKey(2),
        mainViewKey: publicKey(3),
      };
    case undefined:
      throw new CodecError('an unknown tier of an account');
  }
}

/** Returns the secret with which the keys of a tier begin: it tells the tiers of one account apart. */
export const topSecretOf = (account: AccountSecrets): Uint8Array =>
  account.tier === 'view-received' ? account.addressSecret : (packed(account)[0] as Uint8Array);

/** Zeroes the secrets of an account; its public keys stay. */
export function wipeAccount(account: AccountSecrets): void {
  topSecretOf(account).fill(0);
  if (account.tier === 'view-received') account.viewSecret.fill(0);
}
