import type { CodeException, Exception } from './differential.js';

const ENTRIES = ['get_transfers', 'get_transfer_by_txid'];
const PAYING = ['transfer', 'transfer_split', 'sweep_all', 'sweep_single', 'sweep_dust', 'sweep_unmixable'];

/** Where `--api-version 1.32` and Debian's 0.18 (RPC 1.25) may differ: all of it later additions, or chance. */
export const EXCEPTIONS: readonly Exception[] = [
  { methods: ['get_version'], fields: ['version', 'release'], how: 'differs', reason: '1.32 is not 1.25' },
  { methods: ENTRIES, fields: ['change_amount'], how: 'ours alone', reason: 'added after 0.18' },
  {
    methods: ENTRIES,
    fields: ['confirmations', 'suggested_confirmations_threshold'],
    how: 'ours alone',
    reason: 'the specification always lists them, the reference leaves out zeros',
  },
  { methods: ['is_multisig'], fields: ['kex_is_done'], how: 'ours alone', reason: 'added after 0.18' },
  {
    methods: ['get_address_book'],
    fields: ['payment_id'],
    how: 'ours alone',
    reason: 'the specification lists it, the reference dropped it',
  },
  {
    methods: ['get_transfer_by_txid'],
    fields: ['transfer'],
    how: 'differs',
    seldom: true,
    reason: 'the first of a hash table; which one it is of several says nothing',
  },
  {
    methods: ['incoming_transfers'],
    fields: ['tx_size'],
    how: 'ours alone',
    reason: 'the specification lists it, the reference dropped it',
  },
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
  {
    methods: ENTRIES,
    fields: ['timestamp'],
    how: 'clock',
    seldom: true,
    reason: 'until it is mined a transaction has the time at which a server met it',
  },
];

export const CODE_EXCEPTIONS: readonly CodeException[] = [];
