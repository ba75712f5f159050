import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { PAYOUT_STATES } from '../../../src/model/payout.js';
import { ZERO, amount } from '../../../src/util/amount.js';
import { DurationCounts, type PayoutTally } from '../../../src/watch/metrics/payout-meter.js';
import { payoutSeries, type MeteredPayouts } from '../../../src/watch/metrics/payout-series.js';
import { NO_PAYOUTS } from '../../../src/services/payouts/payout-figures.js';
import type { WalletFacts } from '../../../src/watch/wallet-facts.js';
import { EventLoopTurns } from '../../support/fakes/event-loop-turns.js';

const tally = (): PayoutTally => {
  const sent = new DurationCounts();
  for (const seconds of [3, 30, 9000]) sent.add(seconds);
  return { batches: 2, payees: 17, fees: amount(31n), sent, confirmed: new DurationCounts() };
};

const payouts = (name = 'w', changes: Partial<MeteredPayouts> = {}): MeteredPayouts => ({
  facts: {
    name,
    payouts: {
      ...NO_PAYOUTS,
      counts: new Map([
        ['queued', 5],
        ['confirmed', 70],
      ]),
      accounts: [
        { account: 0, isPaused: false },
        { account: 4, isPaused: true },
      ],
    },
    payoutAges: new Map([['queue', 61]]),
    payoutObstacles: new Map([['fee', 2]]),
  } as unknown as WalletFacts,
  tally: tally(),
  money: undefined,
  ...changes,
});

const lines = async (name: string, ...wallets: readonly MeteredPayouts[]): Promise<string[]> =>
  (await payoutSeries(wallets)).split('\n').filter((line) => line.startsWith(name));

describe('the series of payouts', () => {
  it('count the payouts by every state, under the escaped name of the wallet', async () => {
    const states = await lines('wallet_rpc_payouts{', payouts('sh"op\\'));
    expect(states).toHaveLength(PAYOUT_STATES.length);
    expect(states).toContain('wallet_rpc_payouts{wallet="sh\\"op\\\\",state="queued"} 5');
    expect(states).toContain('wallet_rpc_payouts{wallet="sh\\"op\\\\",state="failed"} 0');
  });

  it('have the age of the oldest, the obstacles and the pauses', async () => {
    expect(await lines('wallet_rpc_payout_oldest_wait_seconds{', payouts())).toEqual([
      'wallet_rpc_payout_oldest_wait_seconds{wallet="w",waits_for="queue"} 61',
      'wallet_rpc_payout_oldest_wait_seconds{wallet="w",waits_for="pause"} 0',
      'wallet_rpc_payout_oldest_wait_seconds{wallet="w",waits_for="approval"} 0',
    ]);
    const blocked = await lines('wallet_rpc_payouts_blocked{', payouts());
    expect(blocked).toContain('wallet_rpc_payouts_blocked{wallet="w",reason="fee"} 2');
    expect(blocked).toContain('wallet_rpc_payouts_blocked{wallet="w",reason="unlocked"} 0');
    expect(await lines('wallet_rpc_payout_account_paused{', payouts())).toEqual([
      'wallet_rpc_payout_account_paused{wallet="w",account="0"} 0',
      'wallet_rpc_payout_account_paused{wallet="w",account="4"} 1',
    ]);
  });

  it('have histograms whose last bucket counts every payout', async () => {
    const sent = await lines('wallet_rpc_payout_sent_seconds', payouts());
    expect(sent).toContain('wallet_rpc_payout_sent_seconds_bucket{wallet="w",le="5"} 1');
    expect(sent).toContain('wallet_rpc_payout_sent_seconds_bucket{wallet="w",le="7200"} 2');
    expect(sent.slice(-3)).toEqual([
      'wallet_rpc_payout_sent_seconds_bucket{wallet="w",le="+Inf"} 3',
      'wallet_rpc_payout_sent_seconds_sum{wallet="w"} 9033',
      'wallet_rpc_payout_sent_seconds_count{wallet="w"} 3',
    ]);
  });

  it('contain money only where it is given', async () => {
    expect(await lines('wallet_rpc_', payouts())).not.toContainEqual(expect.stringContaining('atomic'));
    const money = new Map([[0, { total: amount(10n), unlocked: amount(4n) }]]);
    const known = payouts('w', { money });
    expect(await lines('wallet_rpc_payout_account_unlocked_atomic_units{', known)).toEqual([
      'wallet_rpc_payout_account_unlocked_atomic_units{wallet="w",account="0"} 4',
      'wallet_rpc_payout_account_unlocked_atomic_units{wallet="w",account="4"} 0',
    ]);
    expect(await lines('wallet_rpc_payout_account_locked_atomic_units{', known)).toContain(
      'wallet_rpc_payout_account_locked_atomic_units{wallet="w",account="0"} 6',
    );
    expect(await lines('wallet_rpc_payout_fees_atomic_units_total{', known)).toEqual([
      'wallet_rpc_payout_fees_atomic_units_total{wallet="w"} 31',
    ]);
    const unread = payouts('w', { money, tally: undefined });
    expect(await lines('wallet_rpc_payout_fees_atomic_units_total{', unread)).toEqual([]);
  });

  it('follow the rules of Prometheus', async () => {
    const money = new Map([[0, { total: amount(10n), unlocked: ZERO }]]);
    const input = await payoutSeries([payouts('w', { money }), payouts('v"\n')]);
    const { error, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
      input,
      encoding: 'utf8',
    });
    if (error !== undefined)
      throw new Error('promtool is missing: sudo apt-get install prometheus', { cause: error });
    expect(stdout + stderr).toBe('');
  });

  it('of a thousand wallets leave the event loop free', async () => {
    const wallets = Array.from({ length: 1000 }, (_, i) => payouts(`w${i}`));
    const turns = new EventLoopTurns();
    await payoutSeries(wallets);
    expect(turns.stop()).toBeGreaterThan(5);
  });
});
