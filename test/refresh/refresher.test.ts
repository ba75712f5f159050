import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GENESIS_HASH } from '../../src/cryptonote/constants.js';
import { Refresher } from '../../src/refresh/refresher.js';
import type { RefreshTarget } from '../../src/refresh/refresh-run.js';
import { Callers } from '../../src/util/callers.js';
import { freePort } from '../support/process.js';

let refresher: Refresher;

beforeEach(async () => {
  const config = { address: `127.0.0.1:${await freePort()}`, ssl: { mode: 'disabled' } };
  refresher = new Refresher(1, { genesis: GENESIS_HASH.mainnet }, config as never, new Callers());
});
afterEach(() => refresher.close());

const failing: RefreshTarget = {
  scannerState: () => {
    throw new Error('the store is locked');
  },
  commitPage: () => undefined,
  commitSubaddresses: () => undefined,
  commitPool: () => undefined,
  checkpoint: () => Promise.resolve(),
};
const FROM = { history: [], startHeight: 0 };
const BATCH = { mined: [], unmined: [] };

describe('a wallet whose state cannot be read', () => {
  it('has its refresh fail with the cause, every time, and none under way after it', async () => {
    const wallet = refresher.attach(failing);
    for (let i = 0; i < 2; i++) {
      await expect(refresher.refresh(wallet, FROM)).rejects.toThrow('the store is locked');
      expect(refresher.isRunning(wallet)).toBe(false);
    }
  });

  it.each([
    ['a scan of the pool', (wallet: number) => refresher.scanPool(wallet)],
    ['a scan of transactions', (wallet: number) => refresher.scanTransactions(wallet, BATCH)],
    ['a lookahead', (wallet: number) => refresher.lookAhead(wallet, { major: 1, minor: 1 }, [])],
  ])('has %s fail with the cause', async (_, ask) => {
    await expect(ask(refresher.attach(failing))).rejects.toThrow('the store is locked');
  });
});
