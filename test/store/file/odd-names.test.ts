import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { openDatabase as openChain } from '../../../src/regtest/store/database.js';
import { unlockDatabase, type StoreKey } from '../../../src/store/file/database.js';
import { lockWallet } from '../../../src/store/file/wallet-lock.js';
import { randomRuns } from '../../support/fakes/random-runs.js';

/** Parts of names that a library may drop, decode, or take for more than a part of a name. */
const PARTS = [
  ...[
    'shop',
    'Shop',
    'till',
    'é',
    'e\u0301',
    '🛒',
    '.',
    '..',
    '~',
    '-',
    '-wal',
    '-shm',
    '-journal',
    '\\',
    '*',
  ],
  ...[
    ' ',
    '\t',
    '\n',
    '\v',
    '\f',
    '\r',
    '\u0001',
    '\u007f',
    '\u0085',
    '\u00a0',
    '\u1680',
    '\u180e',
    '\u2003',
  ],
  ...['\u200b', '\u2028', '\u2029', '\u202f', '\u205f', '\u2060', '\u3000', '\ufeff'],
  ...[
    'file:',
    'file:///',
    ':memory:',
    '?mode=ro',
    '?vfs=unix-none',
    '&cipher=rc4',
    '#',
    '%00',
    '%20',
    '%2f',
    '%',
  ],
  ...["'", '"', '`', ';', '$HOME', '|'],
];

const KEY: StoreKey = { key: new Uint8Array(32).fill(7), cipher: 'aegis' };

/** Wallets whose files must not change. */
const OTHERS = ['shop', 'till'];

let directory: string;

/** Files of the directory by name, as bytes, which no decoding makes equal. */
const files = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(directory, { encoding: 'buffer' }).map((name) => [
      name.toString('latin1'),
      readFileSync(Buffer.concat([Buffer.from(`${directory}/`), name])).toString('base64'),
    ]),
  );

const bytesOf = (name: string): string => Buffer.from(name).toString('latin1');

const oddNames = fc
  .array(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join('').replaceAll('/', ''))
  .filter((name) => !['', '.', '..', ...OTHERS].includes(name));

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'odd-names-'));
  for (const name of OTHERS) writeFileSync(join(directory, name), name);
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('the file that is opened', () => {
  it('has exactly the name that was asked for, for stores and locks, and no other file changes', () => {
    const before = files();
    fc.assert(
      fc.property(oddNames, (name) => {
        const path = join(directory, name);
        const store = unlockDatabase(path, KEY);
        store.pragma('user_version = 7');
        store.close();
        const again = unlockDatabase(path, KEY, { fileMustExist: true });
        expect(again.pragma('user_version', { simple: true })).toBe(7);
        again.close();
        const { [bytesOf(name)]: written, ...others } = files();
        expect([written === undefined, others]).toEqual([false, before]);
        rmSync(path);
        lockWallet(path, name).release();
        expect(files()).toEqual({ ...before, [bytesOf(name)]: '' });
        rmSync(path);
      }),
      { numRuns: randomRuns(2000) },
    );
  });

  test.each([' chain', 'chain ', ':memory:', 'file:chain?mode=memory'])(
    'lies in the directory %j of a regtest daemon, also for a relative path',
    (name) => {
      const before = process.cwd();
      const home = join(directory, 'chains');
      mkdirSync(home);
      try {
        process.chdir(home);
        openChain(name).close();
        expect(readdirSync(home)).toEqual([name]);
        expect(readdirSync(join(home, name))).toContain('regtest.sqlite');
        expect(relative(process.cwd(), home)).toBe('');
      } finally {
        process.chdir(before);
        rmSync(home, { recursive: true });
      }
    },
  );

  it('is refused where its path has a NUL, at which the file name would end', () => {
    writeFileSync(join(directory, 'kept'), '');
    expect(() => unlockDatabase(join(directory, 'kept\0 '), KEY)).toThrow('a path contains a NUL');
    rmSync(join(directory, 'kept'));
  });
});
