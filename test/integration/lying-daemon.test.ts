import { UNDO_PAYOUTS } from '../support/wallets/undo-migrations.js';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, test } from '@jest/globals';
import type { SecretKey } from '../../src/monero/crypto/types.js';
import { FAULTS } from '../../src/regtest/fault-injection.js';
import { unlockDatabase } from '../../src/store/file/database.js';
import { cipherOf, storeKey } from '../../src/store/file/store-cipher.js';
import { WalletStore } from '../../src/store/wallet-store.js';
import { fromHex } from '../../src/util/bytes.js';
import { output, received } from '../store/fixtures.js';
import { until } from '../support/fakes/until.js';
import { logged } from '../support/processes/process.js';
import { AT_NIGHT, LIES, NOT_YET, OF_CONNECTION, type Lie, type LieCall } from '../support/values/lies.js';
import { isNight } from '../support/jest/lanes.js';
import { createWallet } from '../support/wallets/create-wallet.js';
import {
  booksOf,
  difference,
  poolOf,
  toldPoolOf,
  without,
  type Books,
} from '../support/wallets/wallet-books.js';
import { walletCalls, type Loose, type WalletCalls } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';

/*
 * A daemon that lies. A wallet that stands some blocks below the tip refreshes while the daemon lies, and again when the
 * lie has ended. Its books are compared with those that an honest daemon gives to the same wallet at the same height:
 * nothing is credited, lost or freed. An error may say why the wallet stays where it is.
 */

const XMR = 1_000_000_000_000;
/** Blocks above the wallet: payments to it, a reward for it, a payment by it, an empty one. */
const NEWS = 4;

let daemon: Monerod;
let server: WalletRpc;
let payer: WalletCalls;
/** Primary addresses of the payer and of the wallet that is lied to. */
let payerAddress: string;
let address: string;
/** Key image of an output that the wallet has not spent. */
let unspent: string;
/** Heights of the block with payments to the wallet, and of the block that rewards it. */
let paid: number;
let rewarded: number;
/** Payment to the wallet that waits in the pool. */
let waiting: string;
/** Books that an honest daemon gives, by height; at the tip without and with the payment in the pool. */
const honest = new Map<number, Books[]>();
let honestPool: Loose[];

/** Lies of the daemon; empty: it is honest. */
let lies = '';

/** Sets the lies of the daemon. */
async function lie(what: string, about: object = {}): Promise<void> {
  if (what === '' && lies === '') return;
  lies = what;
  expect(await daemon.plain('/misbehave', { what, ...about })).toMatchObject({ status: 'OK' });
  // The server keeps pages of blocks for seconds, for other wallets; those of a daemon that is set anew are dropped.
  await server.rpc('set_daemon', { address: daemon.address, trusted: true, ssl_support: 'disabled' });
}

/** Opens a copy of the wallet as it was below the newest blocks. */
async function copyBase(name: string): Promise<WalletCalls> {
  for (const end of ['', '.keys'])
    copyFileSync(join(server.walletDir, `base${end}`), join(server.walletDir, `${name}${end}`));
  const wallet = walletCalls(server.port, name);
  await wallet.rpc('open_wallet', { password: '' });
  return wallet;
}

const pay = async (to: string, amount: number, from = payer): Promise<string> =>
  (await from.rpc('transfer', { destinations: [{ address: to, amount }] })).tx_hash as string;

beforeAll(async () => {
  daemon = await startRegtestDaemon(['--misbehave=none', '--fixed-difficulty=8']);
  server = await startWalletRpc({ daemon: daemon.address, args: ['--refresh-period=0', '--trusted-daemon'] });
  payer = walletCalls(server.port, 'payer');
  const base = walletCalls(server.port, 'base');
  await createWallet(payer);
  await createWallet(base);
  payerAddress = (await payer.rpc('get_address')).address as string;
  address = (await base.rpc('get_address')).address as string;
  const mine = async (blocks = 1, to = payerAddress): Promise<number> => {
    await daemon.generate(to, blocks);
    await payer.rpc('refresh');
    return ((await daemon.rpc('get_block_count')) as { count: number }).count - 1;
  };
  await mine(75);
  for (let i = 0; i < 2; i++) await pay(address, 3 * XMR);
  await mine(11);
  await base.rpc('refresh');
  const request = await base.rpc('create_payment_request', { amount: XMR });
  await base.rpc('close_wallet');

  const payout = await copyBase('payout');
  const see = async (): Promise<void> => {
    const name = `twin ${[...honest.values()].flat().length}`;
    const twin = await copyBase(name);
    await twin.rpc('refresh');
    const books = await booksOf(twin);
    honest.set(books.height, [...(honest.get(books.height) ?? []), books]);
    honestPool = await poolOf(twin);
    await twin.rpc('close_wallet');
  };
  await see();
  await pay(request.address as string, XMR);
  await pay(address, 2 * XMR);
  paid = await mine();
  await see();
  rewarded = await mine(1, address);
  await see();
  await payout.rpc('refresh');
  await pay(payerAddress, XMR, payout);
  const { transfers: left } = await payout.rpc('incoming_transfers', { transfer_type: 'available' });
  unspent = (left as Loose[]).find(({ amount }) => amount === 3 * XMR).key_image as string;
  await mine();
  await see();
  await mine();
  await see();
  waiting = await pay(address, XMR / 2);
  await see();
  expect(honest.size).toBe(NEWS + 1);
  expect(honestPool).toHaveLength(1);
}, 60_000);

afterEach(() => lie(''));
afterAll(async () => {
  await server?.stop();
  await daemon?.stop();
});

/** Returns how books differ from those of an honest daemon at their height. */
function dishonesty(books: Books): string | undefined {
  const right = honest.get(books.height);
  if (right === undefined) return `no honest chain has the height ${books.height}`;
  const differences = right.map((one) => difference(books, one));
  return differences.includes(undefined) ? undefined : differences.at(-1);
}

/** Returns how the books of a wallet differ from those of an honest daemon at the tip, after a refresh. */
async function missed(wallet: WalletCalls): Promise<string | undefined> {
  await wallet.rpc('refresh');
  return (
    difference(await booksOf(wallet), [...honest.values()].at(-1)?.at(-1)) ??
    difference(await poolOf(wallet), honestPool)
  );
}

/** Returns the fields of a request for a lie that name its subject. */
const subjectOf = ({ about }: Lie): object => {
  const payee = { address, amount: 9 * XMR };
  switch (about) {
    case 'payee':
      return payee;
    case 'paying block':
      return { ...payee, at_height: paid };
    case 'rewarding block':
      return { at_height: rewarded };
    case 'unspent output':
      return { key_images: [unspent] };
    default:
      return {};
  }
};

let opened = 0;

/** Lets a wallet make a call while the daemon lies. @returns what the wallet took from the lie; undefined: nothing. */
async function believed(
  one: Lie,
  call: (wallet: WalletCalls) => Promise<unknown>,
  isUpToDate = false,
): Promise<string | undefined> {
  const wallet = await copyBase(`victim ${++opened}`);
  try {
    if (isUpToDate) await wallet.rpc('refresh');
    await lie(one.what, subjectOf(one));
    await call(wallet);
    const books = await booksOf(wallet);
    const pool = await toldPoolOf(wallet);
    await lie('');
    const others = pool.filter((entry) =>
      honestPool.every((right) => difference(entry, right) !== undefined),
    );
    return (
      dishonesty(books) ??
      (others.length > 0 ? `in the pool: ${JSON.stringify(others)}` : undefined) ??
      (await missed(wallet))
    );
  } finally {
    await wallet.rpc('close_wallet');
  }
}

/** Returns the part of the books that payments in the pool do not change. */
const minedPart = ({ height, transfers: { received, out }, outputs, requests }: Books) => ({
  ...{ height, received, out, requests },
  outputs: (outputs.transfers as Loose[]).map((output) => without(output, 'spent', 'unlocked')),
});

/** Lets a wallet refresh while the daemon lies about its pool. @returns what the wallet counts as more than seen. */
async function counted(one: Lie): Promise<string | undefined> {
  const wallet = await copyBase(`victim ${++opened}`);
  const right = [...honest.values()].at(-1)?.at(-1) as Books;
  try {
    await lie(one.what, subjectOf(one));
    await wallet.rpc('refresh');
    const told = await booksOf(wallet);
    await lie('');
    await wallet.rpc('refresh');
    const books = await booksOf(wallet);
    return (
      difference(minedPart(told), minedPart(right)) ??
      (told.balance.unlocked_balance > right.balance.unlocked_balance
        ? 'more money is unlocked'
        : undefined) ??
      difference(without(books, 'events'), without(right, 'events')) ??
      difference(await poolOf(wallet), honestPool)
    );
  } finally {
    await wallet.rpc('close_wallet');
  }
}

/** Lets a wallet pay while the daemon lies. @returns what is wrong afterwards; undefined: nothing. */
async function paidWrongly({ what }: Lie): Promise<string | undefined> {
  const wallet = await copyBase(`victim ${++opened}`);
  try {
    await wallet.rpc('refresh');
    await lie(what);
    const { result } = await wallet.call('transfer', {
      destinations: [{ address: payerAddress, amount: XMR / 10 }],
    });
    await lie('');
    // A payment that the daemon has forgotten is relayed again by a refresh.
    await wallet.rpc('refresh');
    const { tx_hashes = [] } = await daemon.plain('/get_transaction_pool_hashes');
    const relayed = (tx_hashes as string[]).filter((hash) => hash !== waiting);
    const { pending = [] } = await wallet.rpc('get_transfers', { pending: true });
    if (relayed.length > 0) await daemon.rpc('flush_txpool', { txids: relayed });
    const right =
      difference(
        (pending as Loose[]).map(({ txid }) => txid as string),
        relayed,
      ) ?? (result === undefined ? undefined : difference(relayed, [result.tx_hash]));
    if (right !== undefined) return right;
    if ((pending as Loose[]).some(({ fee }) => fee > XMR / 100)) return 'a fee of more than 0.01 XMR';
    return relayed.length > 0 ? undefined : await missed(wallet);
  } finally {
    await wallet.rpc('close_wallet');
  }
}

/** Defines the tests of lies: none is believed, but for those in {@link NOT_YET}, which must be. */
function holds(call: LieCall, trial: (one: Lie) => Promise<string | undefined>): void {
  expect(LIES[call].map(({ what }) => what)).toEqual(expect.arrayContaining([...(AT_NIGHT[call] ?? [])]));
  for (const one of LIES[call].filter(({ what }) => isNight || AT_NIGHT[call]?.includes(what) !== true))
    test(one.what, async () => {
      const taken = await trial(one);
      if (NOT_YET[call]?.[one.what] === undefined) expect(taken).toBeUndefined();
      else expect(taken).toBeDefined();
    });
}

describe('nothing is credited, lost or freed by a refresh with', () => {
  it('no lie', async () => {
    expect(await believed({ what: '' }, (wallet) => wallet.rpc('refresh'))).toBeUndefined();
  });

  holds('refresh', (one) => believed(one, (wallet) => wallet.call('refresh')));
});

describe('a payment in the pool counts as seen, and not after the end of', () => {
  holds('pool', counted);
});

describe('nothing is credited, lost or freed by rescan_spent with', () => {
  holds('rescan_spent', (one) => believed(one, (wallet) => wallet.call('rescan_spent'), true));
});

describe('nothing is credited, lost or freed by scan_tx with', () => {
  holds('scan_tx', (one) => believed(one, (wallet) => wallet.call('scan_tx', { txids: [waiting] }), true));
});

describe('a wallet pays once, at a fair price, or not at all with', () => {
  holds('transfer', paidWrongly);
});

/** Copies the wallet with a payment in an honest block that no chain has, as an earlier version took it from a lie. */
async function copyDeceived(name: string): Promise<WalletCalls> {
  const wallet = await copyBase(name);
  await wallet.rpc('refresh');
  const secret = async (key_type: string): Promise<SecretKey> =>
    fromHex((await wallet.rpc('query_key', { key_type })).key as string) as SecretKey;
  const key = storeKey(await secret('view_key'), await secret('spend_key'));
  await wallet.rpc('close_wallet');
  const path = join(server.walletDir, name);
  const store = WalletStore.open(path, key);
  const forged = { received: [received(7, paid)], outputs: [output(7, paid, BigInt(9 * XMR))] };
  store.write((w) => w.addFound({ ...forged, spends: [], outgoing: [], subaddresses: [] }));
  store.close();
  const db = unlockDatabase(path, { key, cipher: cipherOf(path) }, { fileMustExist: true });
  db.exec(UNDO_PAYOUTS);
  db.pragma('user_version = 45');
  db.close();
  await wallet.rpc('open_wallet', { password: '' });
  return wallet;
}

test('a payment that an earlier version took from a lie is taken back, unless the daemon lies about it again', async () => {
  const right = [...honest.values()].at(-1)?.at(-1) as Books;
  const wallet = await copyDeceived('deceived');
  const txid = '07'.repeat(32);
  const unlike = async (): Promise<string | undefined> =>
    difference(without(await booksOf(wallet), 'events'), without(right, 'events'));
  try {
    const refused = logged(server.process, /could not be proven.* name=deceived/);
    await lie('swapped-payment=1,no-prunable-hash=1', subjectOf({ what: '', about: 'paying block' }));
    await wallet.rpc('refresh');
    await refused;
    expect((await wallet.rpc('get_transfer_by_txid', { txid })).transfer.amount).toBe(9 * XMR);
    await lie('');
    await wallet.rpc('refresh');
    await until('the payment to be taken back', async () => (await unlike()) === undefined || undefined);
    const { events } = await wallet.rpc('get_events', { after: 0, limit: 1000 });
    const of = (events as Loose[])
      .filter(({ data }) => data.tx_hash === txid)
      .map(({ type }) => type as string);
    expect(of.at(-1)).toBe('payment.reversed');
    expect((events as Loose[]).filter(({ type }) => type === 'payment.reversed')).toHaveLength(1);
    await logged(server.process, /that an earlier version read are proven name=deceived/);
  } finally {
    await wallet.rpc('close_wallet');
  }
});

test('every lie has a case', () => {
  const tried = Object.values(LIES)
    .flat()
    .flatMap(({ what }) => what.split(','));
  const names = new Set(tried.map((one) => one.split('=')[0]));
  expect(Object.keys(FAULTS).filter((name) => !names.has(name) && !OF_CONNECTION.includes(name))).toEqual([]);
});
