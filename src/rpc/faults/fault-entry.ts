import type { ErrorFacts } from '../../http/calls/errors.js';
import type { Fault } from '../../model/wallet-error.js';

/** Kind of a fault, which names it. */
export type Kind = Fault['kind'];

/** Fault types by their kind. */
export type Facts = { readonly [F in Fault as F['kind']]: F };

/** Facts that a message may contain in addition to the facts of the fault. */
export interface Surroundings {
  /** Address `host:port` of the daemon as configured; empty when offline. */
  readonly daemonAddress: string;
}

/** Message of a kind of fault: a constant, or a function of the facts. */
export type Text<K extends Kind> = string | ((fault: Facts[K], surroundings: Surroundings) => string);

/** Messages of faults by kind. */
export type Texts = { readonly [K in Kind]: Text<K> };

/** Code, message and explanation of one kind of fault. */
export interface FaultEntry<K extends Kind> {
  /** Error code of the reference; codes below -53 are codes of this server. */
  readonly code: number;
  /**
   * Error message of the reference; absent if the reference has no such error, and the explanation is used as the
   * message.
   */
  readonly text?: Text<K>;
  /** Explanation with the facts, one sentence, for `data.explanation` of the error. Contains no secrets. */
  readonly explanation: string | ((fault: Facts[K]) => string);
  /** Facts for `data` of the error beside the explanation, in names of the wire; absent: none. */
  readonly facts?: (fault: Facts[K]) => ErrorFacts;
  /** HTTP status of the answer to a single call; absent: 200. */
  readonly status?: number;
  /** Time after which the call may be repeated, for the header `Retry-After` [s]; absent: no header. */
  readonly retryAfter?: number;
}

/** Entries of the table of faults by kind. */
export type FaultTable = { readonly [K in Kind]: FaultEntry<K> };

type Reasoned = Extract<Fault, { reason: string }>;

/** Returns the cause of a fault, in one sentence. */
export const reasonOf = ({ reason }: Reasoned): string => reason;

/** Returns the message of the reference for the cause; the reason of this server if the reference has no message. */
export const causeText = ({ text, reason }: Reasoned): string => text ?? reason;

/**
 * Creates the text of a fault: the message of the reference for the cause, or the given text if the cause has no
 * message.
 */
export const orText =
  (usual: string) =>
  ({ text }: Pick<Reasoned, 'text'>): string =>
    text ?? usual;

/** Creates the text of a fault: a prefix of the reference, followed by the message for the cause. */
export const prefixed =
  (prefix: string) =>
  (fault: Reasoned): string =>
    prefix + causeText(fault);

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

/** Kinds of faults of payments after a fork. */
export const FORK = ['payments_ended', 'fork_unsupported'] as const satisfies Kinds;

/** Kinds of faults of sending new transactions to the daemon. */
export const RELAY = [
  ...DAEMON,
  ...FORK,
  'tx_rejected',
  'partly_relayed',
  'transfer_failed',
] as const satisfies Kinds;

/** Kinds of faults of every new payment. */
export const PAYMENT = [
  ...RELAY,
  ...ORDER,
  ...CREDENTIAL,
  'invalid',
  'tx_not_possible',
  'tx_too_large',
  'fee_too_high',
  'max_fee_exceeded',
  'fee_rates_unknown',
  'not_enough_money',
  'not_enough_unlocked_money',
  'not_enough_ring_members',
  'multisig_import_needed',
  'signing_failed',
] as const satisfies Kinds;
