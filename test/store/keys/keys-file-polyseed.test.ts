import { describe, expect, it, test } from '@jest/globals';
import { chacha20 } from '../../../src/monero/crypto/chacha.js';
import { memoryKey, passwordKey } from '../../../src/monero/crypto/kdf.js';
import { accountKeysOf } from '../../../src/monero/cryptonote/account-keys.js';
import { readStorage, SectionReader } from '../../../src/monero/epee/portable-storage.js';
import { writeStorage } from '../../../src/monero/epee/storage-writer.js';
import { sealedFile } from '../../../src/monero/wallet/exchange/sealed-file.js';
import { readKeysFile, writeKeysFile, type KeysFile } from '../../../src/store/keys/keys-file.js';
import { fromLatin1, tryFields, type Fields } from '../../../src/store/keys/latin1-json.js';
import { concatBytes, toLatin1, utf8 } from '../../../src/util/bytes.js';
import { decode, encode } from '../../../src/util/codec.js';
import { writeJson } from '../../../src/util/json-writer.js';
import { SEED, spendOf, STORED } from '../../support/wallets/polyseed-wallets.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';

const rng = seededRng('keys file with a Polyseed');
const PASSWORD = 'password';
const spendSecret = spendOf(SEED);
const { spendPublicKey, viewPublicKey, viewSecret } = accountKeysOf(spendSecret);
const PASSPHRASE = utf8('a passphrase of monero_c');

const plain: KeysFile = {
  ...{ spendPublicKey, viewPublicKey, viewSecret, spendSecret },
  watchOnly: false,
  seedLanguage: 'English',
  network: 'mainnet',
  refreshHeight: 5,
  creationTimestamp: 1_700_000_000,
  other: {},
};
const withSeed: KeysFile = { ...plain, polyseed: STORED };

const write = (file: KeysFile): Promise<Uint8Array> => writeKeysFile(file, PASSWORD, 1, rng);
const read = (bytes: Uint8Array): Promise<KeysFile> => readKeysFile(bytes, PASSWORD, 1, 'w');

/** Returns the fields of a written file, and its keys. */
async function fieldsOf(bytes: Uint8Array): Promise<{ fields: Fields; keys: SectionReader }> {
  const { iv, ciphertext } = decode(sealedFile, bytes);
  const fields = tryFields(chacha20(await passwordKey(PASSWORD, 1), iv, ciphertext)) ?? {};
  const keys = new SectionReader(readStorage(fromLatin1(String(fields['key_data'])))).section('m_keys');
  return { fields, keys };
}

/**
 * Writes a file as the reference's main branch does: all secrets are encrypted with one key stream, in the order of spend key,
 * view key, multisig shares, Polyseed, passphrase.
 */
async function writtenByReference(
  { seed, passphrase }: { seed: Uint8Array; passphrase?: Uint8Array },
  json: Fields,
): Promise<Uint8Array> {
  const key = await passwordKey(PASSWORD, 1);
  const [outerIv, innerIv] = [rng(8), rng(8)];
  const secrets = chacha20(
    await memoryKey(key),
    innerIv,
    concatBytes(spendSecret, viewSecret, seed, passphrase ?? new Uint8Array()),
  );
  const string = (value: Uint8Array) => ({ type: 'string', value }) as const;
  const account = writeStorage({
    m_creation_timestamp: { type: 'u64', value: 1_700_000_000n },
    m_keys: {
      type: 'object',
      value: {
        m_account_address: {
          type: 'object',
          value: {
            m_spend_public_key: string(spendPublicKey),
            m_view_public_key: string(viewPublicKey),
          },
        },
        m_encryption_iv: string(innerIv),
        m_spend_secret_key: string(secrets.subarray(0, 32)),
        m_view_secret_key: string(secrets.subarray(32, 64)),
        m_polyseed: string(secrets.subarray(64, 96)),
        m_passphrase: {
          type: 'object',
          value: passphrase === undefined ? {} : { buffer: string(secrets.subarray(96)) },
        },
      },
    },
  });
  const text = writeJson({
    key_data: toLatin1(account),
    encrypted_secret_keys: 1n,
    seed_language: 'English',
    ...json,
  });
  return encode(sealedFile, { iv: outerIv, ciphertext: chacha20(key, outerIv, fromLatin1(text)) });
}

describe('a keys file with a Polyseed', () => {
  it('gives it back, and is another file without it', async () => {
    expect(await read(await write(withSeed))).toMatchObject({ polyseed: STORED, spendSecret });
    const without = await fieldsOf(await write(plain));
    expect([without.keys.has('m_polyseed'), 'polyseed' in without.fields]).toEqual([false, false]);
    expect(await read(await write(plain))).not.toHaveProperty('polyseed');
  });

  it('has it encrypted, under the names of the reference', async () => {
    const bytes = await write(withSeed);
    const { fields, keys } = await fieldsOf(bytes);
    expect([fields['polyseed'], keys.has('m_passphrase')]).toEqual([1n, false]);
    const iv = keys.bytes('m_encryption_iv');
    const stream = chacha20(await memoryKey(await passwordKey(PASSWORD, 1)), iv, new Uint8Array(96));
    const stored = keys.bytes('m_polyseed');
    expect(stored).not.toEqual(STORED);
    expect(stored.map((byte, i) => byte ^ (stream[64 + i] ?? 0))).toEqual(STORED);
  });

  it('of the reference is read', async () => {
    const file = await read(await writtenByReference({ seed: STORED }, { polyseed: 1n }));
    expect(file).toMatchObject({ spendSecret, polyseed: STORED });
  });

  it('of monero_c keeps its passphrase when it is written again', async () => {
    const theirs = await writtenByReference({ seed: STORED, passphrase: PASSPHRASE }, { polyseed: 1n });
    const file = await read(theirs);
    expect(file.polyseed).toEqual(concatBytes(STORED, PASSPHRASE));
    const ours = await write(file);
    expect((await read(ours)).polyseed).toEqual(file.polyseed);
    expect((await fieldsOf(ours)).keys.section('m_passphrase').bytes('buffer')).toHaveLength(
      PASSPHRASE.length,
    );
  });

  test.each<[string, Uint8Array, Fields]>([
    ['zeros, of keys without a Polyseed', new Uint8Array(32), { polyseed: 0n }],
    ['a Polyseed that the wallet does not use', STORED, { polyseed: 0n }],
    ['no Polyseed at all', new Uint8Array(32), { polyseed: 1n }],
    ['a damaged one', STORED.with(12, (STORED[12] ?? 0) ^ 1), { polyseed: 1n }],
    ['one of a wallet without a spend key', STORED, { polyseed: 1n, watch_only: 1n }],
  ])('has none with %s', async (_, seed, json) => {
    const file = await read(await writtenByReference({ seed }, json));
    expect(file).not.toHaveProperty('polyseed');
    expect(file.other).not.toHaveProperty('polyseed');
  });
});
