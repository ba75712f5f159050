import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createWallet } from '../support/wallets/create-wallet.js';
import type { Loose } from '../support/network/json-rpc.js';
import { startMonerod, type Monerod } from '../support/processes/monerod.js';
import { DEFAULT_LOOKAHEAD_ENV } from '../support/processes/reference-preload.js';
import { startReference, startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';

/*
 * A wallet that monero-wallet-rpc created and used is opened by our server, which gives the same answers about
 * accounts, payments and notes. The reference's answers are recorded once, before it stops.
 */

const ROUNDS = 3;
const PASSWORD = 'pässword';
const XMR = 1_000_000_000_000;
const args = [`--kdf-rounds=${ROUNDS}`];

/** Answers of both servers for every wallet. */
interface Money {
  readonly accounts: Loose;
  readonly addresses: Loose[];
  readonly transfers: Loose;
  readonly balance: Loose;
}

/** Additional answers for the wallet that paid. */
interface Answers extends Money {
  readonly tags: Loose;
  readonly book: Loose;
  readonly notes: Loose;
  readonly attributes: Loose[];
  readonly txKeys: Loose[];
}

let daemon: Monerod;
/** Copy of the directory as the reference left it. */
let left: string;
let wanted: Answers;
let watched: Money;
let ours: WalletRpc;
const paid: Record<'single' | 'several' | 'integrated' | 'pending', string> = {
  single: '',
  several: '',
  integrated: '',
  pending: '',
};
let frozen: string;

/** Fields that depend on the time, or that release 0.18 does not send. */
const PASSING = ['confirmations', 'suggested_confirmations_threshold', 'locked', 'change_amount'];

const without = (entry: Loose, names: readonly string[]): Loose =>
  Object.fromEntries(Object.entries(entry as object).filter(([name]) => !names.includes(name)));

async function moneyOf(wallet: WalletRpc): Promise<Money> {
  const accounts = await wallet.rpc('get_accounts');
  const transfers = await wallet.rpc('get_transfers', {
    in: true,
    out: true,
    pending: true,
    failed: true,
    all_accounts: true,
  });
  return {
    accounts,
    addresses: await Promise.all(
      (accounts.subaddress_accounts as Loose[]).map(({ account_index }) =>
        wallet.rpc('get_address', { account_index }),
      ),
    ),
    transfers: Object.fromEntries(
      Object.entries(transfers as Record<string, Loose[]>).map(([kind, entries]) => [
        kind,
        entries
          .map((entry) => without(entry, PASSING))
          .sort((a, b) =>
            `${a.txid}${a.subaddr_index.minor}` < `${b.txid}${b.subaddr_index.minor}` ? -1 : 1,
          ),
      ]),
    ),
    balance: await wallet.rpc('get_balance', { account_index: 0 }),
  };
}

const answers = async (wallet: WalletRpc): Promise<Answers> => ({
  ...(await moneyOf(wallet)),
  tags: await wallet.rpc('get_account_tags'),
  // Release 0.18 sends no payment id with an integrated address.
  book: ((await wallet.rpc('get_address_book')).entries as Loose[]).map((entry) =>
    without(entry, ['payment_id']),
  ),
  notes: await wallet.rpc('get_tx_notes', { txids: Object.values(paid) }),
  attributes: await Promise.all(['shop', 'empty'].map((key) => wallet.rpc('get_attribute', { key }))),
  txKeys: await Promise.all(Object.values(paid).map((txid) => wallet.rpc('get_tx_key', { txid }))),
});

beforeAll(async () => {
  daemon = await startMonerod();
  const theirs = await startReference({ daemon: daemon.address, args, env: DEFAULT_LOOKAHEAD_ENV });
  await createWallet(theirs, 'payee');
  const { address: payee } = await theirs.rpc('get_address');
  const { address: payeeSub } = await theirs.rpc('create_address', { account_index: 0 });
  const { integrated_address: payeeIntegrated } = await theirs.rpc('make_integrated_address', {
    payment_id: '1122334455667788',
  });
  await createWallet(theirs, 'shop', PASSWORD);
  const { address: primary } = await theirs.rpc('get_address');
  await daemon.generate(primary, 100);
  await theirs.rpc('refresh');

  await theirs.rpc('label_address', { index: { major: 0, minor: 0 }, label: 'the till' });
  const { addresses } = await theirs.rpc('create_address', { account_index: 0, count: 3, label: 'customer' });
  const { address: second } = await theirs.rpc('create_account', { label: 'Zweigstelle ☕' });
  await theirs.rpc('create_account', { label: '' });
  await theirs.rpc('label_address', { index: { major: 0, minor: 2 }, label: 'Zoë' });
  await theirs.rpc('tag_accounts', { tag: 'branches', accounts: [1, 2] });
  await theirs.rpc('set_account_tag_description', { tag: 'branches', description: 'all but the first' });
  await theirs.rpc('set_attribute', { key: 'shop', value: 'order 66' });
  await theirs.rpc('set_attribute', { key: 'empty', value: '' });
  for (const [address, description] of [
    [payee, 'plain'],
    [payeeSub, 'a subaddress'],
    [payeeIntegrated, 'with a payment id'],
  ])
    await theirs.rpc('add_address_book', { address, description });

  const pay = async (destinations: { amount: number; address: string }[]): Promise<string> => {
    const { tx_hash: hash } = await theirs.rpc('transfer', { destinations });
    return hash as string;
  };
  paid.single = await pay([{ amount: XMR, address: payee }]);
  paid.several = await pay([
    { amount: 2 * XMR, address: payeeSub },
    { amount: 3 * XMR, address: payee },
    { amount: 4 * XMR, address: second },
    { amount: 5 * XMR, address: addresses[1] },
  ]);
  paid.integrated = await pay([{ amount: 6 * XMR, address: payeeIntegrated }]);
  await daemon.generate(payee, 12);
  await theirs.rpc('refresh');
  await theirs.rpc('set_tx_notes', {
    txids: [paid.single, paid.integrated],
    notes: ['refund', 'für «Zoë»'],
  });
  frozen = (await theirs.rpc('incoming_transfers', { transfer_type: 'available' })).transfers[0].key_image;
  await theirs.rpc('freeze', { key_image: frozen });
  paid.pending = await pay([{ amount: 7 * XMR, address: payeeSub }]);
  wanted = await answers(theirs);
  const { signed_key_images } = await theirs.rpc('export_key_images', { all: true });
  const { key: viewkey } = await theirs.rpc('query_key', { key_type: 'view_key' });
  await theirs.rpc('generate_from_keys', {
    filename: 'watch',
    address: primary,
    viewkey,
    password: '',
    restore_height: 0,
  });
  await theirs.rpc('refresh');
  await theirs.rpc('import_key_images', { signed_key_images });
  await theirs.rpc('label_account', { account_index: 0, label: 'watched' });
  watched = await moneyOf(theirs);
  await theirs.rpc('close_wallet');
  left = mkdtempSync(join(tmpdir(), 'left-'));
  await theirs.stop({ keep: true });
  cpSync(theirs.walletDir, left, { recursive: true });
  rmSync(theirs.walletDir, { recursive: true });

  const moved = mkdtempSync(join(tmpdir(), 'moved-'));
  cpSync(left, moved, { recursive: true });
  ours = await startWalletRpc({ daemon: daemon.address, walletDir: moved, args });
});

afterAll(async () => {
  await ours?.stop({ keep: false });
  await daemon?.stop();
  rmSync(left, { recursive: true, force: true });
});

describe('a wallet that comes from the reference', () => {
  let got: Answers;

  beforeAll(async () => {
    expect((await ours.call('open_wallet', { filename: 'shop', password: 'wrong' })).error?.code).toBe(-1);
    expect(readFileSync(join(ours.walletDir, 'shop')).equals(readFileSync(join(left, 'shop')))).toBe(true);
    await ours.rpc('open_wallet', { filename: 'shop', password: PASSWORD });
    await ours.rpc('refresh');
    got = await answers(ours);
  });

  it.each([
    'accounts',
    'tags',
    'addresses',
    'book',
    'notes',
    'attributes',
    'transfers',
    'txKeys',
    'balance',
  ] as const)('has the same %s', (what) => expect(got[what]).toEqual(wanted[what]));

  it('keeps the cache, byte for byte', () => {
    const kept = readFileSync(join(ours.walletDir, 'shop.reference-cache'));
    expect(kept.equals(readFileSync(join(left, 'shop')))).toBe(true);
  });

  it('is not imported again', async () => {
    await ours.rpc('label_address', { index: { major: 0, minor: 0 }, label: 'changed' });
    await ours.rpc('close_wallet');
    await ours.rpc('open_wallet', { filename: 'shop', password: PASSWORD });
    expect((await ours.rpc('get_address')).addresses[0].label).toBe('changed');
    expect(readdirSync(ours.walletDir).filter((name) => name.startsWith('shop.reference-cache'))).toEqual([
      'shop.reference-cache',
    ]);
  });

  it('opens in the reference again, with the keys alone or with the kept cache', async () => {
    const back = mkdtempSync(join(tmpdir(), 'back-'));
    for (const name of ['keys alone', 'with cache'])
      cpSync(join(ours.walletDir, 'shop.keys'), join(back, `${name}.keys`));
    cpSync(join(ours.walletDir, 'shop.reference-cache'), join(back, 'with cache'));
    const theirs = await startReference({ walletDir: back, args });
    try {
      const labels = async (filename: string): Promise<string[]> => {
        await theirs.rpc('open_wallet', { filename, password: PASSWORD });
        const { address, addresses } = await theirs.rpc('get_address');
        expect(address).toBe(wanted.addresses[0].address);
        return (addresses as Loose[]).map(({ label }) => label);
      };
      expect(await labels('keys alone')).toEqual(['Primary account']);
      expect(await labels('with cache')).toEqual(['the till', 'customer', 'Zoë', 'customer']);
    } finally {
      await theirs.stop({ keep: false });
    }
  });

  it('keeps frozen outputs frozen', async () => {
    expect(await ours.rpc('frozen', { key_image: frozen })).toEqual({ frozen: true });
  });
});

describe('a view-only wallet that comes from the reference', () => {
  let got: Money;

  beforeAll(async () => {
    await ours.rpc('open_wallet', { filename: 'watch', password: '' });
    await ours.rpc('refresh');
    got = await moneyOf(ours);
  });

  it.each(['accounts', 'addresses', 'balance'] as const)(
    'has the same %s, with spends known from imported key images',
    (what) => expect(got[what]).toEqual(watched[what]),
  );

  it('has the same outgoing payments', () => {
    // `in` and `pending` differ: with key images known from the start, change is not income, and pool spends are found.
    expect(watched.transfers.out).toHaveLength(3);
    expect(got.transfers.out).toEqual(watched.transfers.out);
    expect(got.transfers.pending).toMatchObject([{ txid: paid.pending, amount: 7 * XMR }]);
  });
});
