import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createWallet } from '../support/wallets/create-wallet.js';
import { startMonerod, type Monerod } from '../support/processes/monerod.js';
import { until } from '../support/fakes/until.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';

let daemon: Monerod;
let often: WalletRpc;
let never: WalletRpc;

const heightOf = async (wallet: WalletRpc): Promise<number> => (await wallet.rpc('get_height')).height;

/** Mines blocks, and waits until a wallet has them without a refresh of a client. */
async function mineFor(wallet: WalletRpc): Promise<void> {
  const before = await heightOf(wallet);
  await daemon.generate((await often.rpc('get_address')).address, 2);
  await until('a periodic refresh', async () => (await heightOf(wallet)) > before);
}

beforeAll(async () => {
  daemon = await startMonerod();
  [often, never] = (await Promise.all(
    ['1', '0'].map((period) =>
      startWalletRpc({ daemon: daemon.address, args: ['--refresh-period', period] }),
    ),
  )) as [WalletRpc, WalletRpc];
  for (const wallet of [often, never]) {
    await createWallet(wallet);
    await wallet.rpc('refresh');
  }
});

afterAll(async () => {
  await Promise.all([often?.stop(), never?.stop()]);
  await daemon?.stop();
});

describe('--refresh-period', () => {
  it('refreshes each wallet after so many seconds, and none for 0, until auto_refresh asks for it', async () => {
    const before = await heightOf(never);
    await mineFor(often);
    await mineFor(often);
    expect(await heightOf(never)).toBe(before);
    await never.rpc('auto_refresh', { enable: true, period: 1 });
    await until('the missed blocks', async () => (await heightOf(never)) > before);
    await mineFor(never);
  });

  it('is set anew for a wallet by auto_refresh', async () => {
    await often.rpc('auto_refresh', { enable: false });
    await often.rpc('refresh');
    const before = await heightOf(often);
    await mineFor(never);
    await mineFor(never);
    expect(await heightOf(often)).toBe(before);
    await often.rpc('auto_refresh', { enable: true });
    await mineFor(often);
  });
});
