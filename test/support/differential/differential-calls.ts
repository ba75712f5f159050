import type { Ask } from './differential-views.js';
import { PAYMENT_IDS } from './differential-world.js';

/** Address of no wallet in the tests. */
export const UNRELATED_ADDRESS =
  '44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3A';
/** Address of another network. */
export const TESTNET =
  '9wviCeWe2D8XS82k2ovp5EUYLzBt9pYNW2LXUFsZiv8S3Mt21FZ5qQaAroko1enzw3eGr9qC7X1D7Geoo2RrAotYPwq9Gm8';
/** Hash of no transaction, and key image of no output. */
export const UNKNOWN = '00'.repeat(32);
/** Secret key of no wallet, below the group order: the reference aborts on a larger one. */
export const SOME_KEY = '01'.repeat(32);

/** New accounts and addresses, labels and tags, in order; refusals among them. */
export const LABELS: readonly Ask[] = [
  ['label_account', { account_index: 0, label: 'main' }],
  ['label_account', { account_index: 99, label: 'x' }],
  ['label_address', { index: { major: 0, minor: 1 }, label: 'shop "é" \\' }],
  ['label_address', { index: { major: 0, minor: 99 }, label: 'x' }],
  ['create_account', { label: 'savings' }],
  ['create_account'],
  ['create_address', { account_index: 1, label: 'one' }],
  ['create_address', { account_index: 0, count: 3, label: 'many' }],
  ['create_address', { account_index: 0, count: 0 }],
  ['create_address', { account_index: 99 }],
  ['tag_accounts', { tag: 'shop', accounts: [0, 2] }],
  ['tag_accounts', { tag: 'shop', accounts: [0, 99] }],
  ['tag_accounts', { tag: 'other', accounts: [1] }],
  ['get_account_tags'],
  ['set_account_tag_description', { tag: 'shop', description: 'all shops' }],
  ['set_account_tag_description', { tag: 'absent', description: 'x' }],
  ['set_account_tag_description', { tag: '', description: 'x' }],
  ['get_account_tags'],
  ['get_accounts', { tag: 'shop' }],
  ['get_accounts', { tag: 'absent' }],
  ['get_accounts', { tag: '(shop|other)', regexp: true }],
  ['get_accounts', { tag: 'sho', regexp: true }],
  ['get_accounts', { tag: '(', regexp: true }],
  ['untag_accounts', { accounts: [0] }],
  ['untag_accounts', { accounts: [99] }],
  ['get_account_tags'],
];

/** Addresses, URIs, attributes, notes, address book and settings, in order; refusals among them. */
export const TEXTS: readonly Ask[] = [
  ['validate_address', { address: UNRELATED_ADDRESS }],
  ['validate_address', { address: TESTNET }],
  ['validate_address', { address: TESTNET, any_net_type: true }],
  ['validate_address', { address: 'nonsense' }],
  ['make_integrated_address', { payment_id: PAYMENT_IDS[0] }],
  ['make_integrated_address', { payment_id: PAYMENT_IDS[1], standard_address: UNRELATED_ADDRESS }],
  ['make_integrated_address', { payment_id: '12' }],
  ['make_integrated_address', { payment_id: PAYMENT_IDS[1], standard_address: 'x' }],
  ['split_integrated_address', { integrated_address: UNRELATED_ADDRESS }],
  ['split_integrated_address', { integrated_address: 'x' }],
  ['make_uri', { address: UNRELATED_ADDRESS }],
  [
    'make_uri',
    { address: UNRELATED_ADDRESS, amount: 1_230_000_000_000, tx_description: 'a b&c', recipient_name: 'é' },
  ],
  ['make_uri', { address: UNRELATED_ADDRESS, payment_id: PAYMENT_IDS[0] }],
  ['make_uri', { address: 'x' }],
  ['parse_uri', { uri: `monero:${UNRELATED_ADDRESS}` }],
  [
    'parse_uri',
    {
      uri: `monero:${UNRELATED_ADDRESS}?tx_amount=239.39014&tx_description=a%20b&recipient_name=el00ruobuob`,
    },
  ],
  ['parse_uri', { uri: `monero:${UNRELATED_ADDRESS}?tx_payment_id=${'12'.repeat(32)}` }],
  ['parse_uri', { uri: `monero:${UNRELATED_ADDRESS}?foo=bar&tx_amount=1` }],
  ['parse_uri', { uri: `monero:${UNRELATED_ADDRESS}?tx_amount=1&tx_amount=2` }],
  ['parse_uri', { uri: `monero:${UNRELATED_ADDRESS}?tx_amount=x` }],
  ['parse_uri', { uri: `bitcoin:${UNRELATED_ADDRESS}` }],
  ['parse_uri', { uri: 'monero:x' }],
  ['set_attribute', { key: 'colour', value: 'blue' }],
  ['get_attribute', { key: 'colour' }],
  ['set_attribute', { key: 'colour', value: '' }],
  ['get_attribute', { key: 'colour' }],
  ['get_attribute', { key: 'shape' }],
  ['set_tx_notes', { txids: [UNKNOWN, '11'.repeat(32)], notes: ['one', 'two "é"'] }],
  ['set_tx_notes', { txids: [UNKNOWN], notes: [] }],
  ['set_tx_notes', { txids: ['zz'], notes: ['x'] }],
  ['get_tx_notes', { txids: ['22'.repeat(32), '11'.repeat(32), UNKNOWN] }],
  ['get_tx_notes', { txids: ['zz'] }],
  ['add_address_book', { address: UNRELATED_ADDRESS, description: 'a friend' }],
  ['add_address_book', { address: TESTNET, description: 'x' }],
  ['add_address_book', { address: 'x' }],
  ['get_address_book'],
  ['get_address_book', { entries: [0] }],
  ['get_address_book', { entries: [7] }],
  ['edit_address_book', { index: 0, set_description: true, description: 'another friend' }],
  ['edit_address_book', { index: 0, set_address: true, address: 'x' }],
  ['edit_address_book', { index: 7, set_description: true, description: 'x' }],
  ['get_address_book'],
  ['delete_address_book', { index: 7 }],
  ['delete_address_book', { index: 0 }],
  ['delete_address_book', { index: 0 }],
  ['get_address_book'],
  ['estimate_tx_size_and_weight', { n_inputs: 2, n_outputs: 2 }],
  ['estimate_tx_size_and_weight', { n_inputs: 1, n_outputs: 16, ring_size: 11 }],
  ['estimate_tx_size_and_weight', { n_inputs: 2, n_outputs: 2, rct: false }],
  ['estimate_tx_size_and_weight', { n_inputs: 0, n_outputs: 2 }],
  ['change_wallet_password', { old_password: 'wrong', new_password: 'x' }],
  ['change_wallet_password', { old_password: 'secret', new_password: 'other' }],
  ['store'],
  ['set_log_level', { level: 0 }],
  ['set_log_level', { level: 9 }],
  ['set_log_categories', { categories: '*:WARNING,wallet.wallet2:ERROR' }],
  ['no_such_method'],
];
