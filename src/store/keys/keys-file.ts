import { chacha20, chacha8 } from '../../monero/crypto/chacha.js';
import { publicKeyOf } from '../../monero/crypto/derivation.js';
import { backgroundKeyOf, memoryKey, passwordKey } from '../../monero/crypto/kdf.js';
import type { PublicKey, SecretKey } from '../../monero/crypto/types.js';
import type { NetworkType } from '../../monero/cryptonote/types.js';
import { readStorage, SectionReader } from '../../monero/epee/portable-storage.js';
import { writeStorage, type TypedSection } from '../../monero/epee/storage-writer.js';
import { bytes32, concatBytes, equalBytes, toLatin1 } from '../../util/bytes.js';
import { CodecError, decode, encode } from '../../util/codec.js';
import { writeJson } from '../../util/json-writer.js';
import type { Rng } from '../../util/random.js';
import { WalletError } from '../../model/wallet-error.js';
import {
  backgroundSyncTypeNumber,
  backgroundSyncTypeOf,
  type BackgroundSyncType,
} from '../../model/background-sync-mode.js';
import type { GroupState } from '../../monero/wallet/multisig/account.js';
import { sealedFile } from '../../monero/wallet/exchange/sealed-file.js';
import { DEFAULT_LOOKAHEAD } from '../../monero/wallet/scan/default-lookahead.js';
import type { Lookahead } from '../../monero/wallet/scan/subaddress-table.js';
import type { AccountSecrets } from '../../monero/carrot/account-secrets.js';
import { CARROT_FIELDS, carrotFields, isCarrot, NewerKeysFile, readCarrot } from './keys-file-carrot.js';
import { GROUP_FIELDS, groupFields, readGroup } from './keys-file-multisig.js';
import { fromLatin1, fromUtf8, toUtf8, tryFields, type Fields } from './latin1-json.js';
import { loadPolyseed, POLYSEED_BYTES } from '../../monero/cryptonote/polyseed-storage.js';

/** Content of the file `NAME.keys`: in the reference's format, or for an account of the fork in its own. */
export interface KeysFile {
  readonly spendPublicKey: PublicKey;
  readonly viewPublicKey: PublicKey;
  readonly viewSecret: SecretKey;
  /**
   * Spend secret key; absent in a view-only wallet. In a multisig wallet it is the signing key, whose public key is not
   * the spend key of the address.
   */
  readonly spendSecret?: SecretKey;
  /**
   * Polyseed from which the keys were derived, in its 32 stored bytes, followed by the passphrase that wallets of the
   * library monero_c keep; absent if there is no Polyseed.
   */
  readonly polyseed?: Uint8Array;
  /** Multisig group; present in multisig wallets only. */
  readonly multisig?: GroupState;
  /** Keys from which those of an account of the fork follow; absent in an account with the old keys. */
  readonly carrot?: AccountSecrets;
  readonly watchOnly: boolean;
  /** Key with which the background keys file was opened; such a file contains no spend key. */
  readonly backgroundKey?: Uint8Array;
  /** Name of the seed language, in that language. */
  readonly seedLanguage: string;
  readonly network: NetworkType;
  /** Height from which blocks may concern this wallet. */
  readonly refreshHeight: number;
  /** Time when the wallet was created [Unix s]. */
  readonly creationTimestamp: number;
  /** Fields of the reference that this program does not use; they are written back unchanged. */
  readonly other: Fields;
}

/**
 * Networks by their number in the file; a regtest wallet is a mainnet wallet. Source: cryptonote_config.h
 * `network_type`.
 */
const NETWORKS: readonly NetworkType[] = ['mainnet', 'testnet', 'stagenet', 'mainnet'];

/**
 * Name of the field that says whether the keys come from a Polyseed. Source: wallet2.cpp `get_keys_file_data`, main
 * branch.
 */
const POLYSEED_FIELD = 'polyseed';

/** Names of the fields that this module itself reads and writes. */
const OWN_FIELDS = [
  'key_data',
  'seed_language',
  'watch_only',
  'nettype',
  'refresh_height',
  'encrypted_secret_keys',
  ...GROUP_FIELDS,
  POLYSEED_FIELD,
  ...CARROT_FIELDS,
];

/** Names of the fields of background sync. Source: wallet2.cpp `get_keys_file_data`. */
const SYNC_TYPE = 'background_sync_type';
const SYNC_KEY = 'custom_background_key';

const IV_BYTES = 8;
/** Length of a ChaCha20 key [bytes]. */
const KEY_BYTES = 32;
/** Length of the spend secret key and the view secret key together [bytes]. */
const SECRETS_BYTES = 64;

/**
 * Encrypts or decrypts the secret keys inside the file; both operations are the same XOR with a key stream. Source:
 * account.cpp `xor_with_key_stream`.
 */
async function cryptSecrets(secrets: Uint8Array, key: Uint8Array, iv: Uint8Array): Promise<Uint8Array> {
  const stretched = await memoryKey(key);
  const crypted = chacha20(stretched, iv, secrets);
  stretched.fill(0);
  return crypted;
}

/**
 * Reads a keys file that the reference or this program wrote.
 * @param name name of the wallet, for error messages.
 * @throws WalletError `wrong_password`, `wallet_corrupt`. Source: wallet2.cpp `load_keys_buf`.
 */
export async function readKeysFile(
  bytes: Uint8Array,
  password: string,
  kdfRounds: number,
  name: string,
): Promise<KeysFile> {
  const corrupt = (reason: string, cause?: unknown): WalletError =>
    new WalletError({ kind: 'wallet_corrupt', name, reason }, { cause });
  let parts;
  try {
    parts = decode(sealedFile, bytes);
  } catch (error) {
    if (error instanceof CodecError) throw corrupt('its keys file is damaged', error);
    throw error;
  }
  const key = await passwordKey(password, kdfRounds);
  const fields =
    tryFields(chacha20(key, parts.iv, parts.ciphertext)) ??
    tryFields(chacha8(key, parts.iv, parts.ciphertext));
  const backgroundKey = backgroundKeyOf(key);
  const background =
    fields === undefined ? tryFields(chacha20(backgroundKey, parts.iv, parts.ciphertext)) : undefined;
  try {
    const file =
      fields !== undefined
        ? await readFields(fields, key)
        : background && { ...(await readFields(background, backgroundKey, true)), backgroundKey };
    if (file === undefined) throw new WalletError({ kind: 'wrong_password' });
    if (!keysMatch(file)) throw new CodecError('its secret keys do not belong to its address');
    return file;
  } catch (error) {
    if (error instanceof NewerKeysFile) throw corrupt(error.message, error);
    if (error instanceof CodecError || error instanceof RangeError)
      throw corrupt('its keys file cannot be read', error);
    throw error;
  }
}

/**
 * Reads the decrypted fields of a keys file.
 * @param background true for a background keys file, whose spend key is zero.
 */
async function readFields(fields: Fields, key: Uint8Array, background = false): Promise<KeysFile> {
  const integer = (name: string): number => {
    const value = fields[name] ?? 0n;
    return typeof value === 'bigint' ? Number(value) : 0;
  };
  const { key_data: keyData, seed_language: language } = fields;
  const settings = {
    watchOnly: integer('watch_only') !== 0,
    seedLanguage: typeof language === 'string' ? toUtf8(language) : '',
    network: NETWORKS[integer('nettype')] ?? 'mainnet',
    refreshHeight: integer('refresh_height'),
    // Numbers with a fraction are left out: the only such field is a setting of the retired RPC payments, for which the
    // reference has a default.
    other: Object.fromEntries(
      Object.entries(fields).filter(
        ([name, value]) => !OWN_FIELDS.includes(name) && typeof value !== 'number',
      ),
    ),
  };
  if (isCarrot(fields))
    return {
      ...(await readCarrot(fields, (secrets, iv) => cryptSecrets(secrets, key, iv))),
      ...settings,
    };
  if (typeof keyData !== 'string') throw new CodecError('no key data');
  if (integer('key_on_device') !== 0) throw new CodecError('its keys are on a hardware wallet');
  const account = new SectionReader(readStorage(fromLatin1(keyData)));
  const keys = account.section('m_keys');
  const address = keys.section('m_account_address');
  const shares = keys.bytes('m_multisig_keys', new Uint8Array());
  const own = concatBytes(keys.bytes('m_spend_secret_key'), keys.bytes('m_view_secret_key'), shares);
  if (own.length < SECRETS_BYTES || own.length % 32 !== 0)
    throw new CodecError('secret keys of a wrong length');
  const stored = concatBytes(own, polyseedSecrets(keys));
  const encrypted = integer('encrypted_secret_keys') !== 0;
  const secrets = encrypted
    ? await cryptSecrets(stored, key, keys.bytes('m_encryption_iv', new Uint8Array(IV_BYTES)))
    : stored;
  // A background keys file has no secrets, and the shares of a multisig wallet come from no seed.
  const hasPolyseed =
    !background && integer(POLYSEED_FIELD) !== 0 && integer('watch_only') === 0 && integer('multisig') === 0;
  const file: KeysFile = {
    spendPublicKey: bytes32<'PublicKey'>(address.bytes('m_spend_public_key'), 'PublicKey'),
    viewPublicKey: bytes32<'PublicKey'>(address.bytes('m_view_public_key'), 'PublicKey'),
    viewSecret: bytes32<'SecretKey'>(secrets.subarray(32, SECRETS_BYTES), 'SecretKey'),
    ...(integer('watch_only') !== 0 || background
      ? {}
      : { spendSecret: bytes32<'SecretKey'>(secrets.subarray(0, 32), 'SecretKey') }),
    ...(integer('multisig') === 0
      ? {}
      : { multisig: readGroup(fields, secrets.subarray(SECRETS_BYTES, own.length)) }),
    ...(hasPolyseed && isStoredPolyseed(secrets.subarray(own.length))
      ? { polyseed: secrets.slice(own.length) }
      : {}),
    creationTimestamp: account.number('m_creation_timestamp', 0),
    ...settings,
  };
  return file;
}

/**
 * Returns true if the secret keys belong to the address, which `readCarrot` checks in an account of the fork. In a multisig wallet, returns true if the signing key belongs
 * to the group.
 */
function keysMatch({ spendPublicKey, viewPublicKey, viewSecret, spendSecret, ...file }: KeysFile): boolean {
  const { multisig, carrot } = file;
  if (carrot !== undefined) return true;
  if (!equalBytes(publicKeyOf(viewSecret), viewPublicKey)) return false;
  if (spendSecret === undefined) return multisig === undefined;
  const own = publicKeyOf(spendSecret);
  return multisig === undefined
    ? equalBytes(own, spendPublicKey)
    : multisig.signers.some((signer) => equalBytes(signer, own));
}

/** Returns the subaddress lookahead that a keys file sets. */
export function lookaheadOf({ other }: Pick<KeysFile, 'other'>): Lookahead {
  const size = (name: string, fallback: number): number => {
    const value = other[name];
    return typeof value === 'bigint' && value > 0n && value < 1n << 32n ? Number(value) : fallback;
  };
  return {
    major: size('subaddress_lookahead_major', DEFAULT_LOOKAHEAD.major),
    minor: size('subaddress_lookahead_minor', DEFAULT_LOOKAHEAD.minor),
  };
}

/** Returns a copy of the keys file with another subaddress lookahead. */
export const withLookahead = <T extends Pick<KeysFile, 'other'>>(
  file: T,
  { major, minor }: Lookahead,
): T => ({
  ...file,
  other: {
    ...file.other,
    subaddress_lookahead_major: BigInt(major),
    subaddress_lookahead_minor: BigInt(minor),
  },
});

/** Returns true if experimental multisig is enabled. Source: wallet2.h `is_multisig_enabled`. */
export const enablesMultisig = ({ other }: KeysFile): boolean => other['enable_multisig'] === 1n;

export const withMultisig = (file: KeysFile): KeysFile => ({
  ...file,
  other: { ...file.other, enable_multisig: 1n },
});

/** Returns a copy of the keys file without its Polyseed. */
export function withoutPolyseed(file: KeysFile): KeysFile {
  const { polyseed, ...rest } = file;
  return polyseed === undefined ? file : rest;
}

/** Returns the type of background sync that a keys file sets. */
export const backgroundSyncOf = ({ other }: Pick<KeysFile, 'other'>): BackgroundSyncType =>
  backgroundSyncTypeOf(other[SYNC_TYPE]);

/** Returns the key of the background files; undefined if the wallet has no background files. */
export function backgroundKeyIn({ other }: Pick<KeysFile, 'other'>): Uint8Array | undefined {
  const key = other[SYNC_KEY];
  return typeof key === 'string' && key.length === KEY_BYTES ? fromLatin1(key) : undefined;
}

/**
 * Returns a copy of the keys file with another type of background sync.
 * @param key key of the background files; absent if the wallet has no background files.
 */
export function withBackgroundSync<T extends Pick<KeysFile, 'other'>>(
  file: T,
  type: BackgroundSyncType,
  key?: Uint8Array,
): T {
  const rest = Object.entries(file.other).filter(([name]) => name !== SYNC_KEY);
  return {
    ...file,
    other: {
      ...Object.fromEntries(rest),
      [SYNC_TYPE]: backgroundSyncTypeNumber(type),
      ...(key === undefined ? {} : { [SYNC_KEY]: toLatin1(key) }),
    },
  };
}

/** Values of fields for which the reference would otherwise assume other defaults. */
const DEFAULTS: Fields = {
  key_on_device: 0n,
  multisig: 0n,
  multisig_threshold: 0n,
  store_tx_info: 1n,
  auto_refresh: 1n,
  default_decimal_point: 12n,
  subaddress_lookahead_major: BigInt(DEFAULT_LOOKAHEAD.major),
  subaddress_lookahead_minor: BigInt(DEFAULT_LOOKAHEAD.minor),
};

/** Writes a keys file in the reference's format. */
export const writeKeysFile = async (
  file: KeysFile,
  password: string,
  kdfRounds: number,
  rng: Rng,
): Promise<Uint8Array> => sealKeysFile(file, await passwordKey(password, kdfRounds), rng);

/**
 * Writes a keys file as {@link writeKeysFile}, but with an encryption key instead of a password. Source: wallet2.cpp
 * `get_keys_file_data`.
 */
export async function sealKeysFile(file: KeysFile, key: Uint8Array, rng: Rng): Promise<Uint8Array> {
  const innerIv = rng(IV_BYTES);
  const data =
    file.carrot === undefined
      ? await keyData(file, key, innerIv)
      : await carrotFields({ ...file, carrot: file.carrot }, innerIv, (secrets, iv) =>
          cryptSecrets(secrets, key, iv),
        );
  const json = writeJson({
    ...DEFAULTS,
    ...file.other,
    ...(file.multisig === undefined ? {} : groupFields(file.multisig)),
    ...(file.polyseed === undefined ? {} : { [POLYSEED_FIELD]: 1n }),
    ...data,
    seed_language: fromUtf8(file.seedLanguage),
    watch_only: file.watchOnly ? 1n : 0n,
    nettype: BigInt(NETWORKS.indexOf(file.network)),
    refresh_height: BigInt(file.refreshHeight),
    encrypted_secret_keys: 1n,
  });
  const iv = rng(IV_BYTES);
  return encode(sealedFile, { iv, ciphertext: chacha20(key, iv, fromLatin1(json)) });
}

/** Returns the field with the keys of an account that the reference knows. Source: account.h `account_base`. */
async function keyData(file: KeysFile, key: Uint8Array, innerIv: Uint8Array): Promise<Fields> {
  const shares = file.multisig?.shares ?? [];
  const ownBytes = SECRETS_BYTES + 32 * shares.length;
  const secrets = await cryptSecrets(
    concatBytes(
      file.spendSecret ?? new Uint8Array(32),
      file.viewSecret,
      ...shares,
      file.polyseed ?? new Uint8Array(),
    ),
    key,
    innerIv,
  );
  const string = (value: Uint8Array) => ({ type: 'string', value }) as const;
  const account = writeStorage({
    m_creation_timestamp: { type: 'u64', value: BigInt(file.creationTimestamp) },
    m_keys: {
      type: 'object',
      value: {
        m_account_address: {
          type: 'object',
          value: {
            m_spend_public_key: string(file.spendPublicKey),
            m_view_public_key: string(file.viewPublicKey),
          },
        },
        m_encryption_iv: string(innerIv),
        m_spend_secret_key: string(secrets.subarray(0, 32)),
        m_view_secret_key: string(secrets.subarray(32, SECRETS_BYTES)),
        ...(shares.length === 0
          ? {}
          : { m_multisig_keys: string(secrets.subarray(SECRETS_BYTES, ownBytes)) }),
        ...(file.polyseed === undefined ? {} : polyseedKeyFields(secrets.subarray(ownBytes))),
      },
    },
  });
  return { key_data: toLatin1(account) };
}

/**
 * Names of the stored seed among the keys, and of the section with a passphrase, which wallets of the library monero_c keep
 * beside it. Source: account.h `account_keys`, main branch.
 */
const SEED = 'm_polyseed';
const PASSPHRASE = 'm_passphrase';
const BUFFER = 'buffer';

/**
 * Returns the stored Polyseed of the keys and the passphrase behind it, in the form of the file, in which they are
 * encrypted after all other secret keys. Empty if there is no Polyseed.
 */
function polyseedSecrets(keys: SectionReader): Uint8Array {
  const seed = keys.bytes(SEED, new Uint8Array());
  if (seed.length !== POLYSEED_BYTES) return new Uint8Array();
  const passphrase = keys.has(PASSPHRASE)
    ? keys.section(PASSPHRASE).bytes(BUFFER, new Uint8Array())
    : new Uint8Array();
  return concatBytes(seed, passphrase);
}

/** Returns true if decrypted secrets begin with a Polyseed that can be read. */
function isStoredPolyseed(secrets: Uint8Array): boolean {
  if (secrets.length < POLYSEED_BYTES) return false;
  try {
    loadPolyseed(secrets.subarray(0, POLYSEED_BYTES));
    return true;
  } catch (error) {
    if (error instanceof CodecError) return false;
    throw error;
  }
}

/** Returns the fields of the keys that hold an encrypted Polyseed and the passphrase behind it. */
function polyseedKeyFields(encrypted: Uint8Array): TypedSection {
  const bytes = (value: Uint8Array) => ({ type: 'string', value }) as const;
  const passphrase = encrypted.subarray(POLYSEED_BYTES);
  return {
    [SEED]: bytes(encrypted.subarray(0, POLYSEED_BYTES)),
    ...(passphrase.length === 0
      ? {}
      : { [PASSPHRASE]: { type: 'object', value: { [BUFFER]: bytes(passphrase) } } }),
  };
}
