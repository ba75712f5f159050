import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createWallet } from '../support/wallets/create-wallet.js';
import type { Loose } from '../support/network/json-rpc.js';
import { startMonerod, type Monerod } from '../support/processes/monerod.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';

let daemon: Monerod;
let wallet: WalletRpc;

beforeAll(async () => {
  daemon = await startMonerod();
  wallet = await startWalletRpc({ daemon: daemon.address });
});

afterAll(async () => {
  await wallet?.stop();
  await daemon?.stop();
});

it('tx_size of incoming_transfers is the size that the daemon stores, for rewards, payments and sweeps', async () => {
  await createWallet(wallet, 'w');
  const { address } = await wallet.rpc('get_address');
  await daemon.generate(address, 90);
  await wallet.rpc('refresh');
  const several = (count: number): Loose => ({
    destinations: Array.from({ length: count }, (_, i) => ({ address, amount: 1_000_000 + i })),
  });
  for (const count of [1, 2, 4, 15]) await wallet.rpc('transfer', several(count));
  await wallet.rpc('sweep_all', { address, outputs: 3 });
  await daemon.generate(address, 1);
  await wallet.rpc('refresh');

  const { transfers } = (await wallet.rpc('incoming_transfers', { transfer_type: 'all' })) as {
    transfers: Loose[];
  };
  const sizes = new Map(transfers.map(({ tx_hash, tx_size }) => [tx_hash as string, tx_size as number]));
  expect(sizes.size).toBeGreaterThan(94);
  const stored = new Map<string, number>();
  const hashes = [...sizes.keys()];
  for (let start = 0; start < hashes.length; start += 100) {
    const asked = { txs_hashes: hashes.slice(start, start + 100) };
    const { txs } = (await daemon.plain('/get_transactions', asked)) as { txs: Loose[] };
    // The daemon sends rewards, which have nothing to prune, in the pruned field.
    for (const { tx_hash, as_hex, pruned_as_hex } of txs)
      stored.set(tx_hash as string, ((as_hex || pruned_as_hex) as string).length / 2);
  }
  expect(sizes).toEqual(stored);
});
