import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from '@jest/globals';
import Database from 'better-sqlite3';
import type { Hash } from '../../../src/monero/crypto/types.js';
import { cipherOf, type StoreCipher } from '../../../src/store/file/store-cipher.js';
import { storeFormat } from '../../../src/store/file/store-format.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { toHex } from '../../../src/util/bytes.js';
import { bytes, output, page, received } from '../fixtures.js';

const KEY = new Uint8Array(32).fill(9);
const TX = bytes<Hash>(1);
const PAGE_BYTES = 4096;

let directory: string;
let path: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cipher-'));
  path = join(directory, 'w');
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Opens a plain SQLite connection. */
function withDatabase<T>(task: (db: Database.Database) => T, cipher = cipherOf(path)): T {
  const db = new Database(path);
  try {
    db.pragma(`cipher = '${cipher}'`);
    db.pragma(`key = "x'${toHex(KEY)}'"`);
    return task(db);
  } finally {
    db.close();
  }
}

/** Creates a store like a version with that cipher. */
const begin = (cipher: StoreCipher): unknown =>
  withDatabase((db) => db.exec('CREATE TABLE first (n); DROP TABLE first'), cipher);

it('is AEGIS for a new store', () => {
  WalletStore.create(path, KEY).close();
  expect(cipherOf(path)).toBe('aegis');
});

it('is that of a new store if there is no file, an empty one or a directory', () => {
  expect(cipherOf(path)).toBe('aegis');
  writeFileSync(path, '');
  expect(cipherOf(path)).toBe('aegis');
  expect(cipherOf(directory)).toBe('aegis');
});

describe.each<StoreCipher>(['chacha20', 'aegis'])('a store under %s', (cipher) => {
  beforeEach(() => {
    begin(cipher);
  });

  it('is detected as a store', async () => {
    expect(await storeFormat(path)).toBe('store');
  });

  it('is opened, written, checkpointed and read again with that cipher', async () => {
    const file = WalletStore.open(path, KEY);
    file.writeRecoverable((w) =>
      w.applyPage(page(0, 3, { received: [received(1, 2)], outputs: [output(1, 2, 50n)] })),
    );
    const before = file.snapshot();
    await file.checkpoint();
    file.write((w) => w.notes.set(TX, 'a note'));
    expect(before.read((r) => r.notes.get(TX))).toBeUndefined();
    before.release();
    await file.waitForCheckpoint();
    file.close();
    expect(cipherOf(path)).toBe(cipher);
    const again = WalletStore.open(path, KEY);
    expect(again.read((r) => r.notes.get(TX))).toBe('a note');
    expect(again.read((r) => r.balances.ofAddresses({ strict: false }))).toMatchObject([{ total: 50n }]);
    again.close();
  });

  it('is written with that cipher again when its file was deleted', () => {
    const file = WalletStore.open(path, KEY);
    rmSync(path);
    file.write((w) => w.notes.set(TX, 'a note'));
    file.close();
    expect(cipherOf(path)).toBe(cipher);
    expect(readFileSync(path).includes('a note')).toBe(false);
    const again = WalletStore.open(path, KEY);
    expect(again.read((r) => r.notes.get(TX))).toBe('a note');
    again.close();
  });

  it('is not opened with another key', () => {
    WalletStore.open(path, KEY).close();
    expect(() => WalletStore.open(path, new Uint8Array(32).fill(8))).toThrow('wallet_corrupt');
  });

  test('a changed bit of any page is detected', () => {
    WalletStore.open(path, KEY).close();
    // Empty pages are not read.
    withDatabase((db) => db.exec('VACUUM'));
    const whole = readFileSync(path);
    const check = (): unknown => withDatabase((db) => db.pragma('integrity_check', { simple: true }));
    expect(check()).toBe('ok');
    for (let at = 0; at < whole.length; at += PAGE_BYTES) {
      const damaged = Uint8Array.from(whole);
      const place = at + 1000;
      damaged[place] = (damaged[place] ?? 0) ^ 1;
      writeFileSync(path, damaged);
      let found: unknown;
      try {
        found = check();
      } catch (error) {
        found = error;
      }
      expect(found).not.toBe('ok');
    }
  });

  it('with another cipher in its header is not opened', () => {
    WalletStore.open(path, KEY).close();
    const whole = readFileSync(path);
    whole[20] = cipher === 'aegis' ? 32 : 64;
    writeFileSync(path, whole);
    expect(() => WalletStore.open(path, KEY)).toThrow('wallet_corrupt');
  });
});
