import { DaemonError, type DaemonErrorKind } from '../daemon/errors.js';
import { RpcError } from '../jsonrpc/errors.js';
import type { Amount } from '../util/amount.js';
import { WalletError, type Fault } from '../wallet/fault.js';
import { formatCoins } from '../cryptonote/coins.js';
import type { Gates } from './method.js';

/** Refused in restricted mode. */
export const DENIED = -7;

/** Source: wallet_rpc_server_error_codes.h, wallet_rpc_server.cpp `handle_rpc_exception`. */
export const CODE = {
  no_wallet: -13,
  no_wallet_dir: -23,
  wallet_exists: -21,
  wallet_missing: -1,
  wallet_locked: -1,
  wallet_corrupt: -1,
  bad_wallet_name: -1,
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
  wrong_key_type: -1,
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
  tx_too_large: -18,
  fee_too_high: -4,
  tx_rejected: -4,
  transfer_failed: -4,
  nonzero_unlock_time: -50,
  bad_priority: -53,
  multisig_refused: -1,
  already_multisig: -28,
  not_multisig: -31,
  multisig_not_ready: -31,
  multisig_disabled: -48,
  too_few_signers: -33,
  bad_multisig_set: -34,
  multisig_signing_failed: -35,
  multisig_submission_failed: -36,
  multisig_import_needed: -16,
  multisig_export_needed: -35,
  priority_unknown: -1,
  daemon_busy: -3,
  daemon_unreachable: -38,
  daemon_misbehaves: -4,
  daemon_untrusted: -1,
  bad_daemon_settings: -38,
  mining_refused: -1,
  bad_log_level: -44,
} satisfies Record<Fault['kind'], number>;

const DAEMON_CODE: Record<DaemonErrorKind, number> = {
  unreachable: -38,
  timeout: -38,
  unauthorized: -38,
  tls: -38,
  busy: -3,
  malformed: -1,
  rejected: -1,
  too_large: -1,
};

const unreachable = (reason: string): string => `Failed to connect to daemon: ${reason}`;

const shortage = (what: string, available: Amount, needed: Amount): string =>
  `not enough ${what}: ${formatCoins(available)} available, ${formatCoins(needed)} needed with the fee`;

/**
 * A sentence for the caller. Facts of the caller's own are repeated, secrets never are. Some words are an interface:
 * client libraries tell faults of one code apart by "already exists", "word list failed verification", "No wallet
 * file", "Invalid payment ID", "TX ID has invalid format" and "Failed to connect to daemon".
 */
export function describe(fault: Fault): string {
  switch (fault.kind) {
    case 'no_wallet':
      return 'No wallet file is open';
    case 'no_wallet_dir':
      return 'the server was started without --wallet-dir';
    case 'wallet_exists':
      return `a wallet file '${fault.name}' already exists`;
    case 'wallet_missing':
      return `there is no wallet file '${fault.name}'`;
    case 'wallet_locked':
      return `the wallet '${fault.name}' is open in another process`;
    case 'wallet_corrupt':
      return `the wallet '${fault.name}' cannot be read: ${fault.reason}`;
    case 'bad_wallet_name':
      return 'a wallet name is a plain file name inside the wallet directory';
    case 'wrong_password':
      return 'invalid password';
    case 'view_only':
      return 'the wallet is view-only: it has no spend key';
    case 'background_wallet':
      return 'a background wallet only syncs: open the wallet itself';
    case 'background_syncing':
      return 'the spend key is put away while the wallet syncs in the background: stop_background_sync first';
    case 'not_deterministic':
      return 'the wallet is not deterministic: it has no mnemonic seed';
    case 'unknown_language':
      return `unknown language '${fault.language}': get_languages lists those there are`;
    case 'bad_seed':
      return `the word list failed verification: ${fault.reason}`;
    case 'wrong_address':
    case 'wrong_payment_id':
    case 'wrong_tx_hash':
    case 'wrong_key_image':
    case 'wrong_tx_key':
    case 'bad_proof':
    case 'bad_unsigned_set':
    case 'bad_signed_set':
    case 'bad_tx_metadata':
    case 'invalid':
    case 'bad_uri':
    case 'tx_not_possible':
    case 'transfer_failed':
    case 'bad_daemon_settings':
    case 'multisig_refused':
    case 'bad_multisig_set':
      return fault.reason;
    case 'already_multisig':
      return 'the wallet is multisig already';
    case 'not_multisig':
      return 'the wallet is not multisig';
    case 'multisig_not_ready':
      return 'the wallet is multisig, but its key exchange is not complete: call exchange_multisig_keys with the messages of all';
    case 'multisig_disabled':
      return 'the wallet is multisig, which is an experiment and disabled for it: enable it with prepare_multisig before it is made multisig, or in monero-wallet-cli';
    case 'too_few_signers':
      return `this needs more participants: ${fault.needed}, not ${fault.given}`;
    case 'multisig_import_needed':
      return 'too few signers have told fresh nonces for these outputs: import their multisig info first';
    case 'multisig_export_needed':
      return 'this wallet has no unused nonces for these outputs: export its multisig info anew, have the proposer import it, and make a new transaction';
    case 'key_image_unknown':
      return 'no output of this wallet has this key image';
    case 'wrong_transfer_type':
      return 'transfer_type is one of all, available, unavailable';
    case 'wrong_key_type':
      return 'key_type is one of mnemonic, view_key, spend_key';
    case 'wrong_signature_type':
      return 'signature_type is one of spend, view';
    case 'no_tx_key':
      return 'no secret key of this transaction is stored here';
    case 'wrong_signature':
      return 'the signature of a key image does not fit its output';
    case 'signing_failed':
    case 'multisig_signing_failed':
      return `the transactions cannot be signed: ${fault.reason}`;
    case 'submission_failed':
    case 'multisig_submission_failed':
      return `the transactions cannot be submitted: ${fault.reason}`;
    case 'bad_hex':
      return `${fault.what} is not hex`;
    case 'account_out_of_range':
      return `account index ${fault.account} is out of range: there are ${fault.count}`;
    case 'address_out_of_range':
      return `address index ${fault.index} of account ${fault.account} is out of range: there are ${fault.count}`;
    case 'book_index_out_of_range':
      return `index ${fault.index} of the address book is out of range: there are ${fault.count} entries`;
    case 'attribute_missing':
      return 'there is no such attribute';
    case 'no_destination':
      return 'no destination';
    case 'zero_destination':
      return 'no destination with an amount';
    case 'zero_amount':
      return 'a destination has a zero amount';
    case 'not_enough_money':
      return shortage('money', fault.available, fault.needed);
    case 'not_enough_unlocked_money':
      return shortage('unlocked money', fault.available, fault.needed);
    case 'not_enough_ring_members':
      return `the chain has too few outputs for rings of ${fault.ringSize}`;
    case 'needs_split':
      return `the payment needs ${fault.transactions} transactions: use transfer_split`;
    case 'tx_too_large':
      return `a transaction of weight ${fault.weight} exceeds the limit of ${fault.limit}`;
    case 'fee_too_high':
      return `the daemon asks for a fee of ${formatCoins(fault.fee)}, above the local ceiling of ${formatCoins(fault.ceiling)}`;
    case 'tx_rejected':
      return `the daemon rejected the transaction${fault.reason === '' ? '' : `: ${fault.reason}`}`;
    case 'nonzero_unlock_time':
      return 'unlock_time other than 0 is no longer relayed by the network';
    case 'bad_priority':
      return `priority ${fault.priority} is out of range: 0 to 4`;
    case 'priority_unknown':
      return 'the daemon does not say how busy the chain is';
    case 'daemon_busy':
      return 'the daemon is busy: it syncs; try again later';
    case 'daemon_unreachable':
      return unreachable(fault.reason);
    case 'daemon_misbehaves':
      return `the daemon gave an answer that cannot be true: ${fault.reason}`;
    case 'mining_refused':
      return `the daemon does not do what was asked about mining: ${fault.reason}`;
    case 'bad_log_level':
      return `log level ${fault.level} is out of range: 0 to 4`;
    case 'daemon_untrusted':
      return 'this needs a trusted daemon: --trusted-daemon';
  }
}

/** What the caller is told, or undefined for a bug. */
export function toRpcError(error: unknown, gates: Gates): RpcError | undefined {
  if (error instanceof RpcError) return error;
  if (error instanceof WalletError) {
    const { fault } = error;
    return new RpcError(gates.codes?.[fault.kind] ?? CODE[fault.kind], describe(fault));
  }
  if (error instanceof DaemonError) {
    const code = DAEMON_CODE[error.kind];
    return new RpcError(code, code === CODE.daemon_unreachable ? unreachable(error.message) : error.message);
  }
  return undefined;
}
