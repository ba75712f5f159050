import { formatCoins } from '../../monero/cryptonote/coins.js';
import { reasonOf, type FaultTable } from './fault-entry.js';

/** Faults of orders, events, webhooks, credentials, payment requests, payouts and clusters, which the reference does not have. */
export const additionFaults = {
  order_mismatch: {
    code: -54,
    explanation: ({ method }) =>
      `the idempotency key belongs to another request (${method}): use a new key for a new payment`,
  },
  order_failed: { code: -55, explanation: reasonOf },
  order_missing: { code: -56, explanation: 'no order has this idempotency key' },
  events_expired: {
    code: -57,
    explanation: ({ oldest }) => `events after this cursor were deleted: all events after ${oldest} are kept`,
  },
  webhook_missing: { code: -58, explanation: 'the wallet has no webhook with this id' },
  bad_webhook: { code: -59, explanation: reasonOf },
  credential_denied: { code: -60, explanation: reasonOf },
  request_missing: { code: -62, explanation: 'the wallet has no such payment request' },
  bad_payment_request: { code: -63, explanation: reasonOf },
  reference_taken: {
    code: -64,
    explanation: ({ reference, requestId }) =>
      `the payment request ${requestId} has the reference '${reference}'`,
  },
  spend_limit: { code: -61, explanation: reasonOf },
  events_ahead: {
    code: -65,
    explanation:
      'no event of this server has an id as great as this cursor: it is of another server, or of files that a backup replaced; read from the oldest kept event on, without after',
  },
  not_replicated: {
    code: -66,
    explanation: ({ reason }) =>
      `not replicated, ${reason}: the outcome is unknown; repeat the call under its idempotency key`,
  },
  wallet_elsewhere: {
    code: -67,
    status: 503,
    retryAfter: 1,
    explanation: ({ name, holder }) =>
      `the wallet '${name}' is held by ${holder}: use the path of the wallet, or move_wallet`,
  },
  bad_cluster_request: { code: -68, explanation: reasonOf },
  wallet_opening: {
    code: -69,
    status: 503,
    retryAfter: 1,
    explanation: ({ name }) =>
      `${name === undefined ? 'the server' : `the wallet '${name}'`} is being opened, and nothing of this call has run: repeat it`,
  },
  payout_missing: {
    code: -71,
    explanation: ({ payoutId }) => `the wallet has no payout '${payoutId}'`,
  },
  bad_payout: { code: -72, explanation: reasonOf },
  payout_mismatch: {
    code: -73,
    explanation: ({ payoutId, field }) =>
      `the payout '${payoutId}' exists with another ${field}: use a new payout_id for a new payout`,
  },
  legacy_account_needed: {
    code: -74,
    explanation:
      'the account has the keys of the next fork, which have no spend key of the old kind: payments, proofs of spends and reserves, multisig and background sync are not possible with it in this version',
  },
  sees_no_payments: {
    code: -75,
    explanation:
      'the wallet makes addresses alone: it has no view key, so that it sees no payments and no balance. Ask the wallet of a higher tier',
  },
  max_fee_exceeded: {
    code: -70,
    explanation: ({ fee, maxFee }) =>
      `the fee would be ${formatCoins(fee)}, above the max_fee of ${formatCoins(maxFee)}: nothing was paid`,
  },
} satisfies Partial<FaultTable>;
