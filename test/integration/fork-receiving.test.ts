import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createWallet } from '../support/wallets/create-wallet.js';
import { walletCalls, type Loose, type WalletCalls } from '../support/network/json-rpc.js';
import type { RunningDaemon } from '../support/processes/monerod.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { startWalletProcess, type WalletRpc } from '../support/processes/wallet-rpc.js';

/* On the day of the fork, every wallet goes on receiving: the same addresses, in the new form. */

const XMR = 1_000_000_000_000;
/** Heights of the first blocks of version 17 and 18. */
const FORK = 75;
const LAST = 85;

let daemon: RunningDaemon;
let server: WalletRpc;
let wallet: WalletCalls;
let watcher: WalletCalls;
let address: string;
let seed: string;
/** Address of the miner, which is in no wallet of this server. */
const MINER =
  '42ey1afDFnn4886T7196doS9GPMzexD9gXpsZJDwVjeRVdFCSoHnv7KPbBeGpzJBzHRCAs9UxqeoyFQMYbqSWYTfJJQAWDm';

const launch = (walletDir?: string, rules = 'carrot-2026-07'): Promise<WalletRpc> =>
  startWalletProcess({
    daemon: daemon.address,
    ...(walletDir === undefined ? {} : { walletDir }),
    args: ['--refresh-period=0', `--fork-rules=${rules}`, '--confirmations-by-amount=0:1'],
  });

const mine = (blocks: number, to = MINER): Promise<void> => daemon.generate(to, blocks);
const refresh = async (): Promise<void> => {
  await Promise.all([wallet.rpc('refresh'), watcher.rpc('refresh')]);
};
const pay = (destinations: Loose, more: Loose = {}): Promise<Loose> =>
  daemon.rpc('pay_carrot', { destinations, ...more });
const incoming = async (from: WalletCalls): Promise<Loose[]> =>
  ((await from.rpc('incoming_transfers', { transfer_type: 'all', verbose: true })).transfers as Loose[]) ??
  [];
const balanceOf = async (from: WalletCalls): Promise<number> =>
  Number((await from.rpc('get_balance')).balance);
/** Rows of both wallets without key images, which a view-only wallet lacks. */
const rowsOf = async (from: WalletCalls): Promise<Loose[]> =>
  (await incoming(from)).map((row) => ({ ...row, key_image: undefined, spent: undefined }));

/** Restores the wallet under another name, and reads the chain from its beginning. */
async function restored(name: string): Promise<WalletCalls> {
  const again = walletCalls(server.port, name);
  await again.rpc('restore_deterministic_wallet', { seed, restore_height: 0, password: '' });
  await again.rpc('refresh');
  return again;
}

beforeAll(async () => {
  daemon = await startRegtestDaemon(['--misbehave=none', `--fork-height=${FORK},${LAST}`]);
  server = await launch();
  wallet = walletCalls(server.port, 'shop');
  await createWallet(wallet);
  ({ address } = await wallet.rpc('get_address'));
  ({ key: seed } = await wallet.rpc('query_key', { key_type: 'mnemonic' }));
  const { key: viewkey } = await wallet.rpc('query_key', { key_type: 'view_key' });
  watcher = walletCalls(server.port, 'watcher');
  await watcher.rpc('generate_from_keys', { address, viewkey, restore_height: 0, password: '' });
  await mine(10, address);
  await mine(60);
  await refresh();
  // A wallet that was closed before the fork, and one of a server that does not know its rules.
  const early = await restored('early');
  await early.rpc('close_wallet');
});

afterAll(async () => {
  await server?.stop();
  await daemon?.stop();
});

describe('across the fork, a wallet of before', () => {
  let before: number;

  it('finds the reward of a block in the new form', async () => {
    before = await balanceOf(wallet);
    expect((await daemon.rpc('get_info')).height).toBeLessThan(FORK);
    await mine(FORK - (await daemon.rpc('get_info')).height);
    await mine(1, address);
    await refresh();
    const reward = Number(
      (await daemon.rpc('get_block_header_by_height', { height: FORK })).block_header.reward,
    );
    expect(
      (await daemon.rpc('get_block_header_by_height', { height: FORK })).block_header.major_version,
    ).toBe(17);
    expect(await balanceOf(wallet)).toBe(before + reward);
    expect(await balanceOf(watcher)).toBe(before + reward);
    const { in: all } = await wallet.rpc('get_transfers', {
      in: true,
      min_height: FORK - 1,
      filter_by_height: true,
    });
    expect(all).toMatchObject([{ type: 'block', height: FORK, amount: reward }]);
  });

  it('is paid at its main address, subaddresses and integrated addresses, in the pool and in blocks', async () => {
    const { address: sub } = await wallet.rpc('create_address', { label: 'customer' });
    const { integrated_address: integrated, payment_id: id } = await wallet.rpc('make_integrated_address');
    const request = await wallet.rpc('create_payment_request', { amount: 4 * XMR });
    before = await balanceOf(wallet);
    const first = await pay([{ address, amount: 1 * XMR }]);
    const second = await pay([
      { address: sub, amount: 2 * XMR },
      { address: integrated, amount: 3 * XMR },
      { address: request.address, amount: 4 * XMR },
      { address: MINER, amount: 5 * XMR },
    ]);
    await refresh();
    const { pool } = await wallet.rpc('get_transfers', { pool: true });
    expect(pool.map(({ amount }: Loose) => amount).sort()).toEqual([1, 2, 3, 4].map((n) => n * XMR));
    expect((await wallet.rpc('get_payment_request', { request_id: request.request_id })).state).toBe('seen');
    await mine(1);
    await refresh();
    expect(await balanceOf(wallet)).toBe(before + 10 * XMR);
    expect(await balanceOf(watcher)).toBe(before + 10 * XMR);
    expect(await rowsOf(watcher)).toEqual(await rowsOf(wallet));
    const { payments } = await wallet.rpc('get_payments', { payment_id: id });
    // A payment id counts for its transaction, as in the old form.
    expect(payments.map(({ amount }: Loose) => amount).sort()).toEqual([2, 3, 4].map((n) => n * XMR));
    expect(payments[0]).toMatchObject({ tx_hash: second.tx_hash, payment_id: id });
    expect((await wallet.rpc('get_payment_request', { request_id: request.request_id })).state).toBe('paid');
    const { transfers } = await wallet.rpc('get_transfer_by_txid', { txid: first.tx_hash });
    expect(transfers).toMatchObject([
      { type: 'in', amount: XMR, payment_id: '0000000000000000', fee: first.fee },
    ]);
    const answer = await daemon.plain('/get_transactions', {
      txs_hashes: [second.tx_hash],
      decode_as_json: false,
    });
    const found = (await incoming(wallet)).filter(({ tx_hash: hash }) => hash === second.tx_hash);
    for (const { global_index: at } of found) expect(answer.txs[0].output_indices).toContain(at);
    expect(found).toHaveLength(3);
    const { events } = await wallet.rpc('get_events', { after: 0, limit: 1000 });
    expect(
      events.filter(({ type, data }: Loose) => type === 'payment.seen' && data.tx_hash === first.tx_hash),
    ).toHaveLength(1);
  });

  it('is not paid by outputs of two of its addresses, of another amount, or of the same key again', async () => {
    const { address: sub } = await wallet.rpc('create_address');
    before = await balanceOf(wallet);
    await pay([{ address: sub, amount: 7 * XMR, view_of: address }]);
    await pay([{ address, amount: 7 * XMR, view_of: sub }]);
    await pay([{ address, amount: 7 * XMR, wrong_amount: true }]);
    const { tx_hash: paid } = await pay([{ address: sub, amount: 1 * XMR }]);
    await mine(1);
    await daemon.rpc('pay_carrot', { duplicate_of: paid });
    await mine(1);
    await refresh();
    expect(await balanceOf(wallet)).toBe(before + XMR);
    expect(await balanceOf(watcher)).toBe(before + XMR);
  });

  it('sees its outputs of both forms spent', async () => {
    const rows = (await incoming(wallet)).filter(({ spent }) => !spent);
    const old = rows.find(({ block_height: height }) => height < FORK);
    const fresh = rows.find(({ block_height: height, amount }) => height > FORK && amount === 2 * XMR);
    before = await balanceOf(wallet);
    const { tx_hash: spending } = await pay([{ address: MINER, amount: 1 }], {
      spend: [old.key_image, fresh.key_image],
    });
    await wallet.rpc('refresh');
    expect(await balanceOf(wallet)).toBe(before - old.amount - fresh.amount);
    await mine(1);
    await refresh();
    expect(await balanceOf(wallet)).toBe(before - old.amount - fresh.amount);
    const { transfers } = await wallet.rpc('get_transfer_by_txid', { txid: spending });
    expect(transfers).toMatchObject([{ type: 'out', txid: spending }]);
  });

  it('knows its own change from income, also without the spend key', async () => {
    const { key: viewSecret } = await wallet.rpc('query_key', { key_type: 'view_key' });
    const spendable = (await incoming(wallet)).filter(({ spent, amount }) => !spent && amount === XMR);
    const [first, second] = spendable;
    before = await balanceOf(wallet);
    const watched = await balanceOf(watcher);
    const change = { address, view_secret: viewSecret };
    const { tx_hash: part } = await pay(
      [
        { address: MINER, amount: 0.25 * XMR },
        { ...change, amount: 0.7 * XMR },
      ],
      { spend: [first.key_image] },
    );
    const { tx_hash: whole } = await pay(
      [
        { address: MINER, amount: 0.9 * XMR },
        { ...change, amount: 0 },
      ],
      { spend: [second.key_image] },
    );
    await mine(1);
    await refresh();
    expect(await balanceOf(wallet)).toBe(before - 2 * XMR + 0.7 * XMR);
    const { out, in: income = [] } = await wallet.rpc('get_transfers', { out: true, in: true });
    expect(out.map(({ txid }: Loose) => txid)).toEqual(expect.arrayContaining([part, whole]));
    expect(income.map(({ txid }: Loose) => txid)).not.toContain(part);
    // The watcher sees the change, and does not take it for a payment; it cannot see what the payments have spent.
    expect(await balanceOf(watcher)).toBe(watched + 0.7 * XMR);
    const { in: seen } = await watcher.rpc('get_transfers', { in: true });
    expect(seen.map(({ txid }: Loose) => txid)).not.toContain(part);
    expect(seen.map(({ txid }: Loose) => txid)).not.toContain(whole);
  });

  it('goes on in blocks of the new form alone, and a wallet that is restored finds the same', async () => {
    await mine(LAST - (await daemon.rpc('get_info')).height + 1);
    const { tx_hash: last } = await pay([{ address, amount: 6 * XMR }]);
    await mine(1);
    await refresh();
    expect((await daemon.rpc('get_last_block_header')).block_header.major_version).toBe(18);
    expect((await incoming(wallet)).at(-1)).toMatchObject({ tx_hash: last, amount: 6 * XMR });
    const again = await restored('again');
    expect(await incoming(again)).toEqual(await incoming(wallet));
    expect(await again.rpc('get_transfers', { in: true, out: true })).toEqual(
      await wallet.rpc('get_transfers', { in: true, out: true }),
    );
  });

  it.each([1, 3, 12, 30])('follows a reorganisation of %i blocks', async (depth) => {
    const rows = await rowsOf(wallet);
    const { height } = await daemon.rpc('get_info');
    await daemon.popBlocks(depth);
    await daemon.rpc('flush_txpool');
    await mine(depth + 1);
    await refresh();
    const kept = rows.filter(({ block_height: at }) => at < height - depth);
    const now = await rowsOf(wallet);
    expect(now.map(({ tx_hash: hash }) => hash)).toEqual(kept.map(({ tx_hash: hash }) => hash));
    expect(await rowsOf(watcher)).toEqual(now);
    const again = await restored(`after ${depth}`);
    expect(await incoming(again)).toEqual(await incoming(wallet));
    const { tx_hash: later } = await pay([{ address, amount: XMR }]);
    await mine(1);
    await refresh();
    expect((await incoming(wallet)).at(-1)).toMatchObject({ tx_hash: later, amount: XMR });
  });

  it('survives the end of the server in the middle of it', async () => {
    await pay([{ address, amount: 2 * XMR }]);
    await mine(2);
    await wallet.rpc('refresh');
    const rows = await incoming(wallet);
    await server.stop({ signal: 'SIGKILL', keep: true });
    server = await launch(server.walletDir);
    wallet = walletCalls(server.port, 'shop');
    watcher = walletCalls(server.port, 'watcher');
    await wallet.rpc('open_wallet', { password: '' });
    await wallet.rpc('refresh');
    expect(await incoming(wallet)).toEqual(rows);
    expect(await wallet.rpc('get_balance')).toMatchObject({ balance: await balanceOf(wallet) });
  });

  it('goes on where it was closed before the fork, and where a server without the rules stopped', async () => {
    const early = walletCalls(server.port, 'early');
    await early.rpc('open_wallet', { password: '' });
    expect((await early.rpc('get_height')).height).toBeLessThan(FORK);
    await early.rpc('refresh');
    expect(await incoming(early)).toEqual(await incoming(wallet));
    const old = await launch(undefined, 'none');
    const stopped = walletCalls(old.port, 'stopped');
    await stopped.rpc('restore_deterministic_wallet', { seed, restore_height: 0, password: '' });
    const { error } = await stopped.call('refresh');
    expect(error).toMatchObject({ code: -1, message: expect.stringContaining(`v17 at height ${FORK}`) });
    expect(await stopped.rpc('get_height')).toMatchObject({ height: FORK, update_needed: { version: 17 } });
    await old.stop({ keep: true });
    const updated = await launch(old.walletDir);
    try {
      const again = walletCalls(updated.port, 'stopped');
      await again.rpc('open_wallet', { password: '' });
      await again.rpc('refresh');
      expect(await incoming(again)).toEqual(await incoming(wallet));
      expect(await again.rpc('get_height')).toEqual({ height: (await daemon.rpc('get_info')).height });
    } finally {
      await updated.stop();
    }
  });
});
