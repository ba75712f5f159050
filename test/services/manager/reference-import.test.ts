import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from '@jest/globals';
import { pino } from 'pino';
import { importReferenceCache } from '../../../src/services/manager/reference-import.js';
import { draftOf } from '../../../src/store/file/file-draft.js';
import { readKeysFile } from '../../../src/store/keys/keys-file.js';
import { storeKey } from '../../../src/store/file/store-cipher.js';
import { storeFormat } from '../../../src/store/file/store-format.js';
import { writeStoreDraft } from '../../../src/store/store-draft.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import type { WalletReader } from '../../../src/store/wallet-reader.js';
import { bytes32, fromHex, toHex } from '../../../src/util/bytes.js';
import {
  fullCache,
  keysFile,
  owner,
  spendSecret,
  vector,
} from '../../monero/wallet/reference-cache/vector.js';
import { itAtNight } from '../../support/jest/lanes.js';

const WARNING = 40;
const KEY = storeKey(owner.viewSecret, spendSecret);

let directory: string;
let path: string;
let lines: { level: number; msg: string; backup?: string; reason?: string }[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'import-'));
  path = join(directory, 'w');
  lines = [];
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

const take = (password = vector.password, of = keysFile, key = KEY): Promise<void> =>
  importReferenceCache({
    path,
    keysFile: of,
    password,
    kdfRounds: vector.kdfRounds,
    storeKey: key,
    store: { restoreHeight: 17, createdAt: 5, spendPublicKey: of.spendPublicKey },
    log: pino(
      { base: null },
      {
        write: (line: string) => {
          lines.push(JSON.parse(line) as (typeof lines)[number]);
        },
      },
    ),
  });

function stored<T>(task: (r: WalletReader) => T, key = KEY): T {
  const file = WalletStore.open(path, key);
  try {
    return file.read(task);
  } finally {
    file.close();
  }
}

const aside = (): string => `${path}.reference-cache`;

const expectWhole = (): void => {
  expect(stored((r) => r.accounts.list())).toEqual([
    { major: 0, addressCount: 3 },
    { major: 1, addressCount: 1 },
  ]);
  expect(stored((r) => [r.accountTags.tag(0), r.accountTags.tag(1)])).toEqual(['', 't']);
  expect(stored((r) => r.subaddresses.label({ major: 0, minor: 2 }))).toBe('Zoë');
  expect(stored((r) => r.meta.get('restore_height'))).toBe('17');
  expect(readFileSync(aside())).toEqual(Buffer.from(fullCache));
  expect(readdirSync(directory).sort()).toEqual(['w', 'w.reference-cache']);
};

describe('a cache found where the store belongs', () => {
  it('gives the store all it remembers, and stays under another name', async () => {
    writeFileSync(path, fullCache);
    expect(await storeFormat(path)).toBe('foreign');
    await take();
    expect(await storeFormat(path)).toBe('store');
    expectWhole();
    const { several, pending } = vector.payments;
    const hashOf = (hash: string) => bytes32<'Hash'>(fromHex(hash), 'Hash');
    expect(stored((r) => r.accountTags.description('t'))).toBe('a tag');
    expect(stored((r) => r.addressBook.count())).toBe(3);
    expect(stored((r) => r.attributes.get('k'))).toBe('v');
    expect(stored((r) => r.notes.get(hashOf(several.txHash)))).toBe('a note');
    expect(
      stored((r) => r.txKeys.get(hashOf(several.txHash)))
        ?.map(toHex)
        .join(''),
    ).toBe(several.txKey);
    expect(stored((r) => r.outgoing.byHash(hashOf(pending.txHash)))).toMatchObject({ state: 'pending' });
    expect(stored((r) => r.subaddresses.find(owner.spendPublicKey))).toEqual({ major: 0, minor: 0 });
    expect(lines).toHaveLength(1);
    expect(lines[0]?.level).toBeLessThan(WARNING);
    expect(JSON.stringify(lines)).not.toContain(several.txKey.slice(0, 16));
  });

  itAtNight('may be one of 2017, ciphered under the keys of the wallet', async () => {
    const { release2017 } = JSON.parse(
      readFileSync(new URL('../../../../test/vectors/wallet/boost-cache.json', import.meta.url), 'utf8'),
    ) as { release2017: { password: string; keys: string; cache: string } };
    const old = await readKeysFile(Buffer.from(release2017.keys, 'base64'), release2017.password, 1, 'old');
    const key = storeKey(old.viewSecret, old.spendSecret);
    writeFileSync(path, Buffer.from(release2017.cache, 'base64'));
    await take(release2017.password, old, key);
    expect(stored((r) => [r.addressBook.count(), r.addressBook.get(0)], key)).toMatchObject([
      1,
      { description: 'testnet wallet 9y52S6' },
    ]);
    expect(stored((r) => r.accounts.list(), key)).toEqual([{ major: 0, addressCount: 1 }]);
    expect(stored((r) => r.subaddresses.label({ major: 0, minor: 0 }), key)).toBe('Primary account');
    expect(lines[0]?.level).toBeLessThan(WARNING);
  });

  it('keeps earlier ones too', async () => {
    writeFileSync(aside(), 'an earlier one');
    writeFileSync(path, fullCache);
    await take();
    expect(readFileSync(aside(), 'utf8')).toBe('an earlier one');
    expect(readFileSync(`${aside()}.1`)).toEqual(Buffer.from(fullCache));
  });

  test.each([
    ['cut short', fullCache.slice(0, -100)],
    ['cut to its head', fullCache.slice(0, 5)],
    ['empty', new Uint8Array()],
    ['changed at its start', Uint8Array.from(fullCache, (byte, i) => (i === 20 ? byte ^ 1 : byte))],
    [
      'changed where a count stands',
      // The number of blocks, behind 10 bytes of envelope: magic, version, the chain's version, offset and genesis.
      Uint8Array.from(fullCache, (byte, i) => (i === 10 + 19 + 1 + 1 + 1 + 32 ? byte ^ 0x7f : byte)),
    ],
    ['text', new TextEncoder().encode('not a wallet at all')],
  ])('that is %s is kept byte for byte, and the store begins empty', async (_, bytes) => {
    writeFileSync(path, bytes);
    expect(await storeFormat(path)).toBe('foreign');
    await take();
    expect(readFileSync(aside())).toEqual(Buffer.from(bytes));
    expect(stored((r) => r.accounts.list())).toEqual([{ major: 0, addressCount: 1 }]);
    expect(stored((r) => r.subaddresses.find(owner.spendPublicKey))).toEqual({ major: 0, minor: 0 });
    expect(lines.map(({ level, backup }) => [level, backup])).toEqual([[WARNING, aside()]]);
    expect(lines[0]?.reason).not.toBe('');
  });

  it('that no memory holds stays where it is, and the wallet shut', async () => {
    writeFileSync(path, '');
    truncateSync(path, 2 ** 30 + 1);
    await expect(take()).rejects.toMatchObject({ fault: { kind: 'wallet_corrupt' } });
    expect(readdirSync(directory)).toEqual(['w']);
  });

  it('under another password is not taken over', async () => {
    writeFileSync(path, fullCache);
    await take('another');
    expect(lines[0]?.level).toBe(WARNING);
    expect(readFileSync(aside())).toEqual(Buffer.from(fullCache));
  });
});

describe('an attempt that ended half way is made again', () => {
  beforeEach(() => writeFileSync(path, fullCache));

  itAtNight('with part of a draft there', async () => {
    writeFileSync(draftOf(path), 'half a page');
    writeFileSync(`${draftOf(path)}-wal`, 'half a log');
    await take();
    expectWhole();
  });

  test('with the whole draft there', async () => {
    writeStoreDraft(path, KEY, (w) => w.meta.set('restore_height', '99'));
    await take();
    expectWhole();
  });

  test('with the cache named twice already', async () => {
    linkSync(path, aside());
    await take();
    expectWhole();
  });

  itAtNight('with the log of a store that is gone', async () => {
    writeFileSync(`${path}-wal`, 'of another store');
    await take();
    expectWhole();
  });

  test('after an error, which leaves the cache where it is', async () => {
    mkdirSync(draftOf(path));
    writeFileSync(join(draftOf(path), 'in the way'), '');
    await expect(take()).rejects.toMatchObject({
      fault: { kind: 'wallet_io', reason: expect.stringMatching(/directory/) },
    });
    expect(readFileSync(path)).toEqual(Buffer.from(fullCache));
    expect(existsSync(aside())).toBe(false);
    rmSync(draftOf(path), { recursive: true });
    await take();
    expectWhole();
  });
});

describe('what stands where a store belongs', () => {
  it('is nothing at first', async () => expect(await storeFormat(path)).toBe('empty'));

  it('is a store also when its head is damaged: it is never replaced', async () => {
    WalletStore.create(path, KEY).close();
    const bytes = readFileSync(path);
    bytes.fill(0xaa, 0, 24);
    writeFileSync(path, bytes);
    expect(await storeFormat(path)).toBe('store');
  });
});
