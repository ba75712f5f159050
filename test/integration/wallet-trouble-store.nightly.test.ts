import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { damageStore } from '../support/wallets/damage-store.js';
import { lowerLimit } from '../support/processes/process-limits.js';
import { until } from '../support/fakes/until.js';
import { moneyOf, moneyOfTwin, startCrowd, type Crowd } from '../support/wallets/wallet-crowd.js';

/* Wallets whose store is damaged, deleted or on a full disk, beside three wallets without trouble. */

const AMOUNT = 1_000_000_000;
const SOUND = ['one', 'two', 'three'];
const TROUBLED = ['damaged', 'deleted', 'full'];

const DAMAGED = { code: -1, message: "the wallet 'damaged' cannot be read: its store is damaged" };

const FULL = {
  code: -1,
  message: expect.stringMatching(
    /^the file 'full' cannot be used: .*(disk|size limit).*\((E|SQLITE_)[A-Z_]+\)$/,
  ),
};

/** Size of a write-ahead log that no wallet of a short chain reaches otherwise [bytes]. */
const LONG_LOG = 8_000_000;

let crowd: Crowd;

const storeOf = (name: string): string => join(crowd.server.walletDir, name);

/** Payments, addresses and blocks of the wallets without trouble, which must all succeed. */
async function useTheOthers(): Promise<void> {
  const paid = await Promise.all(
    SOUND.map((name, i) =>
      crowd.at(name).rpc('transfer', {
        destinations: [{ amount: AMOUNT, address: crowd.address(SOUND[(i + 1) % SOUND.length] ?? '') }],
      }),
    ),
  );
  await crowd.mine(2);
  const { height } = await crowd.daemon.rpc('get_info');
  await Promise.all(
    SOUND.map(async (name, i) => {
      const { rpc } = crowd.at(name);
      await rpc('refresh');
      expect((await rpc('get_height')).height).toBe(height);
      const txid = paid[(i + SOUND.length - 1) % SOUND.length]?.tx_hash as string;
      expect((await rpc('get_transfer_by_txid', { txid })).transfer).toMatchObject({ type: 'in' });
      const before = (await rpc('get_address')).addresses.length as number;
      expect((await rpc('create_address')).address_index).toBe(before);
    }),
  );
  for (const name of SOUND) expect(crowd.linesOf(name).filter((line) => / [WEF] /.test(line))).toEqual([]);
}

beforeAll(async () => {
  crowd = await startCrowd([...SOUND, ...TROUBLED], { ownProcess: true });
});

afterAll(async () => {
  await crowd?.stop();
});

describe('a wallet whose store is damaged while it is open', () => {
  it('fails its own requests with that cause, and no request of another wallet', async () => {
    await damageStore(crowd.server.walletDir, 'damaged', crowd.at('damaged'));
    // Blocks without findings would stay in memory.
    await crowd.daemon.generate(crowd.address('damaged'), 1);
    for (const method of ['get_balance', 'get_accounts', 'create_address', 'refresh'])
      expect([method, (await crowd.at('damaged').call(method)).error]).toEqual([method, DAMAGED]);
    await useTheOthers();
  });

  it('is named in the log by each failed refresh', async () => {
    await crowd.at('damaged').rpc('auto_refresh', { enable: true, period: 1 });
    await until(
      'two failed refreshes',
      () => crowd.linesOf('damaged', 'refreshing a wallet failed').length > 1 || undefined,
    );
    await useTheOthers();
  });

  it('can be closed; its name is then refused until its store is removed', async () => {
    const { call, rpc } = crowd.at('damaged');
    await rpc('close_wallet');
    expect((await call('open_wallet', { password: '' })).error).toMatchObject({
      code: -1,
      data: { explanation: expect.stringContaining("the wallet 'damaged' cannot be read") },
    });
    rmSync(storeOf('damaged'));
    await rpc('open_wallet', { password: '' });
    await useTheOthers();
    expect(await moneyOf(crowd.at('damaged'))).toEqual(await moneyOfTwin(crowd, 'damaged', 'twin 1'));
  });
});

describe('a wallet whose store is deleted while it is open', () => {
  it('writes its store again with all of its content, and says so in the log by name', async () => {
    const { rpc } = crowd.at('deleted');
    const { address } = await rpc('create_address', { label: 'before' });
    for (const suffix of ['', '-wal', '-shm']) rmSync(storeOf('deleted') + suffix, { force: true });
    await useTheOthers();
    expect((await rpc('create_address', { label: 'after' })).address_index).toBe(2);
    expect(existsSync(storeOf('deleted'))).toBe(true);
    expect(crowd.linesOf('deleted', 'was written again')).toHaveLength(1);
    await rpc('close_wallet');
    await rpc('open_wallet', { password: '' });
    expect((await rpc('get_address')).addresses).toContainEqual(
      expect.objectContaining({ address, label: 'before' }),
    );
    expect(await moneyOf(crowd.at('deleted'))).toEqual(await moneyOfTwin(crowd, 'deleted', 'twin 2'));
  });
});

describe('a wallet whose disk is full', () => {
  it('fails its own writes with the cause, answers its reads, and catches up when there is space', async () => {
    const { call, rpc } = crowd.at('full');
    // Its log is longer than the limit, so that it cannot grow; all other files are shorter than the limit.
    for (let i = 0; i < LONG_LOG / 60_000; i++)
      await rpc('set_attribute', { key: `k${i}`, value: 'x'.repeat(60_000) });
    const before = await rpc('get_balance');
    const raise = lowerLimit(crowd.server.process.child.pid ?? 0, 'fsize', LONG_LOG);
    try {
      // More blocks than a wallet keeps in memory.
      await crowd.mine(20);
      for (const method of ['create_address', 'refresh'])
        expect([method, (await call(method)).error]).toEqual([method, FULL]);
      await useTheOthers();
      expect(await rpc('get_balance')).toEqual(before);
    } finally {
      raise();
    }
    await useTheOthers();
    expect((await rpc('create_address')).address_index).toBe(1);
    expect(await moneyOf(crowd.at('full'))).toEqual(await moneyOfTwin(crowd, 'full', 'twin 3'));
  });
});
