import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fileErrorCode, readOperatorFile } from '../../src/util/operator-file.js';

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
