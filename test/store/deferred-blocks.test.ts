import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import Database from 'better-sqlite3';
import type { Hash } from '../../src/monero/crypto/types.js';
import { COINBASE_UNLOCK_BLOCKS } from '../../src/monero/cryptonote/constants.js';
import { WalletStore } from '../../src/store/wallet-store.js';
import { amount } from '../../src/util/amount.js';
import { WalletError } from '../../src/model/wallet-error.js';
import { bytes, output, page, received } from './fixtures.js';
import { clearChain } from '../support/chain/cleared-chain.js';

const KEY = new Uint8Array(32).fill(9);

let directory: string;
let file: WalletStore;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'store-'));
  file = WalletStore.create(join(directory, 'w'), KEY);
  file.addPage(page(0, 30));
});

afterEach(() => {
  jest.restoreAllMocks();
  file.close();
  rmSync(directory, { recursive: true, force: true });
});

/** Height of the stored tip. */
const stored = (of = file): number => of.read((r) => r.chain.tip()?.height ?? -1);

/** A page with a payment to the wallet in its first block. */
const paid = (height: number, unlockTime = 0n) =>
  page(height, 1, {
    received: [{ ...received(1, height), unlockTime }],
    outputs: [output(1, height, 50n, { unlockTime })],
  });

/** Adds empty blocks one at a time. @returns the first height that is stored again at once; undefined if none is. */
function firstStored(from: number, to: number): number | undefined {
  for (let height = from; height < to; height++) {
    file.addPage(page(height, 1));
    if (stored() === height) return height;
  }
  return undefined;
}

/** Opens the files as a process that is killed now leaves them. */
function afterKill(): WalletStore {
  for (const name of ['w', 'w-wal'])
    if (existsSync(join(directory, name)))
      copyFileSync(join(directory, name), join(directory, name.replace('w', 'killed')));
  return WalletStore.open(join(directory, 'killed'), KEY);
}

/** Fails every transaction. */
const failWith = (code: string) =>
  jest.spyOn(Database.prototype, 'transaction').mockImplementation(() => {
    throw new Database.SqliteError('a failure of the disk', code);
  });

describe('blocks that change nothing but the tip', () => {
  it('are not written, and count in height, history and reward at once', () => {
    file.addPage(page(30, 2));
    file.addPage(page(32, 1, { lastBlockReward: amount(7n) }));
    expect(stored()).toBe(29);
    expect(file.height()).toBe(33);
    expect(file.lastBlockReward()).toBe(7n);
    const history = file.shortHistory();
    expect(history.map(({ height }) => height).slice(0, 5)).toEqual([32, 31, 30, 29, 28]);
    expect(history[0]?.hash).toEqual(bytes<Hash>(32));
  });

  it('are written by the next commit, with its changes', () => {
    file.addPage(page(30, 3, { lastBlockReward: amount(7n) }));
    const heights = file.write((w) => [w.chain.tip()?.height, file.height()]);
    expect(heights).toEqual([32, 33]);
    expect(stored()).toBe(32);
    expect(file.read((r) => r.meta.get('last_block_reward'))).toBe('7');
    expect(file.shortHistory().filter(({ height }) => height === 32)).toHaveLength(1);
  });

  it('are kept by a commit that fails', () => {
    file.addPage(page(30, 3));
    expect(() =>
      file.write(() => {
        throw new Error('refused');
      }),
    ).toThrow('refused');
    expect([stored(), file.height()]).toEqual([29, 33]);
    file.write(() => undefined);
    expect([stored(), file.height()]).toEqual([32, 33]);
  });

  it('are written once there are more than 10 to 20 of them', () => {
    const at = firstStored(30, 60) ?? 0;
    expect(at - 30).toBeGreaterThanOrEqual(10);
    expect(at - 30).toBeLessThan(20);
  });

  it('are written at once when they are many', () => {
    file.addPage(page(30, 25));
    expect(stored()).toBe(54);
  });

  it.each([
    ['flush', () => file.flushToDisk()],
    ['checkpoint', () => Promise.resolve(file.checkpointSync())],
    [
      'close',
      () => {
        file.close();
        file = WalletStore.open(join(directory, 'w'), KEY);
        return Promise.resolve();
      },
    ],
  ])('are stored by a %s', async (_, end) => {
    file.addPage(page(30, 3));
    await end();
    expect(stored()).toBe(32);
  });

  it('are unknown after a kill, and are added again', () => {
    file.addPage(page(30, 3));
    const reopened = afterKill();
    expect([stored(reopened), reopened.height()]).toEqual([29, 30]);
    reopened.addPage(page(30, 4));
    reopened.close();
    const again = WalletStore.open(join(directory, 'killed'), KEY);
    expect([stored(again), again.height()]).toEqual([33, 34]);
    again.close();
  });

  it('are replaced by a reorganisation, which is reported with its full depth', () => {
    file.addPage(page(30, 3));
    file.addPage(page(28, 6));
    expect([stored(), file.height()]).toEqual([33, 34]);
    expect(file.read((r) => r.events.after(0, 9))).toMatchObject([
      { type: 'wallet.reorganised', data: { fromHeight: 28, depth: 5 } },
    ]);
  });

  it.each(['SQLITE_FULL', 'SQLITE_CORRUPT'])('are dropped by a close that fails with %s', (code) => {
    file.addPage(page(30, 3));
    failWith(code);
    file.close();
    jest.restoreAllMocks();
    file = WalletStore.open(join(directory, 'w'), KEY);
    expect(file.height()).toBe(30);
  });

  it('report a full disk to the commit that writes them, and are kept', () => {
    file.addPage(page(30, 3));
    failWith('SQLITE_FULL');
    expect(() => file.write(() => undefined)).toThrow(WalletError);
    jest.restoreAllMocks();
    expect(file.height()).toBe(33);
  });
});

describe('blocks are written at once', () => {
  it('with findings, after the blocks in memory', () => {
    file.addPage(page(30, 3));
    file.addPage(paid(33));
    expect(stored()).toBe(33);
  });

  it('while a payment may have stages to report: until a miner transaction of its block is unlocked', () => {
    file.addPage(paid(30));
    for (let height = 31; height < 30 + COINBASE_UNLOCK_BLOCKS; height++) {
      file.addPage(page(height, 1));
      expect(stored()).toBe(height);
    }
    file.addPage(page(90, 1));
    expect([stored(), file.height()]).toEqual([89, 91]);
    const types = file.read((r) => r.events.after(0, 9)).map(({ type }) => type);
    expect(types.filter((type) => type !== 'payment.mined')).toEqual([
      'payment.confirmed',
      'payment.confirmed',
      'payment.unlocked',
    ]);
  });

  it('while a payment is locked', () => {
    file.addPage(paid(30, 200n));
    const deep = 30 + COINBASE_UNLOCK_BLOCKS;
    for (let height = 31; height < deep + 20; height++) file.addPage(page(height, 1));
    expect(stored()).toBe(deep + 19);
  });

  it('below transactions that were scanned out of order', () => {
    file.write((w) => w.addFound({ ...paid(60), subaddresses: [] }));
    file.addPage(page(30, 1));
    expect(stored()).toBe(30);
  });

  it('until a rescan or a reorganisation has reached the former tip', () => {
    file.addPage(page(20, 4));
    file.addPage(page(24, 1));
    expect(stored()).toBe(24);
    file.addPage(page(25, 5));
    file.addPage(page(30, 1));
    expect([stored(), file.height()]).toEqual([29, 31]);
    file.write((w) => clearChain(w, { hard: false }));
    file.addPage(page(0, 5));
    file.addPage(page(5, 1));
    expect(stored()).toBe(5);
  });

  it('in a store without blocks', () => {
    const empty = WalletStore.create(join(directory, 'empty'), KEY);
    empty.addPage(page(0, 1));
    expect(stored(empty)).toBe(0);
    empty.close();
  });
});
