import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Loose, type Rpc, walletCalls } from '../support/network/json-rpc.js';
import { newDatabase, startPostgres, type PostgresCluster } from '../support/processes/postgres-cluster.js';
import { until } from '../support/fakes/until.js';
import {
  PASSWORD,
  startWalletCluster,
  type ClusterMember,
  type WalletCluster,
} from '../support/processes/wallet-cluster.js';
import { runWalletRpc, type WalletRpcRun } from '../support/processes/wallet-rpc-run.js';
import { MAIN, startWalletProcess, type WalletRpc } from '../support/processes/wallet-rpc.js';

/* The steps of "Leave it again" and "Come back" in docs/cluster.md, one after the other. */

const BAD_CLUSTER_REQUEST = -68;
const COIN = 1_000_000_000_000;
const ORDER = 'order 4711';
const LATER = 'order 4712';

/** Wallets: `shelf` was closed by its client, the others are open when their process is stopped. */
const WALLETS = ['till', 'safe', 'shelf'] as const;
type Name = (typeof WALLETS)[number];

let postgres: PostgresCluster;
let cluster: WalletCluster;
/** Process whose directory the wallets go to, and one that is left over. */
let first: ClusterMember;
let second: ClusterMember;
let alone: WalletRpc | undefined;
/** Contents that clients were answered, by the name of the wallet. */
const before = new Map<Name, Loose>();

const acknowledged = (name: Name): Loose => before.get(name) as Loose;
const markOf = (name: Name, { walletDir }: ClusterMember): string => join(walletDir, `${name}.cluster`);

/** Arguments of `wallet-rpc cluster …` on the machine of a process. */
const commandAt = ({ walletDir }: ClusterMember, ...args: readonly string[]): string[] => [
  ...['cluster', ...args, `--cluster=${cluster.databaseUrl}`],
  ...[`--cluster-secret-file=${cluster.secretFile}`, `--wallet-dir=${walletDir}`],
];

const runAt = (member: ClusterMember, ...args: readonly string[]): Promise<WalletRpcRun> =>
  runWalletRpc(commandAt(member, ...args));

/** Runs a command, and kills it as soon as the mark of a wallet has changed in some way. */
async function killAt(
  member: ClusterMember,
  name: Name,
  isChanged: (mark: string) => boolean,
  ...args: readonly string[]
): Promise<void> {
  const child = spawn(process.execPath, [MAIN, ...commandAt(member, ...args)], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  const mark = markOf(name, member);
  await until('the mark', () => existsSync(mark) && isChanged(readFileSync(mark, 'utf8')));
  child.kill('SIGKILL');
  await ended;
}

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

/** Pays under a key. @returns the hash of the transaction. */
async function pay(rpc: Rpc, address: string, idempotency_key = ORDER): Promise<string> {
  const destinations = [{ amount: COIN, address }];
  const { tx_hash } = await rpc('transfer', { destinations, idempotency_key });
  return String(tx_hash);
}

const hashOf = ({ orders }: Loose, key: string): string =>
  String(
    (orders as Loose[]).find(({ idempotency_key }) => idempotency_key === key)?.['transactions'][0].tx_hash,
  );

/** Address that all payments go to. */
const payee = (): string => String((acknowledged('till').addresses as Loose[])[0]?.['address']);

beforeAll(async () => {
  postgres = await startPostgres();
  const database = await newDatabase(postgres, 'leaving');
  cluster = await startWalletCluster({ postgres, database, wallets: WALLETS, members: 2 });
  [first, second] = cluster.members as [ClusterMember, ClusterMember];
  const payees: string[] = [];
  for (const name of WALLETS) {
    const { rpc } = second.wallet(name);
    await rpc('create_wallet', { password: PASSWORD, language: 'English' });
    await rpc('create_address', { account_index: 0, label: `till of ${name}` });
    payees.push(String((await rpc('get_address')).address));
  }
  const [till = '', , shelf = ''] = payees;
  for (const address of payees) await cluster.daemon.generate(address, 5);
  await cluster.daemon.generate(shelf, 60);
  for (const name of WALLETS) {
    const { rpc } = first.wallet(name);
    await rpc('refresh');
    const hash = await pay(rpc, till);
    await rpc('set_tx_notes', { txids: [hash], notes: [`${ORDER} of ${name}`] });
  }
  await cluster.daemon.generate(till, 11);
  for (const name of WALLETS) {
    const { rpc } = second.wallet(name);
    await rpc('refresh');
    before.set(name, await contentsOf(rpc));
  }
});

afterAll(async () => {
  await alone?.stop({ keep: true });
  await cluster?.stop();
  await postgres?.stop();
});

describe('wallet-rpc cluster leave', () => {
  it('leaves a wallet where it is while a process holds it, and names that process', async () => {
    const { holder } = ((await first.rpc('list_wallets')).wallets as Loose[]).find(
      ({ name }) => name === 'shelf',
    ) as Loose;
    const { code, output } = await runAt(first, 'leave', 'shelf');
    expect([code, output]).toEqual([1, expect.stringContaining(`shelf: ${holder} holds it: close it there`)]);
    expect((await second.wallet('shelf').rpc('get_balance')).balance).toBe(acknowledged('shelf').balance);
  });

  it.each([[[]], [['till', '--all']]])('takes one name, or --all: %j', async (args) => {
    const { code, output } = await runAt(first, 'leave', ...args);
    expect([code, output]).toEqual([1, expect.stringContaining('takes the name of a wallet, or --all')]);
  });

  it('takes out a wallet that its client has closed, while the cluster goes on', async () => {
    await second.wallet('shelf').rpc('close_wallet');
    const { code, stdout } = await runAt(first, 'leave', 'shelf');
    expect([code, stdout]).toEqual([0, `shelf: has left, its files are ${join(first.walletDir, 'shelf')}\n`]);
    expect((await second.wallet('till').rpc('get_balance')).balance).toBe(acknowledged('till').balance);
    const listed = (await second.rpc('list_wallets')).wallets as Loose[];
    expect(listed.find(({ name }) => name === 'shelf')?.['holder']).toBeUndefined();
  });

  it('takes out the others, repeated after a kill, while a process that held them is left over', async () => {
    // It gives its wallets to the other one, which is cut off then.
    await first.stop('SIGTERM');
    second.pause(true);
    await killAt(first, 'till', (mark) => mark.includes('departure'), 'leave', '--all');
    const { code, stdout } = await runAt(first, 'leave', '--all');
    expect(stdout.split('\n').filter((line) => line !== '')).toEqual(
      WALLETS.toSorted().map((name) => expect.stringMatching(new RegExp(`^${name}: ha(s|d) left`))),
    );
    expect(code).toBe(0);
    second.pause(false);
  });
});

describe('a process of the cluster that is left over', () => {
  it.each(WALLETS)('opens no wallet that has left, says why, and pays nothing: %s', async (name) => {
    const { call } = second.wallet(name);
    await until('the refusal', async () => {
      const { error } = await call('open_wallet', { password: PASSWORD });
      if (error?.code !== BAD_CLUSTER_REQUEST) return undefined;
      expect(error.message).toMatch(`the wallet '${name}' left the cluster at 2`);
      expect(error.message).toMatch(`its files are in ${first.walletDir} on`);
      expect(error.message).toMatch('The files here are an older copy of it');
      return true;
    });
    const destinations = [{ amount: COIN, address: payee() }];
    const { error } = await call('transfer', { destinations, idempotency_key: LATER });
    expect(error?.code).toBe(-13);
  });

  it('has files that a process without the cluster refuses', async () => {
    await second.stop('SIGTERM');
    const { daemon } = cluster;
    const copy = await startWalletProcess({ daemon: daemon.address, walletDir: second.walletDir });
    try {
      for (const name of WALLETS) {
        const { error } = await walletCalls(copy.port, name).call('open_wallet', { password: PASSWORD });
        expect([error?.code, error?.message]).toEqual([
          BAD_CLUSTER_REQUEST,
          expect.stringMatching(
            /^the files of '.*' are a copy, perhaps an old one, of a wallet in a cluster/,
          ),
        ]);
      }
    } finally {
      await copy.stop({ keep: true });
    }
  });
});

describe('a process without the cluster', () => {
  const walletOf = (name: Name) => walletCalls(alone?.port ?? 0, name);

  beforeAll(async () => {
    alone = await startWalletProcess({
      ...{ daemon: cluster.daemon.address, walletDir: first.walletDir, args: ['--trusted-daemon'] },
    });
  });

  it.each(WALLETS)('has everything acknowledged: %s', async (name) => {
    const { rpc } = walletOf(name);
    await rpc('open_wallet', { password: PASSWORD });
    await rpc('refresh');
    expect(await contentsOf(rpc)).toEqual(acknowledged(name));
    expect(acknowledged(name)).toMatchObject({
      notes: expect.arrayContaining([`${ORDER} of ${name}`]),
      orders: [expect.objectContaining({ idempotency_key: ORDER })],
    });
  });

  it.each(WALLETS)('repeats an order of the cluster, and pays no second time: %s', async (name) => {
    const { rpc } = walletOf(name);
    expect(await pay(rpc, payee())).toBe(hashOf(acknowledged(name), ORDER));
    expect((await contentsOf(rpc)).hashes).toEqual(acknowledged(name).hashes);
  });

  it('pays further orders', async () => {
    for (const name of WALLETS) {
      const { rpc } = walletOf(name);
      await pay(rpc, payee(), LATER);
      await rpc('create_address', { account_index: 0, label: 'alone' });
    }
    await cluster.daemon.generate(payee(), 11);
    for (const name of WALLETS) {
      const { rpc } = walletOf(name);
      await rpc('refresh');
      before.set(name, await contentsOf(rpc));
      expect(acknowledged(name).orders).toHaveLength(2);
    }
  });
});

describe('wallet-rpc cluster join', () => {
  it('brings no wallet that a process has open', async () => {
    const { code, output } = await runAt(first, 'join', 'till');
    expect([code, output]).toEqual([1, expect.stringMatching(/till: .*(locked|use|open)/)]);
  });

  it('brings no older copy', async () => {
    const { code, output } = await runAt(second, 'join', 'till');
    expect([code, output]).toEqual([1, expect.stringContaining('The files here are an older copy of it')]);
  });

  it('brings wallets with what was changed meanwhile, repeated after a kill', async () => {
    await alone?.stop({ keep: true });
    alone = undefined;
    await killAt(first, 'till', (mark) => !mark.includes('"epoch":""'), 'join', 'till');
    for (const name of WALLETS) {
      const { code, output } = await runAt(first, 'join', name);
      expect([code, output]).toEqual([0, expect.stringMatching(/^\w+: (is|was) in the cluster/)]);
    }
    await Promise.all([first.start(), second.start()]);
  });

  it.each(WALLETS)('lets any process open the wallet: %s', async (name) => {
    const { rpc } = second.wallet(name);
    await rpc('open_wallet', { password: PASSWORD });
    await rpc('refresh');
    expect(await contentsOf(rpc)).toEqual(acknowledged(name));
    expect((await first.wallet(name).rpc('get_balance')).balance).toBe(acknowledged(name).balance);
  });

  it.each(WALLETS)('has all orders, which pay no second time: %s', async (name) => {
    const { rpc } = first.wallet(name);
    for (const key of [ORDER, LATER])
      expect(await pay(rpc, payee(), key)).toBe(hashOf(acknowledged(name), key));
    expect((await contentsOf(rpc)).hashes).toEqual(acknowledged(name).hashes);
  });
});
