import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { until } from '../support/fakes/until.js';
import { createWallet } from '../support/wallets/create-wallet.js';
import type { Loose } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';

/* A hard fork, or a transaction, that the server does not know stops nothing but itself. */

const XMR = 1_000_000_000_000;
/** Message of a payment after a fork. */
const ENDED =
  /^no payments are made since block 91: .* version 17, .* membership proofs, .* money is safe, .* seed of the wallet$/;
const UNEXPECTED = 'Unexpected hard fork version v17 at height 71. Make sure your wallet is up to date';

let daemon: Monerod;
let server: WalletRpc;
let address: string;

beforeAll(async () => {
  daemon = await startRegtestDaemon(['--misbehave=none']);
  server = await startWalletRpc({ daemon: daemon.address, args: ['--payout-interval=0'] });
  await createWallet(server);
  ({ address } = await server.rpc('get_address'));
  await daemon.generate(address, 60);
  await server.rpc('refresh');
});

afterAll(async () => {
  await server?.stop();
  await daemon?.stop();
});

const claim = (faults: string): Promise<Loose> => daemon.plain('/misbehave', { what: faults });
beforeEach(() => claim(''));

const page = async (path: string): Promise<string> =>
  (await fetch(`http://127.0.0.1:${server.port}${path}`)).text();

describe('a block of a newer version', () => {
  it('is where a wallet stops, with all blocks before it; every view names it', async () => {
    // A periodic refresh may come at any time: it must not read the blocks before the lie.
    await claim('newer-fork=71');
    await daemon.generate(address, 30);
    const { error } = await server.call('refresh');
    expect(error).toMatchObject({ code: -1, message: UNEXPECTED });
    expect(await server.rpc('get_height')).toEqual({
      height: 71,
      update_needed: { height: 71, version: 17 },
    });
    const { balance } = await server.rpc('get_balance');
    const { in: mined } = await server.rpc('get_transfers', { in: true });
    expect(mined).toHaveLength(70);
    expect(balance).toBeGreaterThan(0);
    expect(JSON.parse(await page('/readyz'))).toMatchObject({
      ready: false,
      reasons: expect.arrayContaining([
        { reason: 'update_needed', wallets: 1, height: 71, version: 17 },
      ]) as unknown,
    });
    expect(await page('/status')).toContain('update this server: block 71 has version 17');
    expect(await page('/metrics')).toMatch(/^wallet_rpc_newer_block_version 17$/m);
    await claim('');
    await server.rpc('refresh');
    expect(await server.rpc('get_height')).toEqual({ height: 91 });
    expect(await page('/metrics')).toMatch(/^wallet_rpc_newer_block_version 0$/m);
  });

  it('lets no payment be made, from the block before it on, and takes no key', async () => {
    const destinations = [{ address, amount: XMR }];
    await server.rpc('refresh');
    const pay = (): Promise<Loose> =>
      server.call('transfer', { destinations, idempotency_key: 'fork', do_not_relay: true });
    const { tx_metadata: hex } = await server.rpc('transfer', {
      ...{ destinations, do_not_relay: true, get_tx_metadata: true },
    });
    for (const [method, params] of [
      ['transfer', { destinations, idempotency_key: 'fork', do_not_relay: true }],
      ['transfer_split', { destinations }],
      ['sweep_all', { address }],
      ['relay_tx', { hex }],
    ] as const) {
      await claim('newer-fork=91');
      const { error } = await server.call(method, params);
      expect(error).toMatchObject({ code: -4, message: expect.stringMatching(ENDED) as unknown });
    }
    const { error } = await server.call('get_order', { idempotency_key: 'fork' });
    expect(error).toBeDefined();
    for (const method of ['estimate_tx_size_and_weight', 'get_default_fee_priority'])
      await server.rpc(method, { n_inputs: 1, n_outputs: 2, ring_size: 16 });
    await claim('newer-fork=92');
    expect((await pay()).error).toBeUndefined();
  });

  it('makes payouts wait, with the reason in every view', async () => {
    const payout = { payout_id: 'p', address, amount: XMR, allow_own: true };
    const waiting_for = { fork: { height: 91, version: 17 } };
    await claim('newer-fork=91');
    await server.rpc('create_payouts', { payouts: [payout] });
    const waiting = await until('a payout that waits for the fork', async () => {
      const { payouts } = await server.rpc('list_payouts');
      const [{ state, waiting_for: reason }] = payouts as [Loose];
      return state === 'queued' && reason?.fork !== undefined ? reason : undefined;
    });
    expect(waiting).toEqual(waiting_for);
    const further = { ...payout, payout_id: 'q' };
    expect(await server.rpc('estimate_payouts', { payouts: [further] })).toMatchObject({
      waiting: [
        { payout_id: 'p', waiting_for },
        { payout_id: 'q', waiting_for },
      ],
    });
    expect(await page('/metrics')).toMatch(/^wallet_rpc_payouts_blocked\{wallet="[^"]*",reason="fork"\} 1$/m);
    await claim('');
    await server.rpc('cancel_payouts', { payout_ids: ['p'] });
  });
});

describe('a transaction of the pool that cannot be read', () => {
  it('is left out and counted, and stops neither a refresh nor a list', async () => {
    const { tx_hash: txid } = await server.rpc('transfer', { destinations: [{ address, amount: XMR }] });
    await server.rpc('create_wallet', { filename: 'other', password: '', language: 'English' });
    await claim('unknown-pool=1');
    await server.rpc('refresh');
    expect(await server.rpc('get_transfers', { pool: true })).toEqual({});
    expect(JSON.parse(await page('/readyz'))).toMatchObject({ ready: true });
    expect(await page('/metrics')).toMatch(/^wallet_rpc_unreadable_pool_transactions 1$/m);
    expect(txid).toHaveLength(64);
  });
});
