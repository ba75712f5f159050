import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseTransaction } from '../../src/monero/cryptonote/transaction.js';
import { fromHex } from '../../src/util/bytes.js';
import { createWallet } from '../support/wallets/create-wallet.js';
import { startDaemonProxy, type DaemonProxy } from '../support/network/daemon-proxy.js';
import type { Loose } from '../support/network/json-rpc.js';
import { startMonerod, type Monerod } from '../support/processes/monerod.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';

/* A daemon that changes a transaction in a block, between honest `monerod` 0.18 and the wallets. */

const AMOUNT = 3_000_000_000_000;

let daemon: Monerod;
let proxy: DaemonProxy;
let payer: WalletRpc;
let payee: WalletRpc;
/** Bytes of answers that the proxy changes: the keys of the outputs of a payment. */
let changed: Buffer[] = [];

beforeAll(async () => {
  daemon = await startMonerod();
  proxy = await startDaemonProxy(daemon.address);
  proxy.rewrite = (path, _, reply) => {
    if (path !== '/getblocks.bin') return reply;
    for (const key of changed) {
      const at = reply.indexOf(key);
      if (at >= 0) reply.writeUInt8(reply.readUInt8(at) ^ 1, at);
    }
    return reply;
  };
  [payer, payee] = await Promise.all([
    startWalletRpc({ daemon: daemon.address }),
    startWalletRpc({ daemon: proxy.address, args: ['--whole-blocks', '--untrusted-daemon'] }),
  ]);
  for (const wallet of [payer, payee]) await createWallet(wallet, 'w');
  await daemon.generate((await payer.rpc('get_address')).address, 75);
  await payer.rpc('refresh');
});

afterAll(async () => {
  await Promise.all([payer?.stop(), payee?.stop()]);
  await proxy?.stop();
  await daemon?.stop();
});

const balance = async (): Promise<number> => {
  await payee.rpc('refresh');
  return (await payee.rpc('get_balance')).balance as number;
};

async function pay(): Promise<Buffer[]> {
  const { address } = await payee.rpc('get_address');
  const { tx_blob } = await payer.rpc('transfer', {
    destinations: [{ amount: AMOUNT, address }],
    get_tx_hex: true,
  });
  await daemon.generate((await payer.rpc('get_address')).address, 2);
  await payer.rpc('refresh');
  const { outputs } = parseTransaction(fromHex(tx_blob as string)).prefix;
  return outputs.map(({ publicKey }) => Buffer.from(publicKey));
}

describe('--whole-blocks', () => {
  it('finds the same payments', async () => {
    await pay();
    expect(await balance()).toBe(AMOUNT);
    expect((await payee.rpc('get_transfers', { in: true })).in as Loose[]).toMatchObject([
      { amount: AMOUNT, type: 'in' },
    ]);
  });

  it('accepts no block whose transaction the daemon changes, and reads it from an honest one', async () => {
    changed = await pay();
    await expect(balance()).rejects.toThrow();
    const height = (await payee.rpc('get_height')).height as number;
    changed = [];
    expect(await balance()).toBe(2 * AMOUNT);
    expect((await payee.rpc('get_height')).height).toBeGreaterThan(height);
  });

  it('holds for a daemon that set_daemon chooses, unless it is trusted', async () => {
    changed = await pay();
    await payee.rpc('set_daemon', { address: `http://${proxy.address}`, trusted: false });
    await expect(balance()).rejects.toThrow();
    // A trusted daemon is asked for pruned transactions, which nothing proves.
    await payee.rpc('set_daemon', { address: `http://${proxy.address}`, trusted: true });
    expect(await balance()).toBe(2 * AMOUNT);
    changed = [];
    await payee.rpc('rescan_blockchain');
    expect(await balance()).toBe(3 * AMOUNT);
  });
});
