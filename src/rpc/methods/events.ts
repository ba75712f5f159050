import * as z from 'zod';
import { EVENT_TYPES, PAYOUT_EVENTS, type EventType } from '../../model/events.js';
import { height, listOf, params, u32 } from '../../http/methods/params.js';
import * as wire from '../../http/methods/wire.js';
import { assertValid } from '../access/permission.js';
import { pageLimit } from '../wire/limits.js';
import { ADDITION, defineMethod, type WalletMethod } from '../method.js';
import * as sample from '../wire/samples.js';
import { REQUEST_STATES } from '../../model/payment-request.js';
import { PAYOUT_STATES } from '../../model/payout.js';
import { priceSchema } from '../wire/payment-requests.js';
import { payoutReason } from '../wire/payouts.js';
import { indexSchema } from '../wire/shapes.js';
import type { Credential } from '../access/credential.js';
import type { WalletEventLog } from '../../services/events/wallet-event-log.js';
import type { EventFeed } from '../../services/manager/event-feed.js';
import type { WalletManager } from '../../services/manager/wallet-manager.js';
import type { WalletScope } from '../../services/manager/wallet-scope.js';

const MAX_WAIT_MS = 60_000;

/** Methods for events; the reference does not have them. */
export const eventMethods: readonly WalletMethod[] = [
  defineMethod({
    name: 'get_events',
    summary:
      'Returns events after a cursor, of the wallet of the path, or of all open wallets; waits for one if asked.',
    meta: { family: 'view', needs: 'nothing', restricted: false },
    actsOn: 'wallets',
    faults: ['wallet_not_open', 'events_expired', 'events_ahead'],
    params: () =>
      params({
        after: height
          .optional()
          .describe(
            'Cursor: id of the last event that the client has; absent: from the oldest kept event on',
          ),
        limit: pageLimit.describe('Largest number of events'),
        types: listOf(z.enum(EVENT_TYPES)).describe('Types of the events to return; empty: all types'),
        wait_ms: u32
          .default(0)
          .refine((ms) => ms <= MAX_WAIT_MS, 'out of range')
          .describe('Longest wait for an event if there is none [ms], up to 60000; 0: no wait'),
      }),
    result: () =>
      wire.object({
        events: wire.list(eventSchema(), 'Events in the order of their ids'),
        cursor: wire.uint('Cursor for the next call: id up to which events were read'),
      }),
    examples: () => [
      {
        name: 'next event',
        params: { after: 41n, wait_ms: 30_000n },
        result: {
          events: [
            {
              id: 42n,
              type: 'payment.mined' as const,
              timestamp: '2026-01-01T00:00:00.000Z',
              wallet: 'shop',
              data: {
                tx_hash: sample.txHash,
                address: sample.address,
                subaddr_index: sample.index,
                amount: sample.oneXmr,
                coinbase: false,
                unlock_time: 0n,
                tx_timestamp: 1_760_000_000n,
                height: 3_400_000n,
                seen: 40n,
              },
            },
          ],
          cursor: 42n,
        },
      },
    ],
    source: ADDITION,
    async handle(context, { after, limit, types, wait_ms: waitMs }) {
      const { events: feed } = context.server;
      const query = {
        limit,
        after: after ?? feed.oldestCursor(eventLogsOf(context)),
        ...(types.length === 0 ? {} : { types }),
      };
      const end = performance.now() + waitMs;
      let page = feed.read(eventLogsOf(context), query);
      for (
        let left = waitMs;
        page.events.length === 0 && left > 0 && !feed.isClosed && !context.scope.isMoving;
        left = end - performance.now()
      ) {
        await waitForEvents(feed, context.credential, left);
        if (context.credential !== undefined) assertValid(context.credential);
        page = feed.read(eventLogsOf(context), { ...query, after: page.cursor });
      }
      // In the type of the feed, the data of an event does not depend on its type; in the schema it does.
      const events = page.events as readonly unknown[] as readonly EventRow[];
      return { events, cursor: page.cursor };
    },
  }),
];

const payment = () => ({
  tx_hash: wire.hash('Transaction hash'),
  address: wire.text('Receiving address'),
  subaddr_index: indexSchema('Receiving address'),
  amount: wire.amount('Sum that the payment adds to the balance'),
  coinbase: wire.flag('The payment is a miner reward'),
  unlock_time: wire.u64('Height or Unix time [s] at which it unlocks; 0: no lock of its own'),
  tx_timestamp: wire.uint('Time of its block; in the mempool, of its first sight [Unix s]'),
  payment_id: wire.hex('Payment id as 16 or 64 hex digits; absent if there is none').optional(),
});

const transfer = () => ({
  tx_hash: wire.hash('Transaction hash'),
  account_index: wire.u32('Account that pays'),
  amount_in: wire.amount('Sum of the inputs'),
  change: wire.amount('Sum that returns to the account'),
  fee: wire.amount('Fee'),
});

const spentOutput = () => ({
  tx_hash: wire.hash('Hash of the transaction that paid the output'),
  key_image: wire.hash('Key image of the output'),
  address: wire.text('Address that the output pays'),
  subaddr_index: indexSchema('Address that the output pays'),
  amount: wire.amount('Amount of the output'),
});

const request = () => ({
  request_id: wire.text('Id of the payment request'),
  reference: wire.text('Reference of the request').optional(),
  address: wire.text('Address of the request'),
  subaddr_index: indexSchema('Address of the request'),
  state: wire.oneOf(REQUEST_STATES, 'State of the request'),
  amount: wire.amount('Requested amount; absent: an open request').optional(),
  received: wire.amount('Mined payments in time, without locked ones'),
  received_unconfirmed: wire.amount('Payments in the mempool in time, without locked ones'),
  received_locked: wire.amount('Payments in time that an unlock time locks'),
  missing: wire.amount('Amount that the payments lack'),
  excess: wire.amount('Amount by which the payments exceed the requested one'),
  late: wire.amount('Payments after the end of the request'),
  price: priceSchema().optional(),
  refunded: wire.amount('Refunds that are paid or still may be'),
  refundable: wire.amount('Amount that may still be refunded'),
});

const payout = () => ({
  payout_id: wire.text('Id of the payout'),
  reference: wire.text('Reference of the payout').optional(),
  account_index: wire.u32('Account that pays'),
  address: wire.text('Address that is paid'),
  amount: wire.amount('Amount that the payee is owed'),
  was: wire.oneOf(PAYOUT_STATES, 'State before the event; absent: it was created').optional(),
  reason: payoutReason().optional(),
  tx_hash: wire.hash('Transaction that pays it').optional(),
  height: wire.uint('Height of the block with the transaction').optional(),
  fee: wire.amount('Share of the fee of the transaction').optional(),
});

const blockHeight = () => wire.uint('Height of the block');

const reason = () =>
  wire.oneOf(
    ['reorganised', 'dropped', 'rescan', 'corrected'],
    'Cause: replaced blocks, removal from the mempool, absence in a rescan, or facts that became known later',
  );

const event = <T extends EventType, S extends z.ZodRawShape>(type: T, data: S) =>
  wire.object({
    id: wire.uint('Increasing in the server'),
    type: wire.oneOf([type], 'Type of the event'),
    timestamp: wire.time('Time at which it was recorded'),
    wallet: wire.text('Name of the wallet; empty for a wallet in memory'),
    history: wire
      .flag('Present if its block was mined before the wallet was restored or imported here')
      .optional(),
    data: wire.object(data, 'Facts of the event'),
  });

/** An event in the form that clients receive, by its type. */
type EventRow = z.output<ReturnType<typeof eventSchema>>;

/** Schema of an event; the value of `type` decides the schema of `data`. */
const eventSchema = () =>
  z.union([
    event('payment.seen', payment()),
    event('payment.mined', {
      ...payment(),
      height: blockHeight(),
      seen: wire.uint('Id of the event payment.seen that it replaces').optional(),
    }),
    event('payment.confirmed', {
      ...payment(),
      height: blockHeight(),
      confirmations: wire.uint('Threshold that was reached'),
    }),
    event('payment.unlocked', { ...payment(), height: blockHeight() }),
    event('payment.reversed', {
      ...payment(),
      height: blockHeight().optional(),
      reverses: wire.uint('Id of the latest event payment.seen or payment.mined of the payment').optional(),
      reason: reason(),
    }),
    event('transfer.relayed', transfer()),
    event('transfer.mined', { ...transfer(), height: blockHeight() }),
    event('transfer.failed', { ...transfer(), reason: reason() }),
    event('output.spent', spentOutput()),
    event('output.unspent', {
      ...spentOutput(),
      reverses: wire.uint('Id of the event output.spent that no longer holds'),
      reason: reason(),
    }),
    event('request.partial', request()),
    event('request.seen', request()),
    event('request.paid', request()),
    event('request.overpaid', request()),
    event('request.expired', request()),
    event('request.late', request()),
    event('request.reversed', {
      ...request(),
      was: wire.oneOf(REQUEST_STATES, 'State before the reversal'),
    }),
    event('request.refund', {
      ...request(),
      refund: wire.object({
        refund_id: wire.text('Id of the refund, and of its payout'),
        amount: wire.amount('Amount that the customer is owed'),
        state: wire.oneOf(PAYOUT_STATES, 'State of its payout'),
        tx_hash: wire.hash('Transaction that pays it').optional(),
      }),
    }),
    ...PAYOUT_EVENTS.map((type) => event(type, payout())),
    event('balance.low', {
      account_index: wire.u32('Account'),
      balance: wire.amount('Balance, with locked money'),
      unlocked_balance: wire.amount('Unlocked money'),
      low_water: wire.amount('Limit of the policy'),
    }),
    event('wallet.synced', { height: blockHeight() }),
    event('wallet.reorganised', {
      from_height: wire.uint('Height of the first replaced block'),
      depth: wire.uint('Number of replaced blocks'),
    }),
  ]);

/**
 * Returns the event logs that a path reaches: the log of the named wallet; for a path without a name, the logs of all
 * open wallets that the client may know of.
 * @throws WalletError `wallet_not_open` if the named wallet is not open.
 */
export function eventLogsOf({
  server,
  scope,
}: {
  readonly server: WalletManager;
  readonly scope: WalletScope;
}): readonly WalletEventLog[] {
  if (scope.name === undefined)
    return server
      .openWallets()
      .filter(({ name }) => scope.mayKnow(name))
      .map(({ eventLog }) => eventLog);
  return [scope.require(scope.find()).eventLog];
}

/**
 * Waits for events. Ends at the latest when the credential is changed, removed or expires. @param ms longest wait [ms].
 */
export function waitForEvents(
  feed: Pick<EventFeed, 'wait'>,
  credential: Credential | undefined,
  ms: number,
  signal?: AbortSignal,
): Promise<void> {
  if (credential === undefined) return feed.wait(ms, signal);
  const ended = signal === undefined ? credential.ended : AbortSignal.any([signal, credential.ended]);
  return feed.wait(Math.min(ms, credential.timeLeft), ended);
}
