import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadKeysFile } from '../../src/store/keys/keys-file-disk.js';
import { lookaheadOf } from '../../src/store/keys/keys-file.js';
import { createWallet } from '../support/wallets/create-wallet.js';
import { walletCalls, type Loose, type WalletCalls } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { startShipped, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { itAtNight } from '../support/jest/lanes.js';

/*
 * The server as it ships, started by bin/wallet-rpc: `build/server` without the modules that replace others in servers
 * under test. One life of two wallets, in the order of the tests.
 */

const PASSWORD = 'of a shop';
const XMR = 1_000_000_000_000;
/** Blocks until a mined output can be spent, with outputs left over for rings. */
const UNLOCK_BLOCKS = 75;
/** Blocks until a received output can be spent. */
const CHANGE_BLOCKS = 10;

let daemon: Monerod;
let server: WalletRpc;
let shop: WalletCalls;
let customer: WalletCalls;

const start = async (walletDir?: string): Promise<void> => {
  server = await startShipped({
    daemon: daemon.address,
    ...(walletDir === undefined ? {} : { walletDir }),
  });
  shop = walletCalls(server.port, 'shop');
  customer = walletCalls(server.port, 'customer');
};

const refresh = (): Promise<unknown> => Promise.all([shop, customer].map((wallet) => wallet.rpc('refresh')));

/** Ends the server by a signal and starts another on its wallets. @returns the exit code of the first. */
async function restart(signal: NodeJS.Signals): Promise<number | null> {
  const { walletDir } = server;
  const code = await server.stop({ signal, keep: true });
  await start(walletDir);
  for (const wallet of [shop, customer]) await wallet.rpc('open_wallet', { password: PASSWORD });
  await refresh();
  return code;
}

const addressOf = async (wallet: WalletCalls): Promise<string> =>
  (await wallet.rpc('get_address')).address as string;

const balanceOf = async (wallet: WalletCalls): Promise<number> =>
  (await wallet.rpc('get_balance')).balance as number;

const pay = (from: WalletCalls, address: string, amount: number): Promise<Loose> =>
  from.rpc('transfer', { destinations: [{ amount, address }] });

/** Records of a wallet that no restart may change. */
const recordsOf = async (wallet: WalletCalls): Promise<unknown> => ({
  addresses: await wallet.rpc('get_address'),
  balance: await wallet.rpc('get_balance'),
  height: await wallet.rpc('get_height'),
  transfers: await wallet.rpc('get_transfers', { in: true, out: true, pending: true }),
  attribute: await wallet.rpc('get_attribute', { key: 'order' }),
});

beforeAll(async () => {
  daemon = await startRegtestDaemon();
  await start();
});

afterAll(async () => {
  await server?.stop({ keep: false });
  await daemon?.stop();
});

describe('the server as it ships', () => {
  it('creates wallets, which watch as many subaddresses as those of the reference', async () => {
    for (const wallet of [shop, customer]) await createWallet(wallet, '', PASSWORD);
    const file = await loadKeysFile(join(server.walletDir, 'shop.keys'), PASSWORD, 1);
    expect(lookaheadOf(file)).toEqual({ major: 50, minor: 200 });
    await shop.rpc('set_attribute', { key: 'order', value: '1' });
    await customer.rpc('set_attribute', { key: 'order', value: 'none' });
  });

  it('receives, pays and refreshes', async () => {
    await daemon.generate(await addressOf(customer), UNLOCK_BLOCKS);
    await customer.rpc('refresh');
    const before = await balanceOf(customer);
    const { tx_hash, fee } = await pay(customer, await addressOf(shop), XMR);
    expect(await balanceOf(customer)).toBe(before - XMR - (fee as number));
    await daemon.generate(await addressOf(shop), 1);
    await refresh();
    const { transfer } = await shop.rpc('get_transfer_by_txid', { txid: tx_hash });
    expect(transfer).toMatchObject({ type: 'in', amount: XMR });
  });

  itAtNight('has the same wallets after SIGTERM and a restart', async () => {
    const before = await Promise.all([shop, customer].map(recordsOf));
    const { process: first } = server;
    expect(await restart('SIGTERM')).toBe(0);
    expect(first.output()).toContain('Wallet RPC server stopped');
    expect(await Promise.all([shop, customer].map(recordsOf))).toEqual(before);
  });

  itAtNight('loses nothing that it answered before kill -9', async () => {
    await daemon.generate(await addressOf(customer), CHANGE_BLOCKS);
    await refresh();
    const { address } = await shop.rpc('create_address', { label: 'order 2' });
    await shop.rpc('set_attribute', { key: 'order', value: '2' });
    const { tx_hash } = await pay(customer, address as string, 2 * XMR);
    await refresh();
    const before = await Promise.all([shop, customer].map(recordsOf));
    expect(await restart('SIGKILL')).toBeNull();
    expect(await Promise.all([shop, customer].map(recordsOf))).toEqual(before);
    await daemon.generate(await addressOf(customer), 1);
    await refresh();
    for (const [wallet, type] of [
      [shop, 'in'],
      [customer, 'out'],
    ] as const) {
      const { transfer } = await wallet.rpc('get_transfer_by_txid', { txid: tx_hash });
      expect(transfer).toMatchObject({ type, amount: 2 * XMR });
    }
  });

  it('stops by SIGTERM with exit code 0', async () => {
    expect(await server.stop({ keep: true })).toBe(0);
  });
});
