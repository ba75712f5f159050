import type { Amount } from '../util/amount.js';
import { formatCoins } from '../monero/cryptonote/coins.js';
import type { Fault } from '../monero/wallet/model/wallet-error.js';

const shortage = (what: string, available: Amount, needed: Amount): string =>
  `not enough ${what}: ${formatCoins(available)} available, ${formatCoins(needed)} needed with the fee`;

/** One sentence with the facts of a fault, for `data.explanation` of the error. Contains no secrets. */
export function explain(fault: Fault): string {
  switch (fault.kind) {
    case 'no_wallet':
      return 'no wallet is open: call open_wallet first';
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
      return fault.reason;
    case 'wallet_io':
      return `the file '${fault.file}' cannot be used: ${fault.reason}`;
    case 'wrong_password':
      return 'invalid password';
    case 'view_only':
      return 'the wallet is view-only: it has no spend key';
    case 'background_wallet':
      return 'a background wallet only syncs: open the main wallet';
    case 'background_syncing':
      return 'the spend key is not in memory during background sync: call stop_background_sync first';
    case 'not_deterministic':
      return 'the wallet is not deterministic: it has no mnemonic seed';
    case 'unknown_language':
      return `unknown language '${fault.language}': get_languages lists the known ones`;
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
    case 'partly_relayed':
    case 'order_failed':
    case 'transfer_failed':
    case 'bad_daemon_settings':
    case 'multisig_refused':
    case 'bad_multisig_set':
    case 'bad_webhook':
    case 'credential_denied':
    case 'spend_limit':
    case 'wrong_signature':
      return fault.reason;
    case 'order_mismatch':
      return `the idempotency key belongs to another request (${fault.method}): use a new key for a new payment`;
    case 'events_expired':
      return `events after this cursor were deleted: all events after ${fault.oldest} are kept`;
    case 'webhook_missing':
      return 'the wallet has no webhook with this id';
    case 'order_missing':
      return 'no order has this idempotency key';
    case 'already_multisig':
      return 'the wallet is multisig already';
    case 'not_multisig':
      return 'the wallet is not multisig';
    case 'multisig_not_ready':
      return 'the wallet is multisig, but its key exchange is not complete: call exchange_multisig_keys with the messages of all participants';
    case 'multisig_disabled':
      return 'multisig is experimental and disabled for this wallet: enable it with prepare_multisig before it is made multisig, or in monero-wallet-cli';
    case 'too_few_signers':
      return `more participants are needed: ${fault.needed}, not ${fault.given}`;
    case 'multisig_import_needed':
      return 'unused nonces of too few signers are known for these outputs: import their multisig info first';
    case 'multisig_export_needed':
      return 'this wallet has no unused nonces for these outputs: export its multisig info again, have the proposer import it, and make a new transaction';
    case 'key_image_unknown':
      return 'no output of this wallet has this key image';
    case 'wrong_transfer_type':
      return 'transfer_type is one of all, available, unavailable';
    case 'wrong_key_type':
      return 'key_type is one of mnemonic, view_key, spend_key';
    case 'wrong_signature_type':
      return 'signature_type is one of spend, view';
    case 'no_tx_key':
      return fault.withSigner === true
        ? 'the offline wallet that signed this transaction keeps its secret key'
        : 'no secret key of this transaction is stored here';
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
      return 'the priority depends on the state of chain and pool, and the daemon cannot be asked for it';
    case 'fee_rates_unknown':
      return `the daemon cannot be asked for the fee rates: ${fault.reason}`;
    case 'daemon_busy':
      return 'the daemon is busy syncing: try again later';
    case 'daemon_unreachable':
      return fault.reason;
    case 'daemon_misbehaves':
      return `the daemon gave an invalid answer: ${fault.reason}`;
    case 'mining_refused':
      return `the daemon did not ${fault.action} mining: ${fault.reason}`;
    case 'bad_log_level':
      return `log level ${fault.level} is out of range: 0 to 4`;
    case 'daemon_untrusted':
      return 'this method needs a trusted daemon: set --trusted-daemon';
  }
}
