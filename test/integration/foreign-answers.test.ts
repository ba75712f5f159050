import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { startDaemonProxy, type DaemonProxy } from '../support/network/daemon-proxy.js';
import type { Loose } from '../support/network/json-rpc.js';
import { startMonerod, type Monerod } from '../support/processes/monerod.js';
import { startReference, startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { someRows } from '../support/jest/lanes.js';

/* A gateway that answers in place of the node counts as no connection, as for the reference. */

let daemon: Monerod;
let front: DaemonProxy;
let ours: WalletRpc;
let theirs: WalletRpc;
let address: string;
let txid: string;
const forward = (): void => {
  front.decide = () => 'forward';
  front.rewrite = (_path, _request, reply) => reply;
};

beforeAll(async () => {
  daemon = await startMonerod();
  front = await startDaemonProxy(daemon.address);
  [ours, theirs] = await Promise.all([
    startWalletRpc({ daemon: front.address }),
    startReference({ daemon: front.address }),
  ]);
  await theirs.rpc('create_wallet', { filename: 'w', language: 'English' });
  const { key: seed } = await theirs.rpc('query_key', { key_type: 'mnemonic' });
  await ours.rpc('restore_deterministic_wallet', { filename: 'w', password: '', seed, restore_height: 0 });
  ({ address } = await ours.rpc('get_address'));
  await daemon.generate(address, 80);
  for (const server of [ours, theirs]) await server.rpc('refresh');
  ({ tx_hash: txid } = await ours.rpc('transfer', { destinations: [{ address, amount: 1e12 }] }));
});

afterAll(async () => {
  await Promise.all([ours?.stop(), theirs?.stop()]);
  await front?.stop();
  await daemon?.stop();
});

/** The code and the message of the error, or the empty list. */
async function refusalOf(server: WalletRpc, method: string, params: Loose): Promise<unknown[]> {
  const { error } = await server.call(method, params);
  return error === undefined ? [] : [error.code, error.message];
}

describe.each(
  someRows<[string, () => void]>(
    [
      ['HTTP 502', () => (front.decide = () => 502)],
      ['a page of HTML', () => (front.rewrite = () => Buffer.from('<html><body>Bad gateway</body></html>'))],
      ['HTTP 429', () => (front.decide = () => 429)],
      ['HTTP 503', () => (front.decide = () => 503)],
      ['an empty answer', () => (front.rewrite = () => Buffer.alloc(0))],
    ],
    2,
  ),
)('a front that answers %s', (_, breaks) => {
  beforeAll(async () => {
    forward();
    // The reference forgets what it knows of its node.
    for (const server of [ours, theirs])
      await server.rpc('set_daemon', { address: front.address, trusted: true });
    breaks();
  });
  afterAll(forward);

  it.each<[string, () => Loose]>([
    ['refresh', () => ({})],
    ['rescan_spent', () => ({})],
    ['scan_tx', () => ({ txids: [txid] })],
    ['get_tx_proof', () => ({ txid, address })],
    ['start_mining', () => ({ threads_count: 1 })],
    ['stop_mining', () => ({})],
  ])('makes %s fail as the reference does', async (method, params) => {
    const refusal = await refusalOf(theirs, method, params());
    expect(refusal).toHaveLength(2);
    expect(await refusalOf(ours, method, params())).toEqual(refusal);
  });

  it('fails a refresh for want of a connection, and a payment for want of a height', async () => {
    const destinations = [{ address, amount: 1e12 }];
    expect(await refusalOf(ours, 'refresh', {})).toEqual([-38, 'no connection to daemon']);
    expect(await refusalOf(ours, 'get_transfers', { pool: true })).toEqual([-38, 'no connection to daemon']);
    for (const [method, params] of [
      ['transfer', { destinations }],
      ['transfer_split', { destinations }],
      ['sweep_all', { address }],
    ] as const) {
      // What the reference asks first depends on what it still knows of its node.
      const [code, message] = await refusalOf(theirs, method, params);
      expect([code, message]).toEqual([
        -4,
        expect.stringMatching(/^Failed to get (?:earliest fork )?height$/),
      ]);
      expect(await refusalOf(ours, method, params)).toEqual([-4, 'Failed to get height']);
    }
  });
});

describe('one endpoint that a front does not serve', () => {
  afterAll(forward);

  test.each(['/get_transaction_pool_hashes', '/gettransactions', 'get_fee_estimate'])(
    '%s fails no refresh that the reference finishes',
    async (endpoint) => {
      forward();
      front.decide = (path) => (path === endpoint ? 502 : 'forward');
      front.rewrite = (_path, request, reply) =>
        request.includes(`"${endpoint}"`) ? Buffer.from('<html>') : reply;
      await daemon.generate(address, 1);
      const [mine, reference] = [await ours.call('refresh'), await theirs.call('refresh')];
      expect(reference.error).toBeUndefined();
      expect(mine.error).toBeUndefined();
      expect(await ours.rpc('get_height')).toEqual(await theirs.rpc('get_height'));
    },
  );

  it('get_fee_estimate fails a payment, which the reference makes with a fee that nobody named', async () => {
    forward();
    front.rewrite = (_path, request, reply) =>
      request.includes('"get_fee_estimate"') ? Buffer.from('<html>') : reply;
    await ours.rpc('refresh');
    const destinations = [{ address, amount: 1e12 }];
    expect(await refusalOf(ours, 'transfer', { destinations })).toEqual([-4, 'Failed to get height']);
  });
});
