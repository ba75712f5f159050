import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hasBenchChain, unpackBenchChain, type BenchChain } from '../support/chain/bench-chain.js';
import type { Loose } from '../support/network/json-rpc.js';
import { startMonerod, type Monerod } from '../support/processes/monerod.js';
import { DEFAULT_LOOKAHEAD_ENV } from '../support/processes/reference-preload.js';
import { startReference, startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';

// With `CI` set the chain is required.
const describeChain = hasBenchChain || process.env['CI'] !== undefined ? describe : describe.skip;

describeChain('the bench chain', () => {
  let chain: BenchChain;
  let daemon: Monerod;
  let ours: WalletRpc;
  let theirs: WalletRpc;

  beforeAll(async () => {
    chain = unpackBenchChain();
    daemon = await startMonerod({ dataDir: chain.dataDir });
    [ours, theirs] = await Promise.all([
      // The merchant was paid at addresses beyond those that wallets watch in other tests.
      startWalletRpc({ daemon: daemon.address, env: DEFAULT_LOOKAHEAD_ENV }),
      startReference({ daemon: daemon.address, env: DEFAULT_LOOKAHEAD_ENV }),
    ]);
    const { seed } = chain.wallet('merchant');
    for (const wallet of [ours, theirs])
      await wallet.rpc('restore_deterministic_wallet', {
        filename: 'merchant',
        password: '',
        seed,
        restore_height: 0,
      });
    await Promise.all([ours.rpc('refresh'), theirs.rpc('refresh')]);
  });

  afterAll(async () => {
    await Promise.all([ours?.stop(), theirs?.stop()]);
    await daemon?.stop();
    chain?.remove();
  });

  it("holds the merchant's exact balance", async () => {
    expect(chain.meta.merchant_balance).toBe(440092861537);
    expect((await ours.rpc('get_height')).height).toBe(chain.meta.height);
    expect((await ours.rpc('get_balance', { all_accounts: true })).balance).toBe(440092861537);
  });

  it('shows the same incoming payments as the reference, field by field', async () => {
    const facts = (entry: Loose): string => {
      const { confirmations, ...fields } = entry as { confirmations: number };
      return JSON.stringify(Object.entries({ ...fields, confirmations: confirmations ?? 0 }).sort());
    };
    const whole = { in: true, out: true, all_accounts: true };
    const [mine, reference] = await Promise.all([
      ours.rpc('get_transfers', whole),
      theirs.rpc('get_transfers', whole),
    ]);
    expect(mine.in.length).toBeGreaterThan(250);
    expect(mine.in.map(facts).sort()).toEqual(reference.in.map(facts).sort());
    expect(mine.out).toEqual(reference.out);
  });

  it('answers while it reads the chain', async () => {
    void ours.call('rescan_blockchain').catch(() => undefined);
    const started = Date.now();
    let answers = 0;
    while ((await ours.rpc('get_height')).height < chain.meta.height && Date.now() - started < 60_000) {
      await ours.rpc('get_balance');
      answers += 1;
    }
    expect(answers).toBeGreaterThan(10);
    expect((await ours.rpc('get_balance', { all_accounts: true })).balance).toBe(440092861537);
  });
});
