import {
  assertClosedStore,
  uploadClosedStore,
  assertNoCopy,
} from '../../../src/services/cluster/local-copy.js';
import { withStoreCopy } from '../../../src/services/manager/closed-wallets.js';
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from '@jest/globals';
import type { Lease } from '../../../src/cluster/lease.js';
import { WalletDirectory, type WalletPaths } from '../../../src/services/context/wallet-directory.js';
import { checkMigration } from '../../../src/services/manager/migration-check.js';
import { importReferenceCache } from '../../../src/services/manager/reference-import.js';
import { verifyBackup } from '../../../src/store/backup/restore.js';
import { readAddressRecord } from '../../../src/store/file/address-record.js';
import { openDatabase } from '../../../src/store/file/database.js';
import { draftOf, FileDraft, replaceFile } from '../../../src/store/file/file-draft.js';
import { EventIds } from '../../../src/store/file/event-ids.js';
import { fileError, withFileErrors } from '../../../src/store/file/file-errors.js';
import { loadKeysFile, saveKeysFile } from '../../../src/store/keys/keys-file-disk.js';
import { removeLeftoverDrafts } from '../../../src/store/keys/background-files.js';
import { NEW_CIPHER } from '../../../src/store/file/store-cipher.js';
import { storeFormat } from '../../../src/store/file/store-format.js';
import { lockWallet } from '../../../src/store/file/wallet-lock.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { systemRng } from '../../../src/util/random.js';
import { limitWithSpare, lowerLimit } from '../../support/processes/process-limits.js';
import { keysFile } from '../../monero/wallet/reference-cache/vector.js';

const KEY = new Uint8Array(32).fill(9);

let directory: string;
let path: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'trouble-'));
  path = join(directory, 'w');
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Matches a refusal that names the file and the cause. */
const refusal = (file: string, reason: RegExp): unknown =>
  expect.objectContaining({
    fault: { kind: 'wallet_io', file, reason: expect.stringMatching(reason) },
  });

/** Creates something at a path that is no regular file. */
const OBSTACLES: Readonly<Record<string, (at: string) => void | Promise<void>>> = {
  directory: (at) => mkdirSync(at),
  FIFO: (at) => void execFileSync('mkfifo', [at]),
  'link to a device': (at) => symlinkSync('/dev/zero', at),
  socket: async (at) => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(at, () => resolve()));
    // The name disappears with the server, which must not keep the process alive.
    server.unref();
  },
};

describe('a file error', () => {
  test.each([
    ['ENOSPC', /^no space is left on the disk \(ENOSPC\)$/],
    ['EDQUOT', /quota/],
    ['EFBIG', /file size limit/],
    ['EROFS', /read-only/],
    ['EACCES', /permission denied/],
    ['EPERM', /not permitted/],
    ['EISDIR', /directory/],
    ['EMFILE', /process has too many files open/],
    ['ENFILE', /system has too many files open/],
    ['EIO', /failed to read or write/],
    ['SQLITE_FULL', /^no space is left on the disk \(SQLITE_FULL\)$/],
    ['SQLITE_BUSY', /another process locks it/],
    ['SQLITE_READONLY_DIRECTORY', /read-only/],
    ['SQLITE_IOERR_WRITE', /failed to read or write/],
    ['SQLITE_CANTOPEN', /cannot be opened/],
  ])('names the cause of the code %s', (code, reason) => {
    writeFileSync(path, '');
    expect(fileError(path, Object.assign(new Error(code), { code }))).toEqual(refusal('w', reason));
  });

  test.each(['SQLITE_CONSTRAINT', 'SQLITE_ERROR', 'ECONNREFUSED', 'ERR_INVALID_ARG_TYPE', ''])(
    'is not made of an error with the code %j, which is unchanged',
    (code) => {
      const error = Object.assign(new Error('another'), { code });
      expect(fileError(path, error)).toBe(error);
    },
  );

  it('names the file of the operating system error, without its directory', () => {
    expect(() => withFileErrors(path, () => writeFileSync('/dev/full', 'x'))).toThrow(
      expect.objectContaining({
        fault: expect.objectContaining({ reason: expect.stringMatching(/ENOSPC/) }),
      }),
    );
    expect(() => withFileErrors(path, () => writeFileSync(join(directory, 'gone', 'other'), 'x'))).toThrow(
      refusal('other', /does not exist/),
    );
  });

  it('finds the cause of a general SQLite code', () => {
    mkdirSync(path);
    expect(() => openDatabase(path, { key: KEY, cipher: NEW_CIPHER })).toThrow(
      refusal('w', /no regular file/),
    );
  });
});

describe('a store', () => {
  it('on a full disk refuses a write, keeps its data, closes, and continues when there is room', () => {
    const file = WalletStore.create(path, KEY);
    const note = (value: string): void => file.write((w) => w.attributes.set('k', value));
    note('before');
    const raise = lowerLimit(process.pid, 'fsize', 1);
    try {
      expect(() => note('lost'.repeat(10_000))).toThrow(refusal('w', /disk|limit/));
    } finally {
      raise();
    }
    expect(file.read((r) => r.attributes.get('k'))).toBe('before');
    note('after');
    const raiseAgain = lowerLimit(process.pid, 'fsize', 1);
    try {
      // Everything is in the log already, so that closing needs no room.
      file.close();
    } finally {
      raiseAgain();
    }
    const again = WalletStore.open(path, KEY);
    expect(again.read((r) => r.attributes.get('k'))).toBe('after');
    again.close();
  });

  it('is written although a snapshot cannot be kept, and reading that snapshot fails', () => {
    const file = WalletStore.create(path, KEY);
    const snapshot = file.snapshot();
    // Raising the limit again needs some descriptors: they are reserved before.
    const raise = lowerLimit(process.pid, 'nofile', limitWithSpare(process.pid, 50));
    const used: number[] = [];
    try {
      expect(() => {
        for (;;) used.push(openSync('/dev/null', 'r'));
      }).toThrow('EMFILE');
      file.write((w) => w.attributes.set('k', 'v'));
    } finally {
      used.forEach((descriptor) => closeSync(descriptor));
      raise();
    }
    expect(() => snapshot.read((r) => r.attributes.get('k'))).toThrow(refusal('w', /too many files open/));
    expect(file.read((r) => r.attributes.get('k'))).toBe('v');
    file.close();
  });

  it('is not made on a full disk, and leaves no draft', () => {
    const raise = lowerLimit(process.pid, 'fsize', 1);
    try {
      expect(() => WalletStore.create(path, KEY)).toThrow(refusal('w.wallet-rpc-new', /disk|limit/));
    } finally {
      raise();
    }
    expect(readdirSync(directory)).toEqual([]);
  });
});

describe('a keys file', () => {
  test.each(Object.entries(OBSTACLES))('that is a %s is refused at once', async (_, put) => {
    await put(`${path}.keys`);
    await expect(loadKeysFile(`${path}.keys`, 'p', 1)).rejects.toEqual(
      refusal('w.keys', /directory|no regular file|socket or a device/),
    );
  });

  it('that does not exist is a missing wallet', async () => {
    await expect(loadKeysFile(`${path}.keys`, 'p', 1)).rejects.toMatchObject({
      fault: { kind: 'wallet_missing', name: 'w' },
    });
  });

  it('that cannot be replaced is unchanged, without a draft beside it', async () => {
    mkdirSync(join(path, 'in the way'), { recursive: true });
    await expect(saveKeysFile(path, keysFile, 'p', 1, systemRng)).rejects.toEqual(refusal('w', /directory/));
    rmSync(path, { recursive: true });
    await saveKeysFile(path, keysFile, 'p', 1, systemRng);
    expect((await loadKeysFile(path, 'p', 1)).refreshHeight).toBe(keysFile.refreshHeight);
  });
});

describe('the path of a store', () => {
  test.each(Object.entries(OBSTACLES))('where a %s stands is refused at once', async (_, put) => {
    await put(path);
    await expect(
      storeFormat(path).catch((error: unknown) => Promise.reject(fileError(path, error))),
    ).rejects.toEqual(refusal('w', /directory|no regular file|socket or a device/));
  });
});

/** Reads the files of a wallet, each with the ending of the name of the file that it reads. */
const DOORS: Readonly<Record<string, readonly [ending: string, open: () => unknown]>> = {
  'ids of events': ['', () => new EventIds({ path }).take(1)],
  'number of addresses': ['.wallet-rpc-addresses', () => readAddressRecord(path)],
  lock: ['.lock', () => lockWallet(`${path}.lock`, 'w')],
  'store of a backup': ['', () => (writeFileSync(`${path}.keys`, ''), verifyBackup(directory, ACCESS))],
  'mark of a copy': ['.cluster', () => assertNoCopy(walletPaths())],
  'store that joins a cluster': ['', () => assertClosedStore(walletPaths())],
  'store that is stored in a cluster': [
    '',
    () => uploadClosedStore(walletPaths(), {} as Lease, { putBase: () => Promise.resolve() }),
  ],
  'store of an export': ['', () => withStoreCopy(walletPaths(), keysFile, () => undefined)],
  'old cache beside a store': [
    '.reference-cache',
    async () => {
      writeFileSync(path, new Uint8Array(4096));
      await saveKeysFile(`${path}.keys`, keysFile, ACCESS.password, ACCESS.kdfRounds, systemRng);
      await checkMigration(walletPaths(), ACCESS);
    },
  ],
  'old cache that is imported': [
    '',
    () =>
      importReferenceCache({
        ...{ path, keysFile, ...ACCESS, storeKey: KEY },
        store: { restoreHeight: 0, createdAt: 5, spendPublicKey: keysFile.spendPublicKey },
        log: { info: () => undefined, warn: () => undefined, error: () => undefined },
      }),
  ],
};
const ACCESS = { password: 'p', kdfRounds: 1 };
const walletPaths = (): WalletPaths => new WalletDirectory(directory).locate('w');

describe.each(Object.entries(DOORS))('%s', (_, [ending, open]) => {
  test.each(Object.entries(OBSTACLES))('is refused at once where a %s stands', async (__, put) => {
    await put(`${path}${ending}`);
    await expect((async () => await open())()).rejects.toEqual(
      refusal(`w${ending}`, /directory|no regular file|socket or a device/),
    );
  });
});

describe('a draft', () => {
  it('becomes a new file only if there is none, and is gone in either case', async () => {
    const draft = await FileDraft.write(path, Uint8Array.of(1));
    writeFileSync(path, 'of another process');
    await expect(draft.create()).rejects.toThrow('wallet_exists');
    expect(readFileSync(path, 'utf8')).toBe('of another process');
    rmSync(path);
    await (await FileDraft.write(path, Uint8Array.of(2))).create();
    expect(readFileSync(path)).toEqual(Buffer.of(2));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory)).toEqual(['w']);
  });

  it('that cannot be written completely is removed, and the file is unchanged', async () => {
    await replaceFile(path, Uint8Array.of(1));
    const raise = lowerLimit(process.pid, 'fsize', 100);
    try {
      await expect(replaceFile(path, new Uint8Array(1000))).rejects.toEqual(
        refusal('w', /file size limit .*EFBIG/),
      );
    } finally {
      raise();
    }
    expect(readFileSync(path)).toEqual(Buffer.of(1));
    expect(readdirSync(directory)).toEqual(['w']);
  });

  it('that an interrupted process left is replaced', async () => {
    writeFileSync(draftOf(path), 'half');
    await replaceFile(path, Uint8Array.of(3));
    expect(readdirSync(directory)).toEqual(['w']);
  });
});

describe('drafts that an interrupted process left beside a wallet', () => {
  const paths = (): { store: string; keys: string } => ({ store: path, keys: `${path}.keys` });
  const LEFT = [
    'w.keys.wallet-rpc-new',
    'w.wallet-rpc-new',
    'w.wallet-rpc-new-wal',
    'w.wallet-rpc-new-shm',
    'w.wallet-rpc-new-journal',
    'w.background.wallet-rpc-new',
    'w.background.keys.wallet-rpc-new',
  ];
  const STAY = ['w', 'w-wal', 'w.keys', 'w.lock', 'w.new', 'w.keys.new', 'ww.keys.wallet-rpc-new'];

  it('are removed and reported, and no other file is', () => {
    for (const name of [...LEFT, ...STAY]) writeFileSync(join(directory, name), name);
    expect([...removeLeftoverDrafts(paths())].sort()).toEqual([...LEFT].sort());
    expect(readdirSync(directory).sort()).toEqual([...STAY].sort());
    expect(removeLeftoverDrafts(paths())).toEqual([]);
  });

  it('are removed together with the empty file that reserved the path of the keys', () => {
    writeFileSync(`${path}.keys`, '');
    expect(removeLeftoverDrafts(paths())).toEqual([]);
    writeFileSync(draftOf(`${path}.keys`), 'keys');
    expect(removeLeftoverDrafts(paths())).toEqual(['w.keys', 'w.keys.wallet-rpc-new']);
    expect(readdirSync(directory)).toEqual([]);
  });
});
