import { copyFileSync, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from '@jest/globals';
import { registry } from '../../src/rpc/registry.js';
import { createWallet } from '../support/wallets/create-wallet.js';
import type { Loose } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { startReference, startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { isNight, itAtNight, someRows } from '../support/jest/lanes.js';

const SEED =
  'velvet lymph giddy number token physics poetry unquoted nibs useful sabotage limits benches lifestyle eden nitrogen anvil fewest avoid batch vials washing fences goat unquoted';
const OTHER_SEED =
  'peeled mixture ionic radar utopia puddle buying illness nuns gadget river spout cavernous bounced paradise drunk looking cottage jump tequila melting went winter adjust spout';
const STRANGER =
  '44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3A';
const REUSE = 'reuse-wallet-password';
const CUSTOM = 'custom-background-password';

let daemon: Monerod;
let wallet: WalletRpc;
/** State of a wallet that synced with its spend key. */
let truth: Loose;
let count = 0;
let name = '';

const look = async (): Promise<Loose> => ({
  balance: (await wallet.rpc('get_balance')).balance as number,
  transfers: await wallet.rpc('get_transfers', { in: true, out: true, pending: true, failed: true }),
  incoming: await wallet.rpc('incoming_transfers', { transfer_type: 'all' }),
});

/** Restores the same wallet into a new file, without any synced blocks. */
async function restore(filename = `test${++count}`): Promise<void> {
  name = filename;
  await wallet.rpc('restore_deterministic_wallet', { filename, password: 'pw', seed: SEED });
}

const code = async (method: string, params: object = {}): Promise<number | undefined> =>
  (await wallet.call(method, params)).error?.code;

const files = (): boolean[] =>
  ['background', 'background.keys'].map((end) => existsSync(join(wallet.walletDir, `${name}.${end}`)));

beforeAll(async () => {
  daemon = await startRegtestDaemon();
  wallet = await startWalletRpc({
    ...{ daemon: daemon.address, args: ['--max-concurrency=1'] },
    ownProcess: isNight,
  });
  await restore();
  const { address } = await wallet.rpc('get_address');
  await daemon.generate(address, 5);
  await daemon.generate(STRANGER, 85);
  await wallet.rpc('refresh');
  const pay = async (account: number): Promise<void> => {
    const { address: own } = await wallet.rpc('get_address', { account_index: account });
    await wallet.rpc('transfer', {
      destinations: [
        { amount: 3_000_000_000, address: STRANGER },
        { amount: 5_000_000_000, address: own },
      ],
    });
    await daemon.generate(STRANGER, 11);
    await wallet.rpc('refresh');
  };
  await wallet.rpc('create_account', { label: 'second' });
  await pay(1);
  await pay(0);
  await wallet.rpc('auto_refresh', { enable: false });
  await restore();
  await wallet.rpc('refresh');
  truth = await look();
});

afterAll(async () => {
  await wallet?.stop();
  await daemon?.stop();
});

/** Without the spend key spends are unknown, and change counts as income. */
async function expectSpendsUnknown(): Promise<void> {
  const seen = await look();
  expect(seen.balance).toBeGreaterThan(truth.balance as number);
  expect(seen.transfers.out).toBeUndefined();
  const outputs = seen.incoming.transfers as Loose[];
  expect(outputs).toHaveLength((truth.incoming.transfers as Loose[]).length);
  expect(outputs.filter(({ spent, key_image: image }) => spent || image !== '')).toEqual([]);
}

const expectTruth = async (): Promise<void> => expect(await look()).toEqual(truth);

describe.each(
  someRows([
    [REUSE, {}],
    [CUSTOM, { background_cache_password: 'background' }],
  ]),
)('%s', (type, more) => {
  const setup = (): Promise<unknown> =>
    wallet.rpc('setup_background_sync', { background_sync_type: type, wallet_password: 'pw', ...more });

  beforeEach(async () => {
    await restore();
    await setup();
  });

  it('syncs without the spend key, and finds spends once the key is back', async () => {
    await wallet.rpc('start_background_sync');
    await wallet.rpc('refresh');
    await expectSpendsUnknown();
    expect(await code('stop_background_sync', { wallet_password: 'wrong' })).toBe(-22);
    expect(await code('stop_background_sync', { wallet_password: 'pw', seed: OTHER_SEED })).toBe(-1);
    expect(await code('stop_background_sync', { wallet_password: 'pw', seed: 'no words' })).toBe(-1);
    await wallet.rpc('start_background_sync');
    await wallet.rpc('stop_background_sync', { wallet_password: 'pw', seed: SEED });
    await expectTruth();
    expect(
      await code('transfer', { destinations: [{ amount: 1, address: STRANGER }], do_not_relay: true }),
    ).toBe(undefined);
  });

  it('finds spends after the wallet was closed or its process killed meanwhile', async () => {
    await wallet.rpc('start_background_sync');
    await wallet.rpc('refresh');
    await wallet.rpc('close_wallet');
    expect(await code('open_wallet', { filename: name, password: 'wrong' })).toBe(-1);
    await wallet.rpc('open_wallet', { filename: name, password: 'pw' });
    await expectTruth();
    await wallet.rpc('rescan_blockchain');
    await expectTruth();
  });

  it('changes nothing for a wallet that is already synced with its key', async () => {
    await wallet.rpc('refresh');
    await expectTruth();
    await wallet.rpc('start_background_sync');
    await expectTruth();
    await wallet.rpc('stop_background_sync', { wallet_password: 'pw' });
    await wallet.rpc('close_wallet');
    await wallet.rpc('open_wallet', { filename: name, password: 'pw' });
    await expectTruth();
  });

  it('keeps its files while it is set up', async () => {
    expect(files()).toEqual([type === CUSTOM, type === CUSTOM]);
    await wallet.rpc('close_wallet');
    await wallet.rpc('open_wallet', { filename: name, password: 'pw' });
    expect(files()).toEqual([type === CUSTOM, type === CUSTOM]);
    await wallet.rpc('setup_background_sync', { background_sync_type: 'off', wallet_password: 'pw' });
    expect(files()).toEqual([false, false]);
    await wallet.rpc('close_wallet');
    await wallet.rpc('open_wallet', { filename: name, password: 'pw' });
    expect(await code('start_background_sync')).toBe(-1);
  });
});

describe('the background wallet', () => {
  beforeEach(async () => {
    await restore();
    await wallet.rpc('setup_background_sync', {
      background_sync_type: CUSTOM,
      wallet_password: 'pw',
      background_cache_password: '',
    });
  });

  it('opens with its own password only, syncs, and the main wallet sees the result', async () => {
    await wallet.rpc('close_wallet');
    expect(await code('open_wallet', { filename: `${name}.background`, password: 'pw' })).toBe(-1);
    await wallet.rpc('open_wallet', { filename: `${name}.background`, password: '' });
    await wallet.rpc('refresh');
    await expectSpendsUnknown();
    for (const [method, params] of [
      ['setup_background_sync', { background_sync_type: 'off', wallet_password: '' }],
      ['start_background_sync', {}],
      ['stop_background_sync', { wallet_password: '' }],
    ] as const)
      expect([method, await code(method, params)]).toEqual([method, -1]);
    expect(await code('query_key', { key_type: 'spend_key' })).toBe(-51);
    expect((await wallet.rpc('query_key', { key_type: 'view_key' })).key).toMatch(/^[0-9a-f]{64}$/);
    await wallet.rpc('open_wallet', { filename: name, password: 'pw' });
    await expectTruth();
    await wallet.rpc('open_wallet', { filename: `${name}.background`, password: '' });
    await expectTruth();
  });

  it("does not show the owner's notes", async () => {
    await wallet.rpc('refresh');
    const [{ txid }] = (await wallet.rpc('get_transfers', { out: true })).out as [Loose];
    await wallet.rpc('set_tx_notes', { txids: [txid], notes: ['private'] });
    await wallet.rpc('set_attribute', { key: 'k', value: 'private' });
    await wallet.rpc('label_account', { account_index: 1, label: 'private' });
    await wallet.rpc('tag_accounts', { accounts: [1], tag: 'private' });
    await wallet.rpc('open_wallet', { filename: `${name}.background`, password: '' });
    expect((await wallet.rpc('get_transfer_by_txid', { txid })).transfer.note).toBe('');
    expect((await wallet.rpc('get_tx_notes', { txids: [txid] })).notes).toEqual(['']);
    expect(await code('get_attribute', { key: 'k' })).toBe(-45);
    expect(JSON.stringify(await wallet.rpc('get_accounts'))).not.toContain('private');
    expect(JSON.stringify(await wallet.rpc('get_address', { account_index: 1 }))).not.toContain('private');
    await wallet.rpc('open_wallet', { filename: name, password: 'pw' });
    expect((await wallet.rpc('get_accounts', { tag: 'private' })).subaddress_accounts).toHaveLength(1);
  });

  it('is created again when its files are missing or written by the reference', async () => {
    const seal = join(wallet.walletDir, `${name}.background`);
    for (const spoil of [() => rmSync(seal), () => writeFileSync(seal, new Uint8Array(500))]) {
      await wallet.rpc('close_wallet');
      spoil();
      expect(await code('open_wallet', { filename: `${name}.background`, password: '' })).toBe(-1);
      await wallet.rpc('open_wallet', { filename: name, password: 'pw' });
      await wallet.rpc('open_wallet', { filename: `${name}.background`, password: '' });
    }
  });

  it('never replaces another wallet', async () => {
    const other = 'other';
    // Such a name is refused for a new wallet; this wallet predates the rule.
    await restore('older');
    const { address } = await wallet.rpc('get_address');
    await wallet.rpc('close_wallet');
    for (const end of ['', '.keys'])
      renameSync(join(wallet.walletDir, `older${end}`), join(wallet.walletDir, `${other}.background${end}`));
    await restore(other);
    const given = { background_sync_type: CUSTOM, wallet_password: 'pw', background_cache_password: 'x' };
    expect(await code('setup_background_sync', given)).toBe(-21);
    await wallet.rpc('setup_background_sync', { background_sync_type: REUSE, wallet_password: 'pw' });
    await wallet.rpc('setup_background_sync', { background_sync_type: 'off', wallet_password: 'pw' });
    await wallet.rpc('open_wallet', { filename: `${other}.background`, password: 'pw' });
    expect((await wallet.rpc('get_address')).address).toBe(address);
  });
});

describe('a process that is killed meanwhile', () => {
  itAtNight('leaves a wallet that finds its spends when it is opened', async () => {
    await restore();
    await wallet.rpc('setup_background_sync', { background_sync_type: REUSE, wallet_password: 'pw' });
    await wallet.rpc('start_background_sync');
    await wallet.rpc('refresh');
    const { walletDir } = wallet;
    await wallet.stop({ signal: 'SIGKILL', keep: true });
    wallet = await startWalletRpc({ daemon: daemon.address, walletDir, args: ['--max-concurrency=1'] });
    await wallet.rpc('auto_refresh', { enable: false });
    await wallet.rpc('open_wallet', { filename: name, password: 'pw' });
    await expectTruth();
  });
});

describe('the keys files', () => {
  itAtNight('are opened by the reference, except those of background sync', async () => {
    const { walletDir } = wallet;
    for (const type of [REUSE, CUSTOM]) {
      await restore();
      const more = type === CUSTOM ? { background_cache_password: 'background' } : {};
      const given = { background_sync_type: type, wallet_password: 'pw', ...more };
      await wallet.rpc('setup_background_sync', given);
      const { address } = await wallet.rpc('get_address');
      await wallet.rpc('close_wallet');
      // Only the keys file is copied, as for a move to the reference: the store has another format.
      const moved = `moved-${name}`;
      copyFileSync(join(walletDir, `${name}.keys`), join(walletDir, `${moved}.keys`));
      const reference = await startReference({ walletDir });
      try {
        await reference.rpc('open_wallet', { filename: moved, password: 'pw' });
        expect((await reference.rpc('get_address')).address).toBe(address);
        await reference.rpc('change_wallet_password', { old_password: 'pw', new_password: 'pw2' });
        await reference.rpc('close_wallet');
      } finally {
        await reference.stop({ keep: true });
      }
    }
  });
});

describe('a wallet in memory', () => {
  it('needs its seed to restore the spend key', async () => {
    await restore('');
    await wallet.rpc('setup_background_sync', { background_sync_type: REUSE, wallet_password: 'pw' });
    await wallet.rpc('start_background_sync');
    await wallet.rpc('refresh');
    await expectSpendsUnknown();
    expect(await code('stop_background_sync', { wallet_password: 'pw' })).toBe(-1);
    expect(await code('stop_background_sync', { wallet_password: 'x', seed: SEED })).toBe(-22);
    await wallet.rpc('stop_background_sync', { wallet_password: 'pw', seed: SEED });
    await expectTruth();
  });
});

describe('a refused call during background sync', () => {
  beforeAll(async () => {
    await restore();
  });

  test.each([
    ['setup_background_sync', 'no type', { wallet_password: 'pw' }, -1],
    ['setup_background_sync', 'an unknown type', { background_sync_type: 'on', wallet_password: 'pw' }, -1],
    ['setup_background_sync', 'a wrong password', { background_sync_type: REUSE, wallet_password: 'x' }, -22],
    [
      'setup_background_sync',
      "the wallet's password twice",
      { background_sync_type: CUSTOM, wallet_password: 'pw', background_cache_password: 'pw' },
      -1,
    ],
    ['start_background_sync', 'a wallet that is not set up', {}, -1],
    ['stop_background_sync', 'a wallet that is not set up', { wallet_password: 'pw' }, -1],
    ['stop_background_sync', 'a seed that is no text', { seed: 5 }, -32602],
  ])('%s with %s', async (method, _, params, expected) => {
    expect(await code(method, params)).toBe(expected);
    expect(files()).toEqual([false, false]);
  });

  it("is every method that needs the spend key or the owner's notes", async () => {
    await wallet.rpc('setup_background_sync', {
      background_sync_type: CUSTOM,
      wallet_password: 'pw',
      background_cache_password: 'background',
    });
    expect(await code('setup_background_sync', { background_sync_type: 'off', wallet_password: 'pw' })).toBe(
      undefined,
    );
    await wallet.rpc('setup_background_sync', { background_sync_type: REUSE, wallet_password: 'pw' });
    await wallet.rpc('start_background_sync');
    expect(await code('setup_background_sync', { background_sync_type: 'off', wallet_password: 'pw' })).toBe(
      -1,
    );
    const refused = FOREGROUND.filter((method) => registry.find(method) !== undefined);
    for (const method of refused) expect([method, await code(method)]).toEqual([method, -52]);
    expect(await code('query_key', { key_type: 'mnemonic' })).toBe(-52);
    await wallet.rpc('stop_background_sync', { wallet_password: 'pw' });
    expect(await code('get_account_tags')).toBe(undefined);
  });

  it('is every method of background sync on a multisig wallet', async () => {
    const prepare = async (filename: string): Promise<string> => {
      await createWallet(wallet, filename, 'pw');
      const enabled = { enable_multisig_experimental: true };
      return (await wallet.rpc('prepare_multisig', enabled)).multisig_info as string;
    };
    const other = await prepare('signer1');
    const own = await prepare('signer2');
    await wallet.rpc('make_multisig', { multisig_info: [own, other], threshold: 2, password: 'pw' });
    for (const method of ['setup', 'start', 'stop'])
      expect(await code(`${method}_background_sync`, { background_sync_type: REUSE })).toBe(-1);
  });

  it('is every method of background sync on a view-only wallet', async () => {
    const address = (await wallet.rpc('get_address')).address as string;
    const viewkey = (await wallet.rpc('query_key', { key_type: 'view_key' })).key as string;
    await wallet.rpc('generate_from_keys', { filename: '', address, viewkey });
    for (const method of ['setup', 'start', 'stop'])
      expect(await code(`${method}_background_sync`, { background_sync_type: REUSE })).toBe(-29);
  });
});

/* Runs last: it changes the chain. */
describe('a reorganisation meanwhile', () => {
  it('restores the balance that an undone payment spent, and relays the payment again later', async () => {
    await restore();
    await wallet.rpc('refresh');
    const { balance } = await wallet.rpc('get_balance');
    const destinations = [{ amount: 7_000_000_000, address: STRANGER }];
    const { tx_hash: txid, fee } = await wallet.rpc('transfer', { destinations });
    await daemon.generate(STRANGER, 1);
    await wallet.rpc('refresh');
    const paid = balance - 7_000_000_000 - fee;
    expect((await wallet.rpc('get_balance')).balance).toBe(paid);
    await wallet.rpc('setup_background_sync', { background_sync_type: REUSE, wallet_password: 'pw' });
    await wallet.rpc('start_background_sync');
    await daemon.popBlocks(1);
    await daemon.rpc('flush_txpool', {});
    await daemon.generate(STRANGER, 1);
    await wallet.rpc('refresh');
    await wallet.rpc('stop_background_sync', { wallet_password: 'pw' });
    expect((await wallet.rpc('get_balance')).balance).toBe(balance);
    expect((await wallet.rpc('get_transfer_by_txid', { txid })).transfer.type).toBe('pending');
    // A new payment spends other outputs, so both can be mined.
    const { tx_hash: other } = await wallet.rpc('transfer', { destinations });
    await wallet.rpc('refresh');
    await daemon.generate(STRANGER, 1);
    await wallet.rpc('refresh');
    for (const made of [txid, other])
      expect((await wallet.rpc('get_transfer_by_txid', { txid: made })).transfer.type).toBe('out');
  });
});

/** Source: wallet_rpc_server.cpp `CHECK_IF_BACKGROUND_SYNCING`, `CHECK_IF_RESTRICTED_BACKGROUND_SYNCING`. */
const FOREGROUND = [
  'add_address_book',
  'change_wallet_password',
  'create_account',
  'create_address',
  'delete_address_book',
  'describe_transfer',
  'edit_address_book',
  'export_key_images',
  'export_outputs',
  'freeze',
  'frozen',
  'get_account_tags',
  'get_address_book',
  'get_reserve_proof',
  'get_spend_proof',
  'get_tx_key',
  'get_tx_proof',
  'import_key_images',
  'import_outputs',
  'label_account',
  'label_address',
  'make_multisig',
  'prepare_multisig',
  'rescan_blockchain',
  'rescan_spent',
  'scan_tx',
  'set_account_tag_description',
  'set_attribute',
  'set_subaddress_lookahead',
  'set_tx_notes',
  'sign',
  'sign_transfer',
  'sweep_all',
  'sweep_dust',
  'sweep_single',
  'tag_accounts',
  'thaw',
  'transfer',
  'transfer_split',
  'untag_accounts',
];
