import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import type { Loose } from '../support/network/json-rpc.js';
import type { RunningDaemon } from '../support/processes/monerod.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { MAIN, startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { createWallet } from '../support/wallets/create-wallet.js';

/* Outputs of the next fork through the methods: exchange with an offline wallet, proofs, background sync, records. */

const run = promisify(execFile);
const COIN = 1_000_000_000_000;
const FORK = 80;
const STRANGER =
  '44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3A';
const NOT_SETTLED = /form of the fork are not settled/;

let daemon: RunningDaemon;
/** The wallet with all keys, its view-only twin, and its offline twin. */
let full: WalletRpc;
let hot: WalletRpc;
let cold: WalletRpc;
let address = '';
let subaddress = '';
let viewKey = '';
/** Hash of a transaction of the fork that pays 5 to the main address and 3 to a subaddress. */
let paid = '';

const pay = async (destinations: readonly object[], more: object = {}): Promise<string> =>
  (await daemon.rpc('pay_carrot', { destinations, ...more })).tx_hash as string;
const mine = async (blocks: number, to = STRANGER): Promise<void> => {
  await daemon.generate(to, blocks);
  for (const server of [full, hot]) await server?.rpc('refresh');
};
const refusal = async (method: string, params: object): Promise<string> =>
  ((await full.call(method, params)) as Loose).error?.message as string;
const balanceOf = async (server: WalletRpc): Promise<number> =>
  (await server.rpc('get_balance')).balance as number;
const outputsOf = async (server: WalletRpc, transfer_type = 'all'): Promise<Loose[]> =>
  ((await server.rpc('incoming_transfers', { transfer_type })).transfers ?? []) as Loose[];

/** Passes outputs to the offline wallet, and their key images back. */
async function exchange(): Promise<Loose> {
  const { outputs_data_hex } = await hot.rpc('export_outputs', { all: true });
  const { num_imported } = await cold.rpc('import_outputs', { outputs_data_hex });
  const { offset = 0, signed_key_images } = await cold.rpc('export_key_images', { all: true });
  return {
    num_imported,
    signed_key_images,
    ...(await hot.rpc('import_key_images', { offset, signed_key_images })),
  };
}

beforeAll(async () => {
  daemon = await startRegtestDaemon([`--fork-height=${FORK}`]);
  const online = { daemon: daemon.address, args: ['--fork-rules=carrot-2026-07', '--refresh-period=0'] };
  [full, hot, cold] = await Promise.all([startWalletRpc(online), startWalletRpc(online), startWalletRpc()]);
  await createWallet(full, 'full', 'pw');
  ({ address } = await full.rpc('get_address'));
  const key = async (key_type: string): Promise<string> =>
    (await full.rpc('query_key', { key_type })).key as string;
  viewKey = await key('view_key');
  const keys = { password: '', restore_height: 0, address, viewkey: viewKey };
  await hot.rpc('generate_from_keys', { ...keys, filename: 'hot' });
  await cold.rpc('generate_from_keys', { ...keys, filename: 'cold', spendkey: await key('spend_key') });
  ({ address: subaddress } = await full.rpc('create_address', { account_index: 0 }));
  await daemon.generate(address, 1);
  await daemon.generate(STRANGER, FORK);
  paid = await pay([
    { address, amount: 5 * COIN },
    { address: subaddress, amount: 3 * COIN },
  ]);
  await daemon.generate(address, 1);
  await mine(1);
}, 120_000);

afterAll(async () => {
  for (const server of [full, hot, cold]) await server?.stop();
  await daemon?.stop();
});

describe('a wallet', () => {
  it('counts outputs of both forms, and lists, freezes and thaws them', async () => {
    const outputs = await outputsOf(full);
    expect(
      outputs.map(({ amount, subaddr_index }) => [amount < 9 * COIN ? amount : 'reward', subaddr_index]),
    ).toEqual(
      expect.arrayContaining([
        ['reward', 0],
        [5 * COIN, 0],
        [3 * COIN, 1],
      ]),
    );
    expect(outputs).toHaveLength(4);
    const total = outputs.reduce((sum, { amount }) => sum + (amount as number), 0);
    expect(await balanceOf(full)).toBe(total);
    const { key_image } = outputs.find(({ amount }) => amount === 5 * COIN) as Loose;
    await full.rpc('freeze', { key_image });
    expect(await full.rpc('frozen', { key_image })).toEqual({ frozen: true });
    expect(await balanceOf(full)).toBe(total - 5 * COIN);
    await full.rpc('thaw', { key_image });
    expect(await balanceOf(full)).toBe(total);
  });

  it('forgets and finds them with scan_tx and rescans, and makes no payment of them', async () => {
    const before = await outputsOf(full);
    await full.rpc('rescan_spent');
    await full.rpc('scan_tx', { txids: [paid] });
    expect(await outputsOf(full)).toEqual(before);
    await full.rpc('rescan_blockchain', { hard: false });
    await full.rpc('refresh');
    expect((await outputsOf(full)).map(({ key_image }) => key_image as string).sort()).toEqual(
      before.map(({ key_image }) => key_image as string).sort(),
    );
    const destinations = [{ address: STRANGER, amount: 1 }];
    for (const [method, params] of [
      ['transfer', { destinations }],
      ['sweep_all', { address: STRANGER }],
    ] as const)
      expect((await full.call(method, params)).error?.code).toBe(-4);
    // There is no dust: outputs of the fork have no amount that too few others have.
    expect(await full.rpc('sweep_dust')).not.toHaveProperty('tx_hash_list');
  });

  it('records their payments: transfers, notes, exports', async () => {
    const { in: received } = await full.rpc('get_transfers', { in: true });
    expect(
      (received as Loose[])
        .filter(({ txid }) => txid === paid)
        .map(({ amount }) => amount as number)
        .sort(),
    ).toEqual([3 * COIN, 5 * COIN]);
    await full.rpc('set_tx_notes', { txids: [paid], notes: ['of the fork'] });
    expect((await full.rpc('get_tx_notes', { txids: [paid] })).notes).toEqual(['of the fork']);
    const ever = { from: 0, to: '9999-01-01' };
    const { payments } = await full.rpc('export_payments', ever);
    expect((payments as Loose[]).filter((row) => row.tx_hash === paid)).toHaveLength(2);
    const { csv } = await full.rpc('export_payments', { ...ever, format: 'csv' });
    expect((csv as string).split('\n').filter((line) => line.includes(paid))).toHaveLength(2);
  });
});

describe('a proof about a transaction of the fork', () => {
  test.each<[string, (tx: string) => object]>([
    ['check_tx_key', (txid) => ({ txid, tx_key: '01' + '00'.repeat(31), address })],
    ['get_tx_proof', (txid) => ({ txid, address })],
    ['get_tx_proof', (txid) => ({ txid, address: STRANGER })],
    ['check_tx_proof', (txid) => ({ txid, address, signature: `InProofV2${'1'.repeat(132)}` })],
    ['get_spend_proof', (txid) => ({ txid })],
    ['check_spend_proof', (txid) => ({ txid, signature: 'SpendProofV1' })],
    ['get_reserve_proof', () => ({ all: true })],
    ['get_reserve_proof', () => ({ account_index: 0, amount: 40 * COIN })],
    ['get_reserve_bundle', () => ({ message: 'audit' })],
  ])('is refused: %s', async (method, params) => {
    expect(await refusal(method, params(paid))).toMatch(NOT_SETTLED);
  });

  it('is made of older outputs if they reach the amount, or at the height before the fork', async () => {
    const { signature } = await full.rpc('get_reserve_proof', { account_index: 0, amount: COIN });
    expect(await full.rpc('check_reserve_proof', { address, signature })).toMatchObject({ good: true });
    const { bundle } = await full.rpc('get_reserve_bundle', { message: 'audit', height: FORK - 1 });
    expect(bundle.accounts).toHaveLength(1);
  });

  it('leaves signatures of texts as they are', async () => {
    const { signature } = await full.rpc('sign', { data: 'text' });
    expect(await full.rpc('verify', { data: 'text', address, signature })).toMatchObject({ good: true });
  });
});

describe('an offline wallet', () => {
  it('is not trusted with a key image of another signature', async () => {
    const { outputs_data_hex } = await hot.rpc('export_outputs', { all: true });
    await cold.rpc('import_outputs', { outputs_data_hex });
    const { signed_key_images } = await cold.rpc('export_key_images', { all: true });
    for (const change of [
      (text: string) => text.slice(2),
      (text: string) => text.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')),
    ]) {
      const altered = (signed_key_images as Loose[]).map(({ key_image, signature }) => ({
        key_image,
        signature: change(signature as string),
      }));
      expect(
        (await hot.call('import_key_images', { offset: 0, signed_key_images: altered })).error?.code,
      ).toBe(-9);
    }
  });

  it('computes and signs key images of both forms, which its view-only twin takes', async () => {
    const { num_imported, signed_key_images, unspent } = await exchange();
    expect(num_imported).toBe(4);
    expect(
      (signed_key_images as Loose[]).map(({ signature }) => (signature as string).length).sort(),
    ).toEqual([128, 192, 192, 192]);
    expect(unspent).toBe(await balanceOf(full));
    const images = async (server: WalletRpc): Promise<string[]> =>
      (await outputsOf(server)).map(({ key_image }) => key_image as string).sort();
    expect(await images(hot)).toEqual(await images(full));
  });

  it('lets its view-only twin see what is spent of them', async () => {
    const { key_image } = (await outputsOf(full)).find(({ amount }) => amount === 3 * COIN) as Loose;
    const txid = await pay(
      [
        { address: STRANGER, amount: COIN },
        { address, amount: COIN, view_secret: viewKey },
      ],
      {
        spend: [key_image],
      },
    );
    await mine(1);
    expect(await balanceOf(hot)).toBe(await balanceOf(full));
    for (const server of [full, hot]) {
      const spent = (await outputsOf(server, 'unavailable')).map(({ key_image: image }) => image as string);
      expect(spent).toEqual([key_image]);
      const { out } = await server.rpc('get_transfers', { out: true });
      expect((out as Loose[]).map((one) => one.txid as string)).toEqual([txid]);
    }
  });
});

describe('background sync', () => {
  it('finds outputs while the spend key is away, and their spends once it is back', async () => {
    await full.rpc('setup_background_sync', {
      background_sync_type: 'reuse-wallet-password',
      wallet_password: 'pw',
    });
    await full.rpc('start_background_sync');
    await pay([{ address, amount: 7 * COIN }]);
    await mine(1);
    await exchange();
    const { key_image } = (await outputsOf(hot)).find(({ amount }) => amount === 7 * COIN) as Loose;
    // The payment keeps nothing: an output of zero to the wallet marks it.
    const txid = await pay(
      [
        { address: STRANGER, amount: COIN },
        { address, amount: 0, view_secret: viewKey },
      ],
      { spend: [key_image] },
    );
    await mine(1);
    const during = await balanceOf(full);
    expect(during).toBe((await balanceOf(hot)) + 7 * COIN);
    await full.rpc('stop_background_sync', { wallet_password: 'pw' });
    expect(await balanceOf(full)).toBe(await balanceOf(hot));
    const { out } = await full.rpc('get_transfers', { out: true });
    expect((out as Loose[]).map((one) => one.txid as string)).toContain(txid);
  });
});

describe('`wallet-rpc export`', () => {
  it('writes their payments from the files alone', async () => {
    await full.rpc('close_wallet');
    const passwordFile = join(full.walletDir, 'password.txt');
    writeFileSync(passwordFile, 'pw\n');
    const { stdout } = await run(process.execPath, [
      ...[MAIN, 'export', 'full', `--wallet-dir=${full.walletDir}`, `--password-file=${passwordFile}`],
      ...['--from=0', '--to=9999-01-01', '--format=csv'],
    ]);
    expect(stdout.split('\n').filter((line) => line.includes(paid))).toHaveLength(2);
  });
});
