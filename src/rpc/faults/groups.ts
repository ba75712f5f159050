import type { Kind } from './fault-entry.js';

/* Kinds of faults that methods of several families can raise. */

type Kinds = readonly Kind[];

/** Kinds of faults of every call to the daemon. */
export const DAEMON = [
  'daemon_unreachable',
  'daemon_busy',
  'daemon_misbehaves',
  'newer_fork',
] as const satisfies Kinds;

/** Kinds of faults of an index of an own address. */
export const ADDRESS = ['account_out_of_range', 'address_out_of_range'] as const satisfies Kinds;

/** Kinds of faults of payments with an idempotency key. */
export const ORDER = ['order_mismatch', 'order_failed'] as const satisfies Kinds;

/** Kinds of faults of a credential's limits. */
export const CREDENTIAL = ['credential_denied', 'spend_limit'] as const satisfies Kinds;

/** Kinds of faults of sending transactions to the daemon. */
export const RELAY = [...DAEMON, 'tx_rejected', 'partly_relayed', 'transfer_failed'] as const satisfies Kinds;

/** Kinds of faults of every new payment. */
export const PAYMENT = [
  ...RELAY,
  ...ORDER,
  ...CREDENTIAL,
  'invalid',
  'tx_not_possible',
  'tx_too_large',
  'fee_too_high',
  'fee_rates_unknown',
  'fork_unsupported',
  'not_enough_money',
  'not_enough_unlocked_money',
  'not_enough_ring_members',
  'multisig_import_needed',
  'signing_failed',
] as const satisfies Kinds;
