import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from '@jest/globals';
import {
  assertApart,
  assertFree,
  assertPresent,
  WalletDirectory,
} from '../../../src/services/context/wallet-directory.js';
import { FileIdentity } from '../../../src/store/file/wallet-lock.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import type { Fault } from '../../../src/model/wallet-error.js';

let path: string;
let directory: WalletDirectory;

beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'directory-'));
  directory = new WalletDirectory(path);
});

afterEach(() => rmSync(path, { recursive: true, force: true }));

const put = (...names: string[]): void => names.forEach((name) => writeFileSync(join(path, name), name));

const badName = expect.objectContaining({
  fault: expect.objectContaining({ kind: 'bad_wallet_name', reason: expect.stringMatching(/./) }),
});

/** White space of every kind, control characters, and characters without width. */
const BLANKS = [
  ...[' ', '\t', '\n', '\v', '\f', '\r', '\r\n', '\u0001', '\u001f', '\u007f', '\u0085', '\u00a0', '\u1680'],
  ...['\u180e', '\u2000', '\u2003', '\u200a', '\u200b', '\u200d', '\u2028', '\u2029', '\u202f', '\u205f'],
  ...['\u2060', '\u3000', '\ufeff'],
];

describe('the name of a wallet', () => {
  test.each(['', '.', '..', 'a/b', '/a', 'a\\b', 'a\0b', '../a', 'a'.repeat(201), 'é'.repeat(101)])(
    'is a plain file name of bounded length, unlike %j',
    (name) => {
      expect(() => directory.locate(name)).toThrow(badName);
      expect(() => directory.locateNew(name)).toThrow(badName);
    },
  );

  test.each([
    'shop.keys',
    'shop.KEYS',
    'shop.lock',
    'shop-wal',
    'shop-WAL',
    'shop-shm',
    'shop-journal',
    'shop.wallet-rpc-new',
    'shop.keys.wallet-rpc-new',
    'shop.wallet-rpc-new-wal',
    'shop.new',
    'shop.keys.new',
    'shop.background',
    'shop.background.keys',
    'shop.background.new',
    'shop.background.address.txt',
    'shop.address.txt',
    'shop.reference-cache',
    'shop.reference-cache.1',
    'shop.replaced',
    'shop.replaced.12',
    'shop.mms',
    'shop.unportable',
  ])('is not chosen among those of the files beside a wallet, such as %s', (name) => {
    expect(() => directory.locateNew(name)).toThrow(badName);
  });

  test.each(['shop\ud800', '\udfffshop', 'sh\ud800op', '\udc00\ud800'])(
    'has an encoding as a file name, unlike %j',
    (name) => {
      expect(() => directory.locate(name)).toThrow(badName);
      expect(() => directory.locateNew(name)).toThrow(badName);
    },
  );

  test.each(BLANKS)('of a new wallet neither begins nor ends with %j; an older wallet is opened', (blank) => {
    for (const name of [`shop${blank}`, `${blank}shop`, blank, `shop.lock${blank}`, ` shop${blank}`]) {
      expect(() => directory.locateNew(name)).toThrow(badName);
      expect(directory.locate(name)).toMatchObject({ name, store: join(path, name) });
    }
    expect(directory.locateNew(`my${blank}shop`).name).toBe(`my${blank}shop`);
  });

  test.each([
    'shop',
    'shop.1',
    'new',
    'wal',
    'shop.newer',
    'shop keys',
    'keys.shop',
    'ключ',
    '.hidden',
    '-wal-',
  ])('may be %s', (name) => {
    expect(directory.locateNew(name).name).toBe(name);
  });

  it('opens older wallets of such names, but for those of keys and locks', () => {
    for (const name of ['shop.new', 'shop-wal', 'shop.background', 'shop.replaced.1'])
      expect(directory.locate(name).name).toBe(name);
    for (const name of ['shop.keys', 'shop.lock']) expect(() => directory.locate(name)).toThrow(badName);
  });
});

describe('two wallets with one file in common', () => {
  test.each(['-wal', '-shm', '-journal', '.lock', '.wallet-rpc-new'])(
    'are refused, whichever of NAME and NAME%s is asked for',
    (ending) => {
      put('shop', 'shop.keys', `shop${ending}`, `shop${ending}.keys`);
      expect(() => assertApart(directory.locate('shop'))).toThrow(badName);
      const paths = {
        ...directory.locate('shop'),
        name: `shop${ending}`,
        store: join(path, `shop${ending}`),
      };
      expect(() => assertApart(paths)).toThrow(badName);
    },
  );

  it('are distinguished from a wallet and its own files', () => {
    put(
      'shop',
      'shop.keys',
      'shop-wal',
      'shop-shm',
      'shop.lock',
      'lonely-wal',
      'lonely-wal.keys',
      'shop.new',
    );
    put('shop.new.keys');
    for (const name of ['shop', 'lonely-wal', 'shop.new']) assertApart(directory.locate(name));
  });
});

describe('the store of a wallet', () => {
  it('is the file of its name, rather than a symbolic link to the store of another wallet', () => {
    put('shop', 'shop.keys', 'link.keys', 'lost.keys');
    symlinkSync('shop', join(path, 'link'));
    symlinkSync('nowhere', join(path, 'lost'));
    for (const name of ['link', 'lost']) expect(() => assertApart(directory.locate(name))).toThrow(badName);
    assertApart(directory.locate('shop'));
  });

  it('is no file that this process has open under another name', () => {
    put('shop', 'shop.keys', 'twin.keys');
    linkSync(join(path, 'shop'), join(path, 'twin'));
    const open = new FileIdentity(join(path, 'shop'));
    expect(() => assertApart(directory.locate('twin'))).toThrow('wallet_locked');
    open.release();
    assertApart(directory.locate('twin'));
  });

  it('may lie where an earlier version wrote it, without the white space at the end of the name', () => {
    put('shop ', 'shop .keys', 'shop', 'till ', 'till .keys');
    expect(() => assertApart(directory.locate('shop '))).toThrow(badName);
    for (const name of ['shop', 'till ']) assertApart(directory.locate(name));
  });
});

describe('the place of a wallet', () => {
  it('is free while only its lock is there', () => {
    put('shop.lock');
    assertFree(directory.locate('shop'));
    expect(() => assertPresent(directory.locate('shop'))).toThrow('wallet_missing');
  });

  // An 8-byte IV, a length, and as many bytes.
  const sealed = Uint8Array.of(...new Uint8Array(8), 3, 1, 2, 3);
  const link = (name: string): void => symlinkSync('nowhere', join(path, name));

  test.each<[string, Fault, () => void]>([
    ['a file', { kind: 'wallet_exists', name: 'w', found: 'file' }, () => put('w')],
    ['a link that leads nowhere', { kind: 'wallet_exists', name: 'w', found: 'link' }, () => link('w')],
    [
      'a directory',
      { kind: 'wallet_exists', name: 'w', found: 'directory' },
      () => mkdirSync(join(path, 'w')),
    ],
    ['a keys file', { kind: 'keys_file_exists', name: 'w' }, () => put('w.keys')],
    ['a link of the name of the keys file', { kind: 'keys_file_exists', name: 'w' }, () => link('w.keys')],
    [
      'an old cache without its keys file',
      { kind: 'wallet_exists', name: 'w', found: 'cache' },
      () => writeFileSync(join(path, 'w'), sealed),
    ],
    [
      'a store without its keys file',
      { kind: 'wallet_exists', name: 'w', found: 'store' },
      () => WalletStore.create(join(path, 'w'), new Uint8Array(32).fill(7)).close(),
    ],
    [
      'a wallet with its keys file',
      { kind: 'wallet_exists', name: 'w', found: 'wallet' },
      () => put('w', 'w.keys'),
    ],
  ])('is taken by %s', (_, taken, prepare) => {
    prepare();
    expect(() => assertFree(directory.locate('w'))).toThrow(
      expect.objectContaining({ fault: taken }) as unknown as Error,
    );
  });
});
