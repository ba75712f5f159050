import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { until } from '../support/fakes/until.js';
import { startDaemonProxy, type DaemonProxy } from '../support/network/daemon-proxy.js';
import type { Loose } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { createWallet } from '../support/wallets/create-wallet.js';

/* What stops payouts while an earlier batch is sent: a pause, or the time at which they expire. */

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

/** Lets payments to the node wait. @returns a function that lets them go on. */
function holdPayments(): () => void {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  proxy.hold = (path) => (path === SENDING ? released : Promise.resolve());
  return release;
}

/** Creates payouts of two batches to an own address. */
async function create(name: string, terms: object = {}): Promise<void> {
  const { address } = await payer.rpc('create_address', { account_index: 0 });
  const payouts = Array.from({ length: PAYOUTS }, (_, i) => ({
    ...{ payout_id: `${name} ${i}`, address, amount: XMR / 100, allow_own: true },
    ...terms,
  }));
  await payer.rpc('create_payouts', { payouts });
  await until('the first batch', async () => (await count('sending')) > 0 || undefined);
}

it('a pause stops all batches that were not recorded when it was answered', async () => {
  const release = holdPayments();
  await create('paused');
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

it('payouts that expire meanwhile are not sent', async () => {
  const release = holdPayments();
  const expires_at = Math.floor(Date.now() / 1000) + 3;
  await create('expiring', { expires_at });
  const left = await count('queued');
  expect(left).toBeGreaterThan(0);
  await until('the expiry', () => Date.now() / 1000 > expires_at || undefined);
  release();
  await payer.rpc('send_payouts');
  await payer.rpc('send_payouts');
  expect(await count('expired')).toBe(left);
});
