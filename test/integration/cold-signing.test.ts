import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { toHex } from '../../src/util/bytes.js';
import { ChainWallet } from '../support/chain-wallet.js';
import type { Loose } from '../support/json-rpc.js';
import { startMonerod, type Monerod } from '../support/monerod.js';
import { seededRng } from '../support/seeded-rng.js';
import { startReference, startWalletRpc, type WalletRpc } from '../support/wallet-rpc.js';

const COIN = 1_000_000_000_000;
const keys = new ChainWallet(seededRng('cold signing'));
const stranger = new ChainWallet(seededRng('cold stranger'));

let daemon: Monerod;
let servers: { ourHot: WalletRpc; ourCold: WalletRpc; theirHot: WalletRpc; theirCold: WalletRpc };

beforeAll(async () => {
  daemon = await startMonerod();
  const online = { daemon: daemon.address };
  const format = ['--export-format=0.18.0', '--api-version=1.32'];
  const [ourHot, ourCold, theirHot, theirCold] = await Promise.all([
    startWalletRpc({ ...online, args: format }),
    startWalletRpc({ args: format }),
    startReference({ ...online, args: ['--trusted-daemon'] }),
    startReference(),
  ]);
  servers = { ourHot, ourCold, theirHot, theirCold };
  const view = {
    password: '',
    address: keys.addressText(),
    viewkey: toHex(keys.viewSecret),
    restore_height: 0,
  };
  await theirHot.rpc('generate_from_keys', { ...view, filename: 'hot' });
  await theirCold.rpc('generate_from_keys', { ...view, filename: 'cold', spendkey: toHex(keys.spendSecret) });
  copyFileSync(join(theirHot.walletDir, 'hot.keys'), join(ourHot.walletDir, 'hot.keys'));
  copyFileSync(join(theirCold.walletDir, 'cold.keys'), join(ourCold.walletDir, 'cold.keys'));
  await ourHot.rpc('open_wallet', { filename: 'hot', password: '' });
  await ourCold.rpc('open_wallet', { filename: 'cold', password: '' });
  await daemon.generate(keys.addressText(), 4);
  await daemon.generate(stranger.addressText(), 100);
});

afterAll(async () => {
  await Promise.all(Object.values(servers ?? {}).map((server) => server.stop()));
  await daemon?.stop();
});

/** What both servers say of a set, apart from the order of recipients and what only newer ones say. */
const plain = ({ desc, summary }: Loose): unknown => {
  const named = ({ recipients = [], ...rest }: Loose): unknown => ({
    ...rest,
    sources: undefined,
    recipients: (recipients as Loose[]).map((one) => `${one.amount} ${one.address}`).sort(),
  });
  return { desc: (desc as Loose[]).map(named), summary: named(summary) };
};

describe.each([
  ['ours', "the reference's", 'ourHot', 'theirCold', 'ourCold'],
  ["the reference's", 'ours', 'theirHot', 'ourCold', 'theirCold'],
  ['ours', 'ours', 'ourHot', 'ourCold', 'theirCold'],
] as const)('a view-only wallet of %s and an offline one of %s', (_, __, hotName, coldName, otherName) => {
  let hot: WalletRpc;
  let cold: WalletRpc;
  let before: number;

  beforeAll(async () => {
    hot = servers[hotName];
    cold = servers[coldName];
    await hot.rpc('refresh');
  });

  it('tell each other outputs and key images', async () => {
    const { outputs_data_hex } = await hot.rpc('export_outputs', { all: true });
    const { transfers } = await hot.rpc('incoming_transfers', { transfer_type: 'all' });
    expect(await cold.rpc('import_outputs', { outputs_data_hex })).toEqual({
      num_imported: (transfers as Loose[]).length,
    });
    const { offset = 0, signed_key_images } = await cold.rpc('export_key_images', { all: true });
    expect(signed_key_images).toHaveLength((transfers as Loose[]).length);
    const told = await hot.rpc('import_key_images', { offset, signed_key_images });
    const { balance } = await hot.rpc('get_balance');
    before = balance as number;
    expect(told.unspent).toBe(before);
    const named = await hot.rpc('incoming_transfers', { transfer_type: 'all' });
    const held = await cold.rpc('incoming_transfers', { transfer_type: 'all' });
    const facts = (list: Loose): unknown[] =>
      (list.transfers as Loose[]).map(({ amount, pubkey, key_image, subaddr_index, global_index }) => ({
        amount,
        pubkey,
        key_image,
        subaddr_index,
        global_index,
      }));
    expect(facts(held)).toEqual(facts(named));
  });

  it('pay together, and both see the same', async () => {
    const other = servers[otherName];
    const destinations = [
      { amount: COIN, address: stranger.addressText() },
      { amount: 2 * COIN, address: stranger.addressText({ major: 0, minor: 3 }) },
    ];
    const made = await hot.rpc('transfer', {
      destinations,
      get_tx_hex: true,
      get_tx_metadata: true,
      get_tx_key: true,
    });
    expect(made).toMatchObject({ amount: 3 * COIN, multisig_txset: '' });
    const { unsigned_txset, fee } = made;
    const described = await cold.rpc('describe_transfer', { unsigned_txset });
    expect(plain(described)).toEqual(plain(await other.rpc('describe_transfer', { unsigned_txset })));
    expect(described.desc[0]).toMatchObject({ fee, ring_size: 16, change_address: keys.addressText() });

    const { signed_txset, tx_hash_list, tx_key_list } = await cold.rpc('sign_transfer', {
      unsigned_txset,
      get_tx_keys: true,
    });
    const [txid] = tx_hash_list as string[];
    expect(await hot.rpc('submit_transfer', { tx_data_hex: signed_txset })).toEqual({ tx_hash_list });
    const { pending } = await hot.rpc('get_transfers', { pending: true, pool: true });
    expect(pending).toHaveLength(1);
    expect(pending[0]).toMatchObject({ txid, amount: 3 * COIN, fee });
    expect((await cold.rpc('get_tx_key', { txid })).tx_key).toBe(tx_key_list[0]);

    await daemon.generate(stranger.addressText(), 12);
    await hot.rpc('refresh');
    const { out } = await hot.rpc('get_transfers', { out: true });
    const paid = (out as Loose[]).find((entry) => entry.txid === txid);
    expect(paid).toMatchObject({ amount: 3 * COIN, fee, type: 'out' });
    expect((paid.destinations as Loose[]).map((one) => one.amount).sort()).toEqual([COIN, 2 * COIN]);
    expect(await hot.rpc('get_balance')).toMatchObject({ balance: before - 3 * COIN - fee });
  });
});
