import * as z from 'zod';
import { height, params, text, u32 } from '../../http/methods/params.js';
import * as wire from '../../http/methods/wire.js';
import type { WalletWebhooks, WebhookStatus } from '../../services/webhooks/wallet-webhooks.js';
import { nextPage, pageCursor, pageLimit, pageStart, eventType, url } from '../wire/limits.js';
import type { Kind } from '../faults/fault-entry.js';
import { ADDITION, defineMethod, type Context, type WalletMethod } from '../method.js';

type Delivery = ReturnType<WalletWebhooks['deliveries']>[number];

const DAY_SECONDS = 86_400;
/** Longest time for which a replaced secret still signs [s]. */
const MAX_OVERLAP_SECONDS = 30 * DAY_SECONDS;

const wallet = text
  .optional()
  .describe('Name of an open wallet, for requests to /json_rpc; absent: the wallet of the request');
const id = text.describe('Id of the endpoint');

/** Kinds of faults of every method for webhooks. */
const WEBHOOK = [
  'no_wallet',
  'wallet_not_open',
  'bad_wallet_name',
  'webhook_missing',
] as const satisfies readonly Kind[];

/**
 * Returns the webhooks of the wallet of the request, or of the wallet that the request names. @throws WalletError
 * `no_wallet`, `wallet_not_open`, `bad_wallet_name`
 */
const webhooksOf = (context: Context, name: string | undefined): WalletWebhooks =>
  (name === undefined ? context.wallet : context.scope.wallet(name)).webhooks;

const timeText = (time: number): string => new Date(time).toISOString();

const deliveryShape = ({ eventId, state, attempts, time, due, status, reason }: Delivery) => ({
  event_id: eventId,
  state,
  attempts,
  last_attempt: timeText(time),
  next_attempt: due === undefined ? undefined : timeText(due),
  status,
  reason,
});

const webhookShape = ({ webhook, backlog, pending, last }: WebhookStatus) => ({
  id: webhook.id,
  url: webhook.url,
  types: webhook.types,
  created: timeText(webhook.created),
  state: webhook.disabled === undefined ? ('enabled' as const) : ('disabled' as const),
  disabled_reason: webhook.disabled,
  position: webhook.position,
  backlog,
  pending,
  last_delivery: last && deliveryShape(last),
});

const idSchema = () => wire.text('Id of the endpoint');
const urlSchema = () => wire.text('URL that events are sent to');
const typesSchema = () => wire.list(wire.text('Event type'), 'Event types that it gets; empty: all');
const secretSchema = () => wire.text('Secret that deliveries are signed with; shown this once');

const deliverySchema = (description: string) =>
  wire.object(
    {
      event_id: wire.uint('Id of the event'),
      state: wire.oneOf(['pending', 'delivered', 'failed'], 'State of the delivery'),
      attempts: wire.uint('Number of attempts, since the last redeliver_webhook if there was one'),
      last_attempt: wire.time('Time of the last attempt'),
      next_attempt: wire.time('Time of the next attempt; absent if none follows').optional(),
      status: wire.uint('HTTP status of the last answer; absent without an answer').optional(),
      reason: wire.text('Cause of the last failure').optional(),
    },
    description,
  );

const webhookSchema = () =>
  wire.object({
    id: idSchema(),
    url: urlSchema(),
    types: typesSchema(),
    created: wire.time('Time of its creation'),
    state: wire.oneOf(['enabled', 'disabled'], 'Whether events are sent'),
    disabled_reason: wire.text('Cause of its disabling').optional(),
    position: wire.uint('Id of the latest event with a first attempt'),
    backlog: wire.uint('Number of events without an attempt, counted up to 1000'),
    pending: wire.uint('Number of deliveries that wait for another attempt, counted up to 1000'),
    last_delivery: deliverySchema('Delivery of the latest event with an attempt').optional(),
  });

/** Methods for webhooks; the reference does not have them. */
export const webhookMethods: readonly WalletMethod[] = [
  defineMethod({
    name: 'add_webhook',
    summary: 'Adds an endpoint that the events of the wallet are sent to; returns its secret once.',
    meta: { family: 'admin', needs: 'nothing', restricted: true },
    actsOn: 'named',
    faults: [...WEBHOOK, 'bad_webhook'],
    params: () =>
      params({
        url: url.describe('URL that events are sent to'),
        types: z
          .array(eventType)
          .max(100)
          .default([])
          .describe('Types of the events to send, at most 100; empty: all types'),
        wallet,
      }),
    result: () =>
      wire.object({ id: idSchema(), secret: secretSchema(), url: urlSchema(), types: typesSchema() }),
    examples: () => [
      {
        name: 'endpoint for payments',
        params: { url: 'https://shop.example/hook', types: ['payment.confirmed'] },
        result: {
          id: '0f1e2d3c4b5a69788796a5b4c3d2e1f0',
          secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
          url: 'https://shop.example/hook',
          types: ['payment.confirmed'],
        },
      },
    ],
    source: ADDITION,
    handle(context, { url, types, wallet: name }) {
      const { webhook, secret } = webhooksOf(context, name).add({ url, types });
      return { id: webhook.id, secret, url: webhook.url, types: webhook.types };
    },
  }),

  defineMethod({
    name: 'list_webhooks',
    summary: 'Lists the endpoints of the wallet with the state of their deliveries.',
    meta: { family: 'admin', needs: 'nothing', restricted: true },
    actsOn: 'named',
    faults: WEBHOOK,
    params: () => params({ wallet }),
    result: () => wire.object({ webhooks: wire.list(webhookSchema(), 'Endpoints, oldest first') }),
    source: ADDITION,
    handle: (context, { wallet: name }) => ({
      webhooks: webhooksOf(context, name).list().map(webhookShape),
    }),
  }),

  defineMethod({
    name: 'remove_webhook',
    summary: 'Removes an endpoint with its secrets and deliveries.',
    meta: { family: 'admin', needs: 'nothing', restricted: true },
    actsOn: 'named',
    faults: WEBHOOK,
    params: () => params({ id, wallet }),
    result: wire.nothing,
    source: ADDITION,
    async handle(context, { id, wallet: name }) {
      await webhooksOf(context, name).remove(id);
      return {};
    },
  }),

  defineMethod({
    name: 'rotate_webhook_secret',
    summary:
      'Replaces the secret of an endpoint and returns the new one once; the former one signs as well for a time.',
    meta: { family: 'admin', needs: 'nothing', restricted: true },
    actsOn: 'named',
    faults: WEBHOOK,
    params: () =>
      params({
        id,
        overlap_seconds: u32
          .default(DAY_SECONDS)
          .refine((seconds) => seconds <= MAX_OVERLAP_SECONDS, 'out of range')
          .describe('Time for which the former secret signs, too [s], up to 2592000'),
        wallet,
      }),
    result: () => wire.object({ id: idSchema(), secret: secretSchema() }),
    source: ADDITION,
    handle: (context, { id, overlap_seconds, wallet: name }) => ({
      id,
      secret: webhooksOf(context, name).rotateSecret(id, overlap_seconds * 1000),
    }),
  }),

  defineMethod({
    name: 'enable_webhook',
    summary: 'Enables an endpoint that was disabled because it answered with status 410.',
    meta: { family: 'admin', needs: 'nothing', restricted: true },
    actsOn: 'named',
    faults: WEBHOOK,
    params: () => params({ id, wallet }),
    result: wire.nothing,
    source: ADDITION,
    handle(context, { id, wallet: name }) {
      webhooksOf(context, name).enable(id);
      return {};
    },
  }),

  defineMethod({
    name: 'list_deliveries',
    summary: 'Lists the deliveries of an endpoint, the latest event first.',
    meta: { family: 'admin', needs: 'nothing', restricted: true },
    actsOn: 'named',
    faults: WEBHOOK,
    params: () =>
      params({
        id,
        state: z
          .enum(['pending', 'delivered', 'failed'])
          .optional()
          .describe('Lists only deliveries in this state; absent: all'),
        limit: pageLimit.describe('Largest number of deliveries'),
        cursor: pageCursor,
        wallet,
      }),
    result: () =>
      wire.object({
        deliveries: wire.list(deliverySchema('A delivery'), 'Deliveries, latest event first'),
        cursor: wire.text('Cursor for the next page; absent on the last one').optional(),
      }),
    source: ADDITION,
    handle(context, { id, state, limit, cursor, wallet: name }) {
      const found = webhooksOf(context, name).deliveries(id, {
        limit,
        before: pageStart(cursor),
        ...(state === undefined ? {} : { state }),
      });
      const last = found.at(-1)?.eventId;
      return {
        deliveries: found.map(deliveryShape),
        ...nextPage({ count: found.length, last }, limit),
      };
    },
  }),

  defineMethod({
    name: 'redeliver_webhook',
    summary: 'Sends an event to an endpoint again, with all of its attempts.',
    meta: { family: 'admin', needs: 'nothing', restricted: true },
    actsOn: 'named',
    faults: [...WEBHOOK, 'bad_webhook'],
    params: () => params({ id, event_id: height.describe('Id of the event'), wallet }),
    result: wire.nothing,
    source: ADDITION,
    handle(context, { id, event_id, wallet: name }) {
      webhooksOf(context, name).redeliver(id, event_id);
      return {};
    },
  }),

  defineMethod({
    name: 'test_webhook',
    summary:
      'Sends an event webhook.test to an endpoint once, signed as every delivery, and returns its answer; it is not recorded.',
    meta: { family: 'admin', needs: 'nothing', restricted: true },
    actsOn: 'named',
    faults: [...WEBHOOK, 'bad_webhook'],
    params: () => params({ id, wallet }),
    result: () =>
      wire.object({
        delivered: wire.flag('The endpoint answered with a status of 200 to 299 within 15 seconds'),
        status: wire.uint('HTTP status of the answer; absent without an answer').optional(),
        reason: wire.text('Cause of the failure; absent if it was delivered').optional(),
        reply: wire.text('First 200 characters of the answer; absent without an answer').optional(),
        ms: wire.uint('Time that the attempt took [ms]'),
        webhook_id: wire.text('Header webhook-id of the attempt'),
      }),
    examples: () => [
      {
        name: 'an endpoint that answers',
        params: { id: '0f1e2d3c4b5a69788796a5b4c3d2e1f0' },
        result: {
          delivered: true,
          status: 200n,
          reply: 'ok',
          ms: 84n,
          webhook_id: 'test_5f1e2d3c4b5a69788796a5b4c3d2e1aa',
        },
      },
    ],
    source: ADDITION,
    async handle(context, { id, wallet: name }) {
      const { result, response, ms, messageId } = await webhooksOf(context, name).test(id);
      return {
        delivered: result.kind === 'delivered',
        status: response?.status,
        reason: result.kind === 'failed' ? result.reason : result.kind === 'gone' ? 'status' : undefined,
        reply: response?.text,
        ms,
        webhook_id: messageId,
      };
    },
  }),
];
