import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { copyBlocks, submitBlock } from '../support/chain/chain-copy.js';
import { createWallet } from '../support/wallets/create-wallet.js';
import { startDaemonProxy, type DaemonProxy } from '../support/network/daemon-proxy.js';
import { walletCalls, type Loose, type WalletCalls } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { itAtNight } from '../support/jest/lanes.js';

/*
 * Payments on their way between pool and chain, with reads of the pool at moments at which the wallet does not know the
 * daemon's newest blocks. No wallet refreshes by itself.
 */

const XMR = 1_000_000_000_000;
const BLOCKS = '/getblocks.bin';

let daemon: Monerod;
let node: DaemonProxy;
let server: WalletRpc;
/** A second instance of the payer's wallet. */
let twin: WalletCalls;
let payer: WalletCalls;
let shop: WalletCalls;
let payerAddress: string;
let shopAddress: string;

const start = async (walletDir?: string): Promise<void> => {
  server = await startWalletRpc({
    ...(walletDir === undefined ? {} : { walletDir }),
    daemon: node.address,
    args: ['--rpc-max-connections-per-private-ip=50'],
  });
  [shop, payer, twin] = ['shop', 'payer', 'twin'].map((name) => walletCalls(server.port, name)) as [
    WalletCalls,
    WalletCalls,
    WalletCalls,
  ];
};

/** Keeps the wallets from refreshing by themselves. */
const rest = (): Promise<unknown> =>
  Promise.all([shop, payer, twin].map((wallet) => wallet.rpc('auto_refresh', { enable: false })));

const refresh = (...wallets: readonly WalletCalls[]): Promise<unknown> =>
  Promise.all(wallets.map((wallet) => wallet.rpc('refresh')));

/** Pays the shop. @returns the transaction's hash. */
const pay = async (coins = 1): Promise<string> => {
  const { tx_hash } = await payer.rpc('transfer', {
    destinations: [{ amount: coins * XMR, address: shopAddress }],
  });
  return tx_hash as string;
};

/** Lists of a wallet, by a read of the pool, in which it finds a transaction. */
const listsWith = async (wallet: WalletCalls, txid: string): Promise<string[]> => {
  const lists = await wallet.rpc('get_transfers', {
    ...{ in: true, out: true, pending: true, failed: true, pool: true },
  });
  return Object.entries(lists as Record<string, Loose[]>)
    .filter(([, entries]) => entries.some((entry) => entry.txid === txid))
    .map(([name]) => name);
};

const typeOf = async (wallet: WalletCalls, txid: string): Promise<string> =>
  (await wallet.rpc('get_transfer_by_txid', { txid })).transfer.type as string;

/** Types of the events of a transaction in its wallet, in their order. */
const eventsOf = async (wallet: WalletCalls, txid: string): Promise<string[]> =>
  ((await wallet.rpc('get_events', { limit: 1000 })).events as Loose[])
    .filter(({ data }) => data.tx_hash === txid)
    .map(({ type }) => type as string);

const pool = async (): Promise<string[]> =>
  ((await daemon.plain('/get_transaction_pool_hashes')).tx_hashes ?? []) as string[];

/** A block on the current tip without the transactions that enter the pool later. */
const emptyBlock = async (): Promise<string> =>
  (await daemon.rpc('get_block_template', { wallet_address: payerAddress, reserve_size: 1 }))
    .blocktemplate_blob as string;

/** Runs a task once after the daemon's next answer about its chain, before the pool is asked for. */
const afterNextChainAnswer = (task: () => Promise<void>): void => {
  let isDone = false;
  node.hold = async (path) => {
    if (isDone || path !== BLOCKS) return;
    isDone = true;
    await task();
  };
};

beforeAll(async () => {
  daemon = await startRegtestDaemon();
  node = await startDaemonProxy(daemon.address);
  await start();
  await createWallet(payer);
  await createWallet(shop);
  const { key: seed } = await payer.rpc('query_key', { key_type: 'mnemonic' });
  await twin.rpc('restore_deterministic_wallet', { seed, password: '', restore_height: 0 });
  payerAddress = (await payer.rpc('get_address')).address as string;
  shopAddress = (await shop.rpc('get_address')).address as string;
  await rest();
  await daemon.generate(payerAddress, 80);
  await refresh(shop, payer, twin);
});

afterAll(async () => {
  await server?.stop({ keep: false });
  await node?.stop();
  await daemon?.stop();
});

afterEach(() => {
  node.hold = () => Promise.resolve();
});

describe('a payment that a reorganisation returns to the pool', () => {
  /** Pays, and has the payment mined and read by every wallet. @returns its hash, and an empty block in place of its own. */
  const mined = async (): Promise<{ readonly txid: string; readonly other: string }> => {
    const other = await emptyBlock();
    const txid = await pay();
    await daemon.generate(payerAddress, 1);
    await refresh(shop, payer, twin);
    expect(await eventsOf(shop, txid)).toEqual(['payment.mined', 'payment.confirmed']);
    return { txid, other };
  };

  /** Compares what wallets show of a payment in the pool, after a refresh. */
  const expectInPool = async (txid: string): Promise<void> => {
    expect(await pool()).toEqual([txid]);
    expect(await listsWith(shop, txid)).toEqual(['pool']);
    expect(await typeOf(shop, txid)).toBe('pool');
    expect((await eventsOf(shop, txid)).slice(2)).toEqual(['payment.reversed', 'payment.seen']);
    expect([await listsWith(payer, txid), await listsWith(twin, txid)]).toEqual([['pending'], ['pending']]);
    const [own, theirs] = await Promise.all(
      [payer, twin].map(async (wallet) => [
        await wallet.rpc('get_balance'),
        ((await wallet.rpc('incoming_transfers', { transfer_type: 'available' })).transfers as Loose[])
          .map(({ key_image }) => key_image as string)
          .sort(),
      ]),
    );
    expect(theirs).toEqual(own);
    // The daemon refuses a second spend of an input.
    await twin.rpc('transfer', { destinations: [{ amount: XMR, address: shopAddress }] });
    await refresh(payer);
    await daemon.generate(payerAddress, 11);
    await refresh(shop, payer, twin);
    expect(await listsWith(shop, txid)).toEqual(['in']);
  };

  it('is listed, and its inputs are taken, although the pool was read before the chain', async () => {
    const { txid, other } = await mined();
    await daemon.popBlocks(1);
    for (const wallet of [shop, payer, twin]) await listsWith(wallet, txid);
    await submitBlock(daemon, { blob: other, txs: [] });
    for (const wallet of [shop, payer, twin]) await listsWith(wallet, txid);
    await refresh(shop, payer, twin);
    await expectInPool(txid);
  });

  itAtNight(
    'is listed, and its inputs are taken, although one refresh read the pool after it and the chain before',
    async () => {
      const { txid, other } = await mined();
      for (const wallet of [shop, payer, twin]) {
        afterNextChainAnswer(() => (wallet === shop ? daemon.popBlocks(1) : Promise.resolve()));
        await refresh(wallet);
      }
      await submitBlock(daemon, { blob: other, txs: [] });
      await refresh(shop, payer, twin);
      await expectInPool(txid);
    },
  );

  itAtNight('is listed after a rescan', async () => {
    const { txid, other } = await mined();
    await daemon.popBlocks(1);
    await listsWith(shop, txid);
    await submitBlock(daemon, { blob: other, txs: [] });
    await Promise.all([shop, payer, twin].map((wallet) => wallet.rpc('rescan_blockchain')));
    await expectInPool(txid);
  });
});

describe('a payment that was listed in the pool', () => {
  const balances = async (): Promise<Loose> => {
    const { balance, unlocked_balance } = await shop.rpc('get_balance');
    return { balance, unlocked_balance };
  };
  /** Compares what the shop shows of a payment that it has not read in a block, at several reads of the pool. */
  const expectListed = async (txid: string, before: Loose): Promise<void> => {
    for (let read = 0; read < 2; read++) {
      expect([await listsWith(shop, txid), await typeOf(shop, txid)]).toEqual([['pool'], 'pool']);
      expect(await balances()).toEqual(before);
    }
    expect(await eventsOf(shop, txid)).toEqual(['payment.seen']);
  };

  it('stays listed while its block is unread, also after a restart, then is in the chain', async () => {
    const txid = await pay();
    expect(await listsWith(shop, txid)).toEqual(['pool']);
    const before = await balances();
    await daemon.generate(payerAddress, 1);
    await expectListed(txid, before);
    await server.stop({ keep: true });
    await start(server.walletDir);
    for (const [name, wallet] of Object.entries({ shop, payer, twin }))
      await wallet.rpc('open_wallet', { filename: name, password: '' });
    await rest();
    await refresh(shop, payer, twin);
    expect([await listsWith(shop, txid), await typeOf(shop, txid)]).toEqual([['in'], 'in']);
    expect((await eventsOf(shop, txid)).slice(0, 2)).toEqual(['payment.seen', 'payment.mined']);
  });

  it('stays listed where its block is found between the chain and the pool of a refresh', async () => {
    const txid = await pay(2);
    expect(await typeOf(shop, txid)).toBe('pool');
    const before = await balances();
    afterNextChainAnswer(() => daemon.generate(payerAddress, 1));
    await refresh(shop);
    await expectListed(txid, before);
    await refresh(shop, payer, twin);
    expect(await listsWith(shop, txid)).toEqual(['in']);
    expect((await eventsOf(shop, txid)).slice(0, 2)).toEqual(['payment.seen', 'payment.mined']);
  });

  itAtNight(
    'stays listed where a daemon takes over that lacks its block and does not have it in the pool',
    async () => {
      const behind = await startRegtestDaemon();
      try {
        await copyBlocks(daemon, behind);
        const txid = await pay(3);
        expect(await typeOf(shop, txid)).toBe('pool');
        const before = await balances();
        await daemon.generate(payerAddress, 1);
        await expectListed(txid, before);
        await shop.rpc('set_daemon', { address: behind.address });
        await refresh(shop);
        await expectListed(txid, before);
        await copyBlocks(daemon, behind);
        await refresh(shop);
        expect(await listsWith(shop, txid)).toEqual(['in']);
        expect((await eventsOf(shop, txid)).slice(0, 2)).toEqual(['payment.seen', 'payment.mined']);
      } finally {
        await shop.rpc('set_daemon', { address: node.address });
        await behind.stop();
      }
    },
  );

  it('is removed by the next refresh where the pool dropped it, and reversed', async () => {
    await refresh(shop, payer, twin);
    const txid = await pay(4);
    expect(await typeOf(shop, txid)).toBe('pool');
    await daemon.rpc('flush_txpool', {});
    await refresh(shop);
    expect(await listsWith(shop, txid)).toEqual([]);
    expect((await shop.call('get_transfer_by_txid', { txid })).error).toMatchObject({ code: -8 });
    await daemon.generate(shopAddress, 1);
    for (let read = 0; read < 2; read++) await refresh(shop);
    expect(await eventsOf(shop, txid)).toEqual(['payment.seen', 'payment.reversed']);
  });
});

describe('get_transfer_by_txid', () => {
  it('reads the pool', async () => {
    await refresh(payer);
    const txid = await pay(5);
    expect(await typeOf(shop, txid)).toBe('pool');
  });

  it('names a missing connection, for mined transactions too, after an error in its parameters', async () => {
    const { txid } = ((await shop.rpc('get_transfers', { in: true })).in as Loose[])[0];
    node.decide = () => 'drop';
    try {
      const refused = async (params: object): Promise<unknown> => {
        const { code, message } = (await shop.call('get_transfer_by_txid', params)).error ?? {};
        return [code, message];
      };
      expect(await refused({ txid })).toEqual([-38, 'no connection to daemon']);
      expect(await refused({ txid: 'xyz' })).toEqual([-8, 'Transaction ID has invalid format']);
      expect(await refused({ txid, account_index: 9 })).toEqual([-14, 'Account index is out of bound']);
    } finally {
      node.decide = () => 'forward';
    }
  });
});
