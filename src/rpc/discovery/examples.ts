import type { Json } from '../../util/json.js';

/** A call with its result, as exact JSON. */
export interface Example {
  readonly name: string;
  readonly params: { readonly [param: string]: Json };
  readonly result: { readonly [member: string]: Json };
}

const ADDRESS =
  '888tNkZrPN6JsEgekjMnABU4TBzc2Dt29EPAvkRxbANsAnjyPbb3iQ1YBRk1UXcdRsiKc9dhwMVgN5S9cQUiyoogDavup3H';
const PRIMARY =
  '44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3A';
const TX_HASH = 'c36258a276018c3a4bc1f195a7fb530f50cd63a4fa765fb7c6f7f49fc051762a';
const KEY_IMAGE = '8d1bd8181bf7d857bdb281e0153d84cd55a3fcaa57c3e570f4a49f935850b5e3';
const ONE_XMR = 1_000_000_000_000n;

const first = { major: 0n, minor: 1n };

const made = {
  amount: ONE_XMR,
  amounts_by_dest: { amounts: [ONE_XMR] },
  fee: 30_720_000n,
  spent_key_images: { key_images: [KEY_IMAGE] },
  tx_blob: '',
  tx_hash: TX_HASH,
  tx_key: '',
  tx_metadata: '',
  weight: 1536n,
  multisig_txset: '',
  unsigned_txset: '',
};

const received = {
  address: ADDRESS,
  amount: ONE_XMR,
  amounts: [ONE_XMR],
  confirmations: 12n,
  double_spend_seen: false,
  fee: 30_720_000n,
  height: 3_400_000n,
  note: '',
  payment_id: '0000000000000000',
  subaddr_index: first,
  subaddr_indices: [first],
  suggested_confirmations_threshold: 2n,
  timestamp: 1_760_000_000n,
  txid: TX_HASH,
  type: 'in',
  unlock_time: 0n,
  locked: false,
};

/** Examples by method. Their results are the same under all API versions. */
export const EXAMPLES: Readonly<Record<string, readonly Example[]>> = {
  get_balance: [
    {
      name: 'balance of the first account',
      params: { account_index: 0n },
      result: {
        balance: 3n * ONE_XMR,
        unlocked_balance: ONE_XMR,
        multisig_import_needed: false,
        per_subaddress: [
          {
            account_index: 0n,
            address_index: 1n,
            address: ADDRESS,
            balance: 3n * ONE_XMR,
            unlocked_balance: ONE_XMR,
            label: 'order 1',
            num_unspent_outputs: 2n,
            blocks_to_unlock: 4n,
            time_to_unlock: 0n,
          },
        ],
        blocks_to_unlock: 4n,
        time_to_unlock: 0n,
      },
    },
  ],
  get_accounts: [
    {
      name: 'all accounts',
      params: {},
      result: {
        subaddress_accounts: [
          {
            account_index: 0n,
            base_address: PRIMARY,
            balance: 3n * ONE_XMR,
            unlocked_balance: ONE_XMR,
            label: 'Primary account',
            tag: '',
          },
        ],
        total_balance: 3n * ONE_XMR,
        total_unlocked_balance: ONE_XMR,
      },
    },
  ],
  get_address: [
    {
      name: 'one address of the first account',
      params: { account_index: 0n, address_index: [1n] },
      result: {
        address: PRIMARY,
        addresses: [{ address: ADDRESS, address_index: 1n, label: 'order 1', used: true }],
      },
    },
  ],
  create_address: [
    {
      name: 'address for an order',
      params: { account_index: 0n, label: 'order 1' },
      result: { address: ADDRESS, address_index: 1n, addresses: [ADDRESS], address_indices: [1n] },
    },
  ],
  get_height: [{ name: 'height', params: {}, result: { height: 3_400_012n } }],
  refresh: [{ name: 'refresh', params: {}, result: { blocks_fetched: 24n, received_money: true } }],
  transfer: [
    {
      name: 'payment under an idempotency key',
      params: {
        destinations: [{ amount: ONE_XMR, address: ADDRESS }],
        priority: 1n,
        idempotency_key: 'withdrawal-4711',
      },
      result: made,
    },
  ],
  transfer_split: [
    {
      name: 'payment',
      params: { destinations: [{ amount: ONE_XMR, address: ADDRESS }], get_tx_keys: false },
      result: {
        amount_list: [ONE_XMR],
        amounts_by_dest_list: [{ amounts: [ONE_XMR] }],
        fee_list: [30_720_000n],
        spent_key_images_list: [{ key_images: [KEY_IMAGE] }],
        tx_hash_list: [TX_HASH],
        weight_list: [1536n],
        multisig_txset: '',
        unsigned_txset: '',
      },
    },
  ],
  sweep_single: [{ name: 'one output', params: { address: ADDRESS, key_image: KEY_IMAGE }, result: made }],
  get_transfers: [
    {
      name: 'newest incoming payments',
      params: { in: true, account_index: 0n, limit: 1n },
      result: { in: [received], cursor: '3399999' },
    },
  ],
  get_transfer_by_txid: [
    {
      name: 'one transaction',
      params: { txid: TX_HASH },
      result: { transfer: received, transfers: [received] },
    },
  ],
  get_payments: [
    {
      name: 'payments with a payment id',
      params: { payment_id: '60900e5603bf96e3' },
      result: {
        payments: [
          {
            payment_id: '60900e5603bf96e3',
            tx_hash: TX_HASH,
            amount: ONE_XMR,
            block_height: 3_400_000n,
            unlock_time: 0n,
            locked: false,
            subaddr_index: { major: 0n, minor: 0n },
            address: PRIMARY,
          },
        ],
      },
    },
  ],
  relay_tx: [{ name: 'relay', params: { hex: '0100' }, result: { tx_hash: TX_HASH } }],
  create_wallet: [
    {
      name: 'new wallet',
      params: { filename: 'shop', password: 'secret', language: 'English' },
      result: {},
    },
  ],
  open_wallet: [{ name: 'open', params: { filename: 'shop', password: 'secret' }, result: {} }],
  check_tx_key: [
    {
      name: 'amount of a payment',
      params: { txid: TX_HASH, tx_key: '0a'.repeat(32), address: ADDRESS },
      result: { confirmations: 12n, in_pool: false, received: ONE_XMR },
    },
  ],
  make_integrated_address: [
    {
      name: 'address with a payment id',
      params: { payment_id: '60900e5603bf96e3' },
      result: { integrated_address: `4${'B'.repeat(105)}`, payment_id: '60900e5603bf96e3' },
    },
  ],
  parse_uri: [
    {
      name: 'payment link',
      params: { uri: `monero:${ADDRESS}?tx_amount=1.000000000000` },
      result: {
        uri: {
          address: ADDRESS,
          amount: ONE_XMR,
          payment_id: '',
          recipient_name: '',
          tx_description: '',
        },
      },
    },
  ],
  get_order: [
    {
      name: 'state of a payment',
      params: { idempotency_key: 'withdrawal-4711' },
      result: {
        idempotency_key: 'withdrawal-4711',
        method: 'transfer',
        state: 'mined',
        created: 1_760_000_000n,
        transactions: [
          {
            position: 0n,
            attempt: 1n,
            current: true,
            state: 'mined',
            tx_hash: TX_HASH,
            amount: ONE_XMR,
            fee: 30_720_000n,
            destinations: [{ address: ADDRESS, amount: ONE_XMR }],
            height: 3_400_000n,
            confirmations: 12n,
          },
        ],
      },
    },
  ],
  get_events: [
    {
      name: 'next event',
      params: { after: 41n, wait_ms: 30_000n },
      result: {
        events: [
          {
            id: 42n,
            type: 'payment.mined',
            timestamp: '2026-01-01T00:00:00.000Z',
            wallet: 'shop',
            data: {
              tx_hash: TX_HASH,
              address: ADDRESS,
              subaddr_index: first,
              amount: ONE_XMR,
              coinbase: false,
              unlock_time: 0n,
              tx_timestamp: 1_760_000_000n,
              height: 3_400_000n,
              seen: 40n,
            },
          },
        ],
        cursor: 42n,
      },
    },
  ],
  list_wallets: [
    {
      name: 'an open and a closed wallet',
      params: {},
      result: {
        wallets: [
          {
            name: 'shop',
            open: true,
            height: 3_400_012n,
            daemon_height: 3_400_012n,
            view_only: false,
            multisig: false,
            syncing: false,
          },
          { name: 'savings', open: false },
        ],
      },
    },
  ],
  add_webhook: [
    {
      name: 'endpoint for payments',
      params: { url: 'https://shop.example/hook', types: ['payment.confirmed'] },
      result: {
        id: '0f1e2d3c4b5a69788796a5b4c3d2e1f0',
        secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
        url: 'https://shop.example/hook',
        types: ['payment.confirmed'],
      },
    },
  ],
};
