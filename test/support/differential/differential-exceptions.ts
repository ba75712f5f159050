import type { Exception, RefusalException } from './differential.js';

/*
 * Allowed differences between `--api-version 1.32` and Debian's 0.18 (RPC 1.25): later additions, or random values.
 * Each test lists the exceptions of its situation, and fails when one is not needed.
 */

const ENTRIES = ['get_transfers', 'get_transfer_by_txid'];
const PAYING = ['transfer', 'transfer_split', 'sweep_all', 'sweep_single', 'sweep_dust', 'sweep_unmixable'];

/** Exceptions of wallets that received payments. */
export const VIEWS: readonly Exception[] = [
  { methods: ['get_version'], fields: ['version', 'release'], how: 'differs', reason: '1.32 is not 1.25' },
  {
    methods: ENTRIES,
    fields: ['confirmations', 'suggested_confirmations_threshold'],
    how: 'ours alone',
    seldom: true,
    reason: 'the specification always lists them, the reference omits zeros',
  },
  {
    methods: [
      ...[
        'get_balance',
        'getbalance',
        'get_accounts',
        'get_address',
        'getaddress',
        'get_height',
        'getheight',
      ],
      ...['incoming_transfers', 'get_payments', 'get_bulk_payments', ...ENTRIES],
    ],
    fields: ['synced', 'catch_up'],
    how: 'ours alone',
    seldom: true,
    reason:
      'present while blocks are read again for new addresses, whose payments the reference does not find',
  },
  { methods: ['is_multisig'], fields: ['kex_is_done'], how: 'ours alone', reason: 'added after 0.18' },
  {
    methods: ['get_transfer_by_txid'],
    fields: ['transfer'],
    how: 'differs',
    seldom: true,
    reason: 'the first entry of a hash table, whose order is arbitrary',
  },
  {
    methods: ENTRIES,
    fields: ['timestamp'],
    how: 'clock',
    seldom: true,
    reason: 'an unmined transaction has the time at which the server first saw it',
  },
];

export const CHANGE: readonly Exception[] = [
  { methods: ENTRIES, fields: ['change_amount'], how: 'ours alone', reason: 'added after 0.18' },
];

/** Exceptions of wallets that pay. */
export const PAYMENTS: readonly Exception[] = [
  {
    methods: PAYING,
    fields: ['amounts_by_dest', 'amounts_by_dest_list'],
    how: 'ours alone',
    reason: 'added after 0.18',
  },
  {
    methods: PAYING,
    fields: ['tx_hash', 'tx_key', 'tx_blob', 'tx_hash_list', 'tx_key_list', 'tx_blob_list'],
    how: 'random',
    reason: 'a transaction has a random key',
  },
  {
    methods: PAYING,
    fields: ['tx_metadata', 'tx_metadata_list'],
    how: 'differs',
    reason: 'numbers of random decoys take a byte more or less',
  },
];

export const RESCAN: readonly Exception[] = [
  {
    methods: ENTRIES,
    fields: ['destinations'],
    how: 'ours alone',
    after: 'rescan_blockchain',
    reason: 'a rescan that is not hard keeps destinations here; the reference drops them',
  },
];

export const SIGNATURES: readonly Exception[] = [
  {
    methods: ['sign', 'get_tx_proof', 'get_spend_proof', 'get_reserve_proof', 'export_key_images'],
    fields: ['signature'],
    how: 'random',
    reason: 'a signature has a random part',
  },
];

/** Exceptions of exports and imports between wallets with the same keys. */
export const EXCHANGE: readonly Exception[] = [
  {
    methods: ['export_outputs'],
    fields: ['outputs_data_hex'],
    how: 'differs',
    reason: 'encrypted; only the additional transaction key that is needed is exported',
  },
  {
    methods: [...PAYING, 'sign_transfer'],
    fields: ['unsigned_txset', 'signed_txset'],
    how: 'differs',
    reason: 'encrypted; numbers of random decoys take a byte more or less',
  },
  {
    methods: ['describe_transfer'],
    fields: ['sources'],
    how: 'ours alone',
    reason: 'added after 0.18',
  },
  {
    methods: ['sign_transfer'],
    fields: ['tx_hash_list', 'tx_raw_list', 'tx_key_list'],
    how: 'random',
    reason: 'a transaction has a random key',
  },
];

/** Exceptions of refusals of malformed texts. */
export const ODD_TEXTS: readonly RefusalException[] = [
  {
    methods: ['create_address'],
    ours: '-1 Count must be between 1 and 65536.',
    theirs: '-1 Count must be between 1 and 64.',
    reason: 'later releases have a higher limit',
  },
  {
    methods: ['get_accounts'],
    ours: '-1 the tag: it is not a regular expression',
    theirs: '-1 Unmatched marking parenthesis ( or \\(.',
    reason: 'the message comes from the regular expression library',
  },
  {
    methods: ['verify'],
    ours: '-2 Invalid address',
    theirs: '-2 ',
    reason: 'the message of the reference is empty',
  },
];

/** Exceptions of refusals that are random or differ in later releases. */
export const REFUSALS: readonly RefusalException[] = [
  {
    methods: ['check_tx_proof'],
    ours: '-1 basic_string',
    theirs: '-1 basic_string::substr: __pos',
    reason: 'the message comes from the C++ library, and monero-ts compares that of libc++',
  },
  {
    methods: ['create_wallet', 'open_wallet'],
    ours: '-1 Invalid filename',
    theirs: '-',
    seldom: true,
    reason: 'our server refuses a directory as a wallet name',
  },
  {
    methods: ['get_transfers'],
    ours: '-38 no connection to daemon',
    theirs: '0 ',
    reason: 'the message of the reference is empty',
  },
];
