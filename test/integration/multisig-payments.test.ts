import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { ChainWallet } from '../support/chain-wallet.js';
import type { Loose } from '../support/json-rpc.js';
import { startMonerod, type Monerod } from '../support/monerod.js';
import { formGroup, openAll, signInTurn, startParty, tellEachOther } from '../support/multisig-party.js';
import { seededRng } from '../support/seeded-rng.js';
import type { WalletRpc } from '../support/wallet-rpc.js';

const COIN = 1_000_000_000_000;
const GROUPS = [
  [2, 2],
  [2, 3],
  [3, 3],
  [3, 4],
  [2, 4],
  [3, 5],
  [1, 2],
] as const;
const stranger = new ChainWallet(seededRng('multisig stranger'));

let daemon: Monerod;
let servers: WalletRpc[] = [];

const nameOf = (threshold: number, total: number): string => `${threshold} of ${total}`;

beforeAll(async () => {
  daemon = await startMonerod();
  servers = await startParty(['ours', 'ours', 'ours', 'ours', 'ours'], { daemon: daemon.address });
  for (const [threshold, total] of GROUPS) {
    const address = await formGroup(servers.slice(0, total), threshold, nameOf(threshold, total));
    await daemon.generate(address, 2);
  }
  await daemon.generate(stranger.addressText(), 70);
});

afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await daemon?.stop();
});

const balanceOf = async (wallet: WalletRpc): Promise<Loose> => wallet.rpc('get_balance');

/** Rotated, so that everybody has every part once in a while. */
const from = (wallets: readonly WalletRpc[], first: number): WalletRpc[] => [
  ...wallets.slice(first % wallets.length),
  ...wallets.slice(0, first % wallets.length),
];

/** The key images that a server knows. */
async function keyImages(wallet: WalletRpc): Promise<unknown[]> {
  const { transfers = [] } = await wallet.rpc('incoming_transfers', { transfer_type: 'all' });
  return (transfers as Loose[]).map(({ key_image: image }) => image as string);
}

describe.each(GROUPS)('a group with threshold %i of %i', (threshold, total) => {
  let wallets: WalletRpc[] = [];

  beforeAll(async () => {
    wallets = servers.slice(0, total);
    await openAll(wallets, nameOf(threshold, total));
  });

  it('must tell each other before it can pay', async () => {
    const [first] = wallets;
    const destinations = [{ address: stranger.addressText(), amount: COIN }];
    expect(await first?.rpc('get_balance')).toMatchObject({ multisig_import_needed: true });
    expect((await first?.call('transfer', { destinations }))?.error?.code).toBe(-16);
    expect(await tellEachOther(wallets)).toEqual(wallets.map(() => 2));
    for (const wallet of wallets)
      expect(await balanceOf(wallet)).toMatchObject({ multisig_import_needed: false });
    const known = await Promise.all(wallets.map(keyImages));
    for (const images of known) expect(images).toEqual(known[0]);
  });

  test.each([1, 2])('pays, time %i', async (time) => {
    if (time > 1) await tellEachOther(wallets);
    const [proposer, ...others] = from(wallets, time);
    if (proposer === undefined) throw new Error('a proposer');
    const signers = others.slice(0, threshold - 1);
    const before = (await balanceOf(proposer)).balance as number;
    const made = await proposer.rpc('transfer', {
      destinations: [
        { address: stranger.addressText(), amount: COIN },
        { address: stranger.addressText({ major: 0, minor: 2 }), amount: 2 * COIN },
      ],
      get_tx_key: true,
      get_tx_hex: true,
      get_tx_metadata: true,
    });
    expect(made).toMatchObject({ tx_hash: '', tx_blob: '', tx_metadata: '', amount: 3 * COIN });
    // Subaddresses among the payees: a key an output.
    expect(made.tx_key).toHaveLength(64 * 4);
    const [describer] = signers;
    if (describer !== undefined) {
      const { desc } = await describer.rpc('describe_transfer', { multisig_txset: made.multisig_txset });
      expect(desc).toMatchObject([{ fee: made.fee, weight: made.weight, ring_size: 16 }]);
      expect(desc[0].recipients).toHaveLength(2);
      const early = await describer.call('submit_multisig', { tx_data_hex: made.multisig_txset });
      expect(early.error?.code).toBe(-33);
    }
    const { set, txids } = await signInTurn(made.multisig_txset as string, signers);
    const submitter = signers.at(-1) ?? proposer;
    const { tx_hash_list } = await submitter.rpc('submit_multisig', { tx_data_hex: set });
    expect(tx_hash_list).toHaveLength(1);
    if (threshold > 1) expect(txids).toEqual(tx_hash_list);
    for (const wallet of wallets) {
      await wallet.rpc('refresh');
      const { pending } = await wallet.rpc('get_transfers', { pending: true, pool: true });
      expect((pending as Loose[]).map(({ txid }) => txid as string)).toEqual(tx_hash_list);
      expect((await balanceOf(wallet)).balance).toBe(before - 3 * COIN - made.fee);
    }
    expect((await submitter.rpc('get_tx_key', { txid: tx_hash_list[0] })).tx_key).toBe(made.tx_key);
    await daemon.generate(stranger.addressText(), 10);
    for (const wallet of wallets) {
      await wallet.rpc('refresh');
      const { out } = await wallet.rpc('get_transfers', { out: true });
      expect(out).toHaveLength(time);
      expect((out as Loose[]).find(({ txid }) => txid === tx_hash_list[0])).toMatchObject({
        amount: 3 * COIN,
        fee: made.fee,
      });
      expect((await balanceOf(wallet)).balance).toBe(before - 3 * COIN - made.fee);
    }
  });

  it('sweeps', async () => {
    await tellEachOther(wallets);
    const [proposer, ...others] = from(wallets, 3);
    if (proposer === undefined) throw new Error('a proposer');
    const made = await proposer.rpc('sweep_all', { address: stranger.addressText(), get_tx_keys: true });
    expect(made.tx_hash_list ?? []).toEqual([]);
    expect(made.tx_key_list).toHaveLength(1);
    const { set } = await signInTurn(made.multisig_txset as string, others.reverse().slice(0, threshold - 1));
    await proposer.rpc('submit_multisig', { tx_data_hex: set });
    await daemon.generate(stranger.addressText(), 1);
    for (const wallet of wallets) {
      await wallet.rpc('refresh');
      expect(await balanceOf(wallet)).toMatchObject({ balance: 0, multisig_import_needed: false });
      const { out } = await wallet.rpc('get_transfers', { out: true });
      expect(out).toHaveLength(3);
    }
  });
});
