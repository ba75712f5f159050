/*
 * Keeps the books of an exchange: credits deposits and pays withdrawals once, across crashes of itself and of the server:
 *
 *   npm install wallet-rpc
 *   WALLET_RPC_URL=http://127.0.0.1:18083 WALLET_RPC_TOKEN=… node exchange.ts hot books.json withdrawals.jsonl
 *
 * A line of withdrawals.jsonl is {"payout_id": "w-1", "address": "8…", "amount": "1000000000000"}; lines may be added at any
 * time. The token is that of a credential with the families view and payout_create, if the server wants one.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { createClient, WalletConnectionError } from 'wallet-rpc/client';

const { WALLET_RPC_URL: url = 'http://127.0.0.1:18083', WALLET_RPC_TOKEN: token } = process.env;
const [wallet = 'hot', file = 'books.json', orders = 'withdrawals.jsonl'] = process.argv.slice(2);
const [CONFIRMATIONS, SPEND_LIMIT, HOUR] = [10, -61, 3600]; // Confirmations: one of those of --confirmations.

/** Books of the exchange; yours are tables of your database. */
interface Books {
  /** Id of the last event in the books, and time of the latest change of a payout in them [Unix s]. */
  cursor?: number;
  changed: number;
  /** Credited deposits by transaction and address, which names the customer; texts, as JSON has no large integers. */
  deposits: Record<string, string>;
  /** States of withdrawals, by their ids. */
  withdrawals: Record<string, string>;
}
const kept = existsSync(file) ? readFileSync(file, 'utf8') : '{"changed":0,"deposits":{},"withdrawals":{}}';
const books = JSON.parse(kept) as Books;
type Change = { readonly payout_id: string; readonly state: string; readonly changed_at?: number };
type Withdrawal = { readonly payout_id: string; readonly address: string; readonly amount: string };

const client = createClient({ url, wallet, auth: token === undefined ? undefined : { token } });
function note({ payout_id: id, state, changed_at = 0 }: Change): void {
  if (books.withdrawals[id] !== state) console.log(`withdrawal ${id}: ${state}`);
  books.withdrawals[id] = state;
  books.changed = Math.max(books.changed, changed_at);
}
/** Takes over all payouts that have changed since the books were kept; an hour more, for steps of clocks. */
async function reconcile(since = Math.max(0, books.changed - HOUR), page?: string): Promise<void> {
  const { payouts, cursor } = await client.list_payouts({ changed_since: since, limit: 1000, cursor: page });
  payouts.forEach(note);
  if (cursor !== undefined) await reconcile(since, cursor);
}
/** Creates the payouts of new withdrawals. After a crash or a lost answer they are created again, and exist once. */
async function withdraw(): Promise<void> {
  const lines = existsSync(orders) ? readFileSync(orders, 'utf8').split('\n').slice(0, -1) : [];
  const asked = lines.map((line) => JSON.parse(line) as Withdrawal);
  const fresh = asked.filter(({ payout_id: id }) => books.withdrawals[id] === undefined).slice(0, 1000);
  if (fresh.length === 0) return;
  const payouts = fresh.map((one) => ({ ...one, amount: BigInt(one.amount) }));
  for (const { payout_id, payout, error } of (await client.create_payouts({ payouts })).results)
    if (payout !== undefined) note(payout);
    else if (error?.code !== SPEND_LIMIT) note({ payout_id, state: `refused: ${error?.message}` });
}
/** Takes over the events after the cursor; waits a second for the first one. */
async function follow(): Promise<void> {
  const { events, cursor } = await client.get_events({ after: books.cursor, limit: 1000, wait_ms: 1000 });
  const changed = new Set(events.flatMap(({ data }) => ('payout_id' in data ? [data.payout_id] : [])));
  // An event may be old: the payout says how it stands now.
  for (const id of changed) note(await client.get_payout({ payout_id: id }));
  for (const { type, data } of events)
    if (type === 'payment.confirmed' && data.confirmations === CONFIRMATIONS) {
      books.deposits[`${data.tx_hash} ${data.address}`] = String(data.amount);
      console.log(`deposit of ${data.amount} to ${data.address}`);
    } else if (type === 'payment.reversed') delete books.deposits[`${data.tx_hash} ${data.address}`];
  books.cursor = cursor;
}
await reconcile();
for (;;)
  try {
    await withdraw();
    await follow();
    writeFileSync(`${file}.new`, JSON.stringify(books)); // A crash leaves the old or the new books, as a whole.
    renameSync(`${file}.new`, file);
  } catch (error) {
    if (!(error instanceof WalletConnectionError)) throw error;
    console.error(error.message);
    await pause(1000);
  }
