import * as z from 'zod';
import type { EventType } from '../model/events.js';
import { REQUEST_STATES } from '../model/payment-request.js';
import * as wire from '../http/methods/wire.js';
import { indexSchema } from './shapes.js';

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
});

const height = () => wire.uint('Height of the block');

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
export type EventRow = z.output<ReturnType<typeof eventSchema>>;

/** Schema of an event; the value of `type` decides the schema of `data`. */
export const eventSchema = () =>
  z.union([
    event('payment.seen', payment()),
    event('payment.mined', {
      ...payment(),
      height: height(),
      seen: wire.uint('Id of the event payment.seen that it replaces').optional(),
    }),
    event('payment.confirmed', {
      ...payment(),
      height: height(),
      confirmations: wire.uint('Threshold that was reached'),
    }),
    event('payment.unlocked', { ...payment(), height: height() }),
    event('payment.reversed', {
      ...payment(),
      height: height().optional(),
      reverses: wire.uint('Id of the latest event payment.seen or payment.mined of the payment').optional(),
      reason: reason(),
    }),
    event('transfer.relayed', transfer()),
    event('transfer.mined', { ...transfer(), height: height() }),
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
    event('wallet.synced', { height: height() }),
    event('wallet.reorganised', {
      from_height: wire.uint('Height of the first replaced block'),
      depth: wire.uint('Number of replaced blocks'),
    }),
  ]);
