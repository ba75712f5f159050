import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { ChainWallet } from './chain-wallet.js';
import type { Loose } from '../network/json-rpc.js';
import type { Monerod } from '../processes/monerod.js';
import { startRegtestDaemon } from '../processes/regtest-daemon.js';
import {
  formGroup,
  openAll,
  signInTurn,
  startParty,
  exchangeMultisigInfo,
  type Maker,
} from './multisig-party.js';
import { seededRng } from '../fakes/seeded-rng.js';
import type { WalletRpc } from '../processes/wallet-rpc.js';

/** Threshold and participants: `o` for ours, `r` for the reference's. */
export type Group = readonly [threshold: number, letters: string];

const COIN = 1_000_000_000_000;
const stranger = new ChainWallet(seededRng('multisig stranger'));

interface World {
  readonly daemon: Monerod;
  readonly servers: Readonly<Record<Maker, readonly WalletRpc[]>>;
}

/** Starts the servers for the largest group, and creates and funds one wallet per group. */
async function startWorld(groups: readonly Group[]): Promise<World> {
  const daemon = await startRegtestDaemon();
  const most = (letter: string): number =>
    Math.max(...groups.map(([, letters]) => [...letters].filter((one) => one === letter).length));
  const start = (maker: Maker, letter: string): Promise<WalletRpc[]> =>
    startParty(Array<Maker>(most(letter)).fill(maker), { daemon: daemon.address });
  const [ours, theirs] = await Promise.all([start('ours', 'o'), start('theirs', 'r')]);
  const world = { daemon, servers: { ours, theirs } };
  for (const group of groups) {
    const address = await formGroup(partyOf(world, group), group[0], nameOf(group));
    await daemon.generate(address, 2);
  }
  // 60 blocks unlock the money, and the rest provides decoys.
  await daemon.generate(stranger.addressText(), 80);
  return world;
}

const nameOf = ([threshold, letters]: Group): string => `${threshold} of ${letters}`;

function partyOf({ servers }: World, [, letters]: Group): WalletRpc[] {
  const free = { o: [...servers.ours], r: [...servers.theirs] };
  return [...letters].map((letter) => {
    const server = free[letter === 'o' ? 'o' : 'r'].shift();
    if (server === undefined) throw new Error('not enough servers');
    return server;
  });
}

/** Rotates the wallets, so that each takes every part in turn. */
const startingWith = (wallets: readonly WalletRpc[], first: number): WalletRpc[] => [
  ...wallets.slice(first % wallets.length),
  ...wallets.slice(0, first % wallets.length),
];

const balanceOf = (wallet: WalletRpc): Promise<Loose> => wallet.rpc('get_balance');

/** Key images of a wallet's outputs. */
async function keyImages(wallet: WalletRpc): Promise<unknown[]> {
  const { transfers = [] } = await wallet.rpc('incoming_transfers', { transfer_type: 'all' });
  return (transfers as Loose[]).map(({ key_image: image }) => image as string);
}

async function outgoing(wallet: WalletRpc): Promise<Loose[]> {
  await wallet.rpc('refresh');
  return ((await wallet.rpc('get_transfers', { out: true })).out ?? []) as Loose[];
}

/**
 * Registers tests in which groups pay and sweep, each time proposed by another member; groups of three pay twice. The
 * views of all members must agree.
 */
export function testGroups(groups: readonly Group[]): void {
  let world: World;

  beforeAll(async () => {
    world = await startWorld(groups);
  });

  afterAll(async () => {
    const { servers, daemon } = world ?? {};
    await Promise.all([...(servers?.ours ?? []), ...(servers?.theirs ?? [])].map((server) => server.stop()));
    await daemon?.stop();
  });

  describe.each(groups)('a group with threshold %i of %s', (threshold, letters) => {
    let wallets: WalletRpc[] = [];
    const isOurs = (wallet: WalletRpc): boolean => world.servers.ours.includes(wallet);

    beforeAll(async () => {
      wallets = partyOf(world, [threshold, letters]);
      await openAll(wallets, nameOf([threshold, letters]));
    });

    it('has one address', async () => {
      const addresses = new Set<unknown>();
      for (const wallet of wallets) {
        addresses.add((await wallet.rpc('get_address')).address);
        const total = letters.length;
        expect(await wallet.rpc('is_multisig')).toMatchObject({
          multisig: true,
          ready: true,
          threshold,
          total,
        });
      }
      expect(addresses.size).toBe(1);
    });

    it('must exchange multisig info before it can pay', async () => {
      const destinations = [{ address: stranger.addressText(), amount: COIN }];
      for (const wallet of wallets) {
        expect(await balanceOf(wallet)).toMatchObject({ multisig_import_needed: true });
        const { error } = await wallet.call('transfer', { destinations });
        expect(error?.code).toBe(-16);
      }
      expect(await exchangeMultisigInfo(wallets)).toEqual(wallets.map(() => 2));
      for (const wallet of wallets)
        expect(await balanceOf(wallet)).toMatchObject({ multisig_import_needed: false });
      const known = await Promise.all(wallets.map(keyImages));
      for (const images of known) expect(images).toEqual(known[0]);
    });

    const rounds = letters.length === 3 ? [1, 2] : [1];

    test.each(rounds)('pays, round %i', async (time) => {
      if (time > 1) await exchangeMultisigInfo(wallets);
      const [proposer, ...others] = startingWith(wallets, time);
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
      // Subaddresses are among the payees, so there is one key per output.
      expect(made.tx_key).toHaveLength(64 * 4);
      const [describer] = signers;
      if (describer !== undefined) {
        const { desc } = await describer.rpc('describe_transfer', { multisig_txset: made.multisig_txset });
        expect(desc).toMatchObject([{ fee: made.fee, ring_size: 16 }]);
        if (isOurs(describer)) expect(desc[0].weight).toBe(made.weight);
        expect(desc[0].recipients).toHaveLength(2);
        const early = await describer.call('submit_multisig', { tx_data_hex: made.multisig_txset });
        expect(early.error?.code).toBe(-33);
      }
      const { set, txids } = await signInTurn(made.multisig_txset as string, signers);
      const submitter = signers.at(-1) ?? proposer;
      const { tx_hash_list } = await submitter.rpc('submit_multisig', { tx_data_hex: set });
      expect(tx_hash_list).toHaveLength(1);
      if (threshold > 1) expect(txids).toEqual(tx_hash_list);
      const after = before - 3 * COIN - (made.fee as number);
      for (const wallet of wallets.filter(isOurs)) {
        await wallet.rpc('refresh');
        const { pending } = await wallet.rpc('get_transfers', { pending: true });
        expect((pending as Loose[]).map(({ txid }) => txid as string)).toEqual(tx_hash_list);
        expect((await balanceOf(wallet)).balance).toBe(after);
      }
      expect((await submitter.rpc('get_tx_key', { txid: tx_hash_list[0] })).tx_key).toBe(made.tx_key);
      await world.daemon.generate(stranger.addressText(), 10);
      for (const wallet of wallets) {
        const out = await outgoing(wallet);
        expect(out).toHaveLength(time);
        expect(out.find(({ txid }) => txid === tx_hash_list[0])).toMatchObject({
          amount: 3 * COIN,
          fee: made.fee,
        });
        expect((await balanceOf(wallet)).balance).toBe(after);
      }
    });

    it('sweeps', async () => {
      await exchangeMultisigInfo(wallets);
      const [proposer, ...others] = startingWith(wallets, 3);
      if (proposer === undefined) throw new Error('a proposer');
      const made = await proposer.rpc('sweep_all', { address: stranger.addressText(), get_tx_keys: true });
      expect(made.tx_hash_list ?? []).toEqual([]);
      expect(made.tx_key_list).toHaveLength(1);
      const signers = others.reverse().slice(0, threshold - 1);
      const { set } = await signInTurn(made.multisig_txset as string, signers);
      await proposer.rpc('submit_multisig', { tx_data_hex: set });
      await world.daemon.generate(stranger.addressText(), 1);
      for (const wallet of wallets) {
        expect(await outgoing(wallet)).toHaveLength(rounds.length + 1);
        expect(await balanceOf(wallet)).toMatchObject({ balance: 0, multisig_import_needed: false });
      }
    });
  });
}
