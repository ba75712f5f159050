import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { createWallet } from '../support/wallets/create-wallet.js';
import type { Loose } from '../support/network/json-rpc.js';
import { killMoment } from '../support/processes/kill-moment.js';
import type { Monerod } from '../support/processes/monerod.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { until } from '../support/fakes/until.js';
import { startWalletProcess, startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { isNight, itAtNight, someRows } from '../support/jest/lanes.js';

const COIN = 1_000_000_000_000;
/** Number of addresses of the first account; new wallets of servers under test watch 20. */
const ADDRESSES = 120;
/** Number of accounts; new wallets of servers under test watch 5. */
const ACCOUNTS = 12;

let daemon: Monerod;
/** Server of the wallet that knows all of its addresses from the beginning, and of the one that pays it. */
let origin: WalletRpc;
let payer: WalletRpc;
/** Server of the wallets with the same keys that learn of these addresses later. */
let late: WalletRpc;
/** Address of the payer. */
let outside: string;
let keys: { readonly address: string; readonly viewkey: string; readonly spendkey: string };
let seed: string;
/** Complete history of the wallet. */
let complete: Loose;

const mine = (blocks: number): Promise<unknown> => daemon.generate(outside, blocks);

/** Reads the balance and the payments that a wallet knows, in an order that does not depend on when it found them. */
async function knownBy(server: WalletRpc): Promise<Loose> {
  const { synced, balance, unlocked_balance } = await server.rpc('get_balance', { all_accounts: true });
  const lists = await server.rpc('get_transfers', {
    ...{ in: true, out: true, pending: true, failed: true, pool: true, all_accounts: true },
  });
  const rows = (list: unknown): unknown[] =>
    ((list ?? []) as Loose[])
      // Restored wallets do not know to whom payments went.
      .map(({ txid, amount, fee, height, subaddr_index }) => ({ txid, amount, fee, height, subaddr_index }))
      .sort((a, b) => String(a.txid).localeCompare(String(b.txid)) || Number(a.amount) - Number(b.amount));
  return {
    ...{ synced, balance, unlocked_balance },
    ...{ in: rows(lists.in), out: rows(lists.out), pending: rows(lists.pending), pool: rows(lists.pool) },
  };
}

/** Creates the later addresses of the wallet. */
async function createFar(server: WalletRpc, label = ''): Promise<void> {
  await server.rpc('create_address', { count: ADDRESSES - 1, label });
  for (let account = 1; account < ACCOUNTS; account++) await server.rpc('create_account');
}

const caughtUp = (server: WalletRpc): Promise<Loose> =>
  until('the end of a catch-up', async () => {
    const { height, catch_up } = await server.rpc('get_height');
    return catch_up === undefined ? { height } : undefined;
  });

beforeAll(async () => {
  daemon = await startRegtestDaemon();
  const online = { daemon: daemon.address };
  [origin, payer, late] = await Promise.all([
    startWalletRpc(online),
    startWalletRpc(online),
    startWalletRpc({ ...online, ownProcess: isNight }),
  ]);
  await createWallet(payer, 'payer');
  outside = (await payer.rpc('get_address')).address as string;
  await createWallet(origin, 'origin');
  const key = async (key_type: string): Promise<string> =>
    (await origin.rpc('query_key', { key_type })).key as string;
  keys = {
    address: (await origin.rpc('get_address')).address as string,
    viewkey: await key('view_key'),
    spendkey: await key('spend_key'),
  };
  seed = await key('mnemonic');
  await createFar(origin);
  await mine(80);
  await payer.rpc('refresh');
  const address = async (account_index: number, index: number): Promise<string> =>
    (await origin.rpc('get_address', { account_index, address_index: [index] })).addresses[0]
      .address as string;
  const pay = async (destinations: readonly (readonly [number, number, number])[]): Promise<void> => {
    await payer.rpc('transfer', {
      destinations: await Promise.all(
        destinations.map(async ([account, index, amount]) => ({
          address: await address(account, index),
          amount,
        })),
      ),
    });
    await mine(1);
    await payer.rpc('refresh');
  };
  await pay([
    [0, 0, COIN],
    [0, 90, 2 * COIN],
    [ACCOUNTS - 1, 0, 3 * COIN],
  ]);
  // The payment to the later address is found only with a window that the next one opens.
  await pay([[0, 38, COIN / 2]]);
  await pay([[0, 19, COIN / 4]]);
  await pay([[0, ADDRESSES - 1, COIN / 8]]);
  await mine(10);
  await origin.rpc('refresh');
  // A payment that spends an output which is found late, and whose change is found at once.
  await origin.rpc('transfer', {
    destinations: [{ address: outside, amount: COIN }],
    account_index: 0,
    subaddr_indices: [90],
  });
  await origin.rpc('transfer', {
    destinations: [{ address: await address(0, 3), amount: COIN / 16 }],
    account_index: ACCOUNTS - 1,
  });
  await mine(11);
  await origin.rpc('refresh');
  // A payment from an address that is known at once to one of its account that is found late.
  await origin.rpc('transfer', {
    destinations: [{ address: await address(0, 100), amount: COIN / 32 }],
    account_index: 0,
    subaddr_indices: [0],
  });
  await mine(11);
  await origin.rpc('restore_deterministic_wallet', { filename: 'whole', seed });
  await createFar(origin, 'order');
  await origin.rpc('rescan_blockchain');
  complete = await knownBy(origin);
  expect(complete).toMatchObject({ synced: undefined, out: [{}, {}, {}] });
});

afterAll(async () => {
  await Promise.all([origin?.stop(), payer?.stop(), late?.stop()]);
  await daemon?.stop();
});

let wallets = 0;
/** Restores the wallet on the server of late wallets, and reads the chain without its later addresses. */
async function restore(how: 'seed' | 'keys' | 'view'): Promise<void> {
  const filename = `late-${++wallets}`;
  if (how === 'seed') await late.rpc('restore_deterministic_wallet', { filename, seed, restore_height: 0 });
  else
    await late.rpc('generate_from_keys', {
      ...{ filename, password: '', restore_height: 0, address: keys.address, viewkey: keys.viewkey },
      ...(how === 'keys' ? { spendkey: keys.spendkey } : {}),
    });
  await late.rpc('refresh');
}

describe('a wallet that learns of addresses after it has read their payments', () => {
  it('says that it lacks payments until it has found them, by itself', async () => {
    await restore('keys');
    const before = await knownBy(late);
    expect(before.balance).toBeLessThan(complete.balance as number);
    await createFar(late);
    const answers = [
      await late.rpc('get_balance'),
      await late.rpc('get_accounts'),
      await late.rpc('get_transfers', { in: true }),
      await late.rpc('incoming_transfers', { transfer_type: 'all' }),
      await late.rpc('get_bulk_payments', { payment_ids: [] }),
    ];
    const { catch_up } = await late.rpc('get_height');
    if (catch_up !== undefined) expect(answers.every(({ synced }) => synced === false)).toBe(true);
    await caughtUp(late);
    expect(await knownBy(late)).toEqual(complete);
  });

  test.each(
    someRows([
      ['restored from its seed', 'seed'],
      ['generated from its keys', 'keys'],
    ] as const),
  )('has found all of them after its next refresh, %s', async (_, how) => {
    await restore(how);
    await createFar(late, 'order');
    await late.rpc('refresh');
    await caughtUp(late);
    expect(await knownBy(late)).toEqual(complete);
    await late.rpc('rescan_blockchain');
    expect(await knownBy(late)).toEqual(complete);
  });

  itAtNight('finds them although it creates the addresses one by one', async () => {
    await restore('seed');
    for (let index = 1; index < ADDRESSES; index++) await late.rpc('create_address');
    for (let account = 1; account < ACCOUNTS; account++) await late.rpc('create_account');
    await caughtUp(late);
    expect(await knownBy(late)).toEqual(complete);
  });

  itAtNight('finds them with a larger lookahead', async () => {
    await restore('seed');
    await late.rpc('set_subaddress_lookahead', { major_idx: ACCOUNTS, minor_idx: ADDRESSES });
    await caughtUp(late);
    expect(await knownBy(late)).toEqual(complete);
  });

  itAtNight('finds what a view-only wallet can see', async () => {
    await restore('view');
    await createFar(late);
    await caughtUp(late);
    const found = (await late.rpc('incoming_transfers', { transfer_type: 'all' })).transfers as Loose[];
    const all = (await origin.rpc('incoming_transfers', { transfer_type: 'all' })).transfers as Loose[];
    const pubkeys = (list: readonly Loose[]): string[] => list.map(({ pubkey }) => String(pubkey)).sort();
    expect(pubkeys(found)).toEqual(pubkeys(all));
  });

  itAtNight('goes on after it was killed', async () => {
    for (let round = 0; round < 2; round++) {
      await restore('seed');
      const filename = `late-${wallets}`;
      await createFar(late);
      await killMoment(Math.random() * 300);
      await late.stop({ signal: 'SIGKILL', keep: true });
      late = await startWalletProcess({ daemon: daemon.address, walletDir: late.walletDir });
      await late.rpc('open_wallet', { filename, password: '' });
      await late.rpc('refresh');
      await caughtUp(late);
      expect(await knownBy(late)).toEqual(complete);
    }
  });

  itAtNight(
    'needs no catch-up for addresses within its window, nor ever for the next address of a wallet of new keys',
    async () => {
      const next = async (): Promise<void> => {
        await late.rpc('create_address');
        expect(await late.rpc('get_height')).toEqual({ height: expect.any(Number) });
        expect(await late.rpc('get_balance')).not.toHaveProperty('synced');
      };
      await restore('seed');
      await late.rpc('create_address', { count: 30 });
      await caughtUp(late);
      // The catch-up has searched for more addresses than were created.
      await next();
      await createWallet(late, `late-${++wallets}`);
      await late.rpc('refresh');
      for (let index = 0; index < 30; index++) {
        await next();
        if (index % 10 === 0) await late.rpc('refresh');
      }
    },
  );

  itAtNight(
    'reports what it finds as history below the height at which it came here, and as news from there on',
    async () => {
      await restore('seed');
      const arrival = (await late.rpc('get_height')).height as number;
      const { address } = (await origin.rpc('get_address', { address_index: [ADDRESSES - 2] }))
        .addresses[0] as Loose;
      await payer.rpc('refresh');
      await payer.rpc('transfer', { destinations: [{ address, amount: COIN / 64 }] });
      await mine(11);
      await late.rpc('refresh');
      const { cursor } = await late.rpc('get_events', { limit: 1000 });
      await createFar(late);
      await caughtUp(late);
      const { events } = await late.rpc('get_events', {
        after: cursor,
        limit: 1000,
        types: ['payment.mined'],
      });
      const news = (events as Loose[]).filter(({ history }) => history !== true);
      expect(news.map(({ data }) => data)).toMatchObject([{ amount: COIN / 64, address }]);
      expect((events as Loose[]).length).toBeGreaterThan(3);
      for (const { data, history } of events as Loose[])
        expect(history === true).toBe(((data as Loose).height as number) < arrival);
      await origin.rpc('refresh');
      complete = await knownBy(origin);
      expect(await knownBy(late)).toEqual(complete);
    },
  );

  itAtNight('keeps what it has found, and finds it again, when blocks are replaced', async () => {
    await restore('seed');
    await createFar(late);
    await caughtUp(late);
    await daemon.popBlocks(8);
    await mine(12);
    await Promise.all([late.rpc('refresh'), origin.rpc('refresh')]);
    complete = await knownBy(origin);
    expect(await knownBy(late)).toEqual(complete);
  });

  itAtNight('catches up beside other wallets, and for payment requests', async () => {
    await restore('seed');
    // Each request takes the next address; those after the first 20 were paid before.
    for (let index = 0; index < 30; index++) await late.rpc('create_payment_request', { amount: COIN });
    await restore('keys');
    await createFar(late);
    await caughtUp(late);
    expect(await knownBy(late)).toEqual(complete);
    await late.rpc('open_wallet', { filename: `late-${wallets - 1}`, password: '' });
    await late.rpc('refresh');
    await caughtUp(late);
    const { requests } = await late.rpc('list_payment_requests', { limit: 100 });
    expect((requests as Loose[]).every(({ synced }) => synced === true)).toBe(true);
    await createFar(late);
    await caughtUp(late);
    expect(await knownBy(late)).toEqual(complete);
  });
});
