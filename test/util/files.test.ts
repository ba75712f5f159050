import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from '@jest/globals';
import { fileErrorCode, readOperatorFile, makeDirectory } from '../../src/util/files.js';
import { openDatabase } from '../../src/regtest/store/database.js';
import { WalletDirectory } from '../../src/services/context/wallet-directory.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'file-'));
  path = join(folder, 'f');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const codeOf = (name: string): string => {
  try {
    readOperatorFile(name);
    return '';
  } catch (error) {
    return fileErrorCode(error);
  }
};

describe('a file that the operator names', () => {
  it('is read whole, through links too, and may be empty', () => {
    const bytes = Buffer.alloc(200_000, 'secret');
    writeFileSync(path, bytes);
    symlinkSync(path, join(folder, 'link'));
    expect(readOperatorFile(join(folder, 'link'))).toEqual(bytes);
    writeFileSync(path, '');
    expect(readOperatorFile(path)).toHaveLength(0);
    expect(readOperatorFile('/dev/null')).toHaveLength(0);
  });

  it('may be a pipe that a program writes to', () => {
    execFileSync('mkfifo', [path]);
    spawn('sh', ['-c', 'printf first > "$0"', path], { stdio: 'ignore' });
    expect(readOperatorFile(path, { patienceMs: 60_000 }).toString()).toBe('first');
  });

  it('is refused at once as a pipe that nothing is written to', () => {
    execFileSync('mkfifo', [path]);
    expect(codeOf(path)).toBe('ENODATA');
  });

  it.each<[string, string, () => void]>([
    ['a directory', 'EISDIR', () => mkdirSync(path)],
    ['a link to itself', 'ELOOP', () => symlinkSync('f', path)],
    ['a link to nothing', 'ENOENT', () => symlinkSync('nothing', path)],
    ['a file below a file', 'ENOTDIR', () => (writeFileSync(path, ''), (path = join(path, 'g')))],
    ['a name that is too long', 'ENAMETOOLONG', () => (path = join(folder, 'n'.repeat(300)))],
    ['a device without an end', 'EFBIG', () => (path = '/dev/zero')],
  ])('is refused as %s: %s', (_, code, make) => {
    make();
    expect(codeOf(path)).toBe(code);
  });

  it('is refused as a socket', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(path, () => resolve()));
    expect(codeOf(path)).toBe('ENXIO');
    await new Promise((resolve) => server.close(resolve));
  });

  it('is checked before it is read', () => {
    writeFileSync(path, 'x');
    const check = (): void => {
      throw new Error('open to others');
    };
    expect(() => readOperatorFile(path, { check })).toThrow('open to others');
  });
});

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
