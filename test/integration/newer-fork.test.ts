import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createWallet } from '../support/wallets/create-wallet.js';
import type { Loose } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';

/* A hard fork, or a transaction, that the server does not know stops nothing but itself. */

const XMR = 1_000_000_000_000;
const UNEXPECTED = 'Unexpected hard fork version v17 at height 71. Make sure your wallet is up to date';

let daemon: Monerod;
let server: WalletRpc;
let address: string;

beforeAll(async () => {
  daemon = await startRegtestDaemon(['--misbehave=none']);
  server = await startWalletRpc({ daemon: daemon.address });
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

  it('lets no payment be built, from the block before it on', async () => {
    const pay = (): Promise<Loose> =>
      server.call('transfer', { destinations: [{ address, amount: XMR }], do_not_relay: true });
    await server.rpc('refresh');
    for (const [method, params] of [
      ['transfer', { destinations: [{ address, amount: XMR }] }],
      ['transfer_split', { destinations: [{ address, amount: XMR }] }],
      ['sweep_all', { address }],
    ] as const) {
      await claim('newer-fork=91');
      const { error } = await server.call(method, params);
      expect(error).toMatchObject({ code: -4, message: UNEXPECTED.replace('71', '91') });
    }
    await claim('newer-fork=92');
    expect((await pay()).error).toBeUndefined();
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
