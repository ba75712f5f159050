import type { OpenWallet } from '../../services/open-wallet.js';
import type { WalletFacts } from '../wallet-facts.js';
import { REQUEST_CHANGES, type RequestTally } from './request-meter.js';
import { counted, writeSeries, type WalletMetric } from './series.js';

/** Facts of a wallet that has requests, orders, webhooks or money. */
export interface MeteredShopFacts {
  readonly facts: WalletFacts;
  /** Counts since the first scrape; undefined without payment requests, or if the store could not be read. */
  readonly tally: RequestTally | undefined;
  /** Money by account; undefined without `--metrics-balances`. */
  readonly money: ReturnType<OpenWallet['balances']['ofAccounts']> | undefined;
}

const total = (
  { money }: MeteredShopFacts,
  valueOf: (sums: { readonly total: bigint; readonly unlocked: bigint }) => bigint,
): bigint | undefined => money && [...money.values()].reduce((sum, account) => sum + valueOf(account), 0n);

const METRICS: readonly WalletMetric<MeteredShopFacts>[] = [
  {
    name: 'wallet_rpc_wallet_pending_oldest_seconds',
    type: 'gauge',
    help: 'Age of the oldest own payment that was sent and is not mined; absent without such payments.',
    samples: ({ facts: { pendingAge } }) => counted(pendingAge),
  },
  {
    name: 'wallet_rpc_orders',
    type: 'gauge',
    help: 'Payments with an idempotency key that wait for a block, and those that failed; absent without any.',
    samples: ({ facts: { orders } }) =>
      orders === undefined
        ? []
        : [
            ['', ',state="waiting"', orders.waiting],
            ['', ',state="failed"', orders.failed],
          ],
  },
  {
    name: 'wallet_rpc_wallet_webhooks',
    type: 'gauge',
    help: 'Webhooks that are enabled, and those that are disabled because they answered 410; absent without any.',
    samples: ({ facts: { enabledWebhooks, disabledWebhooks } }) =>
      enabledWebhooks + disabledWebhooks === 0
        ? []
        : [
            ['', ',state="enabled"', enabledWebhooks],
            ['', ',state="disabled"', disabledWebhooks],
          ],
  },
  {
    name: 'wallet_rpc_payment_request_events_total',
    type: 'counter',
    help: 'Changes of payment requests since the first scrape, by the type of their event.',
    samples: ({ tally }) =>
      tally === undefined
        ? []
        : REQUEST_CHANGES.map((change) => ['', `,type="${change}"`, tally.changes.get(change) ?? 0]),
  },
  {
    name: 'wallet_rpc_payment_requests_paid_atomic_units_total',
    type: 'counter',
    help: 'Money that requests had received when they were paid, since the first scrape; absent without --metrics-balances.',
    samples: ({ tally, money }) => (money === undefined ? [] : counted(tally?.paid)),
  },
  {
    name: 'wallet_rpc_wallet_balance_atomic_units',
    type: 'gauge',
    help: 'Balance of the wallet; absent without --metrics-balances.',
    samples: (wallet) => counted(total(wallet, ({ total: all }) => all)),
  },
  {
    name: 'wallet_rpc_wallet_unlocked_atomic_units',
    type: 'gauge',
    help: 'Unlocked part of the balance of the wallet; absent without --metrics-balances.',
    samples: (wallet) => counted(total(wallet, ({ unlocked }) => unlocked)),
  },
];

/** Writes the metrics of payments, orders, requests, webhooks and balances in the text format of Prometheus. */
export const shopSeries = (wallets: readonly MeteredShopFacts[]): Promise<string> =>
  writeSeries(METRICS, wallets, ({ facts }) => facts.name);
