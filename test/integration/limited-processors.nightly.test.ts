import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createWallet } from '../support/wallets/create-wallet.js';
import type { Monerod } from '../support/processes/monerod.js';
import { LIMITED_PROCESSORS } from '../support/processes/processor-flags.js';
import { until } from '../support/fakes/until.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';

/* The server scans and pays on processors that lack instructions. */

const BLOCKS = 80;

let daemon: Monerod;
/** The same wallet on this machine's processor. */
let unlimited: WalletRpc;
let seed: string;
let address: string;
let balance: number;

beforeAll(async () => {
  daemon = await startRegtestDaemon();
  unlimited = await startWalletRpc({ daemon: daemon.address });
  await createWallet(unlimited, 'shop');
  ({ address } = await unlimited.rpc('get_address'));
  seed = (await unlimited.rpc('query_key', { key_type: 'mnemonic' })).key;
  await daemon.generate(address, BLOCKS);
  balance = await balanceNow();
});

afterAll(async () => {
  await unlimited?.stop();
  await daemon?.stop();
});

const LINES = {
  relaxed: 'Curve arithmetic: WebAssembly with fused multiply-add',
  simd: 'Curve arithmetic: WebAssembly with integer SIMD, which is slower',
  plain: 'Curve arithmetic: plain JavaScript, which is slower',
};

describe.each(LIMITED_PROCESSORS)('on a processor $title', ({ flags, build }) => {
  it('the server logs the build in use, finds its money, and pays', async () => {
    const wallet = await startWalletRpc({ daemon: daemon.address, nodeFlags: flags });
    try {
      const output = await until('the line', () => {
        const text = wallet.process.output();
        return text.includes('Curve arithmetic') ? text : undefined;
      });
      expect(output).toContain(LINES[build ?? 'plain']);
      await wallet.rpc('restore_deterministic_wallet', {
        filename: 'shop',
        password: '',
        seed,
        restore_height: 0,
      });
      await wallet.rpc('refresh');
      const found = await wallet.rpc('get_balance');
      expect(found.balance).toBe(balance);
      expect(balance).toBeGreaterThan(0);
      const { tx_hash, fee } = await wallet.rpc('transfer', { destinations: [{ address, amount: 1 }] });
      await daemon.generate(address, 1);
      await wallet.rpc('refresh');
      const { transfer } = await wallet.rpc('get_transfer_by_txid', { txid: tx_hash });
      expect(transfer).toMatchObject({ fee, confirmations: 1 });
    } finally {
      await wallet.stop();
    }
    // The next case has one more block, so its balance is read again.
    balance = await balanceNow();
  });
});

async function balanceNow(): Promise<number> {
  await unlimited.rpc('refresh');
  return (await unlimited.rpc('get_balance')).balance;
}
