import type { Loose, WalletCalls } from '../network/json-rpc.js';

/** Everything that a wallet says about its money, except what it reads from the pool. */
export type Books = Readonly<
  Record<'height' | 'balance' | 'transfers' | 'outputs' | 'requests' | 'events', Loose>
>;

/** Returns an object without some of its fields. */
export const without = (object: object, ...names: readonly string[]): object =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));

/** Reads the books of a wallet. */
export async function booksOf(wallet: WalletCalls): Promise<Books> {
  const [{ height }, transfers, balance, outputs, { requests }, { events }] = await Promise.all([
    wallet.rpc('get_height'),
    wallet.rpc('get_transfers', { in: true, out: true, pending: true, failed: true, all_accounts: true }),
    wallet.rpc('get_balance', { all_accounts: true }),
    wallet.rpc('incoming_transfers', { transfer_type: 'all' }),
    wallet.rpc('list_payment_requests', {}),
    wallet.rpc('get_events', { after: 0, limit: 1000 }),
  ]);
  const { in: received = [], out = [], pending = [], failed = [] } = transfers;
  return {
    height,
    balance,
    transfers: { received, out, pending, failed },
    outputs,
    // A request says with `synced`, and an event, that the wallet has read all blocks, which a lie may delay, as it may
    // delay the change of a state.
    requests: (requests as Loose[]).map((request) => without(request, 'synced', 'changed_at')),
    events: (events as Loose[])
      .filter(({ type }) => type !== 'wallet.synced')
      .map(({ type, data: { tx_timestamp, ...data } }) =>
        // A payment in the pool has the time at which the wallet first saw it.
        JSON.stringify(type === 'payment.seen' ? [type, data] : [type, { tx_timestamp, ...data }]),
      )
      .sort(),
  };
}

const entriesOf = ({ pool = [] }: Loose): Loose[] =>
  (pool as Loose[]).map(({ txid, amount, double_spend_seen }) => ({ txid, amount, double_spend_seen }));

/** Reads the payments to a wallet that wait in the pool. */
export const poolOf = async (wallet: WalletCalls): Promise<Loose[]> =>
  entriesOf(await wallet.rpc('get_transfers', { pool: true }));

/** Returns what a wallet lists of the pool; nothing if it refuses the pool of the daemon. */
export const toldPoolOf = async (wallet: WalletCalls): Promise<Loose[]> =>
  entriesOf((await wallet.call('get_transfers', { pool: true })).result ?? {});

/** Returns the simple values in a value, by path. */
function leaves(value: unknown, path = '', into = new Map<string, string>()): Map<string, string> {
  if (typeof value !== 'object' || value === null) into.set(path, String(value));
  else for (const [name, inner] of Object.entries(value)) leaves(inner, `${path}.${name}`, into);
  return into;
}

/** Returns a description of the first differences between two values; undefined without a difference. */
export function difference(told: unknown, right: unknown): string | undefined {
  const [of, against] = [leaves(told), leaves(right)];
  const differing = [...new Set([...of.keys(), ...against.keys()])].filter(
    (name) => of.get(name) !== against.get(name),
  );
  if (differing.length === 0) return undefined;
  return differing
    .slice(0, 6)
    .map((name) => `${name}: ${of.get(name)} in place of ${against.get(name)}`)
    .join('; ');
}
