import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import type { Loose } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { someRows } from '../support/jest/lanes.js';
import { createWallet } from '../support/wallets/create-wallet.js';
import { exchangeMultisigInfo, formGroup } from '../support/wallets/multisig-party.js';

/* The highest fee that a call allows, in every method that pays, and every kind of wallet. */

const XMR = 1_000_000_000_000;

let daemon: Monerod;
let servers: [WalletRpc, WalletRpc];
let address: string;

/** Reads the balance, the unspent outputs and the payments, which a payment would change. */
const books = async (wallet: WalletRpc): Promise<unknown> => [
  await wallet.rpc('get_balance'),
  await wallet.rpc('get_transfers', { out: true, pending: true, failed: true }),
  await wallet.rpc('incoming_transfers', { transfer_type: 'available' }),
];

const feeIn = (made: Loose): number =>
  'fee' in made
    ? (made.fee as number)
    : ((made.fee_list ?? []) as number[]).reduce((total, fee) => total + fee, 0);

/**
 * Calls a method with a highest fee of one atomic unit, which it refuses, then with twice the fee that its error names, under
 * the same idempotency key.
 */
async function expectLimited(wallet: WalletRpc, method: string, params: Loose): Promise<Loose> {
  const before = await books(wallet);
  const { error } = await wallet.call(method, { ...params, max_fee: 1, idempotency_key: method });
  const [, coins = ''] =
    /^the fee would be (\d\.\d{12}), above the max_fee of 0\.000000000001: nothing was paid$/.exec(
      error?.message ?? '',
    ) ?? [];
  expect([error?.code, coins]).toEqual([-70, expect.stringMatching(/\d/)]);
  expect(await books(wallet)).toEqual(before);
  const pool = (await daemon.plain('/get_transaction_pool')) as { transactions?: unknown[] };
  expect(pool.transactions ?? []).toEqual([]);
  // Other inputs and decoys change the weight by some bytes.
  const max_fee = 2 * Math.round(Number(coins) * XMR);
  const made = await wallet.rpc(method, { ...params, max_fee, idempotency_key: method });
  expect(feeIn(made)).toBeGreaterThan(max_fee / 4);
  expect(feeIn(made)).toBeLessThanOrEqual(max_fee);
  return made;
}

beforeAll(async () => {
  daemon = await startRegtestDaemon();
  const options = { daemon: daemon.address, args: ['--refresh-period=0'] };
  servers = [await startWalletRpc(options), await startWalletRpc(options)];
  await createWallet(servers[0], 'payer');
  address = (await servers[0].rpc('get_address')).address as string;
  await daemon.generate(address, 90);
  await servers[0].rpc('refresh');
});

afterAll(async () => {
  await Promise.all((servers ?? []).map((server) => server.stop()));
  await daemon?.stop();
});

describe('a call pays no higher fee than its max_fee', () => {
  const destinations = (): unknown => [{ address, amount: XMR / 2 }];

  const CALLS: readonly [method: string, params: () => Promise<Loose> | Loose][] = [
    ['transfer', () => ({ destinations: destinations() })],
    // The outputs of the payment above.
    ['sweep_all', () => ({ address, below_amount: XMR })],
    ['transfer_split', () => ({ destinations: destinations() })],
    [
      'sweep_single',
      async () => {
        const { transfers } = await servers[0].rpc('incoming_transfers', { transfer_type: 'available' });
        return { address, key_image: transfers[0].key_image as string };
      },
    ],
  ];

  test.each(someRows(CALLS, 2))('%s', async (method, params) => {
    await expectLimited(servers[0], method, await params());
    await daemon.generate(address, 61);
    await servers[0].rpc('refresh');
  });

  it('in whole: the sum of the fees of all its transactions', async () => {
    const params = {
      destinations: Array.from({ length: 20 }, () => ({ address, amount: XMR / 100 })),
      do_not_relay: true,
    };
    const { fee_list: fees } = (await servers[0].rpc('transfer_split', params)) as { fee_list: number[] };
    expect(fees).toHaveLength(2);
    const total = fees.reduce((sum, fee) => sum + fee, 0);
    const least = await servers[0].call('transfer_split', { ...params, max_fee: Math.floor(0.9 * total) });
    expect(least.error?.code).toBe(-70);
    const most = await servers[0].call('transfer_split', { ...params, max_fee: Math.ceil(1.1 * total) });
    expect(most.error).toBeUndefined();
  });

  it('also if there is nothing to pay', async () => {
    expect((await servers[0].call('sweep_dust', { max_fee: 0 })).error).toBeUndefined();
  });

  it('of a view-only wallet, whose set is not made', async () => {
    const key = async (key_type: string): Promise<unknown> =>
      (await servers[0].rpc('query_key', { key_type })).key;
    const viewkey = await key('view_key');
    await servers[1].rpc('generate_from_keys', {
      filename: 'view',
      password: '',
      address,
      viewkey,
      restore_height: 0,
    });
    await servers[1].rpc('refresh');
    const { outputs_data_hex } = await servers[1].rpc('export_outputs', { all: true });
    await servers[0].rpc('import_outputs', { outputs_data_hex });
    const { offset = 0, signed_key_images } = await servers[0].rpc('export_key_images', { all: true });
    await servers[1].rpc('import_key_images', { offset, signed_key_images });
    const made = await expectLimited(servers[1], 'transfer', { destinations: destinations() });
    expect(made.unsigned_txset).toMatch(/^[0-9a-f]+$/);
  });

  it('of a group, whose nonces are not used up', async () => {
    const common = await formGroup(servers, 2, 'group');
    await daemon.generate(common, 2);
    await daemon.generate(address, 60);
    await exchangeMultisigInfo(servers);
    const made = await expectLimited(servers[0], 'transfer', { destinations: destinations() });
    expect(made.multisig_txset).toMatch(/^[0-9a-f]+$/);
  });
});
