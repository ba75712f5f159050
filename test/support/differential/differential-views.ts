import { PAYMENT_IDS, type World } from './differential-world.js';

/** A call and its parameters. */
export type Ask = readonly [method: string, params?: object];

export const EVERYTHING = { in: true, out: true, pending: true, failed: true, pool: true };
const UNKNOWN_TXID = '00'.repeat(32);

/** All read-only calls about a wallet. */
export const views = ({ addresses, integrated, payerAddress, txids }: World): readonly Ask[] => [
  ['get_version'],
  ['get_languages'],
  ['get_height'],
  ['getheight'],
  ['get_balance'],
  ['getbalance', { account_index: 1 }],
  ['get_balance', { account_index: 0, address_indices: [3, 1] }],
  ['get_balance', { all_accounts: true }],
  ['get_balance', { all_accounts: true, strict: true }],
  ['get_balance', { account_index: 99 }],
  ['get_address'],
  ['getaddress', { account_index: 1 }],
  ['get_address', { account_index: 0, address_index: [1, 0] }],
  ['get_address', { account_index: 0, address_index: [77] }],
  ['get_address', { account_index: 99 }],
  ['get_accounts'],
  ['get_accounts', { strict_balances: true }],
  ...addresses.flat().map((address): Ask => ['get_address_index', { address }]),
  ['get_address_index', { address: integrated[0] }],
  ['get_address_index', { address: payerAddress }],
  ['get_transfers', { in: true }],
  ['get_transfers', { ...EVERYTHING, all_accounts: true }],
  ['get_transfers', { ...EVERYTHING, account_index: 1, subaddr_indices: [3] }],
  ['get_transfers', { ...EVERYTHING, filter_by_height: true, min_height: 21, max_height: 96 }],
  ['get_transfers', { ...EVERYTHING, account_index: 99 }],
  ['get_transfers'],
  ...txids.map((txid): Ask => ['get_transfer_by_txid', { txid }]),
  ...txids.slice(-2).map((txid): Ask => ['get_transfer_by_txid', { txid, account_index: 1 }]),
  ['get_transfer_by_txid', { txid: UNKNOWN_TXID }],
  ...['all', 'available', 'unavailable', 'other'].map((transfer_type): Ask => [
    'incoming_transfers',
    { transfer_type },
  ]),
  ['incoming_transfers', { transfer_type: 'all', account_index: 1, subaddr_indices: [3] }],
  ['incoming_transfers', { transfer_type: 'all', account_index: 99 }],
  ...PAYMENT_IDS.map((payment_id): Ask => ['get_payments', { payment_id }]),
  ['get_payments', { payment_id: PAYMENT_IDS[0].padEnd(64, '0') }],
  ['get_payments', { payment_id: 'ffffffffffffffff' }],
  ['get_bulk_payments', { payment_ids: PAYMENT_IDS }],
  ['get_bulk_payments', { payment_ids: PAYMENT_IDS, min_block_height: 96 }],
  ['get_bulk_payments', { payment_ids: ['12'] }],
  ['get_bulk_payments', { min_block_height: 96 }],
  ['get_bulk_payments'],
  ['get_account_tags'],
  ['get_address_book'],
  ['get_tx_notes', { txids }],
  ['get_attribute', { key: 'colour' }],
  ['is_multisig'],
  ...['view_key', 'spend_key', 'mnemonic'].map((key_type): Ask => ['query_key', { key_type }]),
];

/** Makes all these calls to both servers, except some methods. @returns the differences. */
export async function differentViews(world: World, except: readonly string[] = []): Promise<unknown[]> {
  const different: unknown[] = [];
  for (const [method, params] of views(world)) {
    if (except.includes(method)) continue;
    const { differences } = await world.pair.ask(method, params);
    if (differences.length > 0) different.push({ method, params, differences });
  }
  return different;
}
