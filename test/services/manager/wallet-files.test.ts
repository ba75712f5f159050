import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from '@jest/globals';
import {
  discardWalletFiles,
  createWalletFiles,
  fillNewStore,
} from '../../../src/services/manager/wallet-files.js';
import { draftOf } from '../../../src/store/file/file-draft.js';
import { storeKey } from '../../../src/store/file/store-cipher.js';
import { loadKeysFile } from '../../../src/store/keys/keys-file-disk.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { ownKeys } from '../../support/wallets/service-wallet.js';
import { WalletServer } from '../../support/processes/wallet-server.js';
import { holder } from '../../monero/wallet/fixtures.js';
import type { PublicKey } from '../../../src/monero/crypto/types.js';
import { bytes } from '../../store/fixtures.js';

const rng = seededRng('wallet files');
const owner = holder(rng);
const { keysFile } = ownKeys(owner);

let server: WalletServer;

beforeEach(() => {
  server = new WalletServer();
});

afterEach(() => server.close());

const make = (): Promise<void> =>
  createWalletFiles({
    paths: server.paths('w'),
    keysFile,
    password: 'p',
    restoreHeight: 9,
    kdfRounds: 1,
    rng,
  });

describe('the files of a new wallet', () => {
  it('are a keys file for its owner alone and a store that its keys open, and no draft', async () => {
    await make();
    expect(server.files()).toEqual(['w', 'w.keys', 'w.wallet-rpc-addresses']);
    const { keys, store } = server.paths('w');
    expect(statSync(keys).mode & 0o777).toBe(0o600);
    expect(await loadKeysFile(keys, 'p', 1)).toMatchObject({ spendPublicKey: owner.spendPublicKey });
    const opened = WalletStore.open(store, storeKey(owner.viewSecret, owner.spendSecret));
    expect(opened.read((r) => r.meta.get('restore_height'))).toBe('9');
    opened.close();
  });

  it('are opened without a write', async () => {
    await make();
    const opened = WalletStore.open(server.paths('w').store, storeKey(owner.viewSecret, owner.spendSecret));
    expect(opened.fileSizes().log).toBe(0);
    opened.write((w) => w.meta.set('restore_height', '10'));
    expect(opened.fileSizes().log).toBeGreaterThan(0);
    opened.close();
  });

  it('leave a keys file alone that is there, and no other file', async () => {
    writeFileSync(server.paths('w').keys, 'another wallet');
    await expect(make()).rejects.toMatchObject({ fault: { kind: 'wallet_exists' } });
    expect(server.files()).toEqual(['w.keys']);
    expect(readFileSync(server.paths('w').keys, 'utf8')).toBe('another wallet');
  });

  it('are not written at all where the store cannot be drafted', async () => {
    mkdirSync(join(draftOf(server.paths('w').store), 'in the way'), { recursive: true });
    await expect(make()).rejects.toMatchObject({ fault: { kind: 'wallet_io' } });
    expect(server.files()).toEqual(['w.wallet-rpc-new']);
  });

  it('are taken back where the store cannot take its place: no address was given out', async () => {
    mkdirSync(join(server.paths('w').store, 'in the way'), { recursive: true });
    await expect(make()).rejects.toMatchObject({ fault: { kind: 'wallet_io' } });
    expect(server.files()).toEqual(['w']);
  });
});

describe('a wallet that is discarded', () => {
  it('loses its keys file, its store and the logs of the store, but not the lock', () => {
    for (const name of ['w', 'w-wal', 'w-shm', 'w-journal', 'w.keys', 'w.lock', 'other.keys'])
      writeFileSync(join(server.path, name), '');
    discardWalletFiles(server.paths('w'));
    expect(server.files()).toEqual(['other.keys', 'w.lock']);
  });

  it('may have lost them already', () => {
    discardWalletFiles(server.paths('w'));
    expect(existsSync(server.path)).toBe(true);
  });
});

const newStore = (restoreHeight: number | undefined): WalletStore =>
  WalletStore.create(':memory:', new Uint8Array(32), (w) =>
    fillNewStore(w, { restoreHeight, createdAt: 1_700_000_000, spendPublicKey: bytes<PublicKey>(5) }),
  );

describe('a new store', () => {
  it('begins with one account of one address, and with the time of its creation', () => {
    newStore(7).read((r) => {
      expect(r.accounts.list()).toEqual([{ major: 0, addressCount: 1 }]);
      expect(r.subaddresses.find(bytes<PublicKey>(5))).toEqual({ major: 0, minor: 0 });
      expect(r.meta.get('created_at')).toBe('1700000000');
      expect(r.chain.tip()).toBeUndefined();
    });
  });

  test.each([
    [0, '0'],
    [3_000_000, '3000000'],
  ])('is scanned from the restore height %i', (height, text) => {
    expect(newStore(height).read((r) => r.meta.get('restore_height'))).toBe(text);
  });

  it('has no restore height where no daemon could be asked: the first refresh finds one', () => {
    expect(newStore(undefined).read((r) => r.meta.get('restore_height'))).toBeUndefined();
  });
});
