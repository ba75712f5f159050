import { UNRELATED_ADDRESS, SOME_KEY, TESTNET, UNKNOWN } from './differential-calls.js';
import type { Ask } from './differential-views.js';
import { PAYMENT_IDS, SEED, XMR, type World } from './differential-world.js';

/** One call per value of a parameter. */
const each = (method: string, name: string, values: readonly unknown[], others: object = {}): Ask[] =>
  values.map((value): Ask => [method, { ...others, [name]: value }]);

const pay = (amount: number | string, address: string = UNRELATED_ADDRESS) => ({
  destinations: [{ amount, address }],
});

/** Addresses, accounts, tags and payment links that are refused. */
export const addressRefusals = ({ address, integrated }: World): readonly Ask[] => [
  ...each('get_address_index', 'address', ['x', UNRELATED_ADDRESS, TESTNET]),
  ['create_address', { account_index: 99 }],
  ['label_address', { index: { major: 9, minor: 0 } }],
  ['label_address', { index: { major: 0, minor: 999 } }],
  ['label_account', { account_index: 77 }],
  ['get_address', { account_index: 99 }],
  ['get_address', { account_index: 0, address_index: [77] }],
  ['get_accounts', { tag: 'none' }],
  ['get_accounts', { tag: 'none', regexp: true }],
  ['tag_accounts', { tag: 'x', accounts: [99] }],
  ['untag_accounts', { accounts: [99] }],
  ...each('set_account_tag_description', 'tag', ['', 'none']),
  ...[address(0, 1), integrated[0], TESTNET, 'x'].map((standard_address): Ask => [
    'make_integrated_address',
    { standard_address, payment_id: PAYMENT_IDS[1] },
  ]),
  ...each('make_integrated_address', 'payment_id', ['zz', '12', '12'.repeat(32)]),
  ...each('split_integrated_address', 'integrated_address', ['', 'x', UNRELATED_ADDRESS, address(0, 1)]),
  ...each('make_uri', 'address', ['', 'x', TESTNET]),
  ...each('make_uri', 'payment_id', [PAYMENT_IDS[0], 'zz', '12'.repeat(32)], { address: UNRELATED_ADDRESS }),
  ['make_uri', { address: integrated[0], payment_id: PAYMENT_IDS[0] }],
  ...[
    ...['', 'x', 'monero:', 'monero:x', `monero:${TESTNET}`, `bitcoin:${UNRELATED_ADDRESS}`],
    ...['tx_amount', 'tx_amount=x', 'tx_amount=1=2', 'a=1&', 'tx_amount=1&tx_amount=1'].map(asked),
    ...['tx_amount=99999999999999999999999', 'tx_amount=0.0000000000001'].map(asked),
    ...['tx_payment_id=zz', `tx_payment_id=${PAYMENT_IDS[0]}`].map(asked),
    `monero:${integrated[0] ?? ''}?tx_payment_id=${'12'.repeat(32)}`,
  ].map((uri): Ask => ['parse_uri', { uri }]),
];

const asked = (query: string): string => `monero:${UNRELATED_ADDRESS}?${query}`;

/** Notes, entries, history and settings that are refused. */
export const recordRefusals = ({ txids }: World): readonly Ask[] => [
  ['set_tx_notes', { txids: [UNKNOWN], notes: [] }],
  ...each('set_tx_notes', 'txids', [['zz'], ['00'], ['']], { notes: [''] }),
  ...each('get_tx_notes', 'txids', [['zz'], ['00']]),
  ...each('get_attribute', 'key', ['', 'none']),
  ...each('add_address_book', 'address', ['', 'x', TESTNET]),
  ['edit_address_book', { index: 9 }],
  ['delete_address_book', { index: 9 }],
  ['get_address_book', { entries: [9] }],
  ...each('get_payments', 'payment_id', ['', 'zz', '12', 'zz'.repeat(8), 'zz'.repeat(32)]),
  ...each('get_bulk_payments', 'payment_ids', [[''], ['zz'], ['12'], ['zz'.repeat(8)], ['zz'.repeat(32)]]),
  ...each('incoming_transfers', 'transfer_type', ['', 'x']),
  ...each('get_transfer_by_txid', 'txid', ['', 'zz', '12', UNKNOWN, 'zz'.repeat(32)]),
  ['get_transfer_by_txid', { txid: txids[0], account_index: 99 }],
  ...each('query_key', 'key_type', ['', 'other']),
  ...each('set_log_level', 'level', [5, -1]),
  ['estimate_tx_size_and_weight', { n_inputs: 0, n_outputs: 1 }],
  ['sign', { data: 'x', signature_type: 'other' }],
  ['change_wallet_password', { old_password: 'wrong', new_password: 'x' }],
  ...each('start_mining', 'threads_count', [0, 999]),
  ['set_daemon', { address: 'x', ssl_support: 'z' }],
  ['set_daemon', { address: 'x', ssl_support: 'enabled' }],
  ['no_such_method'],
];

/** Outputs, sets and key images that are refused. */
export const blobRefusals: readonly Ask[] = [
  ...['freeze', 'thaw', 'frozen'].flatMap((method) => each(method, 'key_image', ['', 'zz', UNKNOWN, '12'])),
  ...each('scan_tx', 'txids', [['zz'], [UNKNOWN]]),
  ...['', 'zz', '00', '00'.repeat(200)].flatMap((hex): Ask[] => [
    ['import_outputs', { outputs_data_hex: hex }],
    ['sign_transfer', { unsigned_txset: hex }],
    ['describe_transfer', { unsigned_txset: hex }],
    ['describe_transfer', { multisig_txset: hex }],
    ['submit_transfer', { tx_data_hex: hex }],
    ['relay_tx', { hex }],
  ]),
  ...[
    { key_image: 'zz', signature: 'zz' },
    { key_image: UNKNOWN, signature: 'zz' },
    { key_image: UNKNOWN, signature: '00'.repeat(64) },
    { key_image: `01${'00'.repeat(31)}`, signature: '00'.repeat(64) },
  ].map((one): Ask => ['import_key_images', { signed_key_images: [one] }]),
  ...[9999, 5].map((offset): Ask => [
    'import_key_images',
    { offset, signed_key_images: Array(100).fill({ key_image: UNKNOWN, signature: '00'.repeat(64) }) },
  ]),
];

/** Proofs that are refused. */
export const proofRefusals = ({ txids, address, integrated }: World): readonly Ask[] => {
  const [txid] = txids;
  const own = address(0, 0);
  return [
    ...['', 'zz', '12', UNKNOWN].flatMap((id): Ask[] => [
      ['get_tx_key', { txid: id }],
      ['check_tx_key', { txid: id, tx_key: SOME_KEY, address: UNRELATED_ADDRESS }],
      ['get_tx_proof', { txid: id, address: UNRELATED_ADDRESS }],
      ['check_tx_proof', { txid: id, address: UNRELATED_ADDRESS, signature: '' }],
      ['get_spend_proof', { txid: id }],
      ['check_spend_proof', { txid: id, signature: 'SpendProofV1' }],
    ]),
    ['get_tx_key', { txid }],
    ['get_spend_proof', { txid }],
    ...each('check_tx_key', 'tx_key', ['', 'zz', '12', `${SOME_KEY}00`, SOME_KEY + SOME_KEY], {
      ...{ txid, address: UNRELATED_ADDRESS },
    }),
    ...['', 'x', TESTNET].flatMap((bad): Ask[] => [
      ['check_tx_key', { txid, tx_key: SOME_KEY, address: bad }],
      ['get_tx_proof', { txid, address: bad }],
      ['check_tx_proof', { txid, address: bad, signature: '' }],
      ['check_reserve_proof', { address: bad, signature: '' }],
      ['verify', { data: 'x', address: bad, signature: '' }],
    ]),
    ...each('get_tx_proof', 'address', [UNRELATED_ADDRESS, address(4, 1)], { txid }),
    ...[
      '',
      'nonsense',
      'some nonsense',
      'OutProofV2',
      `OutProofV2${'1'.repeat(132)}`,
      `OutProofV2${'1'.repeat(133)}`,
    ]
      .concat([`OutProofV2${'O'.repeat(132)}`, `InProofV2${'l'.repeat(132)}`, `InProofV1${'1'.repeat(132)}`])
      .map((signature): Ask => ['check_tx_proof', { txid, address: own, signature }]),
    ...each('check_spend_proof', 'signature', ['', 'x', 'SpendProofV2'], { txid }),
    ...['', 'x', 'ReserveProofV3', 'ReserveProofV1', 'ReserveProofV2', 'ReserveProofV2zz'].flatMap(
      (signature): Ask[] => [
        ['check_reserve_proof', { address: own, signature }],
        ['check_reserve_proof', { address: address(0, 1), signature }],
        ['check_reserve_proof', { address: integrated[0], signature }],
      ],
    ),
    ...[
      { account_index: 99, amount: 1 },
      { account_index: 0, amount: 0 },
      { account_index: 0, amount: 9e18 },
      { account_index: 4, amount: 1 },
    ].map((reserve): Ask => ['get_reserve_proof', reserve]),
  ];
};

/** Payments that are refused. */
export const paymentRefusals = ({ integrated }: World): readonly Ask[] => [
  ...['transfer', 'transfer_split'].flatMap((method) =>
    [
      ...[pay(1e17), pay(0), pay(1, 'x'), pay(1, ''), pay(1, TESTNET), { destinations: [] }, {}],
      ...[
        { ...pay(1), payment_id: 'zz' },
        { ...pay(1), payment_id: PAYMENT_IDS[0] },
      ],
      ...[
        { ...pay(1), account_index: 99 },
        { ...pay(0), account_index: 4 },
      ],
      { ...pay(1), account_index: 1, subaddr_indices: [99] },
      { destinations: integrated.map((address) => ({ amount: 1, address })) },
      { destinations: [...pay('18446744073709551615').destinations, ...pay(5).destinations] },
      pay('18446744073709551615'),
      { ...pay(6 * XMR), account_index: 3 },
      { ...pay(7 * XMR), account_index: 3 },
    ].map((params): Ask => [method, params]),
  ),
  [
    'transfer',
    { destinations: Array(20).fill({ amount: 1000, address: UNRELATED_ADDRESS }), do_not_relay: true },
  ],
  ...[
    {},
    { address: 'x', key_image: UNKNOWN },
    { address: TESTNET, key_image: 'zz' },
    ...['', 'zz', UNKNOWN].map((key_image) => ({ address: UNRELATED_ADDRESS, key_image })),
    { address: UNRELATED_ADDRESS, key_image: UNKNOWN, outputs: 0 },
    { address: UNRELATED_ADDRESS, key_image: UNKNOWN, payment_id: PAYMENT_IDS[0] },
  ].map((params): Ask => ['sweep_single', params]),
  ...[
    ...[{}, { address: 'x' }, { address: TESTNET }],
    { address: UNRELATED_ADDRESS, outputs: 0 },
    { address: UNRELATED_ADDRESS, account_index: 4 },
    { address: UNRELATED_ADDRESS, account_index: 99 },
    { address: UNRELATED_ADDRESS, account_index: 3, below_amount: 1 },
    { address: UNRELATED_ADDRESS, account_index: 3, subaddr_indices: [99] },
    { address: UNRELATED_ADDRESS, account_index: 3, outputs: 17 },
    { address: UNRELATED_ADDRESS, payment_id: PAYMENT_IDS[0] },
  ].map((params): Ask => ['sweep_all', params]),
  ...['export_multisig_info', 'import_multisig_info', 'sign_multisig', 'submit_multisig'].map(
    (method): Ask => [method],
  ),
  ['exchange_multisig_keys'],
];

/** Parameters of a wrong JSON type, one per kind. */
export const TYPES: readonly Ask[] = [
  ['get_balance', { account_index: 'x' }],
  ['get_balance', { account_index: -1 }],
  ['get_balance', { account_index: 0.5 }],
  ['get_balance', { account_index: 4294967296 }],
  ['get_balance', { all_accounts: 1 }],
  ['get_address_index', { address: 5 }],
  ['get_transfer_by_txid', { txid: {} }],
  ['get_tx_notes', { txids: [5] }],
  ['get_address_book', { entries: ['x'] }],
  ['transfer', { destinations: [{ amount: -1, address: UNRELATED_ADDRESS }] }],
  ['transfer', { destinations: [{ amount: 1, address: 5 }] }],
  ['transfer', { ...pay(1), priority: -1 }],
  ['set_log_level', { level: 'x' }],
  ['create_wallet', { filename: 5 }],
];

/** Calls that a view-only wallet refuses, except `sign` and `export_key_images`, which crash the reference. */
export const viewOnlyRefusals = ({ txids }: World): readonly Ask[] => [
  ...['sign_transfer', 'describe_transfer'].flatMap((method) =>
    each(method, 'unsigned_txset', ['', 'zz', '00']),
  ),
  ...each('query_key', 'key_type', ['mnemonic', 'spend_key', 'other']),
  ['get_spend_proof', { txid: txids[0] }],
  ['get_reserve_proof', { all: true }],
  ['prepare_multisig'],
  ['make_multisig', { multisig_info: ['x'], threshold: 2 }],
  ['exchange_multisig_keys'],
  ['get_tx_key', { txid: txids[0] }],
  ['submit_transfer', { tx_data_hex: '00' }],
];

/** Files that cannot be created or opened while the wallet `shared` is open. */
export const fileRefusals = ({ address }: World, viewkey: string): readonly Ask[] => {
  const keys = { address: address(0, 0), viewkey, password: '' };
  return [
    ...each('generate_from_keys', 'filename', ['shared', 'a/b'], keys),
    ['generate_from_keys', { ...keys, filename: 'v', viewkey: 'zz' }],
    ['generate_from_keys', { ...keys, filename: 'v', viewkey: '' }],
    ['generate_from_keys', { ...keys, filename: 'v', address: 'x' }],
    ['generate_from_keys', { ...keys, filename: 'v', address: '' }],
    ['generate_from_keys', { ...keys, filename: 'v', spendkey: 'zz' }],
    ...each('open_wallet', 'filename', ['shared', 'missing', 'a/b', '', '..', '.'], { password: 'wrong' }),
    ...each('create_wallet', 'language', ['', 'Klingon', 'English'], { filename: 'shared' }),
    ...each('create_wallet', 'language', ['', 'Klingon', 'English'], { filename: 'a/b' }),
    ...each('restore_deterministic_wallet', 'filename', ['shared', 'a/b'], { seed: 'x' }),
    ...each(
      'restore_deterministic_wallet',
      'seed',
      ['', 'x', `${SEED} x`, SEED.replace('velvet', 'xyzzyx'), SEED.split(' ').reverse().join(' ')],
      { filename: 'r' },
    ),
  ];
};

/** Calls that need a daemon, while none listens. @param blobs made while a daemon was available. */
export const daemonRefusals = (
  { txids, address }: World,
  blobs: { readonly images: readonly unknown[]; readonly keyImage: string; readonly metadata: string },
): readonly Ask[] => {
  const [txid] = txids;
  return [
    ['refresh'],
    ['rescan_spent'],
    ['get_transfers', { in: true, pool: true }],
    ['transfer', pay(XMR)],
    ['transfer', { ...pay(XMR), priority: 2 }],
    ['transfer_split', pay(1e17)],
    ['sweep_all', { address: UNRELATED_ADDRESS, account_index: 3 }],
    ['sweep_single', { address: UNRELATED_ADDRESS, key_image: blobs.keyImage }],
    ['check_tx_key', { txid, tx_key: SOME_KEY, address: UNRELATED_ADDRESS }],
    ['get_tx_proof', { txid, address: address(0, 0) }],
    ['check_tx_proof', { txid, address: address(0, 0), signature: `InProofV2${'1'.repeat(132)}` }],
    ['get_spend_proof', { txid }],
    ['check_spend_proof', { txid, signature: 'SpendProofV1' }],
    ['check_reserve_proof', { address: address(0, 0), signature: 'ReserveProofV2' }],
    ['scan_tx', { txids: [txid] }],
    ['relay_tx', { hex: blobs.metadata }],
    ['import_key_images', { signed_key_images: blobs.images }],
    ['start_mining', { threads_count: 1 }],
    ['stop_mining'],
    ['rescan_blockchain'],
  ];
};
