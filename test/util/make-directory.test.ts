import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from '@jest/globals';
import { openDatabase } from '../../src/regtest/store/database.js';
import { WalletDirectory } from '../../src/services/context/wallet-directory.js';
import { makeDirectory } from '../../src/util/make-directory.js';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'make-directory-'));
});
afterEach(() => rmSync(home, { recursive: true }));

describe('a directory', () => {
  it('is created with those that it lies in, of the given mode, and may exist', () => {
    for (let round = 0; round < 2; round++) makeDirectory(join(home, 'a', 'b', 'c'), 0o700);
    for (const path of ['a', 'a/b', 'a/b/c']) expect(statSync(join(home, path)).mode & 0o777).toBe(0o700);
    makeDirectory('/');
    makeDirectory(home);
  });

  it('may be a link to one, and nothing else', () => {
    symlinkSync(home, join(home, 'link'));
    makeDirectory(join(home, 'link'));
    writeFileSync(join(home, 'file'), 'kept');
    symlinkSync('nowhere', join(home, 'lost'));
    for (const [path, code] of [
      ['file', 'EEXIST'],
      ['file/below', 'ENOTDIR'],
      ['lost', 'EEXIST'],
    ] as const)
      expect(() => makeDirectory(join(home, path))).toThrow(expect.objectContaining({ code }));
    expect(readFileSync(join(home, 'file'), 'utf8')).toBe('kept');
  });

  test.each([
    ['wallets', (path: string) => new WalletDirectory(path)],
    ['a regtest chain', (path: string) => openDatabase(path)],
    ['anything', (path: string) => makeDirectory(path)],
  ])('of %s is refused at once where the file system makes none', (_, make) => {
    for (const path of ['/proc/none', '/proc/none/deeper/still', '/proc/self/none'])
      expect(() => make(path)).toThrow();
  });
});
