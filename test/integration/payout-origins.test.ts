import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { until } from '../support/fakes/until.js';
import { walletCalls, type Loose, type WalletCalls } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { createWallet } from '../support/wallets/create-wallet.js';

/* A payout whose batch spends the change of another batch, after a reorganisation that removes both for ever. */

const XMR = 1_000_000_000_000;
const UNLOCK_BLOCKS = 10;
/** Number of blocks after which an earlier batch counts as dead. */
const DEAD_BLOCKS = 60;

let daemon: Monerod;
let server: WalletRpc;
/** Server with a miner and with a second instance of the payer. */
let other: WalletRpc;
let miner: WalletCalls;
let minerAddress: string;

beforeAll(async () => {
  daemon = await startRegtestDaemon();
  const options = { daemon: daemon.address, args: ['--refresh-period=0', '--trusted-daemon'] };
  server = await startWalletRpc({
    ...options,
    args: [...options.args, '--payout-interval=0', '--payout-outputs=1', '--payout-confirmations=1'],
  });
  other = await startWalletRpc(options);
  miner = walletCalls(other.port, 'miner');
  await createWallet(miner);
  minerAddress = (await miner.rpc('get_address')).address as string;
  await daemon.generate(minerAddress, 90);
  await miner.rpc('refresh');
});

afterAll(async () => {
  await server?.stop();
  await other?.stop();
  await daemon?.stop();
});

async function mine(blocks: number): Promise<void> {
  await daemon.generate(minerAddress, blocks);
  await server.rpc('refresh');
}

const get = (payout_id: string): Promise<Loose> => server.rpc('get_payout', { payout_id });

const untilState = (payout_id: string, state: string): Promise<unknown> =>
  until(`the state ${state}`, async () => (await get(payout_id)).state === state || undefined);

it('is paid anew once the other batch can never be mined', async () => {
  await createWallet(server, 'payer');
  const { address } = await server.rpc('get_address');
  const { key: seed } = await server.rpc('query_key', { key_type: 'mnemonic' });
  await miner.rpc('transfer', { destinations: [{ address, amount: 10 * XMR }] });
  await mine(1 + UNLOCK_BLOCKS);
  const twin = walletCalls(other.port, 'twin');
  await twin.rpc('restore_deterministic_wallet', { password: '', seed, restore_height: 0 });
  await twin.rpc('refresh');
  const { tx_metadata: hex } = await twin.rpc('transfer', {
    ...{ destinations: [{ address: minerAddress, amount: XMR }], do_not_relay: true },
    get_tx_metadata: true,
  });

  const payout = (payout_id: string): Loose => ({ payout_id, address: minerAddress, amount: 2 * XMR });
  await server.rpc('create_payouts', { payouts: [payout('first')] });
  await untilState('first', 'sent');
  await mine(UNLOCK_BLOCKS);
  await server.rpc('create_payouts', { payouts: [payout('second')] });
  await untilState('second', 'sent');
  await mine(1);

  await daemon.popBlocks(UNLOCK_BLOCKS + 1);
  await daemon.rpc('flush_txpool');
  await twin.rpc('relay_tx', { hex });
  await mine(2 * UNLOCK_BLOCKS);
  for (const id of ['first', 'second'])
    expect(await get(id)).toMatchObject({ state: 'queued', reason: expect.stringMatching(/overtaken|lost/) });
  await server.rpc('send_payouts');
  for (const id of ['first', 'second']) expect((await get(id)).waiting_for).toHaveProperty('earlier');

  await mine(DEAD_BLOCKS);
  for (const id of ['first', 'second']) {
    await server.rpc('send_payouts');
    await mine(UNLOCK_BLOCKS);
    expect(await get(id)).toMatchObject({ state: 'confirmed' });
  }
});
