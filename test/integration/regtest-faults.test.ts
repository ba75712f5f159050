import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createWallet } from '../support/wallets/create-wallet.js';
import type { Loose } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { until } from '../support/fakes/until.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { itAtNight } from '../support/jest/lanes.js';

/* The wallet server with a daemon that injects each fault. */

let daemon: Monerod;
let wallet: WalletRpc;
let address: string;

const setFaults = async (what: string): Promise<void> => {
  expect(await daemon.plain('/misbehave', { what })).toMatchObject({ status: 'OK' });
};
const amountSent = 1_000_000_000;
const pay = () => wallet.call('transfer', { destinations: [{ address, amount: amountSent }] });
const balance = (): Promise<Loose> => wallet.rpc('get_balance');
const pending = async (): Promise<Loose[]> =>
  ((await wallet.rpc('get_transfers', { pending: true })) as Loose).pending ?? [];
const height = async (): Promise<number> => ((await wallet.rpc('get_height')) as Loose).height;
/** Refreshes until one succeeds. */
const refreshed = (): Promise<true> =>
  until('a refresh to succeed', async () => (await wallet.call('refresh')).error === undefined || undefined);

beforeAll(async () => {
  daemon = await startRegtestDaemon(['--misbehave=none']);
  wallet = await startWalletRpc({ daemon: daemon.address });
  await wallet.rpc('auto_refresh', { enable: false });
  await createWallet(wallet, 'survivor');
  ({ address } = await wallet.rpc('get_address'));
  await daemon.generate(address, 90);
  await wallet.rpc('refresh');
});

afterAll(async () => {
  await wallet?.stop();
  await daemon?.stop();
});

let before: Loose;
beforeEach(async () => {
  before = await balance();
});
afterEach(async () => {
  await setFaults('');
  await refreshed();
});

describe('a wallet survives', () => {
  test('a slow daemon, and answers requests meanwhile', async () => {
    await daemon.generate(address, 1);
    await setFaults('latency=1000');
    const refreshing = wallet.rpc('refresh');
    let isRefreshed = false;
    void refreshing.then(() => (isRefreshed = true));
    await balance();
    expect(isRefreshed).toBe(false);
    expect(await refreshing).toMatchObject({ blocks_fetched: 1, received_money: true });
  });

  itAtNight('a daemon that drops every other request', async () => {
    await daemon.generate(address, 2);
    await setFaults('drop=2');
    await refreshed();
    expect(await height()).toBe(
      (await daemon.rpc('get_block_count').catch(() => daemon.rpc('get_block_count'))).count,
    );
  });

  test('a daemon that drops requests during a payment: the payment is made once, or not at all', async () => {
    await setFaults('drop=3');
    const { result, error } = await pay();
    await setFaults('');
    await refreshed();
    const known = await pending();
    if (error === undefined) expect(known.map(({ txid }) => txid)).toEqual([(result as Loose).tx_hash]);
    const { tx_hashes = [] } = await daemon.plain('/get_transaction_pool_hashes');
    expect([...(tx_hashes as string[])].sort()).toEqual(known.map(({ txid }) => txid as string).sort());
    await daemon.generate(address, 1);
    await refreshed();
    expect(await pending()).toEqual([]);
  });

  itAtNight('a daemon that truncates its answers', async () => {
    const at = await height();
    await daemon.generate(address, 1);
    await setFaults('truncate=1');
    expect((await wallet.call('refresh')).error).toMatchObject({ code: expect.any(Number) });
    expect(await height()).toBe(at);
    expect(await balance()).toEqual(before);
  });

  itAtNight('a daemon that sends oversized answers', async () => {
    const at = await height();
    await daemon.generate(address, 1);
    await setFaults('oversize=1');
    expect((await wallet.call('refresh')).error).toMatchObject({ code: expect.any(Number) });
    expect(await height()).toBe(at);
    expect(await balance()).toEqual(before);
  });

  itAtNight('a daemon that reports a longer chain', async () => {
    await setFaults('wrong-height=1000');
    await wallet.call('refresh');
    const { height: true_height } = await daemon
      .rpc('get_last_block_header')
      .then((r: Loose) => r.block_header);
    expect(await height()).toBe(true_height + 1);
    expect(await balance()).toEqual(before);
  });

  itAtNight('a daemon that falsifies ring members: nothing is paid, nothing stays reserved', async () => {
    await setFaults('wrong-ring-data=1');
    expect((await pay()).error).toMatchObject({ code: expect.any(Number) });
    expect(await pending()).toEqual([]);
    expect(await balance()).toEqual(before);
    expect(await daemon.plain('/get_transaction_pool_hashes')).not.toHaveProperty('tx_hashes');
  });

  itAtNight('a daemon that demands excessive fees: nothing is paid, nothing stays reserved', async () => {
    await setFaults('inflated-fee=1000000');
    expect((await pay()).error).toMatchObject({ code: expect.any(Number) });
    expect(await pending()).toEqual([]);
    expect(await balance()).toEqual(before);
  });

  test('a daemon that reorganises constantly', async () => {
    const { result } = await pay();
    await daemon.generate(address, 1);
    await setFaults('reorganise=3');
    for (let round = 0; round < 4; round++) {
      await refreshed();
      await daemon.generate(address, 1);
    }
    await setFaults('');
    await daemon.generate(address, 4);
    await refreshed();
    const { transfer } = await wallet.rpc('get_transfer_by_txid', { txid: (result as Loose).tx_hash });
    expect(transfer).toMatchObject({ type: 'out', confirmations: expect.any(Number) });
  });

  itAtNight('all faults, with the same state as a wallet that saw none', async () => {
    const books = async (): Promise<unknown> => {
      const { in: received = [], out = [] } = (await wallet.rpc('get_transfers', {
        in: true,
        out: true,
      })) as Loose;
      return {
        balance: await balance(),
        received: (received as Loose[]).map(({ txid, amount }) => [txid, amount]),
        paid: (out as Loose[]).map(({ txid, fee }) => [txid, fee]),
      };
    };
    const { key: seed } = await wallet.rpc('query_key', { key_type: 'mnemonic' });
    const survivor = await books();
    await wallet.rpc('restore_deterministic_wallet', { filename: 'twin', password: '', seed });
    await refreshed();
    expect(await books()).toEqual(survivor);
  });
});

describe('a daemon', () => {
  test('refuses unknown faults', async () => {
    expect((await daemon.plain('/misbehave', { what: 'lie=1' })).status).toMatch(/latency, drop/);
  });

  test.each([
    ['without an address', { what: 'swapped-payment=1' }, 'swapped-payment: address is expected'],
    ['of no amount', { what: '', amount: 0 }, 'amount: a positive number is expected'],
    ['without key images', { what: 'forged-spend=1' }, 'forged-spend: key_images is expected'],
    ['with a wrong address', { what: '', address: '4x' }, 'address: not an address of this network'],
    ['with a wrong key image', { what: '', key_images: ['00'] }, 'key_images: 64 hex digits are expected'],
    ['with a height beyond all', { what: 'wrong-height=1000000001' }, 'a number from 1 to 1000000000'],
  ])('refuses lies %s', async (_, request, message) => {
    expect((await daemon.plain('/misbehave', request)).status).toContain(message);
  });

  test('injects no faults unless started with --misbehave', async () => {
    const good = await startRegtestDaemon();
    try {
      const reply = await fetch(`http://${good.address}/misbehave`, {
        method: 'POST',
        body: '{"what":"drop=1"}',
      });
      expect(reply.status).toBe(400);
      expect(await good.rpc('get_block_count')).toMatchObject({ count: 1 });
    } finally {
      await good.stop();
    }
  });
});
