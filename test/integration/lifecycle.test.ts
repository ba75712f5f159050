import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createWallet } from '../support/wallets/create-wallet.js';
import { startDaemonProxy, type DaemonProxy } from '../support/network/daemon-proxy.js';
import type { Loose } from '../support/network/json-rpc.js';
import { startMonerod, type Monerod } from '../support/processes/monerod.js';
import { until } from '../support/fakes/until.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';

const STRANGER =
  '44Kbx4sJ7JDRDV5aAhLJzQCjDz2ViLRduE3ijDZu3osWKBjMGkV1XPk4pfDUMqt1Aiezvephdqm6YD19GKFD9ZcXVUTp6BW';

let daemon: Monerod;
let proxy: DaemonProxy;
let wallet: WalletRpc;
/** Directory in which `--tx-notify` creates a file per incoming transaction. */
let notified: string;

beforeAll(async () => {
  daemon = await startMonerod();
  proxy = await startDaemonProxy(daemon.address);
  notified = mkdtempSync(join(tmpdir(), 'notified-'));
  wallet = await startWalletRpc({ daemon: proxy.address, args: [`--tx-notify=touch ${notified}/%s;id`] });
});

afterAll(async () => {
  await wallet?.stop();
  await proxy?.stop();
  await daemon?.stop();
  rmSync(notified, { recursive: true, force: true });
});

describe('the life of a wallet', () => {
  it('starts at the tip', async () => {
    await createWallet(wallet, 'tip');
    expect(await wallet.rpc('refresh')).toEqual({ blocks_fetched: 0, received_money: false });
    expect(await wallet.rpc('get_balance')).toMatchObject({ balance: 0, unlocked_balance: 0 });
  });

  it('knows its own addresses before it has scanned a block', async () => {
    const { address: subaddress } = await wallet.rpc('create_address', { label: 'x' });
    const { address: account } = await wallet.rpc('create_account', {});
    const index = async (address: string): Promise<Loose> =>
      (await wallet.rpc('get_address_index', { address })).index;
    expect(await index((await wallet.rpc('get_address')).address)).toEqual({ major: 0, minor: 0 });
    expect(await index(subaddress)).toEqual({ major: 0, minor: 1 });
    expect(await index(account)).toEqual({ major: 1, minor: 0 });
  });

  it('finds payments to the last of many addresses, and to one beyond it after a restart', async () => {
    const { addresses } = await wallet.rpc('create_address', { count: 450 });
    await wallet.rpc('close_wallet');
    await wallet.rpc('open_wallet', { filename: 'tip', password: '' });
    const { address: primary } = await wallet.rpc('get_address');
    // Few rewards, each of which runs the command; further ones give decoys, and unlock them.
    await daemon.generate(primary, 5);
    await daemon.generate(STRANGER, 70);
    await wallet.rpc('refresh');
    const last = addresses.at(-1) as string;
    await wallet.rpc('transfer', {
      destinations: [{ amount: 5_000_000_000, address: last }],
      account_index: 0,
    });
    await daemon.generate(primary, 1);
    await wallet.rpc('refresh');
    const used = (await wallet.rpc('get_address', { address_index: [451] })).addresses as Loose[];
    expect(used).toEqual([expect.objectContaining({ address: last, used: true })]);
  });

  it('finds all payments since its creation, even if created without a daemon', async () => {
    proxy.decide = () => 'drop';
    await createWallet(wallet, 'offline');
    const { address } = await wallet.rpc('get_address');
    expect((await wallet.call('refresh')).error?.code).toBe(-38);
    await daemon.generate(address, 3);
    proxy.decide = () => 'forward';
    await wallet.rpc('refresh');
    expect((await wallet.rpc('get_transfers', { in: true })).in).toHaveLength(3);
  });

  it('scans the pool before it has scanned a block', async () => {
    await wallet.rpc('auto_refresh', { enable: false });
    await createWallet(wallet);
    expect(await wallet.rpc('get_transfers', { in: true, pool: true })).toEqual({});
    await wallet.rpc('auto_refresh', { enable: true });
  });

  it('in memory leaves no file', async () => {
    await createWallet(wallet);
    const { address } = await wallet.rpc('get_address');
    await daemon.generate(address, 2);
    await wallet.rpc('refresh');
    const mined = (await wallet.rpc('get_transfers', { in: true })).in as Loose[];
    expect(mined).toHaveLength(2);
    // The command runs for each transaction, and without a shell: the text behind the hash is part of the file name.
    await until(
      '--tx-notify',
      () => mined.every(({ txid }) => readdirSync(notified).includes(`${txid};id`)) || undefined,
    );
    await wallet.rpc('close_wallet');
    expect((await wallet.call('get_balance')).error?.code).toBe(-13);
  });

  it('keeps every change, also when a client closes or replaces it without saving', async () => {
    await createWallet(wallet, 'unsaved');
    const set = (value: string): Promise<Loose> => wallet.rpc('set_attribute', { key: 'shop', value });
    const value = async (): Promise<unknown> => (await wallet.rpc('get_attribute', { key: 'shop' })).value;
    const reopened = { filename: 'unsaved', password: '' };
    await set('closed');
    await wallet.rpc('close_wallet', { autosave_current: false });
    await wallet.rpc('open_wallet', reopened);
    expect(await value()).toBe('closed');
    await set('replaced');
    await wallet.rpc('open_wallet', { filename: 'tip', password: '', autosave_current: false });
    await wallet.rpc('open_wallet', reopened);
    expect(await value()).toBe('replaced');
  });

  it('keeps the open wallet when another cannot be opened', async () => {
    await wallet.rpc('open_wallet', { filename: 'tip', password: '' });
    const { address } = await wallet.rpc('get_address');
    expect((await wallet.call('open_wallet', { filename: 'missing', password: '' })).error?.code).toBe(-1);
    expect((await wallet.call('open_wallet', { filename: 'offline', password: 'wrong' })).error?.code).toBe(
      -1,
    );
    expect((await wallet.rpc('get_address')).address).toBe(address);
  });

  it('shows the same after a rescan, which keeps data that is not in the chain', async () => {
    const facts = async (): Promise<unknown> => ({
      balance: (await wallet.rpc('get_balance', { all_accounts: true })).balance,
      out: (await wallet.rpc('get_transfers', { out: true, all_accounts: true })).out,
      labels: (await wallet.rpc('get_address')).addresses[1].label,
    });
    await wallet.rpc('refresh');
    const before = await facts();
    await wallet.rpc('rescan_blockchain');
    expect(await facts()).toEqual(before);
  });

  it('writes deleted files of the open wallet again, complete', async () => {
    await createWallet(wallet, 'deleted');
    await wallet.rpc('set_attribute', { key: 'shop', value: 'before' });
    const file = join(wallet.walletDir, 'deleted');
    rmSync(file);
    rmSync(`${file}.keys`);
    await wallet.rpc('store');
    expect([existsSync(file), existsSync(`${file}.keys`)]).toEqual([true, true]);
    rmSync(file);
    await wallet.rpc('set_attribute', { key: 'order', value: 'after' });
    await wallet.rpc('close_wallet');
    await wallet.rpc('open_wallet', { filename: 'deleted', password: '' });
    expect(await wallet.rpc('get_attribute', { key: 'shop' })).toEqual({ value: 'before' });
    expect(await wallet.rpc('get_attribute', { key: 'order' })).toEqual({ value: 'after' });
  });
});
