import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { until } from '../support/fakes/until.js';
import { startDaemonProxy, type DaemonProxy } from '../support/network/daemon-proxy.js';
import type { Loose } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { createWallet } from '../support/wallets/create-wallet.js';

/* Payouts whose fee is above the ceiling, beside others that can be paid. */

const XMR = 1_000_000_000_000;
const FASTEST = 4;

let daemon: Monerod;
let proxy: DaemonProxy;
let payer: WalletRpc;
let addresses: string[];
/** Factor of the fee rates of the fastest priority. */
let factor = 1n;

const get = (payout_id: string): Promise<Loose> => payer.rpc('get_payout', { payout_id });

const untilSent = (payout_id: string): Promise<unknown> =>
  until('a sent payout', async () => (await get(payout_id)).state === 'sent' || undefined);

beforeAll(async () => {
  daemon = await startRegtestDaemon();
  proxy = await startDaemonProxy(daemon.address);
  proxy.rewrite = (_, request, reply) => {
    if (!request.includes('get_fee_estimate')) return reply;
    const answer = JSON.parse(reply.toString()) as Loose;
    answer.result.fees[FASTEST - 1] *= Number(factor);
    return Buffer.from(JSON.stringify(answer));
  };
  payer = await startWalletRpc({
    daemon: proxy.address,
    args: ['--refresh-period=0', '--payout-interval=0', '--trusted-daemon'],
  });
  await createWallet(payer, 'payer');
  const { address } = await payer.rpc('get_address');
  await payer.rpc('create_account', {});
  const own = await payer.rpc('create_address', { account_index: 1, count: 4 });
  addresses = own.addresses as string[];
  await daemon.generate(String(address), 150);
  await payer.rpc('refresh');
});

afterAll(async () => {
  await payer?.stop();
  await proxy?.stop();
  await daemon?.stop();
});

const payout = (i: number, amount: number, priority: number): Loose => ({
  ...{ payout_id: `p${i}`, address: addresses[i], amount, priority, allow_own: true },
});

it('a payout whose transaction is too dear waits, and stops no other one', async () => {
  const { unlocked_balance } = await payer.rpc('get_balance');
  const most = Math.floor(Number(unlocked_balance) * 0.8);
  await payer.rpc('create_payouts', { payouts: [payout(0, most, FASTEST), payout(1, XMR, 1)] });
  await untilSent('p1');
  expect(await get('p0')).toMatchObject({ state: 'queued', waiting_for: { fee: expect.any(Number) } });
});

it('a payout of a priority that is too dear for any transaction waits, and stops no other one', async () => {
  await payer.rpc('cancel_payouts', { payout_ids: ['p0'] });
  factor = 10_000n;
  // Opening the wallet again reads the fee rates anew.
  await payer.rpc('close_wallet');
  await payer.rpc('open_wallet', { filename: 'payer', password: '' });
  await payer.rpc('refresh');
  await payer.rpc('create_payouts', { payouts: [payout(2, XMR, FASTEST), payout(3, XMR, 1)] });
  await untilSent('p3');
  expect(await get('p2')).toMatchObject({ state: 'queued', waiting_for: { fee: expect.any(Number) } });
});
