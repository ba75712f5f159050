import { DaemonError } from '../daemon/errors.js';
import { RpcError } from '../http/errors.js';
import { describeDaemonError, isUnreachable } from '../services/context/fault-reason.js';
import { WalletError, type Fault } from '../monero/wallet/model/wallet-error.js';
import { explain } from './error-explanations.js';
import { textOf, type Surroundings } from './error-texts.js';
import type { Gates } from './method.js';

/** Code of a method refused in restricted mode. */
export const DENIED = -7;

const UNKNOWN_ERROR = -1;

/** Codes below -53 are additions. Source: wallet_rpc_server_error_codes.h, wallet_rpc_server.cpp `handle_rpc_exception`. */
export const CODE = {
  no_wallet: -13,
  no_wallet_dir: -23,
  wallet_exists: -21,
  wallet_missing: -1,
  wallet_locked: -1,
  wallet_corrupt: -1,
  bad_wallet_name: -1,
  wallet_io: -1,
  wrong_password: -22,
  view_only: -29,
  background_wallet: -51,
  background_syncing: -52,
  not_deterministic: -43,
  unknown_language: -1,
  bad_seed: -1,
  wrong_address: -2,
  wrong_payment_id: -5,
  wrong_tx_hash: -8,
  wrong_key_image: -10,
  key_image_unknown: -1,
  wrong_transfer_type: -6,
  wrong_key_type: 0,
  wrong_signature_type: -47,
  wrong_tx_key: -25,
  no_tx_key: -24,
  bad_proof: -1,
  bad_hex: -26,
  wrong_signature: -9,
  bad_unsigned_set: -39,
  bad_signed_set: -40,
  signing_failed: -42,
  submission_failed: -41,
  bad_tx_metadata: -27,
  account_out_of_range: -14,
  address_out_of_range: -15,
  book_index_out_of_range: -12,
  attribute_missing: -45,
  bad_uri: -11,
  invalid: -1,
  no_destination: -20,
  zero_destination: -20,
  zero_amount: -46,
  not_enough_money: -17,
  not_enough_unlocked_money: -37,
  not_enough_ring_members: -19,
  tx_not_possible: -16,
  needs_split: -18,
  tx_too_large: -4,
  fee_too_high: -4,
  tx_rejected: -4,
  partly_relayed: -4,
  transfer_failed: -4,
  nonzero_unlock_time: -50,
  bad_priority: -53,
  order_mismatch: -54,
  order_failed: -55,
  order_missing: -56,
  events_expired: -57,
  webhook_missing: -58,
  bad_webhook: -59,
  credential_denied: -60,
  spend_limit: -61,
  multisig_refused: -1,
  already_multisig: -28,
  not_multisig: -31,
  multisig_not_ready: -31,
  multisig_disabled: -48,
  too_few_signers: -33,
  bad_multisig_set: -34,
  multisig_signing_failed: -35,
  multisig_submission_failed: -36,
  multisig_import_needed: -4,
  multisig_export_needed: -35,
  priority_unknown: -1,
  fee_rates_unknown: -4,
  daemon_busy: -3,
  daemon_unreachable: -38,
  daemon_misbehaves: -4,
  daemon_untrusted: -1,
  bad_daemon_settings: -38,
  mining_refused: -1,
  bad_log_level: -44,
} satisfies Record<Fault['kind'], number>;

function faultOf(error: DaemonError): Fault | undefined {
  if (isUnreachable(error)) return { kind: 'daemon_unreachable', reason: describeDaemonError(error) };
  return error.kind === 'busy' ? { kind: 'daemon_busy' } : undefined;
}

/** Longest error message [characters]: upstream's messages repeat arguments of any length. */
const MAX_MESSAGE_LENGTH = 400;

const truncated = (text: string): string =>
  text.length > MAX_MESSAGE_LENGTH ? `${text.slice(0, MAX_MESSAGE_LENGTH)}…` : text;

function errorFor(fault: Fault, { codes, texts }: Gates, surroundings: Surroundings): RpcError {
  // Never truncated: the client must know all relayed payments.
  const limited = fault.kind === 'partly_relayed' ? (text: string): string => text : truncated;
  const message = limited(textOf(fault, texts, surroundings));
  const explanation = limited(explain(fault));
  return new RpcError(
    codes?.[fault.kind] ?? CODE[fault.kind],
    message,
    explanation === message ? {} : { explanation },
  );
}

/**
 * Converts an error for the client; undefined for a bug. Code and message are upstream's where it has the same error;
 * `data.explanation` adds details for clients that ask for it.
 */
export function toRpcError(error: unknown, gates: Gates, surroundings: Surroundings): RpcError | undefined {
  if (error instanceof RpcError) return error;
  if (error instanceof WalletError) return errorFor(error.fault, gates, surroundings);
  if (!(error instanceof DaemonError)) return undefined;
  const fault = faultOf(error);
  return fault === undefined
    ? new RpcError(UNKNOWN_ERROR, error.message)
    : errorFor(fault, gates, surroundings);
}
