import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readBlock, submitBlock, submitTransactions } from '../support/chain/chain-copy.js';
import { createWallet } from '../support/wallets/create-wallet.js';
import type { Loose } from '../support/network/json-rpc.js';
import { startMonerod, type Monerod } from '../support/processes/monerod.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';

let daemon: Monerod;
let payer: WalletRpc;
let payee: WalletRpc;
let payerAddress: string;
let payeeAddress: string;

beforeAll(async () => {
  daemon = await startMonerod();
  [payer, payee] = await Promise.all([
    startWalletRpc({ daemon: daemon.address }),
    startWalletRpc({ daemon: daemon.address }),
  ]);
  for (const wallet of [payer, payee]) await createWallet(wallet, 'w');
  payerAddress = (await payer.rpc('get_address')).address;
  payeeAddress = (await payee.rpc('get_address')).address;
  await daemon.generate(payerAddress, 75);
  await payer.rpc('refresh');
});

afterAll(async () => {
  await Promise.all([payer?.stop(), payee?.stop()]);
  await daemon?.stop();
});

describe('a reorganisation', () => {
  it('undoes the lost blocks, and applies the new ones', async () => {
    const amount = 5_000_000_000_000;
    const { tx_hash: txid, fee } = await payer.rpc('transfer', {
      destinations: [{ amount, address: payeeAddress }],
    });
    const before = await payer.rpc('get_balance');
    await daemon.generate(payerAddress, 5);
    await Promise.all([payer.rpc('refresh'), payee.rpc('refresh')]);
    expect((await payer.rpc('get_transfer_by_txid', { txid })).transfer).toMatchObject({
      type: 'out',
      height: 76,
      confirmations: 5,
    });
    expect((await payee.rpc('get_balance')).balance).toBe(amount);

    // Eight new blocks replace those five, and the daemon drops the payment.
    await daemon.popBlocks(5);
    await daemon.rpc('flush_txpool', {});
    await daemon.generate(payeeAddress, 8);
    await Promise.all([payer.rpc('refresh'), payee.rpc('refresh')]);

    const lost = await payer.rpc('get_transfer_by_txid', { txid });
    expect(lost.transfer).toMatchObject({ type: 'pending', height: 0, amount, fee });
    expect((await payer.rpc('get_height')).height).toBe(84);
    const incoming = (await payee.rpc('get_transfers', { in: true })).in as Loose[];
    expect(incoming.every(({ type }) => type === 'block')).toBe(true);
    expect(incoming).toHaveLength(8);
    // Its inputs stay reserved and cannot be spent twice.
    expect((await payer.rpc('get_balance')).balance).toBe(before.balance);

    // The wallet relays the payment again, and it is mined on the new chain.
    await payer.rpc('refresh');
    await daemon.generate(payeeAddress, 3);
    await Promise.all([payer.rpc('refresh'), payee.rpc('refresh')]);
    expect((await payer.rpc('get_transfer_by_txid', { txid })).transfer).toMatchObject({
      type: 'out',
      height: 84,
      confirmations: 3,
    });
    const paid = ((await payee.rpc('get_transfers', { in: true })).in as Loose[]).filter(
      (entry) => entry.txid === txid,
    );
    expect(paid).toEqual([expect.objectContaining({ amount, height: 84 })]);
  });

  it('is followed when it is deeper than the consecutive part of the short history', async () => {
    await daemon.popBlocks(40);
    await daemon.generate(payeeAddress, 60);
    await Promise.all([payer.rpc('refresh'), payee.rpc('refresh')]);
    const height = (await daemon.rpc('get_info')).height as number;
    expect((await payer.rpc('get_height')).height).toBe(height);
    // Blocks below the fork stay, although the short history names none of them.
    const { events } = await payer.rpc('get_events', { types: ['wallet.reorganised'], limit: 1000 });
    expect((events as Loose[]).at(-1)).toMatchObject({ data: { from_height: height - 60, depth: 40 } });
    const mined = ((await payer.rpc('get_transfers', { in: true })).in as Loose[]).filter(
      ({ type }) => type === 'block',
    );
    expect(mined).toHaveLength(height - 1 - 60);
    expect(Math.max(...mined.map((entry) => entry.height as number))).toBe(height - 61);
  });
});

describe('a daemon that lacks the newest blocks of a wallet', () => {
  it('takes no output of these blocks from the wallet, which recognises the payments from them', async () => {
    const { address, address_index } = await payer.rpc('create_address', { account_index: 0 });
    await payer.rpc('transfer', { destinations: [{ amount: 2_000_000_000_000, address }] });
    await daemon.generate(payeeAddress, 14);
    await payer.rpc('refresh');
    const { height: end } = await daemon.rpc('get_info');
    const blocks = [];
    for (let height = end - 16; height < end; height++) blocks.push(await readBlock(daemon, height));
    // The wallet names its ten newest blocks to the daemon, and below them one of two, of four and so on.
    for (const lacking of [11, 12, 13, 14, 15, 16]) {
      await daemon.popBlocks(lacking);
      await daemon.rpc('flush_txpool', {});
      await payer.rpc('refresh');
      expect((await payer.rpc('get_height')).height).toBe(end);
      for (const block of blocks.slice(-lacking)) {
        await submitTransactions(daemon, block.txs);
        await submitBlock(daemon, block);
      }
    }
    const { tx_hash: txid } = await payer.rpc('transfer', {
      destinations: [{ amount: 1_000_000_000_000, address: payeeAddress }],
      subaddr_indices: [address_index],
    });
    await daemon.generate(payeeAddress, 1);
    await payer.rpc('refresh');
    const { transfers } = await payer.rpc('get_transfer_by_txid', { txid });
    expect((transfers as Loose[]).map(({ type }) => type)).toEqual(['out']);
  });
});
