import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { toHex } from '../../src/util/bytes.js';
import { ChainWallet } from '../support/wallets/chain-wallet.js';
import type { Loose } from '../support/network/json-rpc.js';
import { startMonerod, type Monerod } from '../support/processes/monerod.js';
import { makePayment } from '../support/wallets/payments.js';
import { seededRng } from '../support/fakes/seeded-rng.js';
import { startReference, startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';

/*
 * View-only and offline wallets number outputs in the same order. Upstream replaces a smaller output by a larger one on
 * the same key, and gives a burnt output no position.
 */

const XMR = 1_000_000_000_000n;
const rng = seededRng('cold reused keys');
const miner = new ChainWallet(seededRng('miner beside cold reused keys'));
const payers = Array.from({ length: 16 }, (_, i) => new ChainWallet(seededRng(`cold payer ${i}`)));
// The reference would reuse the rings of earlier runs for the same keys, so it gets a new ring database.
const rings = mkdtempSync(join(tmpdir(), 'rings-'));

let daemon: Monerod;
let servers: { ourHot: WalletRpc; ourCold: WalletRpc; theirHot: WalletRpc; theirCold: WalletRpc };

const mine = (blocks: number): Promise<void> => daemon.generate(miner.addressText(), blocks);

/** Pays tenths of a coin to the one-time key that the seed fixes, and mines a block. */
async function pay(to: ChainWallet, keySeed: string, tenths: bigint): Promise<void> {
  const payer = payers.shift();
  if (payer === undefined) throw new Error('no payer is left');
  const wish = { to: [[to.address(), (tenths * XMR) / 10n] as const], keySeed };
  const { blob } = await makePayment(daemon, payer, wish, rng);
  const sent = await daemon.plain('/send_raw_transaction', { tx_as_hex: toHex(blob) });
  expect(sent).toMatchObject({ status: 'OK' });
  await mine(1);
}

beforeAll(async () => {
  daemon = await startMonerod();
  const online = { daemon: daemon.address };
  const format = ['--export-format=0.18.0', '--api-version=1.32'];
  const ringArgs = [`--shared-ringdb-dir=${rings}`];
  const [ourHot, ourCold, theirHot, theirCold] = await Promise.all([
    startWalletRpc({ ...online, args: format }),
    startWalletRpc({ args: format }),
    startReference({ ...online, args: ['--trusted-daemon', ...ringArgs] }),
    startReference({ args: ringArgs }),
  ]);
  servers = { ourHot, ourCold, theirHot, theirCold };
  for (const [i, payer] of payers.entries()) {
    await daemon.generate(payer.addressText(), 1);
    await payer.scanBlock(daemon, i + 1);
  }
  await mine(70);
}, 600_000);

afterAll(async () => {
  await Promise.all(Object.values(servers ?? {}).map((server) => server.stop()));
  await daemon?.stop();
  rmSync(rings, { recursive: true, force: true });
});

describe.each([
  ['ours', "the reference's", 'ourHot', 'theirCold', 'theirHot'],
  ["the reference's", 'ours', 'theirHot', 'ourCold', 'ourHot'],
] as const)('a view-only wallet of %s and an offline one of %s', (_, __, hotName, coldName, otherName) => {
  const keys = new ChainWallet(seededRng(`reused keys of ${hotName}`));
  let hot: WalletRpc;
  let cold: WalletRpc;

  const outputsOf = async (wallet: WalletRpc): Promise<Loose[]> =>
    ((await wallet.rpc('incoming_transfers', { transfer_type: 'all' })).transfers as Loose[]).map(
      ({ amount, pubkey, key_image, global_index }) => ({ amount, pubkey, key_image, global_index }),
    );

  /** Exchanges outputs and key images: all, or new ones only. @returns the offline wallet's outputs. */
  async function exchange(all: boolean): Promise<Loose[]> {
    await hot.rpc('refresh');
    const { outputs_data_hex } = await hot.rpc('export_outputs', { all });
    await cold.rpc('import_outputs', { outputs_data_hex });
    const exported = await cold.rpc('export_key_images', { all });
    await hot.rpc('import_key_images', {
      offset: exported.offset ?? 0,
      signed_key_images: exported.signed_key_images,
    });
    return outputsOf(cold);
  }

  /** Sweeps an output: prepared by the view-only wallet, signed offline. */
  async function sweep(keyImage: string): Promise<void> {
    const made = await hot.rpc('sweep_single', { address: miner.addressText(), key_image: keyImage });
    const { unsigned_txset } = made;
    const { signed_txset } = await cold.rpc('sign_transfer', { unsigned_txset });
    const { tx_hash_list } = await hot.rpc('submit_transfer', { tx_data_hex: signed_txset });
    expect(tx_hash_list).toHaveLength(1);
    await mine(1);
    await hot.rpc('refresh');
  }

  beforeAll(async () => {
    hot = servers[hotName];
    cold = servers[coldName];
    const view = {
      password: '',
      address: keys.addressText(),
      viewkey: toHex(keys.viewSecret),
      restore_height: 0,
    };
    await hot.rpc('generate_from_keys', { ...view, filename: hotName });
    await servers[otherName].rpc('generate_from_keys', { ...view, filename: `${hotName} seen by the other` });
    await cold.rpc('generate_from_keys', { ...view, filename: hotName, spendkey: toHex(keys.spendSecret) });
    await pay(keys, `${hotName} 0`, 10n);
    await pay(keys, `${hotName} 1`, 20n);
    await pay(keys, `${hotName} 2`, 30n);
  });

  it('number outputs alike after a larger one replaced a smaller one', async () => {
    const before = await exchange(true);
    expect(before.map(({ amount }) => amount)).toEqual([1, 2, 3].map((coins) => coins * Number(XMR)));
    await pay(keys, `${hotName} 0`, 15n);
    await pay(keys, `${hotName} 3`, 40n);
    const news = await exchange(false);
    expect(news.map(({ key_image }) => key_image).slice(0, 3)).toEqual(
      before.map(({ key_image }) => key_image),
    );
    const whole = await exchange(true);
    expect(whole.map(({ amount }) => amount)).toEqual([1.5, 2, 3, 4].map((coins) => coins * Number(XMR)));
    expect(await outputsOf(hot)).toEqual(whole);
  });

  it('spend the larger one together, and number outputs alike after another one is burnt', async () => {
    await mine(12);
    const [larger] = await exchange(true);
    await sweep(larger.key_image as string);
    await pay(keys, `${hotName} 0`, 70n);
    await pay(keys, `${hotName} 4`, 50n);
    const held = await exchange(false);
    expect(held.map(({ amount }) => amount)).toEqual([1.5, 2, 3, 4, 5].map((coins) => coins * Number(XMR)));
    expect(await exchange(true)).toEqual(await outputsOf(hot));
    expect((await hot.rpc('get_balance')).balance).toBe(14 * Number(XMR));
  });

  it('spend outputs behind those together', async () => {
    await mine(12);
    // The reference's offline wallet drops all outputs when it imports an empty export.
    const held = await exchange(true);
    for (const { key_image } of held.slice(3)) await sweep(key_image as string);
    await mine(1);
    await exchange(true);
    expect((await hot.rpc('get_balance')).balance).toBe(5 * Number(XMR));
  });

  it('import the same outputs from the other view-only wallet', async () => {
    const other = servers[otherName];
    await other.rpc('refresh');
    const { outputs_data_hex } = await other.rpc('export_outputs', { all: true });
    expect(await cold.rpc('import_outputs', { outputs_data_hex })).toEqual({ num_imported: 5 });
    const exported = await cold.rpc('export_key_images', { all: true });
    const { unspent } = await other.rpc('import_key_images', {
      offset: exported.offset ?? 0,
      signed_key_images: exported.signed_key_images,
    });
    expect(unspent).toBe(5 * Number(XMR));
    const facts = (rows: Loose[]): Loose[] => rows.map(({ pubkey, key_image }) => ({ pubkey, key_image }));
    expect(facts(await outputsOf(other))).toEqual(facts(await outputsOf(hot)));
  });
});
