import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, test } from '@jest/globals';
import { ClusterSecret } from '../../src/cluster/cluster-secret.js';
import { toHex, utf8 } from '../../src/util/bytes.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'secret-'));
  path = join(folder, 'secret');
});
afterEach(() => rmSync(folder, { recursive: true }));

const secret = (byte: number): ClusterSecret => new ClusterSecret(new Uint8Array(32).fill(byte));

describe('a secret file', () => {
  it('is made once, for its owner alone', () => {
    ClusterSecret.create(path);
    const content = readFileSync(path, 'utf8');
    expect(content).toMatch(/^[0-9a-f]{64}\n$/);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(() => ClusterSecret.create(path)).toThrow(expect.objectContaining({ reason: 'secret_exists' }));
    expect(readFileSync(path, 'utf8')).toBe(content);
    expect(toHex(ClusterSecret.read(path).idOf('a'))).toBe(toHex(ClusterSecret.read(path).idOf('a')));
  });

  it('is read with upper-case digits, and with the end of a line or without', () => {
    for (const text of ['AB'.repeat(32), `${'ab'.repeat(32)}\n`, `${'ab'.repeat(32)}\r\n`]) {
      writeFileSync(path, text, { mode: 0o600 });
      expect(toHex(ClusterSecret.read(path).idOf('a'))).toBe(toHex(secret(0xab).idOf('a')));
    }
  });

  it('is refused if it is missing, no file, or open to others', () => {
    expect(() => ClusterSecret.read(path)).toThrow(expect.objectContaining({ reason: 'secret_missing' }));
    chmodSync(folder, 0o700);
    expect(() => ClusterSecret.read(folder)).toThrow(expect.objectContaining({ reason: 'secret_missing' }));
    for (const mode of [0o640, 0o604, 0o660]) {
      writeFileSync(path, 'ab'.repeat(32));
      chmodSync(path, mode);
      expect(() => ClusterSecret.read(path)).toThrow(expect.objectContaining({ reason: 'secret_open' }));
    }
  });

  test.each([
    '',
    '\n',
    'ab'.repeat(31),
    'ab'.repeat(33),
    'xy'.repeat(32),
    `${'ab'.repeat(32)} more`,
    'ab'.repeat(1000),
  ])('is refused with the content %j, which no message repeats', (text) => {
    writeFileSync(path, text, { mode: 0o600 });
    expect(() => ClusterSecret.read(path)).toThrow(expect.objectContaining({ reason: 'secret_length' }));
    try {
      ClusterSecret.read(path);
    } catch (error) {
      expect((error as Error).message).not.toContain('ab'.repeat(8));
    }
  });
});

describe('a cluster secret', () => {
  it('opens what it sealed for the same purpose, and nothing else', () => {
    const plain = utf8('plain text');
    const sealed = secret(1).seal('one', plain);
    expect(sealed).toHaveLength(plain.length + 40);
    expect(secret(1).open('one', sealed)).toEqual(plain);
    expect(() => secret(2).open('one', sealed)).toThrow();
    expect(() => secret(1).open('other', sealed)).toThrow();
    for (let i = 0; i < sealed.length; i++) {
      const changed = new Uint8Array(sealed);
      changed[i] = (changed[i] ?? 0) ^ 1;
      expect(() => secret(1).open('one', changed)).toThrow();
    }
    for (const length of [0, 23, 24, 39])
      expect(() => secret(1).open('one', sealed.subarray(0, length))).toThrow();
  });

  it('seals the same text differently each time', () => {
    const [a, b] = [secret(1).seal('one', utf8('x')), secret(1).seal('one', utf8('x'))];
    expect(toHex(a)).not.toBe(toHex(b));
  });

  it('tags parts with their lengths, by purpose', () => {
    const tag = (purpose: string, ...parts: string[]): string =>
      toHex(secret(1).tag(purpose, ...parts.map(utf8)));
    const tags = [
      tag('a', 'xy', 'z'),
      tag('a', 'x', 'yz'),
      tag('a', 'xyz'),
      tag('b', 'xyz'),
      tag('a', 'xyz', ''),
      tag('a'),
    ];
    expect(new Set(tags).size).toBe(tags.length);
    expect(tag('a', 'xyz')).toBe(tags[2]);
    expect(toHex(secret(2).tag('a', utf8('xyz')))).not.toBe(tags[2]);
  });

  // Computed with Python's hmac: HKDF-SHA-256 with the salt `wallet-rpc cluster`, then HMAC-SHA-256.
  it('gives a wallet the same id in every version', () => {
    expect(toHex(secret(7).idOf('treasury'))).toBe(
      '3bffc70a165a5f042241d65b502814972b8b66754f5d88074c389f800c36b66f',
    );
  });

  it('is not shown', () => {
    expect(inspect(secret(0xab), { depth: 5, showHidden: true })).not.toMatch(/abab|171, 171/);
    expect(JSON.stringify(secret(0xab))).toBe('{}');
  });
});
