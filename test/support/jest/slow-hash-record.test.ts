import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { slowHash } from '../../../src/monero/crypto/slow-hash.js';
import { toHex, utf8 } from '../../../src/util/bytes.js';
import { slowHashAsync } from './slow-hash-record.js';
import { SLOW_HASHES } from './slow-hashes.js';

const PASSWORD = utf8('of many wallets');
const nameOf = (rounds: number): string =>
  createHash('sha256').update(`${rounds} `).update(PASSWORD).digest('hex');

let directory: string;
let shared: string | undefined;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'record-'));
  shared = process.env[SLOW_HASHES];
  process.env[SLOW_HASHES] = directory;
});

afterEach(() => {
  if (shared === undefined) Reflect.deleteProperty(process.env, SLOW_HASHES);
  else process.env[SLOW_HASHES] = shared;
  rmSync(directory, { recursive: true, force: true });
});

describe('the record of slow hashes', () => {
  it('gets the true digest at the first call, and gives it at later ones', async () => {
    const digest = await slowHashAsync(PASSWORD);
    expect(toHex(digest)).toBe(toHex(slowHash(PASSWORD)));
    expect(readdirSync(directory)).toEqual([nameOf(1)]);
    // Callers wipe the digest.
    digest.fill(0);
    expect(toHex(await slowHashAsync(PASSWORD))).toBe(toHex(slowHash(PASSWORD)));
  });

  it('is read in place of a calculation, for its number of rounds only', async () => {
    writeFileSync(join(directory, nameOf(2)), Buffer.alloc(32, 7));
    expect(toHex(await slowHashAsync(PASSWORD, 2))).toBe('07'.repeat(32));
    expect(toHex(await slowHashAsync(PASSWORD))).toBe(toHex(slowHash(PASSWORD)));
  });

  it('is not needed: without a directory that can be used, the digest is computed', async () => {
    for (const unusable of [join(directory, 'absent'), undefined]) {
      if (unusable === undefined) Reflect.deleteProperty(process.env, SLOW_HASHES);
      else process.env[SLOW_HASHES] = unusable;
      expect(toHex(await slowHashAsync(PASSWORD))).toBe(toHex(slowHash(PASSWORD)));
    }
    expect(readdirSync(directory)).toEqual([]);
  });

  it('contains no number of rounds that is refused', async () => {
    await expect(slowHashAsync(PASSWORD, 0)).rejects.toThrow(RangeError);
    expect(readdirSync(directory)).toEqual([]);
  });
});
