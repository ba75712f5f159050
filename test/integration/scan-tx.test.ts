import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from '@jest/globals';
import { createWallet } from '../support/wallets/create-wallet.js';
import type { Loose } from '../support/network/json-rpc.js';
import { startTwins, type Twins } from '../support/wallets/twins.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { itAtNight, someRows } from '../support/jest/lanes.js';

/*
 * scan_tx by wallets that start at the tip. The reference has the same keys and has scanned every block, so our wallet
 * must reach its state. The reference makes the payments that our wallet has not seen.
 */

const STRANGER =
  '44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3A';
const XMR = 1_000_000_000_000;

let twins: Twins;
let seed: string;
let tip: number;
/** State of a wallet that has scanned every block. */
let truth: Loose;
let incoming: string[];
let outgoing: string[];
/** Payment to an unrelated address, with change. */
let paid: string;
/** Payment of one whole output to an unrelated address. */
let swept: string;
let count = 0;

const view = async (wallet: WalletRpc): Promise<Loose> => ({
  ...(await wallet.rpc('get_transfers', { in: true, out: true, pending: true, all_accounts: true })),
  balance: (await wallet.rpc('get_balance', { all_accounts: true })).balance,
});

const balance = async (wallet: WalletRpc): Promise<number> =>
  (await wallet.rpc('get_balance', { all_accounts: true })).balance as number;

const entry = async (wallet: WalletRpc, txid: string): Promise<Loose | undefined> => {
  const lists = { in: true, out: true, pending: true, failed: true, all_accounts: true };
  const { result } = await wallet.call('get_transfers', lists);
  const found = Object.values(result as Record<string, Loose[]>)
    .flat()
    .filter((transfer) => transfer.txid === txid);
  expect(found.length).toBeLessThanOrEqual(1);
  return found[0];
};

const scan = (...txids: string[]): Promise<Loose> => twins.ours.rpc('scan_tx', { txids });

const restore = async (wallet: WalletRpc, restore_height: number): Promise<void> => {
  const filename = `scan${++count}`;
  await wallet.rpc('restore_deterministic_wallet', { filename, password: '', seed, restore_height });
};

const pay = async (address: string, amount = XMR): Promise<string> =>
  (await twins.theirs.rpc('transfer', { destinations: [{ address, amount }] })).tx_hash as string;

beforeAll(async () => {
  twins = await startTwins(76);
  const { ours, theirs, daemon } = twins;
  seed = (await ours.rpc('query_key', { key_type: 'mnemonic' })).key;
  const { address: savings } = await theirs.rpc('create_account', {});
  paid = await pay(STRANGER);
  await twins.mine(1, STRANGER);
  const own = await pay(savings);
  await twins.mine(1, STRANGER);
  const { transfers } = await theirs.rpc('incoming_transfers', { transfer_type: 'available' });
  const [{ key_image }] = (transfers as Loose[]).filter(({ unlocked }) => unlocked) as [Loose];
  swept = (await theirs.rpc('sweep_single', { key_image, address: STRANGER })).tx_hash;
  await twins.mine(12, STRANGER);
  await ours.rpc('auto_refresh', { enable: false });
  await restore(ours, 0);
  await ours.rpc('refresh');
  truth = await view(ours);
  expect(truth.balance).toBe(await balance(theirs));
  incoming = (truth.in as Loose[]).map(({ txid }) => txid as string);
  outgoing = (truth.out as Loose[]).map(({ txid }) => txid as string);
  expect(outgoing.sort()).toEqual([paid, own, swept].sort());
  tip = (await daemon.rpc('get_info')).height;
});

afterAll(() => twins?.stop());

describe('a wallet that starts at the tip', () => {
  beforeEach(async () => {
    await restore(twins.ours, tip);
    expect(await balance(twins.ours)).toBe(0);
  });

  test.each(
    someRows<[string, () => Promise<void>]>([
      [
        'payments before the outputs they spend, except payments without change',
        async () => {
          await scan(...outgoing.filter((txid) => txid !== swept));
          await scan(...incoming, swept);
        },
      ],
      [
        'twice in one call',
        async () => void (await scan(...outgoing, ...incoming, ...outgoing, ...incoming)),
      ],
      ['all at once', async () => void (await scan(...incoming, ...outgoing))],
      [
        'in turn',
        async () => {
          await scan(...incoming);
          await scan(...outgoing);
        },
      ],
      [
        'twice',
        async () => {
          await scan(...incoming, ...outgoing);
          await scan(...outgoing, ...incoming);
          await scan(...incoming);
        },
      ],
    ]),
  )('has what all its transactions give: %s', async (_, read) => {
    await read();
    expect(await balance(twins.ours)).toBe(truth.balance);
    await twins.ours.rpc('refresh');
    expect(await view(twins.ours)).toEqual(truth);
    await twins.ours.rpc('rescan_blockchain');
    expect(await balance(twins.ours)).toBe(0);
  });

  test.each([
    ['nothing', [], undefined],
    ['no hash', ['zz'], -8],
    ['half a hash', ['00'.repeat(16)], -8],
    ['an unknown one', ['00'.repeat(32)], -1],
  ])('learns nothing from %s', async (_, txids, code) => {
    const { ours } = twins;
    expect((await ours.call('scan_tx', { txids })).error?.code).toBe(code);
    if (code !== undefined)
      expect((await ours.call('scan_tx', { txids: [...txids, paid] })).error?.code).toBe(code);
    expect(await balance(ours)).toBe(0);
  });

  it('is not changed by an unrelated transaction', async () => {
    const { ours, daemon } = twins;
    const { miner_tx_hash } = (await daemon.rpc('get_block', { height: tip - 1 })) as Loose;
    await scan(miner_tx_hash);
    expect(await balance(ours)).toBe(0);
  });
});

describe('an untrusted daemon', () => {
  it('does not learn which transactions are ours, unless scan_tx requests them', async () => {
    const args = ['--untrusted-daemon'];
    const wallet = await startWalletRpc({ daemon: twins.daemon.address, args });
    try {
      await wallet.rpc('auto_refresh', { enable: false });
      await restore(wallet, tip);
      await wallet.rpc('scan_tx', { txids: [paid] });
      const before = await view(wallet);
      expect((await wallet.call('scan_tx', { txids: incoming })).error?.code).toBe(-1);
      expect(await view(wallet)).toEqual(before);
      await wallet.rpc('scan_tx', { txids: [...incoming, ...outgoing] });
      expect(await balance(wallet)).toBe(truth.balance);
    } finally {
      await wallet.stop();
    }
  });
});

describe('a view-only wallet', () => {
  itAtNight('finds received outputs, and spends once key images are imported', async () => {
    const { ours, theirs } = twins;
    await restore(ours, 0);
    await ours.rpc('refresh');
    const { signed_key_images } = await ours.rpc('export_key_images', { all: true });
    const { key: viewkey } = await ours.rpc('query_key', { key_type: 'view_key' });
    const given = { address: twins.address, viewkey, password: '', restore_height: tip };
    await ours.rpc('generate_from_keys', { ...given, filename: `scan${++count}` });
    await scan(...incoming, ...outgoing);
    expect(await balance(ours)).toBeGreaterThan(truth.balance as number);
    expect((await ours.rpc('get_transfers', { out: true })).out).toBeUndefined();
    await ours.rpc('import_key_images', { signed_key_images });
    expect(await balance(ours)).toBe(truth.balance);

    const made = await pay(STRANGER);
    await twins.daemon.generate(STRANGER, 1);
    for (let time = 0; time < 2; time++) {
      await scan(made);
      expect(await entry(ours, made)).toMatchObject({ type: 'out', amount: XMR });
    }
    await theirs.rpc('refresh');
    expect(await balance(ours)).toBe(await balance(theirs));
  });
});

describe('a transaction of the pool', () => {
  let payee: string;

  beforeAll(async () => {
    await createWallet(twins.ours, 'payee');
    payee = (await twins.ours.rpc('get_address')).address;
    await twins.ours.rpc('refresh');
  });

  itAtNight('is pending for its payer, and mined once', async () => {
    const { ours, theirs, daemon } = twins;
    await restore(ours, 0);
    await ours.rpc('refresh');
    const txid = await pay(payee, 3 * XMR);
    const pending = await entry(theirs, txid);
    for (let time = 0; time < 2; time++) {
      await scan(txid);
      const { amount, fee } = pending as Loose;
      expect(await entry(ours, txid)).toMatchObject({ type: 'pending', amount, fee });
      expect(await balance(ours)).toBe(await balance(theirs));
    }
    await daemon.generate(STRANGER, 1);
    await theirs.rpc('refresh');
    for (const learn of [() => scan(txid), () => ours.rpc('refresh'), () => scan(txid)]) {
      await learn();
      expect(await entry(ours, txid)).toMatchObject({ type: 'out', amount: 3 * XMR });
      expect(await balance(ours)).toBe(await balance(theirs));
    }
  });

  itAtNight('is pending for its payee, and credited once', async () => {
    const { ours, daemon } = twins;
    await ours.rpc('open_wallet', { filename: 'payee', password: '' });
    await ours.rpc('refresh');
    const before = await balance(ours);
    const txid = await pay(payee, 2 * XMR);
    for (let time = 0; time < 2; time++) {
      await scan(txid);
      const { pool } = await ours.rpc('get_transfers', { pool: true });
      expect(pool).toMatchObject([{ txid, type: 'pool', amount: 2 * XMR }]);
      expect(await balance(ours)).toBe(before + 2 * XMR);
    }
    await daemon.generate(STRANGER, 1);
    for (const learn of [() => scan(txid), () => ours.rpc('refresh'), () => scan(txid)]) {
      await learn();
      expect(await entry(ours, txid)).toMatchObject({ type: 'in', amount: 2 * XMR });
      expect((await ours.rpc('get_transfers', { pool: true })).pool).toBeUndefined();
      expect(await balance(ours)).toBe(before + 2 * XMR);
    }
  });

  it('is removed with its popped block, if it was added by scan_tx', async () => {
    const { ours, daemon } = twins;
    await ours.rpc('open_wallet', { filename: 'payee', password: '' });
    await ours.rpc('refresh');
    const before = await balance(ours);
    const txid = await pay(payee, XMR);
    await daemon.generate(STRANGER, 2);
    await scan(txid);
    expect(await balance(ours)).toBe(before + XMR);
    await daemon.popBlocks(2);
    await daemon.rpc('flush_txpool', {});
    await daemon.generate(STRANGER, 3);
    await ours.rpc('refresh');
    expect(await balance(ours)).toBe(before);
    expect(await entry(ours, txid)).toBeUndefined();
  });
});
