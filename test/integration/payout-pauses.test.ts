import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { until } from '../support/fakes/until.js';
import { startDaemonProxy, type DaemonProxy } from '../support/network/daemon-proxy.js';
import type { Loose } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { createWallet } from '../support/wallets/create-wallet.js';

/* A pause that begins while batches are sent. */

const XMR = 1_000_000_000_000;
const SENDING = '/sendrawtransaction';
/** Payouts of two batches. */
const PAYOUTS = 20;

let daemon: Monerod;
let proxy: DaemonProxy;
let payer: WalletRpc;

beforeAll(async () => {
  daemon = await startRegtestDaemon();
  proxy = await startDaemonProxy(daemon.address);
  payer = await startWalletRpc({
    daemon: proxy.address,
    args: ['--refresh-period=0', '--payout-interval=0', '--trusted-daemon'],
  });
  await createWallet(payer, 'payer');
  const { address } = await payer.rpc('get_address');
  await daemon.generate(String(address), 90);
  await payer.rpc('refresh');
});

afterAll(async () => {
  await payer?.stop();
  await proxy?.stop();
  await daemon?.stop();
});

/** Counts the payouts in a state. */
const count = async (...states: readonly string[]): Promise<number> => {
  const { payouts = [] } = await payer.rpc('list_payouts', { states, limit: 1000 });
  return (payouts as Loose[]).length;
};

it('is held by batches that were not recorded when it was answered', async () => {
  const { address } = await payer.rpc('create_address', { account_index: 0 });
  const payouts = Array.from({ length: PAYOUTS }, (_, i) => ({
    ...{ payout_id: `p${i}`, address, amount: XMR / 100, allow_own: true },
  }));
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  proxy.hold = (path) => (path === SENDING ? released : Promise.resolve());
  await payer.rpc('create_payouts', { payouts });
  await until('the first batch', async () => (await count('sending')) > 0 || undefined);
  await payer.rpc('pause_payouts', { reason: 'test' });
  const recorded = PAYOUTS - (await count('queued'));
  release();
  await payer.rpc('send_payouts');
  expect(await count('sent')).toBe(recorded);
  expect(await count('queued')).toBe(PAYOUTS - recorded);
  await payer.rpc('resume_payouts');
  await payer.rpc('send_payouts');
  expect(await count('sent')).toBe(PAYOUTS);
});
