import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { restoreBackup, verifyBackup } from '../../../src/store/backup/restore.js';
import { checkStore } from '../../../src/store/backup/backup.js';
import { openDatabase } from '../../../src/store/file/database.js';
import { NEW_CIPHER, storeKey } from '../../../src/store/file/store-cipher.js';
import { saveKeysFile } from '../../../src/store/keys/keys-file-disk.js';
import type { KeysFile } from '../../../src/store/keys/keys-file.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { accountKeysOf } from '../../../src/monero/cryptonote/account-keys.js';
import { randomScalar, scalarBytes } from '../../../src/monero/crypto/scalar.js';
import { systemRng } from '../../../src/util/random.js';
import { output, page, received } from '../fixtures.js';
import { turns } from '../../support/fakes/event-loop-turns.js';
import { isNight } from '../../support/jest/lanes.js';

const PASSWORD = 'secret of the shop';
const TIME = new Date('2026-11-22T12:00:00.123Z');
const NAME = 'shop';
const account = accountKeysOf(scalarBytes(randomScalar(systemRng)));
const KEY = storeKey(account.viewSecret, account.spendSecret);
const ACCESS = { password: PASSWORD, kdfRounds: 1 };

let directory: string;
let into: string;
let store: WalletStore;

const keysOf = (name: string): string => join(directory, `${name}.keys`);
const backUp = (time = TIME) => store.backup({ name: NAME, keys: keysOf(NAME) }, into, time);

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'backup-'));
  into = join(directory, 'backups');
  store = WalletStore.create(join(directory, NAME), KEY);
  store.write((w) => w.applyPage(page(0, 3, { received: [received(1, 2)], outputs: [output(1, 2, 50n)] })));
  const keysFile: KeysFile = {
    ...account,
    watchOnly: false,
    seedLanguage: 'English',
    network: 'mainnet',
    refreshHeight: 0,
    creationTimestamp: 1,
    other: {},
  };
  await saveKeysFile(keysOf(NAME), keysFile, PASSWORD, 1, systemRng);
});

afterEach(() => {
  store.close();
  rmSync(directory, { recursive: true, force: true });
});

describe('a backup of an open store', () => {
  it('is a directory of its time with an encrypted store and the keys file, for the owner only', async () => {
    const backup = await backUp();
    expect(backup.directory).toBe(join(into, NAME, '2026-11-22T12-00-00.123Z'));
    expect(readdirSync(backup.directory).sort()).toEqual([NAME, `${NAME}.keys`]);
    expect(backup.height).toBe(3);
    for (const file of readdirSync(backup.directory))
      expect(statSync(join(backup.directory, file)).mode & 0o077).toBe(0);
    expect(statSync(backup.directory).mode & 0o077).toBe(0);
    const bytes = readFileSync(join(backup.directory, NAME));
    expect(bytes).toHaveLength(backup.bytes);
    expect(bytes.subarray(0, 16).toString('latin1')).not.toContain('SQLite format 3');
    expect(readFileSync(join(backup.directory, `${NAME}.keys`))).toEqual(readFileSync(keysOf(NAME)));
  });

  it('contains all that was written before it began, also what only the log holds', async () => {
    store.write((w) => w.applyPage(page(3, 1, { received: [received(2, 3)], outputs: [output(2, 3, 7n)] })));
    const { directory: copied } = await backUp();
    const copy = WalletStore.open(join(copied, NAME), KEY);
    const total = copy
      .read((r) => r.balances.ofAddresses({ strict: false }))
      .reduce((sum, row) => sum + row.total, 0n);
    copy.close();
    expect(total).toBe(57n);
  });

  it('is intact and consistent while another connection writes without pause', async () => {
    let height = 3;
    let writing = true;
    const writer = (async () => {
      while (writing) {
        for (let i = 0; i < 20; i++, height++) {
          const found = { received: [received(height, height)], outputs: [output(height, height, 1n)] };
          store.write((w) => w.applyPage(page(height, 1, found)));
        }
        await turns();
      }
    })();
    try {
      for (let i = 0; i < (isNight ? 10 : 3); i++) {
        const least = height;
        const backup = await backUp(new Date(TIME.getTime() + i));
        expect(backup.height).toBeGreaterThanOrEqual(least);
        const { height: verified } = await verifyBackup(backup.directory, ACCESS);
        expect(verified).toBe(backup.height);
        const db = openDatabase(join(backup.directory, NAME), { key: KEY, cipher: NEW_CIPHER });
        // Each block of the writer has one output: a page is in the copy completely, or not at all.
        const outputs = db.row('SELECT count(*) AS outputs FROM owned_output WHERE height >= 3');
        db.close();
        expect(outputs).toEqual({ outputs: backup.height - 3 });
      }
    } finally {
      writing = false;
      await writer;
    }
  });

  it('leaves nothing behind when the copy fails', async () => {
    mkdirSync(join(into, NAME), { recursive: true });
    rmSync(keysOf(NAME));
    await expect(backUp()).rejects.toMatchObject({ fault: { kind: 'wallet_missing', name: NAME } });
    expect(readdirSync(join(into, NAME))).toEqual([]);
  });

  it('is refused for a store in memory', async () => {
    const memory = WalletStore.create(':memory:', KEY);
    await expect(memory.backup({ name: '', keys: '' }, into, TIME)).rejects.toMatchObject({
      fault: { kind: 'invalid' },
    });
    memory.close();
  });

  it('removes drafts of interrupted backups that are older than a day, and no younger one', async () => {
    const parent = join(into, NAME);
    for (const [name, ageHours] of [
      ['old', 25],
      ['young', 23],
    ] as const) {
      const draft = join(parent, `${name}.wallet-rpc-new`);
      mkdirSync(draft, { recursive: true });
      const seconds = TIME.getTime() / 1000 - ageHours * 3600;
      utimesSync(draft, seconds, seconds);
    }
    const { directory: written } = await backUp();
    expect(
      readdirSync(parent)
        .map((name) => join(parent, name))
        .sort(),
    ).toEqual([written, join(parent, 'young.wallet-rpc-new')].sort());
  });
});

describe('the check of a backup', () => {
  it('names the wallet, its network and its height', async () => {
    const { directory: written, bytes } = await backUp();
    expect(await verifyBackup(written, ACCESS)).toEqual({
      ...{ name: NAME, network: 'mainnet', viewOnly: false, height: 3 },
      bytes,
    });
  });

  it('refuses a wrong password', async () => {
    const { directory: written } = await backUp();
    await expect(verifyBackup(written, { ...ACCESS, password: 'other' })).rejects.toMatchObject({
      fault: { kind: 'wrong_password' },
    });
  });

  it('finds a changed byte in any page', async () => {
    const { directory: written, bytes } = await backUp();
    const path = join(written, NAME);
    const whole = readFileSync(path);
    for (let offset = 100; offset < bytes; offset += 4096) {
      const damaged = Buffer.from(whole);
      damaged[offset] = (damaged[offset] ?? 0) ^ 1;
      writeFileSync(path, damaged);
      await expect(checkStore(path, { key: KEY, cipher: NEW_CIPHER })).rejects.toMatchObject({
        fault: { kind: 'wallet_corrupt' },
      });
    }
  });

  it('finds a missing end', async () => {
    const { directory: written, bytes } = await backUp();
    const path = join(written, NAME);
    writeFileSync(path, readFileSync(path).subarray(0, bytes - 4096));
    await expect(verifyBackup(written, ACCESS)).rejects.toMatchObject({ fault: { kind: 'wallet_corrupt' } });
  });

  it('refuses a directory without a wallet, or with two', async () => {
    await expect(verifyBackup(into, ACCESS)).rejects.toMatchObject({ fault: { kind: 'wallet_io' } });
    const { directory: written } = await backUp();
    writeFileSync(join(written, 'other.keys'), '');
    await expect(verifyBackup(written, ACCESS)).rejects.toMatchObject({ fault: { kind: 'wallet_missing' } });
  });
});

describe('a restored backup', () => {
  const targetOf = (name: string) => ({ name, store: join(directory, name), keys: keysOf(name) });

  it('is a wallet with the same store and keys under another name', async () => {
    const { directory: written } = await backUp();
    await restoreBackup(written, targetOf('again'));
    expect(readFileSync(keysOf('again'))).toEqual(readFileSync(keysOf(NAME)));
    const copy = WalletStore.open(join(directory, 'again'), KEY);
    expect(copy.height()).toBe(3);
    copy.close();
    expect(statSync(join(directory, 'again')).mode & 0o077).toBe(0);
  });

  it('replaces no existing wallet', async () => {
    const { directory: written } = await backUp();
    const before = readFileSync(keysOf(NAME));
    await expect(restoreBackup(written, targetOf(NAME))).rejects.toMatchObject({
      fault: { kind: 'wallet_exists' },
    });
    expect(readFileSync(keysOf(NAME))).toEqual(before);
    writeFileSync(join(directory, 'half'), 'a store without keys');
    await expect(restoreBackup(written, targetOf('half'))).rejects.toMatchObject({
      fault: { kind: 'wallet_exists' },
    });
  });

  it('leaves nothing behind when a file cannot be read', async () => {
    const { directory: written } = await backUp();
    rmSync(join(written, NAME));
    await expect(restoreBackup(written, targetOf('again'))).rejects.toMatchObject({
      fault: { kind: 'wallet_io' },
    });
    expect(readdirSync(dirname(keysOf('again'))).filter((name) => name.startsWith('again'))).toEqual([]);
    expect(existsSync(keysOf('again'))).toBe(false);
  });
});
