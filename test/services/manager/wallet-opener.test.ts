import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from '@jest/globals';
import type { OpenWallet } from '../../../src/services/open-wallet.js';
import { keysFileVersion } from '../../../src/store/keys/keys-file-disk.js';
import type { KeysFile } from '../../../src/store/keys/keys-file.js';
import { unlockDatabase } from '../../../src/store/file/database.js';
import { NEW_CIPHER, storeKey } from '../../../src/store/file/store-cipher.js';
import { lockWallet } from '../../../src/store/file/wallet-lock.js';
import { toHex } from '../../../src/util/bytes.js';
import { migrate } from '../../../src/util/sql-database.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { fault, ownKeys } from '../../support/wallets/service-wallet.js';
import { WalletServer } from '../../support/processes/wallet-server.js';
import { holder } from '../../monero/wallet/fixtures.js';

const MIGRATIONS = fileURLToPath(new URL('../../../../migrations', import.meta.url));

const rng = seededRng('wallet opener');
const { keysFile: OTHER } = ownKeys(holder(rng));

/** A server whose directory holds the files of one wallet, `w`. */
let template: WalletServer;
let keysFile: KeysFile;
let server: WalletServer;
let opened: OpenWallet[];

beforeAll(async () => {
  template = new WalletServer();
  const wallet = await template.opener.create(template.newWallet('w'));
  keysFile = structuredClone(wallet.keystore.whole);
  await wallet.close();
});

afterAll(() => template.close());

beforeEach(() => {
  server = new WalletServer();
  opened = [];
  for (const file of ['w', 'w.keys']) cpSync(join(template.path, file), join(server.path, file));
});

afterEach(async () => {
  for (const wallet of opened) await wallet.close();
  await server.close();
});

async function open(name = 'w', version = keysFileVersion(server.paths(name).keys)): Promise<OpenWallet> {
  const wallet = await server.opener.open(server.paths(name), keysFile, 'p', version);
  opened.push(wallet);
  return wallet;
}

/** Is the lock of the wallet free? */
function isUnlocked(name = 'w'): boolean {
  try {
    lockWallet(server.paths(name).lock, name).release();
    return true;
  } catch {
    return false;
  }
}

describe('the threads of the refresh', () => {
  it.each([
    ['start before the password of a wallet is hashed', 'home:18081', ['start']],
    ['do not start while the server is offline', undefined, []],
  ])('%s', async (_, address, started) => {
    const other = new WalletServer({}, address);
    try {
      for (const file of ['w', 'w.keys']) cpSync(join(template.path, file), join(other.path, file));
      const reading = other.opener.readKeys(other.paths('w'), 'p');
      expect(other.refresher.calls).toEqual(started);
      await reading;
    } finally {
      await other.close();
    }
  });
});

describe('the first blocks of a wallet', () => {
  it('are requested before its password is hashed', async () => {
    const creating = server.opener.create(server.newWallet('new', { restoreHeight: 40 }));
    expect(server.refresher.calls.filter((call) => call !== 'start')).toEqual(['prefetch 40']);
    opened.push(await creating);
  });

  it('are scanned meanwhile with the view key of the first of several that are created', async () => {
    const wallet = server.newWallet('new', { restoreHeight: 40 });
    opened.push(await server.opener.create(wallet, { isFirst: true }));
    expect(server.refresher.calls).toContain(`prefetch 40 with ${toHex(wallet.keys.viewSecret)}`);
  });

  it('are not requested where the height is unknown', async () => {
    opened.push(await server.opener.create(server.newWallet('new', { restoreHeight: undefined })));
    expect(server.refresher.calls.filter((call) => call.startsWith('prefetch'))).toEqual([]);
  });
});

describe('opening a wallet', () => {
  it('locks it, and gives its keys, store and password', async () => {
    const wallet = await open();
    expect([wallet.name, wallet.isViewOnly, isUnlocked()]).toEqual(['w', false, false]);
    expect(wallet.keystore.whole.spendSecret).toEqual(keysFile.spendSecret);
    expect(wallet.keystore.password).toBe('p');
    expect(wallet.store.read((r) => r.meta.get('restore_height'))).toBe('7');
    await wallet.close();
    expect([isUnlocked(), server.closed]).toEqual([true, ['w']]);
  });

  it('reads its own store where the name ends with white space, and changes no other file', async () => {
    const odd = 'w\u00a0';
    for (const ending of ['', '.keys'])
      renameSync(join(server.path, `w${ending}`), join(server.path, `${odd}${ending}`));
    const wallet = await open(odd);
    wallet.store.write((w) => w.attributes.set('kept', 'here'));
    await wallet.close();
    expect(readdirSync(server.path).toSorted()).toEqual([
      ...[odd, `${odd}.keys`, `${odd}.lock`, `${odd}.wallet-rpc-addresses`],
    ]);
    expect((await open(odd)).store.read((r) => r.attributes.get('kept'))).toBe('here');
  });

  it('upgrades a store of an earlier version, and logs from which to which and how long it took', async () => {
    const early = mkdtempSync(join(tmpdir(), 'early-'));
    const steps = readdirSync(MIGRATIONS).filter((name) => /^\d{3}-.*\.sql$/.test(name));
    const from = 21;
    for (const name of steps.sort().slice(0, from)) copyFileSync(join(MIGRATIONS, name), join(early, name));
    const { store } = server.paths('w');
    rmSync(store);
    const { viewSecret, spendSecret } = keysFile;
    const db = unlockDatabase(store, { key: storeKey(viewSecret, spendSecret), cipher: NEW_CIPHER });
    migrate(db, early);
    db.close();
    const upgrades = (): unknown[] => server.lines.filter(({ msg }) => /upgraded/.test(String(msg)));
    await (await open()).close();
    expect(upgrades()).toEqual([
      expect.objectContaining({ level: 30, name: 'w', from, to: steps.length, ms: expect.any(Number) }),
    ]);
    await open();
    expect(upgrades()).toHaveLength(1);
    rmSync(early, { recursive: true });
  });

  it('twice at the same time is refused', async () => {
    await open();
    await expect(open()).rejects.toMatchObject(fault({ kind: 'wallet_locked', name: 'w' }));
  });

  it('is refused where another process has replaced the keys file since it was read', async () => {
    await expect(open('w', 'another version')).rejects.toMatchObject(
      fault({ kind: 'wallet_locked', name: 'w' }),
    );
    expect(isUnlocked()).toBe(true);
  });

  it('without a store makes a new one, scanned from the height in the keys file', async () => {
    rmSync(server.paths('w').store);
    const { store } = await open();
    expect(store.read((r) => [r.meta.get('restore_height'), r.chain.tip()])).toEqual(['7', undefined]);
  });

  it('removes drafts of an cancelAndRun attempt, and says so', async () => {
    writeFileSync(`${server.paths('w').store}.wallet-rpc-new`, 'draft');
    await open();
    expect(server.lines).toContainEqual(
      expect.objectContaining({ level: 40, name: 'w', leftovers: ['w.wallet-rpc-new'] }),
    );
    expect(server.files()).not.toContain('w.wallet-rpc-new');
  });

  it('with keys that do not open the store is refused, and releases the lock', async () => {
    const version = keysFileVersion(server.paths('w').keys);
    await expect(server.opener.open(server.paths('w'), OTHER, 'p', version)).rejects.toMatchObject({
      fault: { kind: expect.stringMatching(/^wallet_(corrupt|io)$/) },
    });
    expect(isUnlocked()).toBe(true);
  });

  it('is refused for the name of a file of another wallet', async () => {
    for (const file of ['w', 'w.keys'])
      cpSync(join(server.path, file), join(server.path, `w-wal${file.slice(1)}`));
    await expect(open()).rejects.toMatchObject({ fault: { kind: 'bad_wallet_name' } });
  });

  it('again under a lock that was kept needs no new lock', async () => {
    const wallet = await open();
    const { lock } = wallet.detachLock();
    await wallet.close();
    expect(isUnlocked()).toBe(false);
    const opening = { paths: server.paths('w'), lock, keysFile, password: 'p', restoreHeight: undefined };
    opened.push(await server.opener.reopen(opening));
    expect(isUnlocked()).toBe(false);
  });
});

describe('the keys file of a wallet', () => {
  test.each<[string, () => Promise<unknown>, object]>([
    [
      'under another password',
      () => server.opener.readKeys(server.paths('w'), 'q'),
      { kind: 'wrong_password' },
    ],
    [
      'that is not there',
      () => server.opener.readKeys(server.paths('none'), 'p'),
      { kind: 'wallet_missing', name: 'none' },
    ],
  ])('is refused %s', async (_, read, expected) => {
    await expect(read()).rejects.toMatchObject(fault(expected));
  });

  it('of another network is refused', async () => {
    const stagenet = new WalletServer({ network: 'stagenet' });
    await expect(stagenet.opener.readKeys(server.paths('w'), 'p')).rejects.toMatchObject(
      fault({ kind: 'wallet_corrupt', name: 'w', reason: 'it is a wallet of mainnet' }),
    );
    await stagenet.close();
  });
});

describe('creating a wallet', () => {
  const before = (name: string) => server.opener.create(server.newWallet(name));

  test.each([
    ['its keys file', 'taken.keys', 'keys_file_exists'],
    ['its store', 'taken', 'wallet_exists'],
  ] as const)('is refused where %s is there, and leaves it', async (_, file, kind) => {
    writeFileSync(join(server.path, file), 'other');
    const files = server.files();
    await expect(before('taken')).rejects.toMatchObject(fault({ kind, name: 'taken' }));
    expect(server.files().filter((name) => !name.endsWith('.lock'))).toEqual(files);
  });

  it('is refused while another process creates it', async () => {
    const lock = lockWallet(server.paths('new').lock, 'new');
    await expect(before('new')).rejects.toMatchObject(fault({ kind: 'wallet_locked', name: 'new' }));
    lock.release();
  });

  it('that fails leaves no file but the lock, which is free', async () => {
    mkdirSync(join(server.path, 'new.wallet-rpc-new', 'x'), { recursive: true });
    await expect(before('new')).rejects.toMatchObject({ fault: { kind: 'wallet_io' } });
    expect(server.files().filter((name) => name.endsWith('.keys'))).toEqual(['w.keys']);
    expect(isUnlocked('new')).toBe(true);
  });

  it('that cannot be opened is discarded: no address was given out', async () => {
    server.refresher.attach = () => {
      throw new Error('no thread');
    };
    await expect(before('new')).rejects.toThrow('no thread');
    expect(server.files()).toEqual(['new.lock', 'w', 'w.keys']);
    expect(isUnlocked('new')).toBe(true);
  });
});

describe('giving a closed wallet other keys', () => {
  it('replaces the keys file, and removes a store that only the old keys open', async () => {
    await server.opener.rekey(server.paths('w'), OTHER, 'q', { keepStore: false });
    expect(server.files()).toEqual(['w.keys']);
    const read = await server.opener.readKeys(server.paths('w'), 'q');
    expect(read.spendPublicKey).toEqual(OTHER.spendPublicKey);
  });

  it('keeps the store where it belongs to the new keys too', async () => {
    await server.opener.rekey(server.paths('w'), keysFile, 'q', { keepStore: true });
    expect(server.files()).toEqual(['w', 'w.keys']);
  });

  it('changes nothing where the store cannot be removed', async () => {
    const { store, keys } = server.paths('w');
    const version = keysFileVersion(keys);
    rmSync(store);
    mkdirSync(join(store, 'x'), { recursive: true });
    await expect(
      server.opener.rekey(server.paths('w'), OTHER, 'q', { keepStore: false }),
    ).rejects.toMatchObject({ fault: { kind: 'wallet_io' } });
    expect([keysFileVersion(keys) === version, server.files()]).toEqual([true, ['w', 'w.keys']]);
  });

  it('writes no file for a wallet in memory', async () => {
    const files = server.files();
    await server.opener.rekey(undefined, OTHER, 'q', { keepStore: false });
    expect(server.files()).toEqual(files);
  });
});
