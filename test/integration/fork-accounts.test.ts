import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { exportClosedWallet } from '../../src/services/manager/closed-wallets.js';
import { restoreBackup, verifyBackup } from '../../src/store/backup/restore.js';
import { createWallet } from '../support/wallets/create-wallet.js';
import { walletCalls, type Loose, type WalletCalls } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { startReference, startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';

/* Wallets of each tier of an account of the fork, on a chain that crosses it. */

const FORK = 12;
const PASSWORD = 'secret';
const TIERS = ['master', 'balance', 'received', 'address'] as const;
type Tier = (typeof TIERS)[number];

let daemon: Monerod;
let server: WalletRpc;
const wallets = {} as Record<Tier, WalletCalls>;
/** Keys of the account, by their type. */
const keys: Record<string, string> = {};
let backups: string;
let primary: string;
let subaddress: string;

/** Mines blocks to an address of none of the wallets. */
const mine = (count: number): Promise<unknown> => daemon.generate(ELSEWHERE, count);
const ELSEWHERE =
  '42ey1afDFnn4886T7196doS9GPMzexD9gXpsZJDwVjeRVdFCSoHnv7KPbBeGpzJBzHRCAs9UxqeoyFQMYbqSWYTfJJQAWDm';

const refreshed = async (tier: Tier): Promise<Loose> => {
  await wallets[tier].rpc('refresh');
  return wallets[tier].rpc('get_balance', { account_index: 0 });
};

/** Pays outputs in the form of the fork, and mines them. */
async function pay(destinations: readonly object[], spend: readonly string[] = []): Promise<void> {
  await daemon.rpc('pay_carrot', { destinations, spend });
  await mine(1);
}

beforeAll(async () => {
  backups = mkdtempSync(join(tmpdir(), 'backups-'));
  daemon = await startRegtestDaemon([`--fork-height=${FORK}`]);
  server = await startWalletRpc({
    daemon: daemon.address,
    args: ['--fork-rules=carrot-2026-07', `--backup-dir=${backups}`],
  });
  const own = { password: PASSWORD, language: 'English' };
  await server.rpc('create_wallet', { filename: 'master', ...own, key_hierarchy: 'carrot' });
  const current = (key_type: string): Promise<Loose> => server.rpc('query_key', { key_type });
  for (const type of [
    ...['mnemonic', 'master_secret', 'balance_secret', 'partial_spend_key'],
    ...['view_key', 'address_secret', 'account_view_key'],
  ])
    keys[type] = (await current(type)).key as string;
  ({ address: primary } = await server.rpc('get_address'));
  ({ address: subaddress } = await server.rpc('create_address', { account_index: 0 }));
  const { view_key: viewkey, address_secret, account_view_key, balance_secret, partial_spend_key } = keys;
  for (const [filename, given] of [
    ['balance', { balance_secret, partial_spend_key }],
    ['received', { viewkey, address_secret, address: primary }],
    ['address', { account_view_key, address_secret, address: primary }],
  ] as const)
    expect(await server.rpc('generate_from_keys', { filename, password: PASSWORD, ...given })).toEqual({
      address: primary,
      info: 'Watch-only wallet has been generated successfully.',
    });
  for (const tier of TIERS) {
    wallets[tier] = walletCalls(server.port, tier);
    await wallets[tier].rpc('open_wallet', { filename: tier, password: PASSWORD });
  }
});

afterAll(async () => {
  await server?.stop();
  await daemon?.stop();
  rmSync(backups, { recursive: true, force: true });
});

describe('every tier', () => {
  test.each(TIERS)('%s makes the same addresses', async (tier) => {
    const { rpc } = wallets[tier];
    const index = { major: 0, minor: 1 };
    if (tier !== 'master')
      expect(await rpc('create_address', { account_index: 0 })).toMatchObject({ address: subaddress });
    expect(await rpc('get_address', { account_index: 0 })).toMatchObject({
      address: primary,
      addresses: [{ address: primary }, { address: subaddress }],
    });
    expect(await rpc('get_address_index', { address: subaddress })).toEqual({ index });
    const { integrated_address: integrated } = await rpc('make_integrated_address', {
      payment_id: '0123456789abcdef',
    });
    expect(await rpc('split_integrated_address', { integrated_address: integrated })).toMatchObject({
      standard_address: primary,
    });
    const { address: account } = await rpc('create_account');
    expect(account).toBe((await wallets.master.rpc('get_address', { account_index: 1 })).address);
  });
});

describe('the tiers that see payments', () => {
  let old = 0n;

  it('count rewards of both forms, and payments to each kind of address', async () => {
    await daemon.generate(primary, 2);
    await mine(FORK);
    await daemon.generate(primary, 1);
    const { blocks } = await wallets.master.rpc('get_transfers', { in: true });
    expect(blocks).toBeUndefined();
    const { balance } = await refreshed('master');
    old = BigInt(balance as number);
    const { transfers } = await wallets.master.rpc('incoming_transfers', {
      transfer_type: 'all',
      verbose: true,
    });
    expect(transfers).toHaveLength(3);
    const { integrated_address: integrated } = await wallets.master.rpc('make_integrated_address', {
      payment_id: '0123456789abcdef',
    });
    await pay([{ address: subaddress, amount: 5 }]);
    await pay([{ address: integrated, amount: 7 }]);
    for (const tier of ['master', 'balance', 'received'] as const)
      expect(BigInt((await refreshed(tier)).balance as number)).toBe(old + 12n);
    const { payments } = await wallets.received.rpc('get_payments', { payment_id: '0123456789abcdef' });
    expect(payments).toMatchObject([{ amount: 7 }]);
  });

  it('see outputs that the account made for itself with its balance secret, but not without it', async () => {
    const { balance_secret, view_key: view_secret } = keys;
    await pay([
      { address: primary, amount: 100, balance_secret },
      { address: ELSEWHERE, amount: 1 },
    ]);
    await pay([
      { address: subaddress, amount: 1000, view_secret },
      { address: ELSEWHERE, amount: 1 },
    ]);
    for (const [tier, seen] of [
      ['master', 1112n],
      ['balance', 1112n],
      ['received', 1012n],
    ] as const)
      expect(BigInt((await refreshed(tier)).balance as number)).toBe(old + seen);
  });

  it('see spends of outputs of either form with the balance secret, but not without it', async () => {
    const { transfers } = await wallets.balance.rpc('incoming_transfers', {
      transfer_type: 'all',
      verbose: true,
    });
    const all = transfers as readonly Loose[];
    const paid = all.find(({ amount }) => amount === 5);
    const [mined] = all;
    await pay([{ address: ELSEWHERE, amount: 1 }], [paid.key_image, mined.key_image]);
    const left = old + 1112n - 5n - BigInt(mined.amount as number);
    for (const [tier, seen] of [
      ['master', left],
      ['balance', left],
      ['received', old + 1012n],
    ] as const)
      expect(BigInt((await refreshed(tier)).balance as number)).toBe(seen);
    const images = async (tier: Tier): Promise<Loose> =>
      (await wallets[tier].rpc('incoming_transfers', { transfer_type: 'all', verbose: true })).transfers.map(
        ({ key_image }: Loose) => key_image,
      );
    expect(await images('balance')).toEqual(await images('master'));
    expect((await images('received')).every((image: string) => image === '')).toBe(true);
  });

  it('see payments to the address of a payment request', async () => {
    const { address, request_id } = await wallets.received.rpc('create_payment_request', { amount: 50 });
    await pay([{ address, amount: 50 }]);
    await refreshed('received');
    const request = await wallets.received.rpc('get_payment_request', { request_id });
    expect(request).toMatchObject({ received: 50 });
  });

  it('leave a server ready, although a wallet that makes addresses alone reads no blocks', async () => {
    for (const tier of ['master', 'balance', 'received'] as const) await refreshed(tier);
    const ready = async (): Promise<Loose> => (await fetch(`http://127.0.0.1:${server.port}/readyz`)).json();
    expect(await ready()).toEqual({ ready: true, reasons: [] });
    expect(await wallets.address.rpc('get_address')).toMatchObject({ address: primary });
  });

  it('find the same in a wallet that is restored from the words', async () => {
    const { seed } = await server.rpc('restore_deterministic_wallet', {
      filename: 'restored',
      seed: keys['mnemonic'],
      key_hierarchy: 'carrot',
    });
    expect(seed).toBe(keys['mnemonic']);
    await server.rpc('refresh');
    const { balance } = await server.rpc('get_balance', { account_index: 0 });
    expect(balance).toBe((await wallets.master.rpc('get_balance', { account_index: 0 })).balance);
    const other = await server.rpc('restore_deterministic_wallet', {
      filename: 'legacy',
      seed: keys['mnemonic'],
    });
    expect(other.address).not.toBe(primary);
  });
});

describe('what a tier cannot do', () => {
  test.each([
    ['get_balance', {}],
    ['get_transfers', {}],
    ['refresh', {}],
    ['create_payment_request', { amount: 1 }],
    ['get_height', {}],
  ])('is said by %s where addresses are all that it makes', async (method, params) => {
    const { error } = await wallets.address.call(method, params);
    expect(error).toMatchObject({ code: -75 });
  });

  test.each([
    ['transfer', { destinations: [{ address: ELSEWHERE, amount: 1 }] }],
    ['sweep_all', { address: ELSEWHERE }],
    ['get_reserve_proof', { all: true }],
    ['export_key_images', {}],
    ['export_outputs', {}],
    ['prepare_multisig', { enable_multisig_experimental: true }],
    ['setup_background_sync', { background_sync_type: 'reuse-wallet-password', wallet_password: PASSWORD }],
    ['create_payouts', { payouts: [{ payout_id: 'p', address: ELSEWHERE, amount: 1 }] }],
    ['query_key', { key_type: 'spend_key' }],
    ['sign', { data: 'x' }],
    ['sign', { data: 'x', signature_type: 'view', address_index: 1 }],
  ])('needs the old keys, says %s of the master tier: %j', async (method, params) => {
    const { error } = await wallets.master.call(method, params);
    expect(error).toMatchObject({ code: -74 });
  });

  test.each([
    ['balance', 'master_secret', -29],
    ['balance', 'mnemonic', -29],
    ['received', 'balance_secret', -29],
    ['received', 'partial_spend_key', -29],
    ['address', 'view_key', -75],
  ] as const)('is a secret of a higher tier: %s has no %s', async (tier, key_type, code) => {
    expect((await wallets[tier].call('query_key', { key_type })).error).toMatchObject({ code });
  });

  it('is not signing with the view key, which anyone verifies', async () => {
    const { signature } = await wallets.received.rpc('sign', { data: 'x', signature_type: 'view' });
    expect(await server.rpc('verify', { data: 'x', address: primary, signature })).toMatchObject({
      good: true,
    });
  });
});

describe('the files of an account of the fork', () => {
  it.each(TIERS)('keep every key of the tier %s through a new password and a restart', async (tier) => {
    const { rpc, call } = wallets[tier];
    const before = await rpc('get_address', { account_index: 0 });
    await rpc('change_wallet_password', { old_password: PASSWORD, new_password: 'new' });
    await rpc('close_wallet');
    expect((await call('open_wallet', { filename: tier, password: PASSWORD })).error).toMatchObject({
      code: -1,
    });
    await rpc('open_wallet', { filename: tier, password: 'new' });
    expect(await rpc('get_address', { account_index: 0 })).toEqual(before);
    expect(await rpc('query_key', { key_type: 'address_secret' })).toEqual({ key: keys['address_secret'] });
    await rpc('change_wallet_password', { old_password: 'new', new_password: PASSWORD });
  });

  it.each(TIERS)('of the tier %s are backed up, checked and restored', async (tier) => {
    const { directory } = await wallets[tier].rpc('backup_wallet');
    const access = { password: PASSWORD, kdfRounds: 1 };
    expect(await verifyBackup(directory as string, access)).toMatchObject({
      ...{ name: tier, network: 'mainnet', viewOnly: tier !== 'master' },
    });
    await expect(verifyBackup(directory as string, { ...access, password: 'x' })).rejects.toMatchObject({
      fault: { kind: 'wrong_password' },
    });
    const name = `copy of ${tier}`;
    const store = join(server.walletDir, name);
    await restoreBackup(directory as string, { name, store, keys: `${store}.keys` });
    const copy = walletCalls(server.port, name);
    await copy.rpc('open_wallet', { filename: name, password: PASSWORD });
    expect(await copy.rpc('get_address')).toMatchObject({ address: primary });
    await copy.rpc('close_wallet');
  });

  it('lead to the payments of a wallet that is closed', async () => {
    await wallets.received.rpc('close_wallet');
    const store = join(server.walletDir, 'received');
    const paths = { name: 'received', store, keys: `${store}.keys`, lock: `${store}.lock` };
    const addresses: string[] = [];
    const filter = { account: 0, from: 0, to: 2 ** 40 };
    await exportClosedWallet(paths, { password: PASSWORD, kdfRounds: 1 }, filter, async (payments) => {
      for await (const page of payments.pages) addresses.push(...page.map(({ address }) => address));
      payments.release();
    });
    expect(addresses).toEqual(expect.arrayContaining([primary, subaddress]));
    await wallets.received.rpc('open_wallet', { filename: 'received', password: PASSWORD });
  });

  it.each(TIERS)('of the tier %s are opened by no server of the reference', async (tier) => {
    await wallets[tier].rpc('close_wallet');
    const reference = await startReference({});
    try {
      copyFileSync(join(server.walletDir, `${tier}.keys`), join(reference.walletDir, `${tier}.keys`));
      const { error } = await reference.call('open_wallet', { filename: tier, password: PASSWORD });
      expect(error?.message).toBe('Failed to open wallet');
      expect((await reference.call('get_address')).error).toMatchObject({ code: -13 });
    } finally {
      await reference.stop();
    }
  });
});

describe('a request to make such an account', () => {
  const own = { filename: 'none', language: 'English' };
  test.each<[string, object, RegExp]>([
    [
      'create_wallet',
      { ...own, key_hierarchy: 'carrot', polyseed: true },
      /Polyseed gives an account with the old keys/,
    ],
    ['create_wallet', { ...own, key_hierarchy: 'other' }, /key_hierarchy/],
    [
      'restore_deterministic_wallet',
      { ...own, key_hierarchy: 'carrot', seed: 'a b' },
      /failed verification|expected 25 words/,
    ],
    [
      'restore_deterministic_wallet',
      { ...own, key_hierarchy: 'carrot', seed: '00', enable_multisig_experimental: true },
      /multisig seed/,
    ],
    [
      'generate_from_keys',
      { ...own, key_hierarchy: 'carrot', viewkey: '00' },
      /no parameter of this method, but of restore/,
    ],
    ['generate_from_keys', { ...own, master_secret: 'x' }, /master_secret has 64 hex digits/],
    [
      'generate_from_keys',
      { ...own, master_secret: '01'.repeat(32), balance_secret: '02'.repeat(32) },
      /does not belong/,
    ],
  ])('is refused by %s: %j', async (method, params, reason) => {
    const { error } = await server.call(method, params);
    expect(`${error?.message} ${error?.data?.explanation}`).toMatch(reason);
    expect(existsSync(join(server.walletDir, 'none.keys'))).toBe(false);
  });
});

describe('a server without the rules of the fork', () => {
  let bare: WalletRpc;

  beforeAll(async () => {
    bare = await startWalletRpc({ daemon: daemon.address });
  });
  afterAll(() => bare?.stop());

  test.each([
    ['create_wallet', { language: 'English', key_hierarchy: 'carrot' }],
    ['restore_deterministic_wallet', { seed: 'x', key_hierarchy: 'carrot' }],
    ['generate_from_keys', { master_secret: '00'.repeat(32) }],
  ])('makes no such account by %s', async (method, params) => {
    const { error } = await bare.call(method, params);
    expect(error?.message).toContain('start the server with --fork-rules');
  });

  it('makes accounts with the old keys', async () => {
    await createWallet(bare);
    expect((await bare.rpc('get_address')).address).toMatch(/^4/);
  });
});
