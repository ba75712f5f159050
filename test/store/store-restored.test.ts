import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from '@jest/globals';
import type { Hash } from '../../src/monero/crypto/types.js';
import { storeFormat } from '../../src/store/file/store-format.js';
import { WalletStore } from '../../src/store/wallet-store.js';
import { bytes } from './fixtures.js';

const KEY = new Uint8Array(32).fill(9);
const TX = bytes<Hash>(1);

let directory: string;
let path: string;
let file: WalletStore;
let reports: (string | undefined)[];

const note = (text: string): void => file.write((w) => w.notes.set(TX, text));

/** Reads the store like a server that starts now. */
function stored(): string | undefined {
  const again = WalletStore.open(path, KEY);
  try {
    return again.read((r) => r.notes.get(TX));
  } finally {
    again.close();
  }
}

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'store-'));
  path = join(directory, 'w');
  reports = [];
  file = WalletStore.create(path, KEY, undefined, (aside) => reports.push(aside));
  note('before');
});

afterEach(() => {
  file.close();
  rmSync(directory, { recursive: true, force: true });
});

const LOSSES: [what: string, lose: () => void][] = [
  ['deleted', () => rmSync(path)],
  ['deleted with its logs', () => ['', '-wal', '-shm'].forEach((end) => rmSync(path + end, { force: true }))],
  ['moved away', () => renameSync(path, join(directory, 'elsewhere'))],
];

describe('the file of an open store', () => {
  test.each(LOSSES)(
    'that was %s is written again, complete and encrypted, when data must be on disk',
    async (_, lose) => {
      lose();
      file.checkpointSync();
      expect(await storeFormat(path)).toBe('store');
      expect(readFileSync(path).includes('before')).toBe(false);
      expect(reports).toEqual([undefined]);
      note('after');
      file.close();
      expect(stored()).toBe('after');
    },
  );

  test.each(LOSSES)('that was %s is written again before the next change counts', (_, lose) => {
    lose();
    note('after');
    expect(existsSync(path)).toBe(true);
    expect(reports).toHaveLength(1);
    note('later');
    expect(reports).toHaveLength(1);
    file.close();
    expect(stored()).toBe('later');
  });

  test.each(LOSSES)('that was %s is written again at the latest when the store is closed', (_, lose) => {
    lose();
    file.close();
    expect(stored()).toBe('before');
  });

  it('replaces another file at its path, which is kept under another name', () => {
    rmSync(path);
    writeFileSync(path, 'something else');
    note('after');
    const aside = `${path}.replaced`;
    expect(reports).toEqual([aside]);
    expect(readFileSync(aside, 'utf8')).toBe('something else');
    file.close();
    expect(stored()).toBe('after');
  });

  it('is not written again while it is unchanged', () => {
    note('after');
    file.checkpointSync();
    expect(reports).toEqual([]);
  });

  it('cannot be written again without its directory: a write is refused instead of lost', () => {
    rmSync(directory, { recursive: true });
    expect(() => note('after')).toThrow();
    expect(file.read((r) => r.notes.get(TX))).toBe('before');
    expect(() => file.close()).toThrow();
  });
});
