import type { HttpCaller } from './http-caller.js';

/** Password of the wallet that is measured. */
export const PASSWORD = 'a password';
/** Name of the wallet that is measured. */
export const FILENAME = 'measured';

export type Members = Record<string, unknown>;

/** A received payment, with the address that it was made to. */
interface Payment {
  readonly txid: string;
  readonly address: string;
}

/** A server with the wallet open, and results of calls that are parameters of others. */
export interface Server {
  readonly caller: HttpCaller;
  readonly address: string;
  readonly incoming: readonly Payment[];
  readonly outgoing: readonly string[];
  readonly keyImages: readonly string[];
  readonly signature: string;
  readonly txProof: string;
  readonly spendProof: string | undefined;
  readonly reserveProof: string;
  readonly signedKeyImages: unknown;
  readonly integrated: string;
  readonly uri: string;
  /** Whether calls that take seconds with many outputs are left out. */
  readonly leavesOutSlow: boolean;
}

/** A measured call; `undefined` where the wallet has nothing to call it with. */
export type Call = (server: Server, round: number) => readonly [method: string, params?: Members] | undefined;

export const result = async (caller: HttpCaller, method: string, params: Members = {}): Promise<Members> =>
  (JSON.parse(await caller.call(method, params)) as { result: Members }).result;

const NOTE = 'a note';

/** Transaction and address of the first received payment. */
const paid = ([first]: readonly Payment[]): Members => ({ txid: first?.txid, address: first?.address });

/** Calls of most methods, in an order in which each finds the wallet open. */
export const CALLS: Record<string, Call> = {
  get_version: () => ['get_version'],
  get_languages: () => ['get_languages'],
  get_height: () => ['get_height'],
  get_address: () => ['get_address', { account_index: 0 }],
  'get_address of one': () => ['get_address', { account_index: 0, address_index: [1] }],
  get_address_index: ({ address }) => ['get_address_index', { address }],
  get_balance: () => ['get_balance', { account_index: 0 }],
  'get_balance of all accounts': () => ['get_balance', { all_accounts: true }],
  get_accounts: () => ['get_accounts'],
  get_account_tags: () => ['get_account_tags'],
  create_account: () => ['create_account', { label: NOTE }],
  label_account: (_, round) => ['label_account', { account_index: 0, label: `account ${round}` }],
  tag_accounts: () => ['tag_accounts', { tag: 'tag', accounts: [0] }],
  set_account_tag_description: () => ['set_account_tag_description', { tag: 'tag', description: NOTE }],
  untag_accounts: () => ['untag_accounts', { accounts: [0] }],
  create_address: () => ['create_address', { account_index: 0, label: NOTE }],
  label_address: (_, round) => ['label_address', { index: { major: 0, minor: 1 }, label: `label ${round}` }],
  store: () => ['store'],
  set_attribute: (_, round) => ['set_attribute', { key: 'key', value: `value ${round}` }],
  get_attribute: () => ['get_attribute', { key: 'key' }],
  add_address_book: ({ address }) => ['add_address_book', { address, description: NOTE }],
  get_address_book: () => ['get_address_book'],
  edit_address_book: () => ['edit_address_book', { index: 0, set_description: true, description: NOTE }],
  delete_address_book: () => ['delete_address_book', { index: 0 }],
  make_integrated_address: () => ['make_integrated_address'],
  split_integrated_address: ({ integrated }) => [
    'split_integrated_address',
    { integrated_address: integrated },
  ],
  validate_address: ({ address }) => ['validate_address', { address, any_net_type: true }],
  make_uri: ({ address }) => ['make_uri', { address, amount: 1_000_000, tx_description: NOTE }],
  parse_uri: ({ uri }) => ['parse_uri', { uri }],
  'query_key mnemonic': () => ['query_key', { key_type: 'mnemonic' }],
  sign: () => ['sign', { data: NOTE }],
  verify: ({ address, signature }) => ['verify', { data: NOTE, address, signature }],
  'get_transfers, all': () => [
    'get_transfers',
    { in: true, out: true, pending: true, failed: true, pool: true },
  ],
  'get_transfers, pool': () => ['get_transfers', { pool: true }],
  get_transfer_by_txid: ({ incoming }) => ['get_transfer_by_txid', { txid: incoming[0]?.txid }],
  get_payments: () => ['get_payments', { payment_id: '0000000000000000' }],
  get_bulk_payments: () => ['get_bulk_payments', { payment_ids: [], min_block_height: 0 }],
  'incoming_transfers, all': () => ['incoming_transfers', { transfer_type: 'all' }],
  'incoming_transfers, available': () => ['incoming_transfers', { transfer_type: 'available' }],
  set_tx_notes: ({ incoming }, round) => [
    'set_tx_notes',
    { txids: [incoming[0]?.txid], notes: [`note ${round}`] },
  ],
  get_tx_notes: ({ incoming }) => ['get_tx_notes', { txids: [incoming[0]?.txid] }],
  get_tx_proof: ({ incoming }) => ['get_tx_proof', { ...paid(incoming), message: NOTE }],
  check_tx_proof: ({ incoming, txProof }) => [
    'check_tx_proof',
    { ...paid(incoming), message: NOTE, signature: txProof },
  ],
  get_spend_proof: ({ outgoing }) =>
    outgoing[0] === undefined ? undefined : ['get_spend_proof', { txid: outgoing[0], message: NOTE }],
  check_spend_proof: ({ outgoing, spendProof }) =>
    spendProof === undefined
      ? undefined
      : ['check_spend_proof', { txid: outgoing[0], message: NOTE, signature: spendProof }],
  get_reserve_proof: () => ['get_reserve_proof', { all: false, account_index: 0, amount: 1, message: NOTE }],
  // Of many payments it takes the reference seconds.
  'get_reserve_proof, all': ({ leavesOutSlow }) =>
    leavesOutSlow ? undefined : ['get_reserve_proof', { all: true, message: NOTE }],
  check_reserve_proof: ({ address, reserveProof }) => [
    'check_reserve_proof',
    { address, message: NOTE, signature: reserveProof },
  ],
  'export_outputs, all': () => ['export_outputs', { all: true }],
  'export_outputs, new': () => ['export_outputs', { all: false }],
  'export_key_images, all': () => ['export_key_images', { all: true }],
  'export_key_images, new': () => ['export_key_images', { all: false }],
  import_key_images: ({ signedKeyImages }) => ['import_key_images', { signed_key_images: signedKeyImages }],
  estimate_tx_size_and_weight: () => [
    'estimate_tx_size_and_weight',
    { n_inputs: 2, n_outputs: 2, ring_size: 16, rct: true },
  ],
  get_default_fee_priority: () => ['get_default_fee_priority'],
  'transfer to 1': ({ address }) => [
    'transfer',
    { destinations: [{ address, amount: 1_000_000 }], do_not_relay: true },
  ],
  transfer_split: ({ address }) => [
    'transfer_split',
    { destinations: [{ address, amount: 1_000_000 }], do_not_relay: true },
  ],
  sweep_single: ({ address, keyImages }) => [
    'sweep_single',
    { address, key_image: keyImages[0], do_not_relay: true },
  ],
  'sweep_all of one address': ({ address }) => [
    'sweep_all',
    { address, account_index: 0, subaddr_indices: [1], do_not_relay: true },
  ],
  sweep_dust: () => ['sweep_dust', { do_not_relay: true }],
  freeze: ({ keyImages }) => ['freeze', { key_image: keyImages[0] }],
  frozen: ({ keyImages }) => ['frozen', { key_image: keyImages[0] }],
  thaw: ({ keyImages }) => ['thaw', { key_image: keyImages[0] }],
  scan_tx: ({ incoming }) => ['scan_tx', { txids: [incoming.at(-1)?.txid] }],
  refresh: () => ['refresh'],
  auto_refresh: () => ['auto_refresh', { enable: true }],
  rescan_spent: () => ['rescan_spent'],
  change_wallet_password: () => [
    'change_wallet_password',
    { old_password: PASSWORD, new_password: PASSWORD },
  ],
  close_wallet: () => ['close_wallet'],
  open_wallet: () => ['open_wallet', { filename: FILENAME, password: PASSWORD }],
  rescan_blockchain: () => ['rescan_blockchain'],
  create_wallet: (_, round) => [
    'create_wallet',
    { filename: `new-${round}`, password: PASSWORD, language: 'English' },
  ],
};

const txids = (list: unknown): string[] => ((list ?? []) as { txid: string }[]).map(({ txid }) => txid);

/** Restores the wallet that is measured, and reads the chain. */
export async function restoreMeasured(caller: HttpCaller, seed: string): Promise<void> {
  const name = { filename: FILENAME, password: PASSWORD };
  await caller.call('restore_deterministic_wallet', { ...name, seed, restore_height: 0 });
  await caller.call('refresh');
}

/** Calls the methods whose results are parameters of others. */
export async function prepared(caller: HttpCaller, leavesOutSlow: boolean): Promise<Server> {
  const call = (method: string, params: Members = {}): Promise<Members> => result(caller, method, params);
  const address = String((await call('get_address', { account_index: 0, address_index: [0] }))['address']);
  const lists = await call('get_transfers', { in: true, out: true, account_index: 0 });
  const incoming = (lists['in'] ?? []) as Payment[];
  const outgoing = txids(lists['out']);
  const available = (await call('incoming_transfers', { transfer_type: 'available' }))['transfers'];
  const proof = async (method: string, params: Members): Promise<string> =>
    String((await call(method, { ...params, message: NOTE }))['signature']);
  return {
    caller,
    address,
    incoming,
    outgoing,
    // The largest first: a small output does not pay for its own sweep.
    keyImages: ((available ?? []) as { key_image: string; unlocked: boolean; amount: number }[])
      .filter(({ unlocked }) => unlocked)
      .sort((a, b) => b.amount - a.amount)
      .map(({ key_image }) => key_image),
    signature: String((await call('sign', { data: NOTE }))['signature']),
    txProof: await proof('get_tx_proof', paid(incoming)),
    spendProof: outgoing[0] === undefined ? undefined : await proof('get_spend_proof', { txid: outgoing[0] }),
    reserveProof: await proof('get_reserve_proof', { all: false, account_index: 0, amount: 1 }),
    signedKeyImages: (await call('export_key_images', { all: true }))['signed_key_images'],
    integrated: String((await call('make_integrated_address'))['integrated_address']),
    uri: String((await call('make_uri', { address, amount: 1_000_000 }))['uri']),
    leavesOutSlow,
  };
}
