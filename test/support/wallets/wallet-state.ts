import { join } from 'node:path';
import Database from 'better-sqlite3';
import { cipherOf, storeKey } from '../../../src/store/file/store-cipher.js';
import type { SecretKey } from '../../../src/monero/crypto/types.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';
import type { WalletRpc } from '../processes/wallet-rpc.js';

/** Calls that show the state of the open wallet. */
const VIEWS: readonly (readonly [method: string, params: object])[] = [
  ['get_address', {}],
  ['get_accounts', {}],
  ['get_balance', { all_accounts: true }],
  // Without `pool`, which would scan the pool first.
  ['get_transfers', { in: true, out: true, pending: true, failed: true, all_accounts: true }],
  ['incoming_transfers', { transfer_type: 'all' }],
  ['get_address_book', {}],
];

/** Tables derived from the keys, and large: only their rows are counted, and their bytes added up. */
const DERIVED: Readonly<Record<string, string>> = {
  subaddress_key: 'count(*)',
  packed_subaddress: 'sum(length(entries))',
};

/** State of a wallet. */
export interface WalletState {
  /** State as its methods show it. */
  shown(): Promise<unknown>;
  /** All rows of its store. */
  stored(): unknown;
}

/**
 * Returns the state of an open wallet, which can be read at any later time.
 * @param filename of the open wallet of our server.
 */
export async function watchState(server: WalletRpc, filename: string): Promise<WalletState> {
  const secret = async (key_type: string): Promise<SecretKey | undefined> => {
    const { result } = await server.call('query_key', { key_type });
    return result === undefined ? undefined : (fromHex(String(result['key'])) as SecretKey);
  };
  const viewSecret = await secret('view_key');
  if (viewSecret === undefined) throw new Error('no wallet is open');
  const key = storeKey(viewSecret, await secret('spend_key'));
  const path = join(server.walletDir, filename);
  return {
    async shown() {
      const answers = [];
      for (const [method, params] of VIEWS) answers.push(await server.rpc(method, params));
      return answers;
    },
    stored: () => storeRows(path, key),
  };
}

/** All rows of all tables on disk. */
function storeRows(path: string, key: Uint8Array): Record<string, readonly string[]> {
  const db = new Database(path, { readonly: true });
  try {
    db.pragma(`cipher = '${cipherOf(path)}'`);
    db.pragma(`key = "x'${toHex(key)}'"`);
    const tables = db
      .prepare<[], { name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
      .all();
    return Object.fromEntries(tables.map(({ name }) => [name, rowsOf(db, name, DERIVED[name] ?? '*')]));
  } finally {
    db.close();
  }
}

const rowsOf = (db: Database.Database, table: string, columns: string): string[] =>
  db
    .prepare<[], unknown[]>(`SELECT ${columns} FROM "${table}"`)
    .safeIntegers()
    .raw()
    .all()
    .map((row) => row.map((cell) => (cell instanceof Uint8Array ? toHex(cell) : String(cell))).join('|'))
    .sort();
