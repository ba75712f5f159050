import type { Fault } from '../../monero/wallet/model/wallet-error.js';

type Kinds = readonly Fault['kind'][];

const DAEMON: Kinds = ['daemon_unreachable', 'daemon_busy', 'daemon_misbehaves'];
const ACCOUNT: Kinds = ['account_out_of_range'];
const ADDRESS: Kinds = ['account_out_of_range', 'address_out_of_range'];
const ORDER: Kinds = ['order_mismatch', 'order_failed'];
const CREDENTIAL: Kinds = ['credential_denied', 'spend_limit'];
const RELAY: Kinds = [...DAEMON, 'tx_rejected', 'partly_relayed', 'transfer_failed'];

const PAYMENT: Kinds = [
  ...RELAY,
  ...ORDER,
  ...CREDENTIAL,
  ...['invalid', 'tx_not_possible', 'tx_too_large', 'fee_too_high', 'fee_rates_unknown'],
  ...['not_enough_money', 'not_enough_unlocked_money', 'not_enough_ring_members'],
  ...['multisig_import_needed', 'signing_failed'],
] as Kinds;

const TRANSFER: Kinds = [
  ...PAYMENT,
  ...ADDRESS,
  ...['wrong_address', 'wrong_payment_id', 'no_destination', 'zero_destination', 'zero_amount'],
  ...['nonzero_unlock_time', 'bad_priority'],
] as Kinds;

const SWEEP: Kinds = [
  ...PAYMENT,
  ...ADDRESS,
  ...['wrong_address', 'wrong_payment_id', 'nonzero_unlock_time', 'bad_priority'],
] as Kinds;

const FILE: Kinds = ['bad_wallet_name', 'wallet_io', 'wallet_locked'];
const NEW_FILE: Kinds = [...FILE, ...DAEMON, 'wallet_exists', 'unknown_language', 'invalid'];
const WEBHOOK: Kinds = ['no_wallet', 'bad_wallet_name', 'webhook_missing'];
const EXCHANGE: Kinds = ['multisig_refused', 'too_few_signers', 'wrong_password', 'wallet_io'];
const PROOF: Kinds = [...DAEMON, 'wrong_tx_hash', 'bad_proof'];

/** Faults of each method, beside those of its gate. */
export const FAULTS: Readonly<Record<string, Kinds>> = {
  get_account_tags: [],
  tag_accounts: ACCOUNT,
  untag_accounts: ACCOUNT,
  set_account_tag_description: ['invalid'],
  get_balance: [],
  get_accounts: ['invalid'],
  create_account: [],
  label_account: ACCOUNT,
  get_address: ADDRESS,
  get_address_index: ['wrong_address'],
  create_address: [...ACCOUNT, 'invalid'],
  label_address: ADDRESS,
  set_subaddress_lookahead: ['wrong_password', 'invalid'],
  validate_address: ['no_wallet'],
  make_integrated_address: ['wrong_payment_id', 'wrong_address'],
  split_integrated_address: ['wrong_address'],
  get_address_book: ['book_index_out_of_range'],
  add_address_book: ['wrong_address', 'wrong_payment_id'],
  edit_address_book: ['book_index_out_of_range', 'wrong_address', 'wrong_payment_id'],
  delete_address_book: ['book_index_out_of_range'],
  set_tx_notes: ['wrong_tx_hash', 'invalid'],
  get_tx_notes: ['wrong_tx_hash'],
  set_attribute: [],
  get_attribute: ['attribute_missing'],
  setup_background_sync: ['wrong_password', 'wallet_exists', 'wallet_io', 'invalid'],
  start_background_sync: ['invalid', 'wallet_io'],
  stop_background_sync: [...DAEMON, 'wrong_password', 'bad_seed', 'invalid', 'wallet_io'],
  export_outputs: ['invalid'],
  import_outputs: ['bad_hex', 'invalid', 'view_only'],
  export_key_images: ['view_only'],
  import_key_images: [...DAEMON, 'daemon_untrusted', 'wrong_key_image', 'wrong_signature', 'invalid'],
  describe_transfer: ['invalid', 'bad_hex', 'bad_unsigned_set', 'bad_multisig_set', 'not_multisig'],
  sign_transfer: [...CREDENTIAL, 'bad_hex', 'bad_unsigned_set', 'signing_failed'],
  submit_transfer: [...RELAY, ...ORDER, ...CREDENTIAL, 'bad_hex', 'bad_signed_set', 'submission_failed'],
  get_events: ['no_wallet', 'events_expired'],
  create_wallet: NEW_FILE,
  open_wallet: [...FILE, 'wallet_missing', 'wallet_corrupt', 'wrong_password'],
  restore_deterministic_wallet: [...NEW_FILE, 'bad_seed'],
  generate_from_keys: [...NEW_FILE, 'wrong_address'],
  close_wallet: ['wallet_io'],
  change_wallet_password: ['wrong_password', 'wallet_io'],
  store: ['wallet_io'],
  backup_wallet: ['invalid', 'wallet_io'],
  query_key: [
    ...['view_only', 'not_deterministic', 'multisig_not_ready', 'wrong_key_type'],
    ...['background_wallet', 'background_syncing'],
  ] as Kinds,
  get_transfers: [...DAEMON, 'invalid'],
  get_transfer_by_txid: [...DAEMON, ...ACCOUNT, 'wrong_tx_hash'],
  incoming_transfers: ['wrong_transfer_type'],
  get_payments: ['wrong_payment_id'],
  get_bulk_payments: ['wrong_payment_id'],
  set_log_level: ['bad_log_level'],
  set_log_categories: ['invalid'],
  start_mining: [...DAEMON, 'mining_refused', 'invalid'],
  stop_mining: [...DAEMON, 'mining_refused'],
  is_multisig: [],
  prepare_multisig: ['multisig_disabled', 'wallet_io'],
  make_multisig: [...EXCHANGE, 'invalid', 'multisig_disabled'],
  exchange_multisig_keys: EXCHANGE,
  finalize_multisig: EXCHANGE,
  get_multisig_key_exchange_booster: EXCHANGE,
  export_multisig_info: ['wallet_io'],
  import_multisig_info: [...DAEMON, 'bad_hex', 'multisig_refused', 'too_few_signers'],
  sign_multisig: [
    ...CREDENTIAL,
    ...['bad_hex', 'bad_multisig_set', 'multisig_signing_failed'],
    ...['multisig_import_needed', 'multisig_export_needed'],
  ] as Kinds,
  submit_multisig: [
    ...[...RELAY, ...ORDER, ...CREDENTIAL],
    ...['bad_hex', 'bad_multisig_set', 'too_few_signers', 'multisig_submission_failed'],
  ] as Kinds,
  get_order: ['order_missing'],
  list_orders: [],
  freeze: [...CREDENTIAL, 'wrong_key_image', 'key_image_unknown', 'invalid'],
  thaw: ['wrong_key_image', 'key_image_unknown', 'invalid'],
  frozen: ['wrong_key_image', 'key_image_unknown', 'invalid'],
  scan_tx: [...DAEMON, 'wrong_tx_hash', 'invalid'],
  rescan_spent: DAEMON,
  sign: [...ADDRESS, 'wrong_signature_type', 'view_only'],
  verify: ['wrong_address'],
  get_tx_key: ['wrong_tx_hash', 'no_tx_key'],
  check_tx_key: [...PROOF, 'wrong_tx_key', 'wrong_address'],
  get_tx_proof: [...PROOF, 'wrong_address', 'no_tx_key'],
  check_tx_proof: [...PROOF, 'wrong_address'],
  get_spend_proof: [...PROOF, 'view_only'],
  check_spend_proof: PROOF,
  get_reserve_proof: [...DAEMON, ...ACCOUNT, 'bad_proof', 'view_only', 'multisig_refused', 'invalid'],
  check_reserve_proof: [...DAEMON, 'wrong_address', 'bad_proof'],
  get_version: [],
  get_languages: [],
  'rpc.discover': [],
  set_daemon: ['bad_daemon_settings'],
  list_wallets: [],
  get_height: [],
  refresh: DAEMON,
  auto_refresh: [],
  rescan_blockchain: [...DAEMON, 'invalid', 'wallet_io'],
  stop_wallet: ['wallet_io'],
  sweep_all: SWEEP,
  sweep_single: [...SWEEP, 'wrong_key_image', 'key_image_unknown'],
  sweep_dust: PAYMENT,
  transfer: [...TRANSFER, 'needs_split'],
  transfer_split: TRANSFER,
  relay_tx: [...RELAY, ...CREDENTIAL, 'bad_hex', 'bad_tx_metadata'],
  estimate_tx_size_and_weight: ['invalid'],
  get_default_fee_priority: [...DAEMON, 'priority_unknown'],
  make_uri: ['bad_uri'],
  parse_uri: ['bad_uri'],
  add_webhook: [...WEBHOOK, 'bad_webhook'],
  list_webhooks: WEBHOOK,
  remove_webhook: WEBHOOK,
  rotate_webhook_secret: WEBHOOK,
  enable_webhook: WEBHOOK,
  list_deliveries: WEBHOOK,
  redeliver_webhook: [...WEBHOOK, 'bad_webhook'],
};
