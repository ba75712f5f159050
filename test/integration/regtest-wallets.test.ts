import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createWallet } from '../support/wallets/create-wallet.js';
import type { Loose } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { startReference, startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { itAtNight, someRows } from '../support/jest/lanes.js';

/* The reference's wallet and ours on our daemon, paying each other. */

let daemon: Monerod;
let ours: WalletRpc;
let theirs: WalletRpc;
let ourAddress: string;
let theirAddress: string;

async function confirm(blocks: number): Promise<void> {
  await daemon.generate(theirAddress, blocks);
  await Promise.all([ours.rpc('refresh'), theirs.rpc('refresh')]);
}

const balance = async (wallet: WalletRpc): Promise<number> => (await wallet.rpc('get_balance')).balance;

const incoming = async (wallet: WalletRpc, txid: string): Promise<Loose[]> => {
  const { in: list = [] } = await wallet.rpc('get_transfers', { in: true, all_accounts: true });
  return (list as Loose[]).filter((entry) => entry.txid === txid);
};

beforeAll(async () => {
  daemon = await startRegtestDaemon();
  [ours, theirs] = await Promise.all([
    startWalletRpc({ daemon: daemon.address }),
    startReference({ daemon: daemon.address }),
  ]);
  await createWallet(ours, 'ours');
  await createWallet(theirs, 'theirs');
  ourAddress = (await ours.rpc('get_address')).address;
  theirAddress = (await theirs.rpc('get_address')).address;
  await daemon.generate(ourAddress, 40);
  await daemon.generate(theirAddress, 40);
  await confirm(60);
});

afterAll(async () => {
  await Promise.all([ours?.stop(), theirs?.stop()]);
  await daemon?.stop();
});

describe('wallets on our daemon', () => {
  it('show mined money', async () => {
    const { headers } = await daemon.rpc('get_block_headers_range', { start_height: 1, end_height: 140 });
    const mined = (from: number, to: number): number =>
      (headers as Loose[]).slice(from, to).reduce((total, { reward }) => total + reward, 0);
    expect(await balance(ours)).toBe(mined(0, 40));
    expect(await balance(theirs)).toBe(mined(40, 140));
  });

  it('pay: the reference to us', async () => {
    const before = await balance(ours);
    const { tx_hash } = await theirs.rpc('transfer', {
      destinations: [{ address: ourAddress, amount: 1_234_567_890_123 }],
    });
    expect((await daemon.plain('/get_transaction_pool_stats')).pool_stats.txs_total).toBe(1);
    await confirm(10);
    expect(await incoming(ours, tx_hash)).toMatchObject([{ amount: 1_234_567_890_123, confirmations: 10 }]);
    expect(await balance(ours)).toBe(before + 1_234_567_890_123);
  });

  it('pay: we to the reference', async () => {
    const { tx_hash } = await ours.rpc('transfer', {
      destinations: [{ address: theirAddress, amount: 777_000_000_001 }],
    });
    await confirm(10);
    expect(await incoming(theirs, tx_hash)).toMatchObject([{ amount: 777_000_000_001 }]);
  });

  it.each(
    someRows([
      ['the reference to us', () => [theirs, ours, ourAddress] as const],
      ['we to the reference', () => [ours, theirs, theirAddress] as const],
    ]),
  )('prove that they paid, and were paid: %s', async (_, parties) => {
    const [payer, payee, address] = parties();
    const { tx_hash: txid } = await payer.rpc('transfer', { destinations: [{ address, amount: 9_000_001 }] });
    await confirm(1);
    const message = 'for the shop';
    const { signature: paid } = await payer.rpc('get_tx_proof', { txid, address, message });
    const { signature: received } = await payee.rpc('get_tx_proof', { txid, address, message });
    const { signature: spent } = await payer.rpc('get_spend_proof', { txid, message });
    for (const wallet of [payer, payee]) {
      for (const signature of [paid, received])
        expect(await wallet.rpc('check_tx_proof', { txid, address, message, signature })).toMatchObject({
          good: true,
          received: 9_000_001,
          in_pool: false,
          confirmations: 1,
        });
      expect(await wallet.rpc('check_spend_proof', { txid, message, signature: spent })).toMatchObject({
        good: true,
      });
    }
  });

  itAtNight('show a payment in the pool, and again after its block was popped', async () => {
    const { tx_hash } = await theirs.rpc('transfer', {
      destinations: [{ address: ourAddress, amount: 5_000_000_000 }],
    });
    await ours.rpc('refresh');
    const pool = await ours.rpc('get_transfers', { pool: true });
    expect((pool.pool as Loose[]).map(({ txid }) => txid)).toEqual([tx_hash]);
    await confirm(2);
    expect(await incoming(ours, tx_hash)).toHaveLength(1);
    await daemon.popBlocks(2);
    const { transactions } = await daemon.plain('/get_transaction_pool');
    expect(transactions).toMatchObject([{ id_hash: tx_hash, kept_by_block: true }]);
    await confirm(12);
    expect(await incoming(ours, tx_hash)).toHaveLength(1);
  });

  itAtNight('sweep: the reference spends everything', async () => {
    const { tx_hash_list } = await theirs.rpc('sweep_all', { address: ourAddress });
    expect((tx_hash_list as string[]).length).toBeGreaterThan(0);
    await confirm(1);
    for (const txid of tx_hash_list as string[]) expect(await incoming(ours, txid)).toHaveLength(1);
  });
});
