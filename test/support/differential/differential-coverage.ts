/** Group of differential tests. */
export type Situation = 'records' | 'payments' | 'outputs' | 'refusals';

/** Methods that both servers answer with a result, by situation; each method is listed once. */
export const COVERED: Readonly<Record<Situation, readonly string[]>> = {
  records: [
    ...['get_version', 'get_languages', 'set_log_level', 'set_log_categories', 'auto_refresh', 'stop_wallet'],
    ...['create_wallet', 'restore_deterministic_wallet', 'open_wallet', 'close_wallet', 'store'],
    ...['change_wallet_password', 'query_key', 'is_multisig'],
    ...['get_address', 'get_address_index', 'create_address', 'label_address', 'validate_address'],
    ...['get_accounts', 'create_account', 'label_account'],
    ...['get_account_tags', 'tag_accounts', 'untag_accounts', 'set_account_tag_description'],
    ...['make_integrated_address', 'split_integrated_address', 'make_uri', 'parse_uri'],
    ...['get_address_book', 'add_address_book', 'edit_address_book', 'delete_address_book'],
    ...['set_attribute', 'get_attribute', 'set_tx_notes', 'get_tx_notes', 'sign', 'verify'],
    'estimate_tx_size_and_weight',
  ],
  payments: [
    ...['refresh', 'get_height', 'get_balance', 'incoming_transfers', 'rescan_blockchain'],
    ...['get_transfers', 'get_transfer_by_txid', 'get_payments', 'get_bulk_payments'],
    ...['transfer', 'relay_tx', 'get_tx_key', 'check_tx_key', 'get_tx_proof', 'check_tx_proof'],
    ...['get_spend_proof', 'check_spend_proof', 'get_reserve_proof', 'check_reserve_proof'],
    ...['generate_from_keys', 'export_key_images', 'import_key_images'],
  ],
  outputs: [
    ...['freeze', 'thaw', 'frozen', 'rescan_spent', 'scan_tx', 'export_outputs', 'import_outputs'],
    ...['sweep_all', 'sweep_single', 'sweep_dust', 'transfer_split'],
    ...['describe_transfer', 'sign_transfer', 'submit_transfer'],
  ],
  // Every call in this situation is refused.
  refusals: [],
};

const MULTISIG = [
  ...['prepare_multisig', 'make_multisig', 'exchange_multisig_keys', 'finalize_multisig'],
  ...['export_multisig_info', 'import_multisig_info', 'sign_multisig', 'submit_multisig'],
];

/** Methods that no situation covers, with reasons. */
export const NOT_COVERED: Readonly<Record<string, string>> = {
  set_daemon: 'daemon-control.test.ts asks both, with daemons that it makes',
  start_mining: 'daemon-control.test.ts asks both, with a daemon that only seems to mine',
  stop_mining: 'daemon-control.test.ts asks both, with a daemon that only seems to mine',
  ...Object.fromEntries(
    MULTISIG.map((method) => [method, 'their answers have random parts; groups of both kinds work together']),
  ),
};
