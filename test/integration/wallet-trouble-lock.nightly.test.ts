import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SqlDatabase } from '../../src/util/sql-database.js';
import type { Loose } from '../support/network/json-rpc.js';
import { openStoreBeside } from '../support/wallets/open-store.js';
import { until } from '../support/fakes/until.js';
import {
  moneyOf,
  moneyOfTwin,
  startCrowd,
  untilCaughtUp,
  type Crowd,
} from '../support/wallets/wallet-crowd.js';

/* A wallet whose store another connection locks, as a backup program may, beside wallets that are not locked. */

const AMOUNT = 5_000_000_000;
const names = ['payer', 'locked', 'first', 'second', 'third'];
const FREE = ['first', 'second', 'third'];

/** Answer to a write of the locked store. */
const LOCKED = {
  code: -1,
  message: expect.stringMatching(/^the file 'locked' cannot be used: another process locks it \(SQLITE_BUSY/),
};

let crowd: Crowd;

/** Runs a task while another connection holds the write lock of the store of `locked`. */
async function whileLocked<T>(task: () => Promise<T>): Promise<T> {
  const { server, at } = crowd;
  const db: SqlDatabase = await openStoreBeside(server.walletDir, 'locked', at('locked'));
  try {
    db.exec('BEGIN IMMEDIATE');
    return await task();
  } finally {
    db.close();
  }
}

/** Pays the same amount to the four wallets in one transaction. @returns its hash. */
async function payAll(): Promise<string> {
  const destinations = ['locked', ...FREE].map((name) => ({ amount: AMOUNT, address: crowd.address(name) }));
  return (await crowd.at('payer').rpc('transfer', { destinations })).tx_hash as string;
}

const payment = async (name: string, txid: string): Promise<Loose> =>
  (await crowd.at(name).rpc('get_transfer_by_txid', { txid })).transfer;

/** True if the log names a wallet whose periodic refresh failed. */
const isNamed = (name: string): boolean => crowd.linesOf(name, 'refreshing a wallet failed').length > 0;

beforeAll(async () => {
  crowd = await startCrowd(names);
});

afterAll(async () => {
  await crowd?.stop();
});

describe('a wallet whose store is locked by another connection', () => {
  it('fails its own writes with the cause, and other wallets answer', async () => {
    await whileLocked(async () => {
      const written = crowd.at('locked').call('create_address');
      expect((await crowd.at('first').call('get_balance')).error).toBeUndefined();
      expect((await written).error).toMatchObject(LOCKED);
    });
    expect((await crowd.at('locked').rpc('create_address')).address_index).toBe(1);
  });

  it('receives a mined payment exactly once after the lock is released; others receive it at once', async () => {
    const txid = await payAll();
    await whileLocked(async () => {
      await crowd.mine(1);
      const refused = crowd.at('locked').call('refresh');
      const refreshed = Promise.all([refused, ...FREE.map((name) => crowd.at(name).rpc('refresh'))]);
      expect((await crowd.at('first').call('get_balance')).error).toBeUndefined();
      await refreshed;
      for (const name of FREE)
        expect(await payment(name, txid)).toMatchObject({ type: 'in', amount: AMOUNT });
      expect((await refused).error).toMatchObject(LOCKED);
      expect((await crowd.at('locked').call('get_transfer_by_txid', { txid })).error?.code).toBe(-8);
    });
    await crowd.at('locked').rpc('refresh');
    expect(await payment('locked', txid)).toMatchObject({ type: 'in', amount: AMOUNT });
    for (const name of ['locked', 'first'])
      expect(await moneyOf(crowd.at(name))).toEqual(await moneyOfTwin(crowd, name, `twin of ${name}`));
  });

  it('shows a payment of the pool that it could not store before', async () => {
    const txid = await whileLocked(async () => {
      const sent = await payAll();
      const answers = await Promise.all(
        ['locked', ...FREE].map((name) => crowd.at(name).call('get_transfers', { pool: true })),
      );
      expect(answers.map(({ error }) => error?.code)).toEqual([-1, undefined, undefined, undefined]);
      expect((await crowd.at('locked').call('refresh')).error).toMatchObject(LOCKED);
      return sent;
    });
    const { pool } = await crowd.at('locked').rpc('get_transfers', { pool: true });
    expect(pool).toEqual([expect.objectContaining({ txid, amount: AMOUNT })]);
    await crowd.mine(1);
  });

  it('is named in the log when a periodic refresh fails, and continues by itself', async () => {
    for (const name of ['locked', ...FREE])
      await crowd.at(name).rpc('auto_refresh', { enable: true, period: 1 });
    await whileLocked(async () => {
      await crowd.mine(3);
      for (const name of FREE) await untilCaughtUp(crowd, name);
      await until('a failed refresh of the locked wallet in the log', () => isNamed('locked'));
    });
    await untilCaughtUp(crowd, 'locked');
    for (const name of FREE) expect(isNamed(name)).toBe(false);
    for (const name of ['locked', 'third'])
      expect(await moneyOf(crowd.at(name))).toEqual(await moneyOfTwin(crowd, name, `last twin of ${name}`));
  });
});
