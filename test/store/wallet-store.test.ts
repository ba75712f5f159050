import { mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import Database from 'better-sqlite3';
import type { Hash, KeyImage, PublicKey, SecretKey } from '../../src/monero/crypto/types.js';
import { lockWallet } from '../../src/store/file/wallet-lock.js';
import { WalletStore } from '../../src/store/wallet-store.js';
import { amount, U64_MAX } from '../../src/util/amount.js';
import { WalletError } from '../../src/model/wallet-error.js';
import { bytes, output, page, received } from './fixtures.js';

const KEY = new Uint8Array(32).fill(9);

let directory: string;
let file: WalletStore;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'store-'));
  file = WalletStore.create(join(directory, 'w'), KEY);
});

afterEach(() => {
  file.close();
  rmSync(directory, { recursive: true, force: true });
});

const balance = (strict = false): bigint =>
  file.read((r) => r.balances.ofAddresses({ strict })).reduce((sum, { total }) => sum + total, 0n);

describe('a page of blocks', () => {
  it('is stored completely after a restart', () => {
    file.write((w) => w.applyPage(page(0, 3, { received: [received(1, 2)], outputs: [output(1, 2, 50n)] })));
    file.close();
    file = WalletStore.open(join(directory, 'w'), KEY);
    expect(balance()).toBe(50n);
    expect(file.read((r) => r.chain.tip()?.height)).toBe(2);
    expect(file.read((r) => r.payments.list({ min: -1, max: 9 }))).toMatchObject([
      { amount: 50n, tx: { height: 2 } },
    ]);
  });

  it('is not stored at all when it cannot be applied', () => {
    const broken = page(0, 3, { outputs: [output(1, 2, 50n)] });
    expect(() => file.write((w) => w.applyPage(broken))).toThrow();
    expect(file.read((r) => r.chain.tip())).toBeUndefined();
  });

  it('replaces the blocks at its heights, with their spends', () => {
    file.write((w) =>
      w.applyPage(
        page(0, 5, {
          received: [received(1, 1), received(2, 4)],
          outputs: [output(1, 1, 50n), output(2, 4, 7n)],
        }),
      ),
    );
    const spend = { keyImage: bytes<KeyImage>(101), txHash: bytes<Hash>(9), height: 5 };
    file.write((w) => w.applyPage(page(5, 1, { spends: [spend] })));
    expect(balance()).toBe(7n);
    file.write((w) => w.applyPage(page(4, 3)));
    expect(balance()).toBe(50n);
    expect(file.read((r) => r.chain.tip()?.height)).toBe(6);
  });

  it('creates accounts and addresses that received outputs', () => {
    const subaddress = { major: 2, minor: 5 };
    file.write((w) =>
      w.applyPage(page(0, 1, { received: [received(1, 0)], outputs: [output(1, 0, 1n, { subaddress })] })),
    );
    expect(
      file.read((r) => [
        r.accounts.count(),
        r.accounts.get(2)?.addressCount,
        r.accounts.get(1)?.addressCount,
      ]),
    ).toEqual([3, 6, 1]);
  });

  it('counts only the larger of two outputs with one key', () => {
    const twin = { publicKey: bytes<PublicKey>(77), keyImage: bytes<KeyImage>(77) };
    file.write((w) =>
      w.applyPage(page(0, 1, { received: [received(1, 0)], outputs: [output(1, 0, 5n, twin)] })),
    );
    file.write((w) =>
      w.applyPage(page(1, 1, { received: [received(2, 1)], outputs: [output(2, 1, 8n, twin)] })),
    );
    expect(balance()).toBe(8n);
    file.write((w) => w.applyPage(page(1, 1)));
    expect(balance()).toBe(5n);
  });
});

describe('a payment', () => {
  const tx = {
    txHash: bytes<Hash>(50),
    state: 'prepared' as const,
    account: 0,
    fromIndices: [0],
    amountIn: amount(50n),
    fee: amount(2n),
    change: amount(8n),
    unlockTime: 0n,
    timestamp: 1,
    blob: new Uint8Array([1, 2, 3]),
    destinations: [{ address: 'payee', amount: amount(40n) }],
  };
  const input = { txHash: bytes<Hash>(1), outputIndex: 0 };

  beforeEach(() => {
    file.write((w) => w.applyPage(page(0, 3, { received: [received(1, 2)], outputs: [output(1, 2, 50n)] })));
    file.write((w) => w.prepare(tx, [input], [bytes<SecretKey>(3)]));
  });

  it('reserves its inputs, which count in the strict balance until it is mined', () => {
    expect([balance(), balance(true)]).toEqual([0n, 50n]);
    expect(file.read((r) => r.txKeys.get(tx.txHash))).toEqual([bytes(3)]);
    expect(() => file.write((w) => w.prepare({ ...tx, txHash: bytes<Hash>(51) }, [input], []))).toThrow();
    expect(file.read((r) => r.outgoing.byHash(bytes<Hash>(51)))).toBeUndefined();
  });

  it('counts as pending once it is sent, as failed when it fails, and as neither when mined', () => {
    const counts = () => file.read((r) => r.outgoing.unminedCounts());
    expect(counts()).toEqual({ pending: 0, failed: 0 });
    file.write((w) => w.outgoing.setState(tx.txHash, 'pending'));
    expect(counts()).toEqual({ pending: 1, failed: 0 });
    file.write((w) => w.fail(tx.txHash));
    expect(counts()).toEqual({ pending: 0, failed: 1 });
    file.write((w) => w.applyPage(page(3, 1, { outgoing: [{ ...tx, height: 3, timestamp: 1003 }] })));
    expect(counts()).toEqual({ pending: 0, failed: 0 });
  });

  it('frees them when it fails', () => {
    file.write((w) => w.fail(tx.txHash));
    expect(balance()).toBe(50n);
    expect(file.read((r) => r.outgoing.list({ states: ['failed'] }))).toHaveLength(1);
  });

  it('stays mined, whatever state is set later', () => {
    const found = { ...tx, height: 3, timestamp: 1003 };
    const spend = { keyImage: bytes<KeyImage>(101), txHash: tx.txHash, height: 3 };
    file.write((w) => w.applyPage(page(3, 1, { outgoing: [found], spends: [spend] })));
    expect(file.write((w) => w.outgoing.setState(tx.txHash, 'pending'))).toBe(false);
    expect(file.write((w) => w.fail(tx.txHash))).toEqual([]);
    expect(file.read((r) => r.outgoing.byHash(tx.txHash))).toMatchObject({ state: 'confirmed', height: 3 });
    expect(balance()).toBe(0n);
  });

  it('that failed becomes pending when the network has it', () => {
    file.write((w) => w.fail(tx.txHash));
    expect(file.write((w) => w.outgoing.setState(tx.txHash, 'pending'))).toBe(true);
    expect(file.read((r) => r.outgoing.byHash(tx.txHash))).toMatchObject({ state: 'pending' });
  });

  it('keeps its destinations when mined, and is pending again after a reorganisation', () => {
    const found = { ...tx, height: 3, timestamp: 1003 };
    const spend = { keyImage: bytes<KeyImage>(101), txHash: tx.txHash, height: 3 };
    file.write((w) => w.applyPage(page(3, 1, { outgoing: [found], spends: [spend] })));
    expect(file.read((r) => r.outgoing.byHash(tx.txHash))).toMatchObject({
      state: 'confirmed',
      height: 3,
      destinations: tx.destinations,
    });
    file.write((w) => w.applyPage(page(3, 2)));
    expect(file.read((r) => r.outgoing.byHash(tx.txHash))).toMatchObject({
      state: 'pending',
      destinations: tx.destinations,
    });
    expect(balance()).toBe(0n);
  });
});

describe('the file', () => {
  it('is refused with another key, and unchanged', () => {
    file.close();
    expect(() => WalletStore.open(join(directory, 'w'), new Uint8Array(32))).toThrow(WalletError);
    file = WalletStore.open(join(directory, 'w'), KEY);
  });

  it('is reported as damaged, whichever page is, when it is opened or the page is read', () => {
    const path = join(directory, 'w');
    file.write((w) =>
      w.applyPage(page(0, 300, { received: [received(1, 2)], outputs: [output(1, 2, 50n)] })),
    );
    file.close();
    const whole = readFileSync(path);
    const readAll = (): void => {
      file = WalletStore.open(path, KEY);
      expect(balance()).toBe(50n);
      expect(file.read((r) => r.chain.shortHistory())[0]).toMatchObject({ height: 299 });
      file.write((w) => w.applyPage(page(300, 1)));
    };
    let refused = 0;
    for (let at = 2000; at < whole.length; at += 4096) {
      const damaged = Buffer.from(whole);
      damaged.writeUInt8(damaged.readUInt8(at) ^ 1, at);
      writeFileSync(path, damaged);
      const before = file;
      try {
        readAll();
      } catch (error) {
        expect(error).toMatchObject({ fault: { kind: 'wallet_corrupt', name: 'w' } });
        refused++;
        if (file !== before) expect(file.isDamaged).toBe(true);
      }
      file.close();
    }
    expect(refused).toBeGreaterThan(3);
    writeFileSync(path, whole);
    readAll();
  });

  it('refuses an amount that its columns cannot hold instead of rounding it', () => {
    const huge = page(0, 1, { received: [received(1, 0)], outputs: [output(1, 0, U64_MAX)] });
    expect(() => file.write((w) => w.applyPage(huge))).toThrow(RangeError);
  });

  it('can be locked by one holder at a time', () => {
    const path = join(directory, 'w.lock');
    const lock = lockWallet(path, 'w');
    expect(() => lockWallet(path, 'w')).toThrow(WalletError);
    lock.release();
    lockWallet(path, 'w').release();
  });

  it('is checkpointed on another thread: its log restarts, and concurrent writes are kept', async () => {
    const log = join(directory, 'w-wal');
    const grow = (from: number): void => {
      for (let height = from; height < from + 40; height++) file.write((w) => w.applyPage(page(height, 1)));
    };
    grow(0);
    const full = statSync(log).size;
    const tidied = file.checkpoint();
    file.write((w) => w.applyPage(page(40, 1)));
    await tidied;
    expect(file.read((r) => r.chain.tip())).toMatchObject({ height: 40 });
    await file.checkpoint();
    grow(41);
    expect(statSync(log).size).toBeLessThanOrEqual(full + 100_000);
    file.close();
    file = WalletStore.open(join(directory, 'w'), KEY);
    expect(file.read((r) => r.chain.tip())).toMatchObject({ height: 80 });
  });

  it('is still written if it cannot be checkpointed', async () => {
    file.write((w) => w.applyPage(page(0, 1)));
    renameSync(join(directory, 'w'), join(directory, 'moved'));
    await file.checkpoint();
    file.write((w) => w.applyPage(page(1, 1)));
    expect(file.read((r) => r.chain.tip())).toMatchObject({ height: 1 });
  });

  it('returns a short history of its blocks, newest first, down to the oldest', () => {
    file.write((w) => w.applyPage(page(100, 200)));
    const heights = file.read((r) => r.chain.shortHistory()).map(({ height }) => height);
    expect(heights.slice(0, 11)).toEqual([299, 298, 297, 296, 295, 294, 293, 292, 291, 290, 288]);
    expect(heights.at(-1)).toBe(100);
    expect(heights).toEqual([...heights].sort((a, b) => b - a));
  });
});

describe('the restore height', () => {
  const restoreHeight = (): string | undefined => file.read((r) => r.meta.get('restore_height'));
  beforeEach(() => file.write((w) => w.meta.set('restore_height', '100')));

  it('stays where blocks above it are stored', () => {
    file.write((w) => w.applyPage(page(100, 20)));
    file.write((w) => w.applyPage(page(120, 20)));
    file.write((w) => w.applyPage(page(130, 20)));
    expect(restoreHeight()).toBe('100');
  });

  it('becomes the first scanned block where that lies below it', () => {
    file.write((w) => w.applyPage(page(99, 1)));
    expect(restoreHeight()).toBe('99');
    file.write((w) => w.applyPage(page(40, 80)));
    expect(restoreHeight()).toBe('40');
  });
});

describe('a commit that can be repeated', () => {
  // A store that is opened again has an empty log.
  beforeEach(() => {
    file.close();
    file = WalletStore.open(join(directory, 'w'), KEY);
  });

  /** Flushing and automatic checkpoint while a commit runs. */
  const settingsOf = (commit: 'write' | 'writeRecoverable', height: number): string[] => {
    const settings: string[] = [];
    const spy = jest.spyOn(Database.prototype, 'pragma').mockImplementation(function (
      this: Database.Database,
      source: string,
    ) {
      settings.push(source);
      return pragma.call(this, source);
    });
    file[commit]((w) => w.applyPage(page(height, 1)));
    spy.mockRestore();
    return settings;
  };
  const { pragma } = Database.prototype;

  it('never waits for the disk: not for the header of an empty log either', () => {
    expect(settingsOf('writeRecoverable', 0)).toEqual(['synchronous = OFF', 'wal_autocheckpoint = 0']);
    expect(settingsOf('writeRecoverable', 1)).toEqual(['synchronous = NORMAL', 'wal_autocheckpoint = 16000']);
    expect(settingsOf('writeRecoverable', 2)).toEqual([]);
    expect(settingsOf('write', 3)).toEqual(['synchronous = FULL']);
    expect(settingsOf('writeRecoverable', 4)).toEqual(['synchronous = NORMAL']);
  });

  it('flushes the header of a log that another program has begun, or that restarts', () => {
    file.write((w) => w.applyPage(page(0, 1)));
    file.checkpointSync();
    expect(settingsOf('writeRecoverable', 1)).toEqual(['synchronous = NORMAL']);
  });

  it('is followed by one that waits for the disk where that is asked for', () => {
    settingsOf('writeRecoverable', 0);
    expect(settingsOf('write', 1)).toEqual(['synchronous = FULL', 'wal_autocheckpoint = 16000']);
  });
});

it('the height follows each commit, a commit that fails, and reads within a commit', () => {
  expect(file.height()).toBe(1);
  file.write((w) => {
    w.applyPage(page(0, 3));
    expect(file.height()).toBe(3);
    w.applyPage(page(3, 2));
    expect(file.height()).toBe(5);
  });
  expect(file.height()).toBe(5);
  expect(() => file.write((w) => w.applyPage(page(5, 2, { outputs: [output(1, 2, 50n)] })))).toThrow();
  expect(file.height()).toBe(5);
  file.writeRecoverable((w) => w.detach(2));
  expect(file.height()).toBe(2);
});
