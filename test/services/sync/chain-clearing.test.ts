import { afterEach, beforeEach, describe, expect, it, test } from '@jest/globals';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Hash } from '../../../src/monero/crypto/types.js';
import { clearInParts } from '../../../src/services/sync/chain-clearing.js';
import { unlockDatabase } from '../../../src/store/file/database.js';
import { NEW_CIPHER } from '../../../src/store/file/store-cipher.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { amount } from '../../../src/util/amount.js';
import type { FoundOutgoing } from '../../../src/monero/wallet/scan/findings.js';
import { clearChain } from '../../support/chain/cleared-chain.js';
import { EventLoopTurns } from '../../support/fakes/event-loop-turns.js';
import { faultOf, TestWallet } from '../../support/wallets/test-wallet.js';
import { bytes, output, page, received } from '../../store/fixtures.js';

const KEY = new Uint8Array(32).fill(7);
const BLOCKS = 120;
const PAYMENTS = 60;

let directory: string;
let wallet: TestWallet;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'clearing-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** A payment in every second block; each third one is spent ten blocks later, and one is frozen. */
function open(name: string): TestWallet {
  const made = new TestWallet({ path: join(directory, name) });
  const heights = Array.from({ length: PAYMENTS }, (_, i) => 2 * i);
  const spent = heights.filter((height) => height % 6 === 0 && height < 100);
  const spendOf = (height: number) => bytes<Hash>(150 + height / 6);
  made.store.write((w) => {
    w.applyPage(
      page(0, BLOCKS, {
        received: heights.map((height) => received(1 + height / 2, height)),
        outputs: heights.map((height) => output(1 + height / 2, height, 5n)),
        spends: spent.map((height) => ({
          ...{ keyImage: bytes(101 + height / 2), txHash: spendOf(height), height: height + 10 },
        })),
        outgoing: spent.map((height): FoundOutgoing => ({
          ...{ txHash: spendOf(height), height: height + 10, timestamp: 1000, account: 0, unlockTime: 0n },
          ...{ fromIndices: [0], amountIn: amount(5n), change: amount(0n), fee: amount(1n) },
        })),
      }),
    );
    w.outputs.setFrozen(output(2, 2, 5n), true);
  });
  return made;
}

/** All rows of a closed store. */
function rowsOf(name: string): Record<string, unknown[]> {
  const db = unlockDatabase(join(directory, name), { key: KEY, cipher: NEW_CIPHER });
  try {
    const tables = db.values<string>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name");
    return Object.fromEntries(
      tables.map((table) => [
        table,
        db
          .rows(`SELECT * FROM ${table}`)
          .map((row) => JSON.stringify(row))
          .sort(),
      ]),
    );
  } finally {
    db.close();
  }
}

describe('a rescan', () => {
  test.each([
    ['soft', false],
    ['hard', true],
  ])('deletes in parts what it would delete at once (%s)', async (_, hard) => {
    wallet = open('parts');
    await wallet.store.checkpoint();
    copyFileSync(join(directory, 'parts'), join(directory, 'once'));
    let parts = 0;
    const turns = new EventLoopTurns();
    await clearInParts(wallet, { hard }, () => (parts += 1), 7);
    expect(turns.stop()).toBeGreaterThanOrEqual(parts - 1);
    expect(parts).toBeGreaterThan(5);
    wallet.close();
    const once = WalletStore.open(join(directory, 'once'), KEY);
    once.write((w) => clearChain(w, { hard }));
    once.close();
    expect(rowsOf('parts')).toEqual(rowsOf('once'));
  });

  it('leaves a shorter chain after each part, with the rows of its blocks', () => {
    wallet = open('shorter');
    const { store } = wallet;
    for (let before = BLOCKS; !store.write((w) => w.clearNext({ hard: false, rows: 7 }));) {
      const height = store.height();
      expect(height).toBeLessThan(before);
      before = height;
      expect(store.read((r) => r.payments.list({ min: -1, max: BLOCKS }))).toHaveLength(
        Math.ceil(height / 2),
      );
    }
    expect(store.read((r) => r.chain.tip())).toBeUndefined();
    wallet.close();
  });

  it('ends with the wallet', async () => {
    wallet = open('closed');
    const clearing = clearInParts(wallet, { hard: false }, () => undefined, 7);
    wallet.close();
    expect(await faultOf(() => clearing)).toEqual({ kind: 'no_wallet' });
  });
});
