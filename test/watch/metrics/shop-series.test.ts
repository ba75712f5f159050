import { describe, expect, it } from '@jest/globals';
import { shopSeries, type MeteredShopFacts } from '../../../src/watch/metrics/shop-series.js';
import { amount } from '../../../src/util/amount.js';
import { facts } from '../status/status-fixtures.js';

const series = async (changes: Partial<MeteredShopFacts> = {}): Promise<string[]> =>
  (await shopSeries([{ facts: facts('a'), tally: undefined, money: undefined, ...changes }]))
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));

describe('the series of a shop', () => {
  it('are none for a wallet in which nothing is', async () => {
    expect(await series()).toEqual([]);
  });

  it('have waiting payments, orders and webhooks by their states', async () => {
    const busy = facts('a"b', {
      ...{ pendingAge: 77, orders: { waiting: 2, failed: 1 }, enabledWebhooks: 3, disabledWebhooks: 1 },
    });
    expect(await series({ facts: busy })).toEqual([
      'wallet_rpc_wallet_pending_oldest_seconds{wallet="a\\"b"} 77',
      'wallet_rpc_orders{wallet="a\\"b",state="waiting"} 2',
      'wallet_rpc_orders{wallet="a\\"b",state="failed"} 1',
      'wallet_rpc_wallet_webhooks{wallet="a\\"b",state="enabled"} 3',
      'wallet_rpc_wallet_webhooks{wallet="a\\"b",state="disabled"} 1',
    ]);
  });

  it('have every change of requests, and tell sums only with the money of the wallet', async () => {
    const tally = { changes: new Map([['late', 2]] as const), paid: amount(9n) };
    const counts = ['partial', 'seen', 'paid', 'overpaid', 'expired', 'late', 'reversed'].map(
      (type) =>
        `wallet_rpc_payment_request_events_total{wallet="a",type="${type}"} ${type === 'late' ? 2 : 0}`,
    );
    expect(await series({ tally })).toEqual(counts);
    const account = (total: bigint, unlocked: bigint) => ({
      total: amount(total),
      unlocked: amount(unlocked),
    });
    const money = new Map([
      [0, account(10n, 4n)],
      [3, account(5n, 5n)],
    ]);
    expect(await series({ tally, money })).toEqual([
      ...counts,
      'wallet_rpc_payment_requests_paid_atomic_units_total{wallet="a"} 9',
      'wallet_rpc_wallet_balance_atomic_units{wallet="a"} 15',
      'wallet_rpc_wallet_unlocked_atomic_units{wallet="a"} 9',
    ]);
  });
});
