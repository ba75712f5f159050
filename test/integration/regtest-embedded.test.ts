import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createWallet } from '../support/wallets/create-wallet.js';
import { daemonAt, type Monerod } from '../support/processes/monerod.js';
import { logged } from '../support/processes/process.js';
import { until } from '../support/fakes/until.js';
import { startWalletProcess, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { itAtNight } from '../support/jest/lanes.js';

/* `--regtest` starts a wallet server together with a node. */

let wallet: WalletRpc;
let daemon: Omit<Monerod, 'stop'>;

const start = async (): Promise<void> => {
  wallet = await startWalletProcess({ args: ['--regtest', '--daemon-port=0'] });
  const [, port] = await logged(wallet.process, /Daemon: 127\.0\.0\.1:(\d+)/);
  daemon = daemonAt(Number(port));
};

const daemonIsGone = (): Promise<boolean> =>
  until('the node to end', () =>
    daemon.rpc('get_block_count').then(
      () => undefined,
      () => true,
    ),
  );

beforeAll(start);

afterAll(async () => {
  await wallet?.stop();
});

describe('wallet-rpc --regtest', () => {
  it('mines, pays and lists the payment', async () => {
    await createWallet(wallet, 'shop');
    const { address } = await wallet.rpc('get_address');
    await daemon.generate(address, 80);
    await wallet.rpc('refresh');
    const { tx_hash } = await wallet.rpc('transfer', { destinations: [{ address, amount: 1_000_000 }] });
    await daemon.generate(address, 1);
    await wallet.rpc('refresh');
    const { transfer } = await wallet.rpc('get_transfer_by_txid', { txid: tx_hash });
    expect(transfer).toMatchObject({ txid: tx_hash, confirmations: 1 });
  });

  it('scans the pool on get_transfers, and leaves blocks to the next refresh', async () => {
    await wallet.rpc('auto_refresh', { enable: false });
    const { address } = await wallet.rpc('get_address');
    const lists = { in: true, out: true, pending: true, pool: true };
    const { tx_hash } = await wallet.rpc('transfer', { destinations: [{ address, amount: 2_000_000 }] });
    const before = await wallet.rpc('get_transfers', lists);
    expect(before['pending']).toMatchObject([{ txid: tx_hash }]);
    await daemon.generate(address, 1);
    const after = await wallet.rpc('get_transfers', lists);
    expect(after['in']).toEqual(before['in']);
    expect(after['pending']).toMatchObject([{ txid: tx_hash }]);
    await wallet.rpc('refresh');
    expect((await wallet.rpc('get_transfers', lists))['pending']).toBeUndefined();
  });

  it('stops its node when it stops', async () => {
    expect(await wallet.stop()).toBe(0);
    expect(await daemonIsGone()).toBe(true);
  });

  itAtNight('stops its node when it is killed', async () => {
    await start();
    await daemon.rpc('get_block_count');
    await wallet.stop({ signal: 'SIGKILL' });
    expect(await daemonIsGone()).toBe(true);
  });
});
