import type { Hash } from '../../../src/monero/crypto/types.js';
import type { RequestPayment } from '../../../src/model/payment-request.js';
import { requestStatus } from '../../../src/model/request-state.js';
import type { RequestView } from '../../../src/services/requests/request-views.js';
import { amount, sum, ZERO } from '../../../src/util/amount.js';
import { payView, type PayView } from '../../../src/watch/pay/pay-view.js';

export const COIN = 1_000_000_000_000n;
/** Time at which pages are shown [Unix s]. */
export const NOW = 1_760_000_000;
/** Height of the tip. */
export const TIP = 100;
export const ADDRESS =
  '888tNkZrPN6JsEgekjMnABU4TBzc2Dt29EPAvkRxbANsAnjyPbb3iQ1YBRk1UXcdRsiKc9dhwMVgN5S9cQUiyoogDavup3H';

const NOTHING = {
  ...{
    state: 'waiting' as const,
    received: ZERO,
    paid: ZERO,
    locked: ZERO,
    late: ZERO,
    isExpiryReported: false,
  },
};

/** Facts of a request from which a view is made. */
export interface RequestFixture {
  /** Requested amount [atomic units]; null: an open request. */
  readonly asked?: bigint | null;
  readonly tolerance?: bigint;
  readonly confirmations?: number;
  readonly expires?: number;
  readonly cancelled?: number;
  readonly ended?: boolean;
  readonly label?: string;
  readonly returnUrl?: string;
  readonly isSynced?: boolean;
  readonly token?: Uint8Array;
  readonly minor?: number;
  /** Payments: amount, and height of the block; without a height in the mempool. */
  readonly paid?: readonly (readonly [
    value: bigint,
    height?: number | undefined,
    more?: Partial<RequestPayment>,
  ])[];
  readonly now?: number;
}

/** Makes a request with its state, as its wallet returns it. */
export function requestView({
  asked = 2n * COIN,
  tolerance = 0n,
  confirmations = 10,
  expires,
  cancelled,
  ended = false,
  label = '',
  returnUrl,
  isSynced = true,
  token = new Uint8Array(16).fill(7),
  minor = 1,
  paid = [],
  now = NOW,
}: RequestFixture = {}): RequestView {
  const request = {
    ...{ sequence: 1, requestId: '0'.repeat(32), token, subaddress: { major: 0, minor }, created: NOW - 60 },
    ...{ tolerance: amount(tolerance), confirmations, firstHeight: 0, ended, state: 'waiting' as const },
    ...{ changed: NOW - 60, returnsAuto: false, asksRefundAddress: false },
    ...(asked === null ? {} : { amount: amount(asked) }),
    ...(expires === undefined ? {} : { expires }),
    ...(cancelled === undefined ? {} : { cancelled }),
    ...(returnUrl === undefined ? {} : { returnUrl }),
    ...{ reference: 'secret reference', metadata: '{"secret":1}', reported: NOTHING },
  };
  const payments = paid.map(([value, height, more], i): RequestPayment => ({
    txHash: new Uint8Array(32).fill(i) as Hash,
    ...{ amount: amount(value), arrival: NOW - 30, unlockTime: 0n, isContested: false },
    ...(height === undefined ? {} : { height }),
    ...more,
  }));
  const status = requestStatus(request, payments, { tip: TIP, now });
  return {
    ...{ now, request, status, refunds: [], refundable: sum([status.settled.inTime, status.settled.late]) },
    ...{ address: ADDRESS, label, uri: `monero:${ADDRESS}`, isSynced, waitingFor: undefined },
  };
}

/** Makes the content of a page. */
export const viewOf = (fixture: RequestFixture = {}): PayView =>
  payView(requestView(fixture), fixture.now ?? NOW, 'mainnet');

/** One page for each state. */
export const STATES: Readonly<Record<PayView['state'], RequestFixture>> = {
  waiting: {},
  partial: { paid: [[COIN / 2n]] },
  received: { asked: null, paid: [[COIN]] },
  seen: { paid: [[2n * COIN]] },
  confirming: { paid: [[2n * COIN, TIP - 3]] },
  paid: { paid: [[2n * COIN, TIP - 9]] },
  overpaid: { paid: [[3n * COIN, TIP - 9]] },
  expired: { expires: NOW - 1, ended: true },
};
