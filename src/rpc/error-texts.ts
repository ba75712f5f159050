import type { Fault } from '../monero/wallet/model/wallet-error.js';
import { explain } from './error-explanations.js';

/** Facts beside the fault that a message may contain. */
export interface Surroundings {
  /** `host:port` as configured; empty when offline. */
  readonly daemonAddress: string;
}

/** Message of one kind of fault. */
type Text<K extends Fault['kind']> =
  | string
  | ((fault: Extract<Fault, { kind: K }>, surroundings: Surroundings) => string);

/** Messages by kind of fault. */
export type ErrorTexts = { readonly [K in Fault['kind']]: Text<K> };

type Reasoned = Extract<Fault, { reason: string }>;

/** Upstream's message for the cause; our reason where upstream has none. */
export const causeText = ({ text, reason }: Reasoned): string => text ?? reason;

/** Upstream's message for the cause; the usual one where the cause has none of its own. */
const orText =
  (usual: string) =>
  ({ text }: Reasoned): string =>
    text ?? usual;

/** Upstream's prefix followed by the message of the cause. */
const prefixed =
  (prefix: string) =>
  (fault: Reasoned): string =>
    prefix + causeText(fault);

const MULTISIG_DISABLED =
  'This wallet is multisig, and multisig is disabled. Multisig is an experimental feature and may have bugs. ' +
  "Things that could go wrong include: funds sent to a multisig wallet can't be spent at all, can only be spent " +
  'with the participation of a malicious group member, or can be stolen by a malicious group member. You can ' +
  'enable it by running this once in monero-wallet-cli: set enable-multisig-experimental 1';

/**
 * Error messages of upstream, which clients compare or search. Methods override them in their gates, as upstream does.
 * `explain` is used for errors that upstream does not have.
 * Sources: wallet_rpc_server.cpp, wallet_errors.h, wallet2.cpp.
 */
export const TEXTS: ErrorTexts = {
  no_wallet: 'No wallet file',
  no_wallet_dir: 'No wallet dir configured',
  wallet_exists: 'Cannot create wallet. Already exists.',
  wallet_missing: 'Failed to open wallet',
  wallet_locked: explain,
  wallet_corrupt: explain,
  bad_wallet_name: 'Invalid filename',
  wallet_io: explain,
  wrong_password: 'Invalid password.',
  view_only: ({ text }) => text ?? 'command not supported by watch-only wallet',
  background_wallet: 'This command is disabled for background wallets.',
  background_syncing:
    'This command is disabled while background syncing. Stop background syncing to use this command.',
  not_deterministic: 'The wallet is non-deterministic. Cannot display seed.',
  unknown_language: ({ language }) => `Unknown language: ${language}`,
  bad_seed: orText('Electrum-style word list failed verification'),
  wrong_address: causeText,
  wrong_payment_id: orText('Invalid payment ID'),
  wrong_tx_hash: orText('TX ID has invalid format'),
  wrong_key_image: 'failed to parse key image',
  key_image_unknown: 'Key image not found',
  wrong_transfer_type: 'Transfer type must be one of: all, available, or unavailable',
  wrong_key_type: ({ given }) => `key_type ${given} not found`,
  wrong_signature_type: 'Invalid signature type requested',
  wrong_tx_key: 'Tx key has invalid format',
  no_tx_key: 'No tx secret key is stored for this tx',
  bad_proof: causeText,
  bad_hex: 'Failed to parse hex.',
  wrong_signature: causeText,
  bad_unsigned_set: orText('cannot load unsigned_txset'),
  bad_signed_set: 'Failed to parse signed tx data.',
  signing_failed: prefixed('Failed to sign unsigned tx: '),
  submission_failed: prefixed('Failed to submit signed tx: '),
  bad_tx_metadata: 'Failed to parse tx metadata.',
  account_out_of_range: 'account index is out of bound',
  address_out_of_range: 'address index is out of bound',
  book_index_out_of_range: ({ index }) => `Index out of range: ${index}`,
  attribute_missing: 'Attribute not found.',
  bad_uri: causeText,
  invalid: causeText,
  no_destination: 'Transaction has no destination',
  zero_destination: 'transaction has no destination',
  zero_amount: 'destination amount is zero',
  not_enough_money: 'not enough money',
  not_enough_unlocked_money: 'not enough unlocked money',
  not_enough_ring_members: 'not enough outputs to use Please use sweep_dust.',
  tx_not_possible: orText('tx not possible'),
  needs_split: 'Transaction would be too large.  try /transfer_split.',
  tx_too_large: 'transaction would be too big',
  fee_too_high: explain,
  tx_rejected: 'transaction was rejected by daemon',
  partly_relayed: causeText,
  transfer_failed: causeText,
  nonzero_unlock_time: 'Transaction cannot have non-zero unlock time',
  bad_priority: 'Invalid priority value. Must be between 0 and 4.',
  order_mismatch: explain,
  order_failed: causeText,
  order_missing: explain,
  events_expired: explain,
  webhook_missing: explain,
  bad_webhook: causeText,
  credential_denied: causeText,
  spend_limit: causeText,
  multisig_refused: causeText,
  already_multisig: 'This wallet is already multisig',
  not_multisig: 'This wallet is not multisig',
  multisig_not_ready: 'This wallet is multisig, but not yet finalized',
  multisig_disabled: MULTISIG_DISABLED,
  too_few_signers: 'Needs multisig info from more participants',
  bad_multisig_set: orText('Failed to parse multisig tx data.'),
  multisig_signing_failed: prefixed('Failed to sign multisig tx: '),
  multisig_submission_failed: prefixed('Failed to submit multisig tx: '),
  multisig_import_needed:
    'Not enough multisig data was found to sign: import multisig data from more other participants',
  multisig_export_needed:
    'Failed to sign multisig tx: This signature was made with stale data: export fresh multisig data, which other participants must then use',
  priority_unknown: 'Failed to get adjusted fee priority',
  fee_rates_unknown: 'Failed to get height',
  daemon_busy: 'daemon is busy',
  daemon_unreachable: 'no connection to daemon',
  daemon_misbehaves: explain,
  daemon_untrusted: 'This command requires a trusted daemon.',
  bad_daemon_settings: orText('Unable to set daemon'),
  mining_refused: ({ action }) => `Couldn't ${action} mining due to unknown error.`,
  bad_log_level: 'Error: log level not valid',
};

/** @param own messages of the method that differ from {@link TEXTS}. */
export function textOf(
  fault: Fault,
  own: Partial<ErrorTexts> | undefined,
  surroundings: Surroundings,
): string {
  const text = (own?.[fault.kind] ?? TEXTS[fault.kind]) as Text<Fault['kind']>;
  return typeof text === 'string' ? text : text(fault as never, surroundings);
}
