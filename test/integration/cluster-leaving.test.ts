import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Loose, Rpc } from '../support/json-rpc.js';
import { walletCalls } from '../support/json-rpc.js';
import { newDatabase, startPostgres, type PostgresCluster } from '../support/postgres-cluster.js';
import { until } from '../support/until.js';
import {
  PASSWORD,
  startWalletCluster,
  type ClusterMember,
  type WalletCluster,
} from '../support/wallet-cluster.js';
import { startWalletRpc, type WalletRpc } from '../support/wallet-rpc.js';

/* The steps of "Leave it again" in docs/cluster.md, one after the other. */

const BAD_CLUSTER_REQUEST = -68;
const COIN = 1_000_000_000_000;
const ORDER = 'order 4711';

/**
 * Wallets: `till` is closed by its client at the end, `safe` is open when the last process stops, and `shelf` was closed
 * before in the process that stops first.
 */
const WALLETS = ['till', 'safe', 'shelf'] as const;
type Name = (typeof WALLETS)[number];

let postgres: PostgresCluster;
let cluster: WalletCluster;
let last: ClusterMember;
let alone: WalletRpc | undefined;
/** Answers of the cluster, and of the process without it, by the name of the wallet. */
const before = new Map<Name, Loose>();
const after = new Map<Name, Loose>();

/** Answers of the cluster for a wallet. */
const acknowledged = (name: Name): Loose => before.get(name) as Loose;
const markOf = (name: Name): string => join(last.walletDir, `${name}.cluster`);

/** Reads everything that clients have been answered. */
async function contentsOf(rpc: Rpc): Promise<Loose> {
  const { transfers = [] } = await rpc('incoming_transfers', { transfer_type: 'all' });
  const { pending = [], out = [] } = await rpc('get_transfers', { pending: true, out: true });
  const hashes = [...pending, ...out].map(({ txid }: Loose) => String(txid));
  const { addresses } = await rpc('get_address');
  const { events = [] } = await rpc('get_events', { after: 0 });
  return {
    ...{ addresses, hashes: hashes.sort(), transfers: transfers.length },
    balance: (await rpc('get_balance')).balance,
    notes: hashes.length === 0 ? [] : (await rpc('get_tx_notes', { txids: hashes })).notes,
    orders: (await rpc('list_orders', {})).orders ?? [],
    // Each process that reads the last block has an event of its own for that.
    events: (events as Loose[]).filter(({ type }) => type !== 'wallet.synced'),
    seed: (await rpc('query_key', { key_type: 'mnemonic' })).key,
  };
}

/** Pays under a key, and notes it. @returns the hash of the transaction. */
async function pay(rpc: Rpc, address: string): Promise<string> {
  const destinations = [{ amount: COIN, address }];
  const { tx_hash } = await rpc('transfer', { destinations, idempotency_key: ORDER });
  return String(tx_hash);
}

beforeAll(async () => {
  postgres = await startPostgres();
  const database = await newDatabase(postgres, 'leaving');
  cluster = await startWalletCluster({ postgres, database, wallets: WALLETS, members: 2 });
  const [first, second] = cluster.members as [ClusterMember, ClusterMember];
  last = first;
  const payees: string[] = [];
  for (const name of WALLETS) {
    const { rpc } = second.wallet(name);
    await rpc('create_wallet', { password: PASSWORD, language: 'English' });
    await rpc('create_address', { account_index: 0, label: `till of ${name}` });
    payees.push(String((await rpc('get_address')).address));
  }
  const [payee = '', , shelf = ''] = payees;
  for (const address of payees) await cluster.daemon.generate(address, 5);
  await cluster.daemon.generate(shelf, 60);
  for (const name of WALLETS) {
    const { rpc } = first.wallet(name);
    await rpc('refresh');
    const hash = await pay(rpc, payee);
    await rpc('set_tx_notes', { txids: [hash], notes: [`${ORDER} of ${name}`] });
  }
  await cluster.daemon.generate(payee, 11);
  for (const name of WALLETS) {
    const { rpc } = second.wallet(name);
    await rpc('refresh');
    before.set(name, await contentsOf(rpc));
  }
  await until('the wallet to be held by the process that stops first', async () => {
    if ((await cluster.holderOf('shelf')) === second) return true;
    await second.wallet('shelf').call('move_wallet', { to: second.url });
    return undefined;
  });
  await second.wallet('shelf').rpc('close_wallet');

  // 1. All processes but one are stopped.
  await second.stop('SIGTERM');
  // 2. It opens the wallets that no process holds: it holds all then.
  await first.wallet('shelf').rpc('open_wallet', { password: PASSWORD });
  await until('the last process to hold all wallets', async () => {
    const { wallets } = await first.rpc('list_wallets');
    return (
      (wallets as Loose[]).length === WALLETS.length &&
      wallets.every(({ holder }: Loose) => holder === first.url)
    );
  });
  // 3. Its wallets are closed, or it is stopped.
  for (const name of ['till', 'shelf']) await first.wallet(name).rpc('close_wallet');
  await first.stop('SIGTERM');
});

afterAll(async () => {
  await alone?.stop({ keep: true });
  await cluster?.stop();
  await postgres?.stop();
});

describe('the mark of a wallet of the last process', () => {
  it.each(WALLETS)('has a member released: %s', (name) => {
    expect(JSON.parse(readFileSync(markOf(name), 'utf8'))).toEqual({
      epoch: expect.stringMatching(/^\d+$/),
      released: expect.stringMatching(/^\d+:\d+:\d+ /),
    });
  });

  it('has none for files of the process that has given its wallets away', () => {
    const [, second] = cluster.members as [ClusterMember, ClusterMember];
    const marks = ['till', 'safe']
      .map((name) => join(second.walletDir, `${name}.cluster`))
      .filter((mark) => existsSync(mark));
    expect(marks).not.toEqual([]);
    for (const mark of marks)
      expect(JSON.parse(readFileSync(mark, 'utf8'))).toEqual({ epoch: expect.any(String) });
  });
});

describe('a process without the cluster', () => {
  const walletOf = (name: Name) => walletCalls(alone?.port ?? 0, name);

  beforeAll(async () => {
    alone = await startWalletRpc({
      ...{ daemon: cluster.daemon.address, walletDir: last.walletDir, args: ['--trusted-daemon'] },
    });
  });

  it.each(WALLETS)('refuses a wallet whose mark is there, and changes nothing: %s', async (name) => {
    const mark = readFileSync(markOf(name), 'utf8');
    const { error } = await walletOf(name).call('open_wallet', { password: PASSWORD });
    expect([error?.code, error?.message]).toEqual([
      BAD_CLUSTER_REQUEST,
      `the files of '${name}' are a copy of a wallet in a cluster: start with --cluster; once the wallet has left the cluster, remove ${markOf(name)}`,
    ]);
    expect(readFileSync(markOf(name), 'utf8')).toBe(mark);
  });

  it.each(WALLETS)('has everything acknowledged once the mark is removed: %s', async (name) => {
    const { rpc } = walletOf(name);
    rmSync(markOf(name));
    await rpc('open_wallet', { password: PASSWORD });
    await rpc('refresh');
    after.set(name, await contentsOf(rpc));
    expect(after.get(name)).toEqual(acknowledged(name));
    expect(after.get(name)).toMatchObject({
      notes: expect.arrayContaining([`${ORDER} of ${name}`]),
      orders: [expect.objectContaining({ idempotency_key: ORDER })],
    });
    expect(after.get(name).events.length).toBeGreaterThan(0);
  });

  it.each(WALLETS)('repeats an order of the cluster, and pays no second time: %s', async (name) => {
    const { rpc } = walletOf(name);
    const [payee] = acknowledged('till').addresses as [Loose];
    const [order] = acknowledged(name).orders as [Loose];
    expect(await pay(rpc, String(payee.address))).toBe(order.transactions[0].tx_hash);
    expect((await contentsOf(rpc)).hashes).toEqual(acknowledged(name).hashes);
  });

  it('lists the wallets without a holder', async () => {
    const { wallets } = await (alone as WalletRpc).rpc('list_wallets');
    expect((wallets as Loose[]).map(({ name, open, holder }) => [name, open, holder])).toEqual(
      WALLETS.toSorted().map((name) => [name, true, undefined]),
    );
  });
});
