import { z } from 'zod';
import { height, params, text, u32 } from '../../jsonrpc/params.js';
import type { WalletWebhooks, WebhookStatus } from '../../services/webhooks/wallet-webhooks.js';
import { pageLimit } from '../page-params.js';
import { defineMethod, type Context, type WalletMethod } from '../method.js';

type Delivery = ReturnType<WalletWebhooks['deliveries']>[number];

const DAY_SECONDS = 86_400;
/** Longest time for which a replaced secret signs [s]. */
const MAX_OVERLAP_SECONDS = 30 * DAY_SECONDS;

/** Name of an open wallet, for requests to `/json_rpc`; absent: the wallet of the request. */
const wallet = text.optional();
const id = text;

/** @throws WalletError `no_wallet`, `bad_wallet_name` */
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
  state: webhook.disabled === undefined ? 'enabled' : 'disabled',
  disabled_reason: webhook.disabled,
  position: webhook.position,
  backlog,
  pending,
  last_delivery: last && deliveryShape(last),
});

/** Methods for webhooks: additions to the reference. */
export const webhookMethods: readonly WalletMethod[] = [
  defineMethod({
    name: 'add_webhook',
    summary: 'Adds an endpoint that the events of the wallet are sent to; returns its secret once.',
    meta: { family: 'admin', needs: 'nothing', restricted: true },
    params: params({ url: text, types: z.array(text).max(100).default([]), wallet }),
    source: 'an addition of this server',
    handle(context, { url, types, wallet: name }) {
      const { webhook, secret } = webhooksOf(context, name).add({ url, types });
      return { id: webhook.id, secret, url: webhook.url, types: webhook.types };
    },
  }),

  defineMethod({
    name: 'list_webhooks',
    summary: 'Lists the endpoints of the wallet with the state of their deliveries.',
    meta: { family: 'admin', needs: 'nothing', restricted: true },
    params: params({ wallet }),
    source: 'an addition of this server',
    handle: (context, { wallet: name }) => ({
      webhooks: webhooksOf(context, name).list().map(webhookShape),
    }),
  }),

  defineMethod({
    name: 'remove_webhook',
    summary: 'Removes an endpoint with its secrets and deliveries.',
    meta: { family: 'admin', needs: 'nothing', restricted: true },
    params: params({ id, wallet }),
    source: 'an addition of this server',
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
    params: params({
      id,
      overlap_seconds: u32
        .default(DAY_SECONDS)
        .refine((seconds) => seconds <= MAX_OVERLAP_SECONDS, 'out of range'),
      wallet,
    }),
    source: 'an addition of this server',
    handle: (context, { id, overlap_seconds, wallet: name }) => ({
      id,
      secret: webhooksOf(context, name).rotateSecret(id, overlap_seconds * 1000),
    }),
  }),

  defineMethod({
    name: 'enable_webhook',
    summary: 'Enables an endpoint that was disabled because it answered with status 410.',
    meta: { family: 'admin', needs: 'nothing', restricted: true },
    params: params({ id, wallet }),
    source: 'an addition of this server',
    handle(context, { id, wallet: name }) {
      webhooksOf(context, name).enable(id);
      return {};
    },
  }),

  defineMethod({
    name: 'list_deliveries',
    summary: 'Lists the deliveries of an endpoint, the latest event first.',
    meta: { family: 'admin', needs: 'nothing', restricted: true },
    params: params({
      id,
      state: z.enum(['pending', 'delivered', 'failed']).optional(),
      limit: pageLimit,
      cursor: z
        .string()
        .regex(/^\d{1,15}$/, 'expected the cursor of an earlier answer')
        .optional(),
      wallet,
    }),
    source: 'an addition of this server',
    handle(context, { id, state, limit, cursor, wallet: name }) {
      const found = webhooksOf(context, name).deliveries(id, {
        limit,
        ...(cursor === undefined ? {} : { before: Number(cursor) }),
        ...(state === undefined ? {} : { state }),
      });
      const last = found.at(-1)?.eventId;
      return {
        deliveries: found.map(deliveryShape),
        ...(found.length < limit || last === undefined ? {} : { cursor: String(last) }),
      };
    },
  }),

  defineMethod({
    name: 'redeliver_webhook',
    summary: 'Sends an event to an endpoint again, with all of its attempts.',
    meta: { family: 'admin', needs: 'nothing', restricted: true },
    params: params({ id, event_id: height, wallet }),
    source: 'an addition of this server',
    handle(context, { id, event_id, wallet: name }) {
      webhooksOf(context, name).redeliver(id, event_id);
      return {};
    },
  }),
];
