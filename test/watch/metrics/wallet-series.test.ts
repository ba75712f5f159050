import { describe, expect, it } from '@jest/globals';
import type { WalletFacts } from '../../../src/watch/wallet-facts.js';
import { walletSeries } from '../../../src/watch/metrics/wallet-series.js';
import { facts as quietFacts } from '../status/status-fixtures.js';
import { EventLoopTurns } from '../../support/fakes/event-loop-turns.js';

const facts = (name: string, changes: Partial<WalletFacts> = {}): WalletFacts =>
  quietFacts(name, { ...{ height: 7, daemonHeight: 9, blocks: 2 }, ...changes });

describe('the series of wallets', () => {
  it('name the wallet, escaped, and stand together under help and type', async () => {
    const lines = (await walletSeries([facts('a'), facts('b"\\\nc', { isDamaged: true })])).split('\n');
    const at = lines.indexOf('# TYPE wallet_rpc_wallet_damaged gauge');
    expect(lines.slice(at - 1, at + 3)).toEqual([
      expect.stringMatching(/^# HELP wallet_rpc_wallet_damaged /),
      '# TYPE wallet_rpc_wallet_damaged gauge',
      'wallet_rpc_wallet_damaged{wallet="a"} 0',
      'wallet_rpc_wallet_damaged{wallet="b\\"\\\\\\nc"} 1',
    ]);
  });

  it('have no lag while the height of the daemon is unknown', async () => {
    const text = await walletSeries([facts('a', { daemonHeight: undefined })]);
    expect(text).not.toContain('wallet_rpc_wallet_lag_blocks{');
    expect(text).toContain('wallet_rpc_wallet_height_blocks{wallet="a"} 7\n');
  });

  it('count the payment requests by every state, of wallets that have some', async () => {
    const shop = facts('sh"op', {
      requests: new Map([
        ['paid', 5],
        ['partial', 1],
      ]),
    });
    const lines = (await walletSeries([facts('a'), shop])).split('\n');
    expect(lines.filter((line) => line.startsWith('wallet_rpc_payment_requests'))).toEqual([
      'wallet_rpc_payment_requests{wallet="sh\\"op",state="waiting"} 0',
      'wallet_rpc_payment_requests{wallet="sh\\"op",state="partial"} 1',
      'wallet_rpc_payment_requests{wallet="sh\\"op",state="seen"} 0',
      'wallet_rpc_payment_requests{wallet="sh\\"op",state="confirming"} 0',
      'wallet_rpc_payment_requests{wallet="sh\\"op",state="paid"} 5',
      'wallet_rpc_payment_requests{wallet="sh\\"op",state="expired"} 0',
      'wallet_rpc_payment_requests{wallet="sh\\"op",state="cancelled"} 0',
    ]);
    expect(lines).toContain('# TYPE wallet_rpc_payment_requests gauge');
  });

  it('of ten thousand wallets leave the event loop free', async () => {
    const wallets = Array.from({ length: 10_000 }, (_, i) => facts(`w${i}`));
    const turns = new EventLoopTurns();
    await walletSeries(wallets);
    expect(turns.stop()).toBeGreaterThan(5);
  });
});
