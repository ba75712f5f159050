import { copyFileSync, cpSync, existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { PublicKey } from '../../src/monero/crypto/types.js';
import { fillNewStore } from '../../src/services/manager/wallet-files.js';
import { addressRecordOf, createAddressRecord } from '../../src/store/file/address-record.js';
import { WalletStore } from '../../src/store/wallet-store.js';
import { bytes } from './fixtures.js';

const KEY = new Uint8Array(32).fill(9);

let root: string;
let path: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'given-'));
  path = join(root, 'w');
  WalletStore.create(path, KEY, (w) =>
    fillNewStore(w, { restoreHeight: 0, createdAt: 1_700_000_000, spendPublicKey: bytes<PublicKey>(5) }),
  ).close();
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Opens the store as a server does. @returns whether it counts as an older copy, and the gap that it asks for. */
function opened(
  task: (store: WalletStore) => void = () => undefined,
  { at = path, isReplicated = false } = {},
): { readonly isOlder: boolean; readonly gap: number } {
  const store = WalletStore.open(at, KEY, undefined, undefined, { isReplicated });
  try {
    const isOlder = store.givenAddresses.check();
    const gap = store.read((r) => r.lostAddresses.gapBefore(0, 1, 'reference'));
    task(store);
    return { isOlder, gap };
  } finally {
    store.close();
  }
}

/** Creates addresses, and records them unless the process is killed before. */
const create =
  (count: number, isKilled = false) =>
  (store: WalletStore): void => {
    store.write((w) => w.accounts.addAddresses(0, count));
    if (!isKilled) store.givenAddresses.note(store.givenAddresses.count);
  };

const CURRENT = { isOlder: false, gap: 0 };
const OLDER = { isOlder: true, gap: 100 };

describe('a store', () => {
  it('is not marked while it stays at its place, however often it is opened and its process is killed', () => {
    expect(opened()).toEqual(CURRENT);
    expect(opened(create(3))).toEqual(CURRENT);
    expect(opened(create(2, true))).toEqual(CURRENT);
    expect(opened(create(1))).toEqual(CURRENT);
    expect(opened()).toEqual(CURRENT);
  });

  it('is not marked in a directory that was renamed', () => {
    opened(create(3));
    const renamed = `${root} renamed`;
    renameSync(root, renamed);
    root = renamed;
    path = join(root, 'w');
    expect(opened()).toEqual(CURRENT);
  });

  it('is marked where an older copy was written over it after addresses were created, also by the same process', () => {
    const copy = join(root, 'copy');
    opened(() => undefined);
    copyFileSync(path, copy);
    opened((store) => {
      create(1)(store);
      store.write((w) => w.accounts.addAddresses(0, 1));
    });
    copyFileSync(copy, path);
    expect(opened()).toEqual(OLDER);
    // The mark stays; the store is the current one from then on.
    expect(opened()).toEqual({ isOlder: false, gap: 100 });
  });

  it('is not marked where a copy was written over it that has all addresses', () => {
    opened(create(2));
    const copy = join(root, 'copy');
    copyFileSync(path, copy);
    opened((store) => store.write((w) => w.meta.set('events_expired', '1')));
    copyFileSync(copy, path);
    expect(opened()).toEqual(CURRENT);
  });

  it('is marked where the whole directory is a copy', () => {
    opened(create(2));
    const copied = `${root} copied`;
    cpSync(root, copied, { recursive: true, preserveTimestamps: true });
    try {
      expect(opened(undefined, { at: join(copied, 'w') })).toEqual(OLDER);
      // The one that was copied goes on.
      expect(opened()).toEqual(CURRENT);
    } finally {
      rmSync(copied, { recursive: true });
    }
  });

  it('is marked where its record is missing, which the store knows', () => {
    opened();
    rmSync(addressRecordOf(path));
    expect(opened()).toEqual(OLDER);
    expect(existsSync(addressRecordOf(path))).toBe(true);
  });

  it('of an earlier version is not marked when it is opened first, and older copies of it are', () => {
    const copy = join(root, 'copy');
    copyFileSync(path, copy);
    expect(opened(create(1))).toEqual(CURRENT);
    copyFileSync(copy, path);
    expect(opened()).toEqual(OLDER);
  });

  it('that a backup was restored to is marked, whatever it contains', () => {
    createAddressRecord(path, 'restored');
    expect(opened()).toEqual(OLDER);
    expect(opened().isOlder).toBe(false);
  });

  it('with a record that was not written to the disk before the machine stopped is not marked', () => {
    opened(create(2));
    writeFileSync(addressRecordOf(path), '');
    expect(opened()).toEqual(CURRENT);
    writeFileSync(addressRecordOf(path), Buffer.alloc(17));
    expect(opened()).toEqual(CURRENT);
  });
});

describe('a replicated store', () => {
  it('is not marked on another machine, nor where the record of a former holding is there', () => {
    opened(create(1));
    const other = join(root, 'other');
    copyFileSync(path, other);
    const there = { at: other, isReplicated: true };
    expect(opened(create(3), there)).toEqual(CURRENT);
    copyFileSync(other, path);
    expect(opened(undefined, { isReplicated: true })).toEqual(CURRENT);
  });

  it('is marked where its database was set back behind what this machine has seen', () => {
    opened(undefined, { isReplicated: true });
    const copy = join(root, 'copy');
    copyFileSync(path, copy);
    opened(create(3), { isReplicated: true });
    for (const end of ['-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
    copyFileSync(copy, path);
    expect(opened(undefined, { isReplicated: true })).toEqual(OLDER);
  });
});
