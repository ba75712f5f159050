import * as z from 'zod';
import { EVENT_TYPES } from '../../model/events.js';
import { height, listOf, params, u32 } from '../../http/methods/params.js';
import * as wire from '../../http/methods/wire.js';
import { eventSchema, type EventRow } from '../event-schema.js';
import { assertValid } from '../permission.js';
import { eventLogsOf, waitForEvents } from '../event-scope.js';
import { pageLimit } from '../page-params.js';
import { ADDITION, defineMethod, type WalletMethod } from '../method.js';
import * as sample from '../samples.js';

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
