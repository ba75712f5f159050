import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Taken } from '../../../src/cluster/lease.js';
import type { LoggedFrame } from '../../../src/cluster/cluster.js';
import {
  assertNoCopy,
  markHeld,
  markJoining,
  markReleased,
  releaseName,
  writeLocalCopy,
  type LocalCopy,
} from '../../../src/services/cluster/local-copy.js';
import {
  MARK_ENDING,
  WalletDirectory,
  type WalletPaths,
} from '../../../src/services/context/wallet-directory.js';

let folder: string;
let paths: WalletPaths;
/** Number of contents of the database that were closed. */
let closed: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'copy-'));
  paths = new WalletDirectory(folder).locate('shop');
  closed = 0;
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Writes files that a closed wallet of this process has left. */
function writeFiles(): void {
  writeFileSync(paths.keys, 'local keys');
  writeFileSync(paths.store, 'local store');
}

async function* noFrames(): AsyncIterable<LoggedFrame> {}

/** Takes the wallet, whose creation was interrupted before its store was sent. @param base a base that is no store. */
const take = (epoch: bigint, base?: Uint8Array): Promise<LocalCopy> => {
  const lease = { name: 'shop', epoch, isValid: () => true, remainingMs: () => 1 };
  const taken: Taken = {
    ...{
      state: 'taken',
      isNew: true,
      wasServed: false,
      lease,
      keysFile: Buffer.from('stored keys'),
      sequence: 5,
    },
  };
  return writeLocalCopy(paths, taken, {
    read: async () => ({
      ...(base === undefined ? {} : { base: { sequence: 4, bytes: base.length } }),
      ...{ sequence: 5, frames: { count: 1, bytes: 70 } },
      async *readBase() {
        if (base !== undefined) yield base;
      },
      readFrames: () => noFrames(),
      close: async () => void closed++,
    }),
  });
};

const contents = (): (string | undefined)[] =>
  [paths.keys, paths.store].map((path) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined));
const LOCAL = ['local keys', 'local store'];
const STORED = ['stored keys', undefined];
/** A wallet without a base, whose store is made from its keys. */
const STORED_LOG: LocalCopy = { stored: { sequence: 5, baseBytes: 0, frameBytes: 70 }, isRebuilt: false };

const mark = (): unknown => JSON.parse(readFileSync(`${paths.store}${MARK_ENDING}`, 'utf8'));

test('the store of a wallet that is named as a mark is not replaced by one', async () => {
  const store = `${paths.store}${MARK_ENDING}`;
  for (const file of [store, `${store}.keys`]) writeFileSync(file, 'of an earlier version');
  const refused = { fault: { kind: 'bad_wallet_name', name: 'shop' } };
  await expect(take(2n)).rejects.toMatchObject(refused);
  await expect(markJoining(paths)).rejects.toMatchObject(refused);
  expect(() => assertNoCopy(paths)).toThrow('bad_wallet_name');
  expect(readFileSync(store, 'utf8')).toBe('of an earlier version');
});

describe('the mark of a wallet that left a cluster', () => {
  const own = '{"epoch":"","departure":"token"}';

  test('goes where another wallet gets its name, and stays beside its files', () => {
    writeFileSync(`${paths.store}${MARK_ENDING}`, own);
    writeFileSync(paths.keys, 'mine');
    releaseName(paths);
    expect(mark()).toEqual(JSON.parse(own));
    rmSync(paths.keys);
    releaseName(paths);
    expect(existsSync(`${paths.store}${MARK_ENDING}`)).toBe(false);
  });
});

describe('the files of a wallet that is taken', () => {
  test('are written where there are none, and marked as a copy', async () => {
    expect(await take(2n)).toEqual(STORED_LOG);
    expect(contents()).toEqual(STORED);
    expect(mark()).toEqual({ epoch: '2' });
    expect(closed).toBe(1);
  });

  test.each([
    ['wallet', ['keys']],
    ['wallet', ['keys', 'store']],
    ['store', ['store']],
  ] as const)('are not written over a %s without a mark: %j', async (found, files) => {
    for (const file of files) writeFileSync(paths[file], 'mine');
    await expect(take(2n)).rejects.toMatchObject({ fault: { kind: 'wallet_exists', name: 'shop', found } });
    for (const file of files) expect(readFileSync(paths[file], 'utf8')).toBe('mine');
    expect(existsSync(`${paths.store}${MARK_ENDING}`)).toBe(false);
  });

  test('stay if this process has released them with all changes, and nobody has held the wallet since', async () => {
    writeFiles();
    await markReleased(paths, 2n);
    expect(await take(3n)).toEqual(STORED_LOG);
    expect(contents()).toEqual(LOCAL);
    expect(mark()).toEqual({ epoch: '3' });
  });

  test('are replaced if another process has held the wallet since', async () => {
    writeFiles();
    await markReleased(paths, 2n);
    await take(4n);
    expect(contents()).toEqual(STORED);
  });

  test.each(['keys', 'store', 'wal'])('are replaced if the %s changed after the release', async (file) => {
    writeFiles();
    await markReleased(paths, 2n);
    writeFileSync(file === 'wal' ? `${paths.store}-wal` : paths[file as 'keys' | 'store'], 'changed later');
    await take(3n);
    expect(contents()).toEqual(STORED);
  });

  test('are replaced if this process has not released the wallet', async () => {
    writeFiles();
    await markHeld(paths, 2n);
    await take(3n);
    expect(contents()).toEqual(STORED);
  });

  test.each(['', '{', '{"epoch":"2"', 'null', '[]', '7', '{}', '{"epoch":2,"released":true}'])(
    'are replaced if the mark is %j',
    async (text) => {
      writeFiles();
      writeFileSync(`${paths.store}${MARK_ENDING}`, text);
      await take(3n);
      expect(contents()).toEqual(STORED);
      expect(mark()).toEqual({ epoch: '3' });
    },
  );

  test('stay marked as a copy that is not current, if the content of the database is damaged', async () => {
    writeFiles();
    await markReleased(paths, 2n);
    writeFileSync(paths.keys, 'changed later');
    await expect(take(3n, Buffer.from('no store'))).rejects.toThrow();
    expect(mark()).toEqual({ epoch: '3' });
    expect(closed).toBe(1);
    await take(4n);
    expect(contents()).toEqual(STORED);
  });
});
