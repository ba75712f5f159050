import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createWallet } from '../support/wallets/create-wallet.js';
import { startDaemonProxy, type DaemonProxy } from '../support/network/daemon-proxy.js';
import type { Loose, Reply } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { logged, freePort } from '../support/processes/process.js';
import { until } from '../support/fakes/until.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { describeAtNight, itAtNight, someRows } from '../support/jest/lanes.js';

/* Payments whose relay is refused, answered late, or lost. */

const XMR = 1_000_000_000_000;
const SEND = '/sendrawtransaction';

let daemon: Monerod;
let proxy: DaemonProxy;
let wallet: WalletRpc;
let address: string;
/** Another account of the wallet. */
let shop: string;

const behave = (): void => {
  proxy.decide = () => 'forward';
  proxy.rewrite = (_, __, reply) => reply;
  proxy.hold = () => Promise.resolve();
};

const pay = (amount = XMR): Promise<Reply> =>
  wallet.call('transfer', { destinations: [{ amount, address: shop }] });
const pool = async (): Promise<string[]> =>
  (await daemon.plain('/get_transaction_pool_hashes')).tx_hashes ?? [];
const transfers = async (list: string): Promise<Loose[]> =>
  (await wallet.rpc('get_transfers', { [list]: true, all_accounts: true }))[list] ?? [];
const balance = async (): Promise<Loose> => {
  const { balance: total, unlocked_balance: unlocked } = await wallet.rpc('get_balance', {
    all_accounts: true,
  });
  return { total, unlocked };
};
/** Sum of the unspent outputs. */
const outputs = async (): Promise<number> => {
  let total = 0;
  for (const account_index of [0, 1]) {
    const { transfers: found = [] } = await wallet.rpc('incoming_transfers', {
      transfer_type: 'available',
      account_index,
    });
    for (const { amount } of found as Loose[]) total += amount;
  }
  return total;
};

beforeAll(async () => {
  daemon = await startRegtestDaemon();
  proxy = await startDaemonProxy(daemon.address);
  wallet = await startWalletRpc({ daemon: proxy.address, args: ['--trusted-daemon'] });
  await createWallet(wallet, 'w');
  await wallet.rpc('auto_refresh', { enable: false });
  ({ address } = await wallet.rpc('get_address'));
  ({ address: shop } = await wallet.rpc('create_account', { label: 'shop' }));
  await daemon.generate(address, 100);
  await wallet.rpc('refresh');
});

afterEach(async () => {
  behave();
  await daemon.generate(address, 1);
  await wallet.rpc('refresh');
});

afterAll(async () => {
  await wallet?.stop();
  await proxy?.stop();
  await daemon?.stop();
});

describe('a payment that the daemon refuses', () => {
  it.each(someRows([403, 503, 404, 405, 413, 429], 2))(
    'with HTTP %i is an error and leaves nothing behind',
    async (status) => {
      const before = await balance();
      proxy.decide = (path) => (path === SEND ? status : 'forward');
      const { error, result } = await pay();
      // The reference takes it for no connection.
      expect([error?.message, result]).toEqual(['no connection to daemon', undefined]);
      expect(await balance()).toEqual(before);
      expect([await transfers('pending'), await transfers('failed')]).toEqual([[], []]);
    },
  );

  it('by refusing the connection is an error and leaves nothing behind', async () => {
    const before = await balance();
    // The daemon answers every call before the relay; then its port is closed.
    const port = await freePort();
    const front = await startDaemonProxy(daemon.address);
    await wallet.rpc('set_daemon', { address: front.address, trusted: true });
    front.hold = async (path) => {
      if (path !== '/get_outs.bin') return;
      void front.stop();
      await wallet.rpc('set_daemon', { address: `127.0.0.1:${port}`, trusted: true });
    };
    const { error } = await pay();
    expect(error?.code).toBe(-38);
    await wallet.rpc('set_daemon', { address: proxy.address, trusted: true });
    expect(await balance()).toEqual(before);
    expect(await transfers('pending')).toEqual([]);
  });
});

describe('a late answer', () => {
  it('does not undo a mined payment, and the balance counts its change once', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    proxy.hold = (path) => (path === SEND ? held : Promise.resolve());
    const paying = pay();
    await until('the payment in the pool', async () => ((await pool()).length === 1 ? true : undefined));
    await daemon.generate(address, 1);
    await wallet.rpc('refresh');
    release();
    const { result } = await paying;
    expect((await wallet.rpc('get_transfer_by_txid', { txid: result?.['tx_hash'] })).transfer.type).toBe(
      'out',
    );
    expect(await transfers('pending')).toEqual([]);
    expect((await balance()).total).toBe(await outputs());
  });
});

describe('a relayed payment', () => {
  it('is sent once, and kept with its key, when the first answer is lost and the daemon is then busy', async () => {
    let sent = 0;
    proxy.decide = (path) => (path === SEND && sent++ === 0 ? 'forward-and-drop-the-answer' : 'forward');
    proxy.rewrite = (path, _, reply) => (path === SEND ? Buffer.from('{"status":"BUSY"}') : reply);
    const { error, result } = await pay();
    expect([error, sent]).toEqual([undefined, 1]);
    const txid = result?.['tx_hash'];
    expect(await pool()).toEqual([txid]);
    expect((await wallet.rpc('get_tx_key', { txid })).tx_key).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is named when the next one of a split payment fails', async () => {
    let sent = 0;
    proxy.rewrite = (path, _, reply) =>
      path === SEND && sent++ > 0 ? Buffer.from('{"status":"BUSY"}') : reply;
    const { error } = await wallet.call('transfer_split', {
      destinations: Array.from({ length: 20 }, () => ({ amount: 1000, address: shop })),
    });
    const [first, ...others] = await transfers('pending');
    expect(others).toEqual([]);
    expect(error?.message).toContain(first.txid);
    expect(await pool()).toContain(first.txid);
  });
});

describe('a payment that the network dropped', () => {
  it('fails when rescan_spent finds it in neither pool nor chain, and is recognised when it is mined', async () => {
    const { result } = await wallet.call('transfer', {
      destinations: [{ amount: XMR, address: shop }],
      do_not_relay: true,
      get_tx_hex: true,
    });
    const before = await balance();
    const made = await wallet.call('transfer', {
      destinations: [{ amount: XMR, address: shop }],
      get_tx_hex: true,
    });
    expect(result?.['tx_hash']).not.toBe(made.result?.['tx_hash']);
    // The pool drops it.
    const lost = made.result as Loose;
    await daemon.rpc('flush_txpool', { txids: [lost.tx_hash] });
    expect((await balance()).unlocked).toBeLessThan(before.unlocked);
    await wallet.rpc('rescan_spent');
    expect(await balance()).toEqual(before);
    expect((await transfers('failed')).map(({ txid }) => txid)).toEqual([lost.tx_hash]);
    await logged(wallet.process, lost.tx_hash);
    expect((await daemon.plain(SEND, { tx_as_hex: lost.tx_blob })).status).toBe('OK');
    await daemon.generate(address, 1);
    await wallet.rpc('refresh');
    expect((await wallet.rpc('get_transfer_by_txid', { txid: lost.tx_hash })).transfer).toMatchObject({
      type: 'out',
      destinations: [{ amount: XMR, address: shop }],
    });
    expect(await transfers('failed')).toEqual([]);
  });

  it('keeps its record and key when relaying it again is refused', async () => {
    const made = await wallet.rpc('transfer', {
      destinations: [{ amount: XMR, address: shop }],
      get_tx_metadata: true,
      get_tx_key: true,
    });
    await daemon.rpc('flush_txpool', { txids: [made.tx_hash] });
    await wallet.rpc('rescan_spent');
    proxy.decide = (path) => (path === SEND ? 403 : 'forward');
    expect((await wallet.call('relay_tx', { hex: made.tx_metadata })).error).toBeDefined();
    expect((await transfers('failed')).map(({ txid }) => txid)).toEqual([made.tx_hash]);
    expect((await wallet.rpc('get_tx_key', { txid: made.tx_hash })).tx_key).toBe(made.tx_key);
    behave();
    expect(await wallet.rpc('relay_tx', { hex: made.tx_metadata })).toEqual({ tx_hash: made.tx_hash });
    expect((await transfers('pending')).map(({ txid }) => txid)).toEqual([made.tx_hash]);
    expect(await transfers('failed')).toEqual([]);
  });
});

describe('another instance with the same seed', () => {
  /**
   * Makes the environment of a server for which an hour passes, in all threads, when a file appears: for its time of day,
   * and for the time since its start.
   */
  const anHourOnceThereIs = (path: string): NodeJS.ProcessEnv => {
    const preload = `
      import { existsSync } from 'node:fs';
      const { now } = Date;
      const { bigint } = process.hrtime;
      const ahead = () => existsSync(${JSON.stringify(path)});
      Date.now = () => now() + (ahead() ? 3_600_000 : 0);
      process.hrtime.bigint = () => bigint() + (ahead() ? 3_600_000_000_000n : 0n);`;
    return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload)}` };
  };
  let other: WalletRpc;

  beforeAll(async () => {
    const { key: seed } = await wallet.rpc('query_key', { key_type: 'mnemonic' });
    other = await startWalletRpc({ daemon: proxy.address });
    await other.rpc('restore_deterministic_wallet', { filename: 'twin', password: '', seed });
    await other.rpc('auto_refresh', { enable: false });
    await other.rpc('refresh');
  });

  afterAll(() => other?.stop({ keep: false }));

  it('keeps a payment pending, and its inputs reserved, when one pool scan misses it', async () => {
    const { result } = await pay();
    await other.rpc('refresh');
    const seen = await other.rpc('get_balance');
    const { walletDir } = other;
    await other.stop({ keep: true });
    proxy.rewrite = (path, _, reply) =>
      path === '/get_transaction_pool_hashes' ? Buffer.from('{"status":"OK"}') : reply;
    const later = join(walletDir, 'later');
    other = await startWalletRpc({ daemon: proxy.address, walletDir, env: anHourOnceThereIs(later) });
    await other.rpc('auto_refresh', { enable: false });
    await other.rpc('open_wallet', { filename: 'twin', password: '' });
    const rows = async (list: string): Promise<Loose[]> =>
      ((await other.rpc('get_transfers', { [list]: true }))[list] ?? []).map(({ txid }: Loose) => txid);
    await other.rpc('refresh');
    expect([await rows('pending'), await rows('failed')]).toEqual([[result?.['tx_hash']], []]);
    expect((await other.rpc('get_balance')).unlocked_balance).toBe(seen.unlocked_balance);
    // An hour later, a block without it, and another pool scan that misses it.
    writeFileSync(later, '');
    await daemon.rpc('flush_txpool', { txids: [result?.['tx_hash']] });
    await daemon.generate(address, 1);
    await other.rpc('refresh');
    expect([await rows('pending'), await rows('failed')]).toEqual([[], [result?.['tx_hash']]]);
    expect((await other.rpc('get_balance')).unlocked_balance).toBeGreaterThan(seen.unlocked_balance);
  });
});

describe('a broken connection', () => {
  it('does not fail a refresh when the daemon answers the third attempt', async () => {
    let left = 2;
    proxy.decide = (path) => (path === '/getblocks.bin' && left-- > 0 ? 'drop' : 'forward');
    await wallet.rpc('refresh');
    expect(left).toBeLessThan(0);
  });

  itAtNight('is named in the log by its cause', async () => {
    const lonely = await startWalletRpc({ daemon: `127.0.0.1:${await freePort()}` });
    try {
      await createWallet(lonely);
      await logged(lonely.process, 'ECONNREFUSED');
      expect((await lonely.call('refresh')).error?.code).toBe(-38);
    } finally {
      await lonely.stop();
    }
  });
});

describeAtNight('a daemon that answers slowly', () => {
  let dripping: Server;
  let drips: NodeJS.Timeout[];
  let slow: WalletRpc;

  beforeAll(async () => {
    drips = [];
    dripping = createServer((_, res) => {
      res.writeHead(200);
      drips.push(setInterval(() => res.write(' '), 1000));
    });
    await new Promise<void>((resolve) => dripping.listen(0, '127.0.0.1', () => resolve()));
    slow = await startWalletRpc({ daemon: `127.0.0.1:${(dripping.address() as AddressInfo).port}` });
  });

  afterAll(async () => {
    await slow?.stop();
    drips.forEach(clearInterval);
    dripping.closeAllConnections();
    dripping.close();
  });

  it('does not hold up create_wallet, close_wallet during a payment, or the stop of the server', async () => {
    await createWallet(slow, 'slow');
    const waiting = slow.call('transfer', { destinations: [{ amount: XMR, address: shop }] });
    const before = drips.length;
    await until('the payment to ask the daemon', () => drips.length > before || undefined);
    await slow.rpc('close_wallet');
    expect((await waiting).error?.code).toBe(-13);
    await slow.rpc('open_wallet', { filename: 'slow', password: '' });
    void slow.call('transfer', { destinations: [{ amount: XMR, address: shop }] }).catch(() => undefined);
    expect(await slow.stop({ keep: true })).toBe(0);
  });
});
