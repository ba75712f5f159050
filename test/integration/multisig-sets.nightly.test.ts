import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { formatAddress } from '../../src/monero/cryptonote/address.js';
import { parseTransaction } from '../../src/monero/cryptonote/transaction.js';
import { fixedBytes, fromHex, toHex } from '../../src/util/bytes.js';
import { ChainWallet } from '../support/wallets/chain-wallet.js';
import { createWallet } from '../support/wallets/create-wallet.js';
import type { Loose } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import {
  formGroup,
  signInTurn,
  startParty,
  exchangeMultisigInfo,
} from '../support/wallets/multisig-party.js';
import { seededRng } from '../support/fakes/seeded-rng.js';
import type { WalletRpc } from '../support/processes/wallet-rpc.js';

const COIN = 1_000_000_000_000;
const stranger = new ChainWallet(seededRng('multisig sets'));

let daemon: Monerod;
let wallets: WalletRpc[] = [];

beforeAll(async () => {
  daemon = await startRegtestDaemon();
  wallets = await startParty(['ours', 'theirs'], { daemon: daemon.address });
  const address = await formGroup(wallets, 2, 'shared');
  await daemon.generate(address, 12);
  await daemon.generate(stranger.addressText(), 80);
});

afterAll(async () => {
  await Promise.all(wallets.map((wallet) => wallet.stop()));
  await daemon?.stop();
});

/** Proposers: our wallet, or the reference's. */
const PROPOSERS = [
  ['ours', 0],
  ['the reference', 1],
] as const;

/**
 * Makes a payment of one wallet, which the other one signs and relays.
 * @returns the hashes of the relayed transactions.
 */
async function pay(proposer: number, method: string, order: object): Promise<string[]> {
  await exchangeMultisigInfo(wallets);
  const [first, second] = [wallets[proposer], wallets[1 - proposer]];
  if (first === undefined || second === undefined) throw new Error('two wallets');
  const { multisig_txset } = await first.rpc(method, order);
  const { set, txids } = await signInTurn(multisig_txset as string, [second]);
  const { tx_hash_list } = await second.rpc('submit_multisig', { tx_data_hex: set });
  expect(tx_hash_list).toEqual(txids);
  await daemon.generate(stranger.addressText(), 10);
  return tx_hash_list as string[];
}

/** Checks that both have the same history. */
async function agree(): Promise<Loose[]> {
  const [mine, others] = await Promise.all(
    wallets.map(async (wallet) => {
      await wallet.rpc('refresh');
      const { out = [] } = await wallet.rpc('get_transfers', { out: true, all_accounts: true });
      const { balance } = await wallet.rpc('get_balance', { all_accounts: true });
      const paid = (out as Loose[]).map(({ txid, amount, fee }) => ({ txid, amount, fee }));
      return { balance, paid: paid.sort((a, b) => ((a.txid as string) < (b.txid as string) ? -1 : 1)) };
    }),
  );
  expect(mine).toEqual(others);
  return mine?.paid ?? [];
}

describe.each(PROPOSERS)('a proposal by %s', (_, proposer) => {
  it('may consist of several transactions', async () => {
    const destinations = Array.from({ length: 20 }, (_unused, minor) => ({
      address: stranger.addressText({ major: 0, minor }),
      amount: COIN,
    }));
    const txids = await pay(proposer, 'transfer_split', { destinations });
    expect(txids).toHaveLength(2);
    const paid = (await agree()).filter(({ txid }) => txids.includes(txid as string));
    expect(paid.reduce((sum, { amount }) => sum + (amount as number), 0)).toBe(20 * COIN);
  });

  it('passes a payment id to its receiver', async () => {
    const id = fixedBytes(fromHex('0123456789abcdef'), 8, 'PaymentId');
    const address = formatAddress({ ...stranger.address(), kind: 'integrated', paymentId: id });
    const [txid = ''] = await pay(proposer, 'transfer', { destinations: [{ address, amount: COIN }] });
    const { txs } = await daemon.plain('/get_transactions', { txs_hashes: [txid] });
    const tx = parseTransaction(fromHex((txs as Loose[])[0]?.as_hex as string));
    expect(toHex(stranger.paymentId(tx) ?? new Uint8Array())).toBe(toHex(id));
    await agree();
  });

  it('spends from another account, which receives the change', async () => {
    const label = `account of ${proposer}`;
    for (const wallet of wallets) await wallet.rpc('create_account', { label });
    const account_index = proposer + 1;
    const { address } = await (wallets[0] as WalletRpc).rpc('get_address', { account_index });
    await pay(proposer, 'transfer', { destinations: [{ address, amount: 3 * COIN }] });
    await pay(proposer, 'transfer', {
      account_index,
      destinations: [{ address: stranger.addressText(), amount: COIN }],
    });
    await agree();
    for (const wallet of wallets) {
      const { balance } = await wallet.rpc('get_balance', { account_index });
      expect(balance).toBeGreaterThan(1.9 * COIN);
      expect(balance).toBeLessThan(2 * COIN);
    }
  });
});

test('of two concurrent sets with the same nonces, one is signed', async () => {
  await exchangeMultisigInfo(wallets);
  const [ours, theirs] = wallets;
  if (ours === undefined || theirs === undefined) throw new Error('two wallets');
  const key_image = (
    (await ours.rpc('incoming_transfers', { transfer_type: 'available' })).transfers as Loose[]
  )[0]?.key_image as string;
  const order = { address: stranger.addressText(), key_image };
  const sets = [await theirs.rpc('sweep_single', order), await theirs.rpc('sweep_single', order)];
  const replies = await Promise.all(
    sets.map(({ multisig_txset }) => ours.call('sign_multisig', { tx_data_hex: multisig_txset as string })),
  );
  expect(replies.map(({ error }) => error?.code).sort()).toEqual([-35, undefined]);
});

test('a wallet that holds money keeps its keys', async () => {
  const [ours] = wallets;
  if (ours === undefined) throw new Error('a wallet');
  await createWallet(ours, 'other', 'p');
  const { multisig_info: other } = await ours.rpc('prepare_multisig');
  await createWallet(ours, 'funded', 'p');
  const { address } = await ours.rpc('get_address');
  const { multisig_info: own } = await ours.rpc('prepare_multisig');
  await daemon.generate(address as string, 1);
  const { error } = await ours.call('make_multisig', { multisig_info: [own, other], threshold: 2 });
  expect(error?.code).toBe(-1);
  expect(error?.message).toMatch(/received money/);
  expect(await ours.rpc('is_multisig')).toMatchObject({ multisig: false });
  await ours.rpc('open_wallet', { filename: 'funded', password: 'p' });
  expect((await ours.rpc('get_address')).address).toBe(address);
  expect((await ours.rpc('get_balance')).balance).toBeGreaterThan(0);
});
