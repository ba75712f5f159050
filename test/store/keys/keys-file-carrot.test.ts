import { describe, expect, it, test } from '@jest/globals';
import { ACCOUNT_TIERS, tierKeysOf } from '../../../src/monero/carrot/account-secrets.js';
import { chacha20 } from '../../../src/monero/crypto/chacha.js';
import { passwordKey } from '../../../src/monero/crypto/kdf.js';
import type { SecretKey } from '../../../src/monero/crypto/types.js';
import { sealedFile } from '../../../src/monero/wallet/exchange/sealed-file.js';
import { storeKeyOf } from '../../../src/store/keys/keys-of-store.js';
import { readKeysFile, writeKeysFile, type KeysFile } from '../../../src/store/keys/keys-file.js';
import { fromLatin1, tryFields, type Fields } from '../../../src/store/keys/latin1-json.js';
import { toHex, toLatin1 } from '../../../src/util/bytes.js';
import { decode, encode } from '../../../src/util/codec.js';
import { writeJson } from '../../../src/util/json-writer.js';
import { SECRETS, VECTOR } from '../../support/wallets/carrot-accounts.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';

const rng = seededRng('keys file of an account of the fork');
const PASSWORD = 'password';

function fileOf(tier: (typeof ACCOUNT_TIERS)[number]): KeysFile {
  const { spendPublicKey, mainViewKey, viewSecret } = tierKeysOf(SECRETS[tier]);
  return {
    ...{ spendPublicKey, viewPublicKey: mainViewKey, carrot: SECRETS[tier] },
    viewSecret: viewSecret ?? (new Uint8Array(32) as SecretKey),
    watchOnly: tier !== 'master',
    seedLanguage: '日本語',
    network: 'stagenet',
    refreshHeight: 5,
    creationTimestamp: 1_700_000_000,
    other: { subaddress_lookahead_major: 3n },
  };
}

const write = (file: KeysFile): Promise<Uint8Array> => writeKeysFile(file, PASSWORD, 1, rng);
const read = (bytes: Uint8Array): Promise<KeysFile> => readKeysFile(bytes, PASSWORD, 1, 'w');

async function fieldsOf(bytes: Uint8Array): Promise<Fields> {
  const { iv, ciphertext } = decode(sealedFile, bytes);
  return tryFields(chacha20(await passwordKey(PASSWORD, 1), iv, ciphertext)) ?? {};
}

/** Writes the file of an account of the master tier with changed fields. */
async function altered(change: (fields: Fields) => Fields): Promise<Uint8Array> {
  const fields = change(await fieldsOf(await write(fileOf('master'))));
  const json = fromLatin1(writeJson(fields as Parameters<typeof writeJson>[0]));
  const iv = rng(8);
  return encode(sealedFile, { iv, ciphertext: chacha20(await passwordKey(PASSWORD, 1), iv, json) });
}

const without = (fields: Fields, name: string): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([field]) => field !== name));

const flipped = (text: unknown): string => {
  const bytes = fromLatin1(String(text));
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  return toLatin1(bytes);
};

describe('a keys file of an account of the fork', () => {
  it.each(ACCOUNT_TIERS)('is read as it was written, in the tier %s', async (tier) => {
    const file = fileOf(tier);
    expect(await read(await write(file))).toMatchObject(file);
  });

  it('has no field with which the reference and servers before the fork open a wallet', async () => {
    const fields = await fieldsOf(await write(fileOf('master')));
    expect(fields['key_data']).toBeUndefined();
    expect(fields).toMatchObject({ carrot_version: 1n, carrot_tier: 'master', watch_only: 0n, nettype: 2n });
  });

  it('has its secrets encrypted a second time, with other bytes each time', async () => {
    const first = await fieldsOf(await write(fileOf('master')));
    const second = await fieldsOf(await write(fileOf('master')));
    const stored = [first, second].map((fields) => toHex(fromLatin1(String(fields['carrot_secrets']))));
    expect(stored[0]).not.toBe(stored[1]);
    expect(stored).not.toContain(VECTOR.s_m);
  });

  it('needs its password', async () => {
    await expect(readKeysFile(await write(fileOf('master')), 'other', 1, 'w')).rejects.toMatchObject({
      fault: { kind: 'wrong_password' },
    });
  });

  test.each<[string, (fields: Fields) => Fields, RegExp]>([
    [
      'of a later form',
      (fields) => ({ ...fields, carrot_version: 2n }),
      /^its keys file has form 2, and .* 1$/,
    ],
    [
      'with a form that is no number',
      (fields) => ({ ...fields, carrot_version: 'x' }),
      /^its keys file has form x/,
    ],
    ['of an unknown tier', (fields) => ({ ...fields, carrot_tier: 'spy' }), /cannot be read/],
    [
      'of another tier than its secrets',
      (fields) => ({ ...fields, carrot_tier: 'view-balance' }),
      /cannot be read/,
    ],
    ['without secrets', (fields) => without(fields, 'carrot_secrets'), /cannot be read/],
    ['without an address', (fields) => without(fields, 'carrot_address'), /cannot be read/],
    [
      'with damaged secrets',
      (fields) => ({ ...fields, carrot_secrets: flipped(fields['carrot_secrets']) }),
      /cannot be read/,
    ],
    [
      'with a damaged address',
      (fields) => ({ ...fields, carrot_address: flipped(fields['carrot_address']) }),
      /cannot be read/,
    ],
  ])('%s is refused', async (_, change, reason) => {
    await expect(read(await altered(change))).rejects.toMatchObject({
      fault: { kind: 'wallet_corrupt', name: 'w', reason: expect.stringMatching(reason) as unknown },
    });
  });
});

describe('the key of the store', () => {
  it('differs between the tiers of an account', () => {
    const keys = ACCOUNT_TIERS.map((tier) => toHex(storeKeyOf(fileOf(tier))));
    expect(new Set(keys).size).toBe(ACCOUNT_TIERS.length);
  });
});
