import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { z } from 'zod';
import { kindsOf } from '../../src/rpc/discovery/method-errors.js';
import { ADDITION, type WalletMethod } from '../../src/rpc/method.js';
import { registry } from '../../src/rpc/registry.js';
import { createWallet } from '../support/wallets/create-wallet.js';
import { post } from '../support/network/json-rpc.js';
import { startMonerod, type Monerod } from '../support/processes/monerod.js';
import { startReference, startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';

const TESTNET =
  '9wviCeWe2D8XS82k2ovp5EUYLzBt9pYNW2LXUFsZiv8S3Mt21FZ5qQaAroko1enzw3eGr9qC7X1D7Geoo2RrAotYPwq9Gm8';
const OTHER =
  '44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3A';
const SECRET = 'a-password-that-must-not-leak';
const ZERO_HASH = '0'.repeat(64);
const pay = (more: object = {}, destination: object = {}) => ({
  destinations: [{ amount: 1, address: OTHER, ...destination }],
  ...more,
});

interface Case {
  readonly method: string;
  readonly what: string;
  readonly params: unknown;
  readonly code: number;
  /** Reason why our answer is right although Debian's 0.18 differs. */
  readonly reference?: string;
}

const bad = (method: string, what: string, params: unknown, code: number, reference?: string): Case => ({
  method,
  what,
  params,
  code,
  ...(reference === undefined ? {} : { reference }),
});

/** Calls with an open wallet that holds money. */
const OPEN: readonly Case[] = [
  bad(
    'create_wallet',
    'a name that exists',
    { filename: 'open', password: SECRET, language: 'English' },
    -21,
  ),
  bad('create_wallet', 'an unknown language', { filename: 'x', password: SECRET, language: 'Klingon' }, -1),
  bad(
    'create_wallet',
    'a name that leaves the directory',
    { filename: '../x', password: SECRET, language: 'English' },
    -1,
  ),
  bad(
    'create_wallet',
    'a name of another type',
    { filename: 5, password: SECRET, language: 'English' },
    -32602,
  ),
  bad('open_wallet', 'a missing wallet', { filename: 'missing', password: SECRET }, -1),
  bad('open_wallet', 'a name that leaves the directory', { filename: '../open', password: SECRET }, -1),
  bad('open_wallet', 'a wrong password', { filename: 'second', password: SECRET }, -1),
  bad('restore_deterministic_wallet', 'no seed', { filename: 'r', password: SECRET, seed: '' }, -1),
  bad(
    'restore_deterministic_wallet',
    'words of an unknown language',
    { filename: 'r', password: SECRET, seed: 'one two three' },
    -1,
  ),
  bad(
    'restore_deterministic_wallet',
    'a name that exists',
    { filename: 'second', password: SECRET, seed: 'x' },
    -1,
  ),
  bad(
    'restore_deterministic_wallet',
    'a height of another type',
    { filename: 'r', seed: 'x', restore_height: 'high' },
    -32602,
  ),
  bad('change_wallet_password', 'a wrong password', { old_password: SECRET, new_password: 'x' }, -22),
  bad('query_key', 'an unknown key type', { key_type: 'everything' }, 0),
  bad('set_daemon', 'an unknown TLS mode', { address: 'localhost:1', ssl_support: 'maybe' }, -38),
  bad(
    'set_daemon',
    'TLS without a way to verify the certificate',
    { address: 'localhost:1', ssl_support: 'enabled' },
    -38,
  ),
  bad(
    'set_daemon',
    'a bad fingerprint',
    { address: 'localhost:1', ssl_allowed_fingerprints: ['00'] },
    -38,
    '0.18 takes a fingerprint of any length and goes over to that daemon',
  ),
  bad('get_address', 'an unknown account', { account_index: 9 }, -14),
  bad('get_address', 'an unknown address', { account_index: 0, address_index: [99] }, -15),
  bad('get_address', 'an account below zero', { account_index: -1 }, -32602),
  bad('get_balance', 'an account beyond 32 bits', { account_index: 4294967296 }, -32602),
  bad('get_balance', 'an account that is a fraction', { account_index: 0.5 }, -32602),
  bad('get_address_index', 'no address', { address: 'nonsense' }, -2),
  bad('get_address_index', 'an address of another wallet', { address: OTHER }, -2),
  bad('get_address_index', 'an address of another network', { address: TESTNET }, -2),
  bad('create_address', 'an unknown account', { account_index: 9 }, -14),
  bad('create_address', 'no addresses', { account_index: 0, count: 0 }, -1),
  bad('create_address', 'too many addresses', { account_index: 0, count: 65537 }, -1),
  bad('label_address', 'an unknown account', { index: { major: 9, minor: 0 }, label: 'x' }, -14),
  bad('label_address', 'an unknown address', { index: { major: 0, minor: 99 }, label: 'x' }, -15),
  bad('label_account', 'an unknown account', { account_index: 9, label: 'x' }, -14),
  bad('create_account', 'a label that is no text', { label: 5 }, -32602),
  bad('get_accounts', 'a tag without accounts', { tag: 'absent' }, -1),
  bad(
    'validate_address',
    'an address that is no text',
    { address: [1] },
    -32602,
    'the reference treats a list in place of a text as absent',
  ),
  bad('make_integrated_address', 'a short payment id', { payment_id: '1234' }, -5),
  bad('make_integrated_address', 'no hex', { payment_id: 'zzzzzzzzzzzzzzzz' }, -5),
  bad('make_integrated_address', 'no address', { standard_address: 'x', payment_id: '1122334455667788' }, -2),
  bad('split_integrated_address', 'no address', { integrated_address: 'x' }, -2),
  bad('split_integrated_address', 'a standard address', { integrated_address: OTHER }, -2),
  bad('transfer', 'no destination', { destinations: [] }, -20),
  bad('transfer', 'no address', pay({}, { address: 'x' }), -2),
  bad('transfer', 'an address of another network', pay({}, { address: TESTNET }), -2),
  bad('transfer', 'a zero amount', pay({}, { amount: 0 }), -46),
  bad('transfer', 'a negative amount', pay({}, { amount: -1 }), -32602),
  bad(
    'transfer',
    'an amount beyond 64 bits',
    '{"destinations":[{"amount":18446744073709551616,"address":"x"}]}',
    -32602,
    'the reference refuses a number of that length as invalid JSON',
  ),
  bad('transfer', 'more than there is', pay({}, { amount: 10 ** 17 }), -17),
  bad('transfer', 'more than is unlocked', pay({}, { amount: 2400 * 10 ** 12 }), -37),
  bad('transfer', 'a standalone payment id', pay({ payment_id: '1122334455667788' }), -5),
  bad('transfer', 'an unknown account', pay({ account_index: 9 }), -17),
  bad('transfer_split', 'no destination', { destinations: [] }, -20),
  bad('transfer_split', 'no address', pay({}, { address: 'x' }), -2),
  bad('transfer_split', 'more than there is', pay({}, { amount: 10 ** 17 }), -17),
  bad('relay_tx', 'no hex', { hex: 'xyz' }, -26),
  bad('relay_tx', 'hex that is no metadata', { hex: '00112233' }, -27),
  bad('get_transfers', 'a flag that is a number', { in: 1 }, -32602),
  bad('get_transfer_by_txid', 'no hex', { txid: 'zz' }, -8),
  bad('get_transfer_by_txid', 'a short hash', { txid: '00' }, -8),
  bad('get_transfer_by_txid', 'an unknown transaction', { txid: ZERO_HASH }, -8),
  bad('get_transfer_by_txid', 'an unknown account', { txid: ZERO_HASH, account_index: 9 }, -14),
  bad('incoming_transfers', 'an unknown type', { transfer_type: 'some' }, -6),
  bad('incoming_transfers', 'no type', {}, -6),
  bad('get_payments', 'no payment id', {}, -5),
  bad('get_payments', 'no hex', { payment_id: 'zzzzzzzzzzzzzzzz' }, -5),
  bad('get_bulk_payments', 'a short payment id', { payment_ids: ['00'] }, -5),
  bad('refresh', 'a height below zero', { start_height: -1 }, -32602),
  bad('auto_refresh', 'a period below zero', { period: -1 }, -32602),
  bad(
    'rescan_blockchain',
    'both of two exclusive parameters',
    { hard: true, keep_key_images: true },
    -1,
    '0.18 has no keep_key_images',
  ),
  bad('no_such_method', 'anything', {}, -32601),
];

/** Methods of the reference that work without a wallet. */
const WITHOUT_WALLET = [
  'get_version',
  'get_languages',
  'set_log_level',
  'set_log_categories',
  'auto_refresh',
  'create_wallet',
  'open_wallet',
  'restore_deterministic_wallet',
  'generate_from_keys',
  'validate_address',
  'set_daemon',
];

/** Parameters that some methods of this server need. */
const NEEDED = {
  ...{ id: 'x', url: 'https://example.com/', event_id: 1, idempotency_key: 'k' },
  ...{ from: 0, to: 1, format: 'json', message: 'audit' },
  ...{ payout_id: 'p', reason: 'x', refund_id: 'r', amount: 1 },
};

const isAddition = (name: string): boolean => registry.find(name)?.source === ADDITION;

/** Returns the parameters that a method of this server needs; none for a method of the reference. */
function neededBy(name: string): Readonly<Record<string, unknown>> {
  const method = registry.find(name);
  if (method === undefined || !isAddition(name)) return {};
  const { params } = method;
  const shape: object = params instanceof z.ZodObject ? params.shape : {};
  return Object.fromEntries(Object.entries(NEEDED).filter(([member]) => Object.hasOwn(shape, member)));
}

const known = JSON.parse(
  readFileSync(new URL('../../../test/vectors/rpc/methods.json', import.meta.url), 'utf8'),
) as { readonly methods: readonly { readonly name: string; readonly in: readonly string[] }[] };

/** Methods that Debian's 0.18 has. */
const OF_0_18 = known.methods.filter(({ in: where }) => where.includes('0.18')).map(({ name }) => name);

/** Methods that crash Debian's 0.18 without an open wallet: it dereferences the wallet before the check. */
const ENDS_0_18 = ['finalize_multisig'];

let daemon: Monerod;
let ours: WalletRpc;
let theirs: WalletRpc;

beforeAll(async () => {
  daemon = await startMonerod();
  [ours, theirs] = await Promise.all([
    startWalletRpc({ daemon: daemon.address }),
    startReference({ daemon: daemon.address }),
  ]);
});

afterAll(async () => {
  await Promise.all([ours?.stop(), theirs?.stop()]);
  await daemon?.stop();
});

describe('without a wallet', () => {
  const needsWallet = (method: WalletMethod): boolean =>
    isAddition(method.name)
      ? kindsOf(method).includes('no_wallet') && method.actsOn !== 'wallets'
      : !WITHOUT_WALLET.includes(method.name);
  const names = registry.methods.filter(needsWallet).map(({ name }) => name);

  test.each(names)('%s answers that no wallet is open', async (name) => {
    const { error } = await ours.call(name, neededBy(name));
    expect(error).toMatchObject({ code: -13, message: expect.stringMatching(/./) });
    if (OF_0_18.includes(name) && !ENDS_0_18.includes(name))
      expect((await theirs.call(name)).error?.code).toBe(-13);
  });
});

describe('with a wallet', () => {
  beforeAll(async () => {
    for (const wallet of [ours, theirs]) {
      await createWallet(wallet, 'second');
      await createWallet(wallet, 'open', 'right');
      await daemon.generate((await wallet.rpc('get_address')).address, 65);
    }
    for (const wallet of [ours, theirs]) await daemon.generate((await wallet.rpc('get_address')).address, 5);
    await Promise.all([ours.rpc('refresh'), theirs.rpc('refresh')]);
  });

  test.each(OPEN)('$method with $what is refused with $code', async ({ method, params, code, reference }) => {
    const given = typeof params === 'string' ? (JSON.parse(params) as unknown) : params;
    const { error } = await ours.call(method, given);
    expect(error).toMatchObject({ code, message: expect.stringMatching(/./) });
    expect(error?.message).not.toContain(SECRET);
    if (reference === undefined) expect((await theirs.call(method, given)).error?.code).toBe(code);
  });

  it('stays open and unchanged after all refused calls', async () => {
    const [mine, other] = await Promise.all([ours.rpc('get_balance'), theirs.rpc('get_balance')]);
    expect(mine.balance).toBeGreaterThan(0);
    expect(other.balance).toBeGreaterThan(0);
    expect((await ours.rpc('get_accounts')).subaddress_accounts).toHaveLength(1);
    expect((await ours.rpc('get_transfers', { pending: true, failed: true })).pending).toBeUndefined();
    expect(ours.process.output()).not.toContain(SECRET);
  });
});

describe('an error', () => {
  it.each(['1.3', '1.32'])('holds code and message alone, as in the reference, under %s', async (version) => {
    const server = await startWalletRpc({ args: [`--api-version=${version}`] });
    try {
      await createWallet(server, 'w');
      for (const [method, params] of [
        ['transfer', pay({}, { address: 'x' })],
        ['get_address', { account_index: 9 }],
        ['get_balance', { account_index: -1 }],
        ['get_balance', [{}]],
        ['open_wallet', { filename: '../x' }],
        ['no_such_method', {}],
      ] as const) {
        const asked = { jsonrpc: '2.0', id: '0', method, params };
        for (const path of ['/json_rpc', '/wallet/w/json_rpc']) {
          const single = JSON.parse((await post(server.port, path, asked)).text) as object;
          const batch = JSON.parse((await post(server.port, path, [asked])).text) as object[];
          for (const answer of [single, ...batch])
            expect(answer).toEqual({
              id: '0',
              jsonrpc: '2.0',
              error: { code: expect.any(Number), message: expect.stringMatching(/./) },
            });
        }
      }
    } finally {
      await server.stop();
    }
  });
});

describe('restricted mode', () => {
  let restricted: WalletRpc;
  beforeAll(async () => {
    restricted = await startWalletRpc({ args: ['--restricted-rpc'] });
  });
  afterAll(() => restricted?.stop());

  it('refuses methods that change or reveal, and answers view-type methods', async () => {
    for (const { name, meta } of registry.methods) {
      const { error } = await restricted.call(name, neededBy(name));
      if (meta.restricted) expect([name, error?.code]).toEqual([name, -7]);
      else expect([name, error?.code === -7]).toEqual([name, false]);
    }
  });

  it.each([
    ['missing', {}],
    ['of wrong types', { ...Object.fromEntries(Object.keys(NEEDED).map((name) => [name, []])), address: [] }],
    ['a list', []],
  ])('refuses a method before its parameters are read, which are %s', async (_, params) => {
    for (const { name, meta } of registry.methods)
      if (meta.restricted)
        expect([name, (await restricted.call(name, params)).error?.code]).toEqual([name, -7]);
  });
});

describe('--api-version 1.32', () => {
  it('refuses lock times and priorities as the reference does today', async () => {
    const latest = await startWalletRpc({ args: ['--api-version=1.32'] });
    try {
      await createWallet(latest, 'w');
      expect((await latest.call('transfer', pay({ unlock_time: 5 }))).error?.code).toBe(-50);
      expect((await latest.call('transfer', pay({ priority: 5 }))).error?.code).toBe(-53);
      expect((await latest.rpc('get_version')).version).toBe(65568);
      expect((await latest.rpc('get_languages')).languages[0]).toBe('German');
      expect((await latest.call('transfer', pay())).error?.code).toBe(-4);
      expect((await ours.rpc('get_version')).version).toBe(65539);
      expect((await ours.rpc('get_languages')).languages[0]).toBe('Deutsch');
    } finally {
      await latest.stop();
    }
  });
});
