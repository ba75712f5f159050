import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ChainWallet } from '../support/wallets/chain-wallet.js';
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
const NAME = 'shared';
const stranger = new ChainWallet(seededRng('multisig recovery'));

let daemon: Monerod;
let ours: WalletRpc;
let theirs: WalletRpc;

beforeAll(async () => {
  daemon = await startRegtestDaemon();
  const [first, second] = await startParty(['ours', 'theirs'], { daemon: daemon.address });
  if (first === undefined || second === undefined) throw new Error('two servers are needed');
  [ours, theirs] = [first, second];
  const address = await formGroup([ours, theirs], 2, NAME);
  await daemon.generate(address, 4);
  await daemon.generate(stranger.addressText(), 80);
  // One payment with change, one without.
  await pay(ours, theirs, 'transfer', {
    destinations: [{ address: stranger.addressText(), amount: COIN }],
  });
  const { transfers } = await theirs.rpc('incoming_transfers', { transfer_type: 'available' });
  await pay(theirs, ours, 'sweep_single', {
    address: stranger.addressText(),
    key_image: (transfers as Loose[])[0]?.key_image as string,
  });
});

afterAll(async () => {
  await Promise.all([ours, theirs].map((server) => server?.stop()));
  await daemon?.stop();
});

async function pay(proposer: WalletRpc, signer: WalletRpc, method: string, order: object): Promise<void> {
  await exchangeMultisigInfo([proposer, signer]);
  const { multisig_txset } = await proposer.rpc(method, order);
  const { set } = await signInTurn(multisig_txset as string, [signer]);
  await signer.rpc('submit_multisig', { tx_data_hex: set });
  await daemon.generate(stranger.addressText(), 12);
  await Promise.all([proposer, signer].map((wallet) => wallet.rpc('refresh')));
}

/** Outputs and payments of a wallet. */
async function viewOf(wallet: WalletRpc): Promise<unknown> {
  await wallet.rpc('refresh');
  const { balance, unlocked_balance, multisig_import_needed } = await wallet.rpc('get_balance');
  const { out = [] } = await wallet.rpc('get_transfers', { out: true });
  const { transfers = [] } = await wallet.rpc('incoming_transfers', { transfer_type: 'all' });
  return {
    ...{ balance, unlocked_balance, multisig_import_needed },
    paid: (out as Loose[])
      .map(({ txid, amount, fee, height }) => ({ txid, amount, fee, height }))
      .sort((a, b) => a.height - b.height),
    outputs: (transfers as Loose[]).map(({ key_image, amount, spent, global_index }) => ({
      key_image,
      amount,
      spent,
      global_index,
    })),
  };
}

describe('a participant whose store is lost', () => {
  it('restores it from its seed, after an import of multisig info', async () => {
    const right = await viewOf(ours);
    expect(await viewOf(theirs)).toEqual(right);
    const { key } = await ours.rpc('query_key', { key_type: 'mnemonic' });
    await ours.rpc('restore_deterministic_wallet', {
      filename: 'from seed',
      seed: key as string,
      enable_multisig_experimental: true,
      restore_height: 0,
    });
    await ours.rpc('refresh');
    // A payment without change cannot be found before the import.
    expect(await ours.rpc('get_balance')).toMatchObject({ multisig_import_needed: true });
    await exchangeMultisigInfo([ours, theirs]);
    expect(await viewOf(ours)).toEqual(right);
    await ours.rpc('rescan_blockchain');
    expect(await viewOf(ours)).toEqual(right);
  });

  it('restores it from its keys file, in the other program too', async () => {
    const right = await viewOf(theirs);
    copyFileSync(join(ours.walletDir, `${NAME}.keys`), join(theirs.walletDir, 'ours.keys'));
    copyFileSync(join(theirs.walletDir, `${NAME}.keys`), join(ours.walletDir, 'theirs.keys'));
    await theirs.rpc('open_wallet', { filename: 'ours', password: 'p' });
    await ours.rpc('open_wallet', { filename: 'theirs', password: 'p' });
    await exchangeMultisigInfo([ours, theirs]);
    expect(await viewOf(ours)).toEqual(right);
    expect(await viewOf(theirs)).toEqual(right);
    await pay(ours, theirs, 'transfer', {
      destinations: [{ address: stranger.addressText(), amount: COIN }],
    });
    const after = (await viewOf(ours)) as { paid: unknown[] };
    expect(after.paid).toHaveLength(3);
    expect(await viewOf(theirs)).toEqual(after);
  });
});
