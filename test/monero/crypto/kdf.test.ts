import { afterEach, beforeEach, describe, expect, it, jest, test } from '@jest/globals';
import { chacha20, chacha8 } from '../../../src/monero/crypto/chacha.js';
import { publicKeyOf } from '../../../src/monero/crypto/derivation.js';
import {
  exportKey,
  keepRecentKeys,
  memoryKey,
  passwordKey,
  secretKeysKey,
} from '../../../src/monero/crypto/kdf.js';
import { slowHash } from '../../../src/monero/crypto/slow-hash.js';
import { bytes32, concatBytes, fromHex, toHex, utf8 } from '../../../src/util/bytes.js';
import { WorkerPool } from '../../../src/util/thread-client.js';
import { withFakeTimeouts } from '../../support/fakes/fake-timeouts.js';
import { SLOW_HASHES } from '../../support/jest/slow-hashes.js';
import { readJson, secretKey } from './vectors.js';

interface KeysFile {
  note: string;
  password: string;
  rounds: number;
  iv: string;
  cipher: string;
  secretsIv: string;
  encryptedSecrets: string;
  spendPublicKey: string;
  viewPublicKey: string;
}

const { keysFiles, exported } = readJson<{
  keysFiles: KeysFile[];
  exported: { viewSecret: string; iv: string; cipher: string };
}>('kdf.json');

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

describe.each(keysFiles)('a keys file with $note', (file) => {
  it('opens with its password', async () => {
    const key = await passwordKey(file.password, file.rounds);
    expect(latin1(chacha20(key, fromHex(file.iv), fromHex(file.cipher)))).toMatch(/^\{"key_data":"/);
  });
  it('does not open with another password or number of rounds', async () => {
    for (const key of [
      await passwordKey(`${file.password} `, file.rounds),
      await passwordKey(file.password, file.rounds + 1),
    ])
      expect(latin1(chacha20(key, fromHex(file.iv), fromHex(file.cipher)))).not.toContain('key_data');
  });
  it('has the secrets of its public keys encrypted under a second key', async () => {
    const key = await memoryKey(await passwordKey(file.password, file.rounds));
    const secrets = chacha20(key, fromHex(file.secretsIv), fromHex(file.encryptedSecrets));
    expect(toHex(publicKeyOf(bytes32(secrets.subarray(0, 32), 'SecretKey')))).toBe(file.spendPublicKey);
    expect(toHex(publicKeyOf(bytes32(secrets.subarray(32), 'SecretKey')))).toBe(file.viewPublicKey);
  });
});

describe('exportKey', () => {
  it('opens the outputs that the reference exported', async () => {
    const viewSecret = secretKey(exported.viewSecret);
    const plain = chacha8(await exportKey(viewSecret), fromHex(exported.iv), fromHex(exported.cipher));
    const owner = keysFiles[0];
    expect(toHex(plain)).toBe(`${owner?.spendPublicKey ?? ''}${owner?.viewPublicKey ?? ''}`);
    expect(toHex(viewSecret)).toBe(exported.viewSecret);
  });
  it('depends on the number of rounds', async () => {
    const secret = secretKey('07'.repeat(32));
    expect(toHex(await exportKey(secret, 2))).toBe(toHex(slowHash(slowHash(secret))));
  });
});

describe('passwordKey', () => {
  it('takes the empty password', async () => {
    expect(toHex(await passwordKey('', 1))).toBe(toHex(slowHash(utf8(''))));
  });
  it.each([0, -1, 0.5])('refuses %p rounds', async (rounds) => {
    await expect(passwordKey('secret', rounds)).rejects.toThrow(RangeError);
  });
  it('never quotes the password in an error', async () => {
    await expect(passwordKey('open sesame', 0)).rejects.not.toThrow(/sesame/);
  });
});

describe('secretKeysKey', () => {
  test.each([1, 2])('stretches view || spend || 0x8c, %i times', async (rounds) => {
    const view = secretKey('01'.repeat(32));
    const spend = secretKey('02'.repeat(32));
    let expected: Uint8Array = concatBytes(view, spend, Uint8Array.of(0x8c));
    for (let i = 0; i < rounds; i++) expected = slowHash(expected);
    expect(toHex(await secretKeysKey(view, spend, rounds))).toBe(toHex(expected));
    expect([...view, ...spend]).toEqual([...new Uint8Array(32).fill(1), ...new Uint8Array(32).fill(2)]);
  });
});

describe('the keys of a password', () => {
  const records = process.env[SLOW_HASHES];
  beforeEach(() => {
    // Every hash is computed.
    Reflect.deleteProperty(process.env, SLOW_HASHES);
  });
  afterEach(() => {
    if (records !== undefined) process.env[SLOW_HASHES] = records;
    keepRecentKeys(false);
    jest.restoreAllMocks();
  });

  it.each([
    ['are derived once for wallets that are opened one after the other', true, 2],
    ['are derived for each wallet where clients may open some only', false, 4],
  ])('%s', async (_, keep, hashes) => {
    const run = jest.spyOn(WorkerPool.prototype, 'run');
    keepRecentKeys(keep);
    const keysOf = async (): Promise<string[]> => {
      const key = await passwordKey('of many wallets', 1);
      return [toHex(key), toHex(await memoryKey(key))];
    };
    // No key is removed meanwhile, however long the hashes take.
    const [first, second] = await withFakeTimeouts(async () => [await keysOf(), await keysOf()]);
    expect(second).toEqual(first);
    expect(first?.[0]).toBe(toHex(slowHash(utf8('of many wallets'))));
    expect(run).toHaveBeenCalledTimes(hashes);
  });
});
