import { PAYOUT_STATES } from '../../model/payout.js';
import type { OpenWallet } from '../../services/open-wallet.js';
import type { Obstacle } from '../../services/payouts/payout-obstacles.js';
import { PAYOUT_WAITS } from '../../services/payouts/payout-figures.js';
import type { WalletFacts } from '../wallet-facts.js';
import { counted, writeSeries, type Sample, type WalletMetric } from './series.js';
import { STAGE_BOUNDS, type DurationCounts, type PayoutTally } from './payout-meter.js';

/** Facts of a wallet with payouts. */
export interface MeteredPayouts {
  readonly facts: WalletFacts;
  /** Counts since the first scrape; undefined if the store could not be read. */
  readonly tally: PayoutTally | undefined;
  /** Money by account; undefined without `--metrics-balances`. */
  readonly money: ReturnType<OpenWallet['balances']['ofAccounts']> | undefined;
}

/** Kinds of obstacles. The compiler finds one that lacks. */
const OBSTACLES: Readonly<Record<Obstacle['kind'], true>> = {
  ...{ unlocked: true, behind: true, fee: true, node: true, fork: true, earlier: true },
};
const OBSTACLE_KINDS = Object.keys(OBSTACLES) as Obstacle['kind'][];

const histogram = (durations: DurationCounts | undefined): Sample[] => {
  if (durations === undefined) return [];
  const { count, sum } = durations.total;
  return [
    ...durations.upTo.map((below, i): Sample => ['_bucket', `,le="${STAGE_BOUNDS[i] ?? ''}"`, below]),
    ['_bucket', ',le="+Inf"', count],
    ['_sum', '', sum],
    ['_count', '', count],
  ];
};

/** Writes the money of the paying accounts. */
const money = (
  { facts, money: known }: MeteredPayouts,
  valueOf: (sums: { readonly total: bigint; readonly unlocked: bigint }) => bigint,
): Sample[] =>
  known === undefined
    ? []
    : facts.payouts.accounts.map(({ account }) => [
        ...(['', `,account="${account}"`] as const),
        valueOf(known.get(account) ?? { total: 0n, unlocked: 0n }),
      ]);

const METRICS: readonly WalletMetric<MeteredPayouts>[] = [
  {
    name: 'wallet_rpc_payouts',
    type: 'gauge',
    help: 'Payouts by state.',
    samples: ({ facts: { payouts } }) =>
      PAYOUT_STATES.map((state) => ['', `,state="${state}"`, payouts.counts.get(state) ?? 0]),
  },
  {
    name: 'wallet_rpc_payout_oldest_wait_seconds',
    type: 'gauge',
    help: 'Time for which the oldest payout waits for its turn in the queue, the end of a pause, or approvals; 0 if none does.',
    samples: ({ facts: { payoutAges } }) =>
      PAYOUT_WAITS.map((wait) => ['', `,waits_for="${wait}"`, payoutAges.get(wait) ?? 0]),
  },
  {
    name: 'wallet_rpc_payouts_blocked',
    type: 'gauge',
    help: 'Queued payouts that the last round of the queue could not send, by reason, without those of paused accounts.',
    samples: ({ facts: { payoutObstacles } }) =>
      OBSTACLE_KINDS.map((kind) => ['', `,reason="${kind}"`, payoutObstacles.get(kind) ?? 0]),
  },
  {
    name: 'wallet_rpc_payout_account_paused',
    type: 'gauge',
    help: '1 if payouts of an account that pays some are paused, otherwise 0.',
    samples: ({ facts: { payouts } }) =>
      payouts.accounts.map(({ account, isPaused }) => ['', `,account="${account}"`, Number(isPaused)]),
  },
  {
    name: 'wallet_rpc_payout_batches_total',
    type: 'counter',
    help: 'Batches that were made, since the first scrape.',
    samples: ({ tally }) => counted(tally?.batches),
  },
  {
    name: 'wallet_rpc_payout_batch_payees_total',
    type: 'counter',
    help: 'Payouts in these batches.',
    samples: ({ tally }) => counted(tally?.payees),
  },
  {
    name: 'wallet_rpc_payout_sent_seconds',
    type: 'histogram',
    help: 'Time from the creation of a payout, or the time from which it may be sent if that is later, until it is sent.',
    samples: ({ tally }) => histogram(tally?.sent),
  },
  {
    name: 'wallet_rpc_payout_confirmed_seconds',
    type: 'histogram',
    help: 'Time from the same moment until the payout is confirmed.',
    samples: ({ tally }) => histogram(tally?.confirmed),
  },
  {
    name: 'wallet_rpc_payout_fees_atomic_units_total',
    type: 'counter',
    help: 'Fees of payouts that were confirmed since the first scrape; absent without --metrics-balances.',
    samples: ({ tally, money: known }) => (known === undefined ? [] : counted(tally?.fees)),
  },
  {
    name: 'wallet_rpc_payout_account_unlocked_atomic_units',
    type: 'gauge',
    help: 'Unlocked money of an account that pays payouts; absent without --metrics-balances.',
    samples: (payouts) => money(payouts, ({ unlocked }) => unlocked),
  },
  {
    name: 'wallet_rpc_payout_account_locked_atomic_units',
    type: 'gauge',
    help: 'Locked money of an account that pays payouts; absent without --metrics-balances.',
    samples: (payouts) => money(payouts, ({ total, unlocked }) => total - unlocked),
  },
];

/** Writes the metrics of payouts in the text format of Prometheus. Wallets without payouts have no series. */
export const payoutSeries = (wallets: readonly MeteredPayouts[]): Promise<string> =>
  writeSeries(METRICS, wallets, ({ facts }) => facts.name);
