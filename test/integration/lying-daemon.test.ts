import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, test } from '@jest/globals';
import { FAULTS } from '../../src/regtest/fault-injection.js';
import { createWallet } from '../support/wallets/create-wallet.js';
import { walletCalls, type Loose, type WalletCalls } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { isNight } from '../support/jest/lanes.js';

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

/** Everything that a wallet says about its money, except what it reads from the pool. */
type Books = Readonly<Record<'height' | 'balance' | 'transfers' | 'outputs' | 'requests' | 'events', Loose>>;

/** Returns an object without some of its fields. */
const without = (object: object, ...names: readonly string[]): object =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));

async function booksOf(wallet: WalletCalls): Promise<Books> {
  const [{ height }, transfers, balance, outputs, { requests }, { events }] = await Promise.all([
    wallet.rpc('get_height'),
    wallet.rpc('get_transfers', { in: true, out: true, pending: true, failed: true, all_accounts: true }),
    wallet.rpc('get_balance', { all_accounts: true }),
    wallet.rpc('incoming_transfers', { transfer_type: 'all' }),
    wallet.rpc('list_payment_requests', {}),
    wallet.rpc('get_events', { after: 0, limit: 1000 }),
  ]);
  const { in: received = [], out = [], pending = [], failed = [] } = transfers;
  return {
    height,
    balance,
    transfers: { received, out, pending, failed },
    outputs,
    // A request says with `synced`, and an event, that the wallet has read all blocks, which a lie may delay.
    requests: (requests as Loose[]).map((request) => without(request, 'synced')),
    events: (events as Loose[])
      .filter(({ type }) => type !== 'wallet.synced')
      .map(({ type, data: { tx_timestamp, ...data } }) =>
        // A payment in the pool has the time at which the wallet first saw it.
        JSON.stringify(type === 'payment.seen' ? [type, data] : [type, { tx_timestamp, ...data }]),
      )
      .sort(),
  };
}

const poolOf = async (wallet: WalletCalls): Promise<Loose[]> =>
  (((await wallet.rpc('get_transfers', { pool: true })).pool ?? []) as Loose[]).map(
    ({ txid, amount, double_spend_seen }) => ({ txid, amount, double_spend_seen }),
  );

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

/** Returns the simple values in a value, by path. */
function leaves(value: unknown, path = '', into = new Map<string, string>()): Map<string, string> {
  if (typeof value !== 'object' || value === null) into.set(path, String(value));
  else for (const [name, inner] of Object.entries(value)) leaves(inner, `${path}.${name}`, into);
  return into;
}

/** Returns a description of the first differences between two values; undefined without a difference. */
function difference(told: unknown, right: unknown): string | undefined {
  const [of, against] = [leaves(told), leaves(right)];
  const differing = [...new Set([...of.keys(), ...against.keys()])].filter(
    (name) => of.get(name) !== against.get(name),
  );
  if (differing.length === 0) return undefined;
  return differing
    .slice(0, 6)
    .map((name) => `${name}: ${of.get(name)} in place of ${against.get(name)}`)
    .join('; ');
}

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

/** A lie and its parameters. */
interface Case {
  readonly what: string;
  readonly about?: () => object;
}

const payee = (more: object = {}) => ({ address, amount: 9 * XMR, ...more });
const toVictim = { about: () => payee() };
const inPaid = { about: () => payee({ at_height: paid }) };
const inRewarded = { about: () => ({ at_height: rewarded }) };
const spending = { about: () => ({ key_images: [unspent] }) };

/** Lies about payments, which a page without the hashes of the removed parts tells without a contradiction. */
const OF_PAYMENTS: readonly Case[] = [
  { what: 'swapped-payment=1', ...inPaid },
  { what: 'raised-amount=41', ...inPaid },
  { what: 'changed-amount=41', ...inPaid },
  { what: 'changed-commitment=1', ...inPaid },
  { what: 'changed-output-key=1', ...inPaid },
  { what: 'changed-payment-id=1', ...inPaid },
  { what: 'changed-unlock-time=500000', ...inPaid },
  { what: 'changed-key-image=1' },
  { what: 'added-key-image=1', ...spending },
  { what: 'removed-key-image=1' },
  { what: 'reordered-payments=1', ...inPaid },
  { what: 'wrong-merkle-root=1', ...inPaid },
];

const CASES: readonly Case[] = [
  { what: 'wrong-height=1000000000' },
  { what: 'lower-height=3' },
  { what: 'target-height=1000000000' },
  { what: 'wrong-top-hash=1' },
  { what: 'page-start=1' },
  { what: 'page-height=1000000000' },
  { what: 'invented-hashes=10' },
  { what: 'other-header-hash=1' },
  { what: 'other-header-time=1000000' },
  { what: 'other-header-reward=1000' },
  { what: 'own-difficulty=1' },
  { what: 'old-seed=1' },
  { what: 'other-fork=17' },
  { what: 'forged-blocks=12', ...toVictim },
  ...[5, 10, 50].map((blocks) => ({ what: `forged-fork=${blocks}`, ...toVictim })),
  { what: 'half-difficulty=5', ...toVictim },
  { what: 'forged-spend=1', ...spending },
  { what: 'forged-reward=9', ...toVictim },
  { what: 'future-time=1000000' },
  { what: 'timestamp-war=20' },
  ...OF_PAYMENTS,
  ...OF_PAYMENTS.map(({ what, ...about }) => ({ what: `${what},no-prunable-hash=1`, ...about })),
  { what: 'latency=20,swapped-payment=1,no-prunable-hash=1', ...inPaid },
  { what: 'first-version-payment=1', ...inPaid },
  { what: 'swapped-listed-payment=1', ...inPaid },
  { what: 'no-prunable-hash=1' },
  { what: 'wrong-prunable-hash=1', ...inPaid },
  { what: 'added-payment=1', ...inPaid },
  { what: 'left-out-payment=1', ...inPaid },
  { what: 'unlisted-payment=1', ...inPaid },
  { what: 'fewer-output-indices=1', ...inPaid },
  { what: 'shifted-output-indices=3' },
  { what: 'foreign-block=1' },
  { what: 'unknown-parent=1' },
  { what: 'other-block-time=1000000' },
  { what: 'early-reward=1', ...inRewarded },
  { what: 'raised-reward=10', ...inRewarded },
  { what: 'newer-fork=88' },
  { what: 'swapped-pool-payment=1', ...toVictim },
  { what: 'hidden-pool=1' },
  { what: 'double-spend-hidden=1' },
  { what: 'unknown-pool=1' },
  { what: 'mined-pool=5' },
  { what: 'lower-mined-height=3' },
  { what: 'unmined-transactions=1' },
  { what: 'swapped-transaction=1', ...toVictim },
  { what: 'missed-transactions=1' },
  { what: 'reorganise=2' },
];

/** Lies about the pool, whose payments nothing proves: they count as seen, and as nothing more. */
const OF_POOL: readonly Case[] = [
  { what: 'forged-pool-payment=1', ...toVictim },
  { what: 'latency=20,forged-pool-payment=1', ...toVictim },
  { what: 'forged-pool-spend=1', ...spending },
  { what: 'double-spend-seen=1' },
];

/** Lies about key images, in answers to the call that asks for them. */
const OF_KEY_IMAGES: readonly Case[] = ['all-spent=1', 'all-spent-in-pool=1', 'all-unspent=1'].map(
  (what) => ({
    what,
  }),
);

/** Lies about a transaction that a client asks to be scanned: the one in the pool. */
const OF_SCANS: readonly Case[] = [
  { what: 'mined-pool=5' },
  { what: 'swapped-transaction=1', ...toVictim },
  { what: 'missed-transactions=1' },
  { what: 'double-spend-hidden=1' },
];

/** Lies to a wallet that pays. */
const OF_PAYING: readonly Case[] = [
  'inflated-fee=1000000',
  'no-fee=1',
  'fee-step=1000',
  'other-fork=17',
  'wrong-ring-data=1',
  'other-ring-keys=1',
  'other-ring-commitments=1',
  'other-ring-heights=50',
  'unlocked-rings=1',
  'locked-rings=1',
  'changing-rings=2',
  'shifted-distribution=20',
  'truncated-distribution=20',
  'forgotten-payment=1',
  'refused-payment=1',
  'refused-and-relayed=1',
].map((what) => ({ what }));

let opened = 0;

/** Lets a wallet make a call while the daemon lies. @returns what the wallet took from the lie; undefined: nothing. */
async function believed(
  { what, about = () => ({}) }: Case,
  call: (wallet: WalletCalls) => Promise<unknown>,
  isUpToDate = false,
): Promise<string | undefined> {
  const wallet = await copyBase(`victim ${++opened}`);
  try {
    if (isUpToDate) await wallet.rpc('refresh');
    await lie(what, about());
    await call(wallet);
    const books = await booksOf(wallet);
    const pool = await poolOf(wallet);
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
async function counted({ what, about = () => ({}) }: Case): Promise<string | undefined> {
  const wallet = await copyBase(`victim ${++opened}`);
  const right = [...honest.values()].at(-1)?.at(-1) as Books;
  try {
    await lie(what, about());
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
async function paidWrongly({ what }: Case): Promise<string | undefined> {
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

const HIDDEN = 'no page shows a payment that it hides, unless it has the hashes of the removed parts';
const WORK = 'only work tells this block from an honest one';
const TRUSTED = 'the answer to this call is taken as it is';

/** Lies that a wallet still believes, with the reasons, by the call that takes them. */
const NOT_YET: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  refresh: {
    'changed-output-key=1,no-prunable-hash=1': HIDDEN,
    'shifted-output-indices=3': 'nothing in a block says the global indices of its outputs',
    'forged-blocks=12': WORK,
    'forged-fork=5': WORK,
    'forged-fork=10': WORK,
    'forged-fork=50': WORK,
    'half-difficulty=5': WORK,
    'forged-spend=1': WORK,
    'forged-reward=9': WORK,
    'future-time=1000000': WORK,
    'timestamp-war=20': WORK,
  },
  rescan_spent: {
    'all-spent=1': TRUSTED,
    'all-spent-in-pool=1': TRUSTED,
    'all-unspent=1': TRUSTED,
  },
  pool: {
    'forged-pool-spend=1': 'a spend that has left the pool stays pending',
    'double-spend-seen=1': 'the mark of a double spend stays after its end',
  },
};

/** Lies of each night, by the call that takes them: the check that refuses one of them also refuses another lie of its list. */
const AT_NIGHT: Readonly<Record<string, readonly string[]>> = {
  refresh: [
    ...['target-height=1000000000', 'page-height=1000000000', 'lower-mined-height=3'],
    ...['other-header-time=1000000', 'other-header-reward=1000'],
    ...['forged-fork=10', 'forged-fork=50', 'half-difficulty=5', 'forged-reward=9', 'timestamp-war=20'],
    ...['changed-amount=41', 'changed-payment-id=1', 'unlisted-payment=1'],
    ...['raised-amount=41', 'changed-amount=41', 'changed-commitment=1', 'changed-payment-id=1'].map(
      (what) => `${what},no-prunable-hash=1`,
    ),
    ...['changed-unlock-time=500000', 'added-key-image=1', 'reordered-payments=1', 'wrong-merkle-root=1'].map(
      (what) => `${what},no-prunable-hash=1`,
    ),
    'latency=20,swapped-payment=1,no-prunable-hash=1',
  ],
  pool: ['latency=20,forged-pool-payment=1'],
  rescan_spent: ['all-spent-in-pool=1'],
  scan_tx: ['missed-transactions=1', 'double-spend-hidden=1'],
  transfer: [
    ...['fee-step=1000', 'other-fork=17', 'other-ring-commitments=1', 'other-ring-heights=50'],
    ...['changing-rings=2', 'truncated-distribution=20'],
  ],
};

/** Defines the tests of lies: none is believed, but for those in {@link NOT_YET}, which must be. */
function holds(
  cases: readonly Case[],
  call: string,
  trial: (one: Case) => Promise<string | undefined>,
): void {
  const names = cases.map(({ what }) => what);
  expect(names).toEqual(expect.arrayContaining([...(AT_NIGHT[call] ?? [])]));
  for (const one of cases.filter(({ what }) => isNight || AT_NIGHT[call]?.includes(what) !== true))
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

  holds(CASES, 'refresh', (one) => believed(one, (wallet) => wallet.call('refresh')));
});

describe('a payment in the pool counts as seen, and not after the end of', () => {
  holds(OF_POOL, 'pool', counted);
});

describe('nothing is credited, lost or freed by rescan_spent with', () => {
  holds(OF_KEY_IMAGES, 'rescan_spent', (one) => believed(one, (wallet) => wallet.call('rescan_spent'), true));
});

describe('nothing is credited, lost or freed by scan_tx with', () => {
  holds(OF_SCANS, 'scan_tx', (one) =>
    believed(one, (wallet) => wallet.call('scan_tx', { txids: [waiting] }), true),
  );
});

describe('a wallet pays once, at a fair price, or not at all with', () => {
  holds(OF_PAYING, 'transfer', paidWrongly);
});

test('every lie has a case', () => {
  const tried = [CASES, OF_POOL, OF_KEY_IMAGES, OF_SCANS, OF_PAYING]
    .flat()
    .flatMap(({ what }) => what.split(','));
  const names = new Set(tried.map((one) => one.split('=')[0]));
  const ofConnection = ['latency', 'drop', 'truncate', 'oversize'];
  expect(Object.keys(FAULTS).filter((name) => !names.has(name) && !ofConnection.includes(name))).toEqual([]);
});
