import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createWallet } from '../support/wallets/create-wallet.js';
import type { Loose } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { startReference, startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';

/*
 * A wallet restored from a height that is too late: some inputs of its payments are unknown, so the payments exceed
 * its known inputs.
 */

const XMR = 1_000_000_000_000;
const STRANGER =
  '44Kbx4sJ7JDRDV5aAhLJzQCjDz2ViLRduE3ijDZu3osWKBjMGkV1XPk4pfDUMqt1Aiezvephdqm6YD19GKFD9ZcXVUTp6BW';

let daemon: Monerod;
let payer: WalletRpc;
let late: WalletRpc;
let theirs: WalletRpc;

beforeAll(async () => {
  daemon = await startRegtestDaemon();
  const options = { daemon: daemon.address };
  [payer, late, theirs] = await Promise.all([
    startWalletRpc(options),
    startWalletRpc(options),
    startReference(options),
  ]);
});

afterAll(async () => {
  await Promise.all([payer?.stop(), late?.stop(), theirs?.stop()]);
  await daemon?.stop();
});

it('lists the known part of a payment that spends an output from before the restore height', async () => {
  await createWallet(payer, 'w');
  const seed = (await payer.rpc('query_key', { key_type: 'mnemonic' })).key as string;
  const main = (await payer.rpc('get_address')).address as string;
  await payer.rpc('create_address', { count: 2 });
  const { addresses } = (await payer.rpc('get_address')) as { addresses: { address: string }[] };
  const shop = addresses[1]?.address ?? '';
  await daemon.generate(main, 90);
  await payer.rpc('refresh');
  await payer.rpc('transfer', { destinations: [{ address: shop, amount: 10 * XMR }] });
  await daemon.generate(STRANGER, 12);
  await payer.rpc('refresh');
  const restore_height = (await payer.rpc('get_height')).height as number;
  await payer.rpc('transfer', { destinations: [{ address: shop, amount: XMR / 10 }], subaddr_indices: [0] });
  await daemon.generate(STRANGER, 12);
  await payer.rpc('refresh');

  // Spends both outputs. The late wallet knows the small one, which is less than the change: it lists an amount of 0, not
  // of 1 XMR.
  const { tx_hash, fee } = await payer.rpc('transfer', {
    destinations: [{ address: STRANGER, amount: XMR }],
    subaddr_indices: [1],
  });
  await daemon.generate(STRANGER, 1);
  const change = 9.1 * XMR - Number(fee);

  const entry = async (wallet: WalletRpc): Promise<Loose> => {
    await wallet.rpc('restore_deterministic_wallet', { filename: 'w', password: '', seed, restore_height });
    await wallet.rpc('refresh');
    const { out } = await wallet.rpc('get_transfers', { out: true });
    const { transfer } = await wallet.rpc('get_transfer_by_txid', { txid: tx_hash });
    expect((out as Loose[]).filter(({ txid }) => txid === tx_hash)).toEqual([transfer]);
    return transfer as Loose;
  };
  expect(await entry(late)).toMatchObject({ type: 'out', amount: 0, fee, change_amount: change });
  // The reference subtracts in 64 bits and wraps below zero: the amount exceeds all coins.
  expect((await entry(theirs)).amount).toBeGreaterThan(2 ** 63);
});
