import type { Loose } from '../support/network/json-rpc.js';
import type { Facts } from './facts.js';
import { ask, Refusal, type Callable } from './wallet-client.js';

/** Transfer types of a payment that is not lost. */
const MADE: ReadonlySet<unknown> = new Set(['out', 'pending', 'block', 'in']);

/** Returns an answer; undefined if the server refuses the call. @param isExpected false for a refusal that is an error. */
async function unlessRefused<T>(
  answer: Promise<T>,
  isExpected: (refusal: Refusal) => boolean = () => true,
): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Refusal && isExpected(error)) return undefined;
    throw error;
  }
}

/** Finds a payment among the wallet's transfers; undefined when it has none. */
async function shownPayment(server: Callable, txid: string): Promise<string | undefined> {
  const answer = await unlessRefused(ask(server, 'get_transfer_by_txid', { txid }));
  if (answer === undefined) return undefined;
  const types = (answer.transfers as Loose[]).map(({ type }) => String(type));
  return types.every((type) => MADE.has(type)) ? 'made' : types.join();
}

/** Minor index of the address of a payment request; undefined if there is no such request. */
async function shownRequest(server: Callable, request_id: string): Promise<string | undefined> {
  const answer = await unlessRefused(ask(server, 'get_payment_request', { request_id }));
  return answer && String(answer.subaddr_index.minor);
}

/** State of an output; `gone` if the wallet has none with this key image: a reorganisation may have taken it out. */
async function shownFrozen(server: Callable, key_image: string): Promise<string> {
  const isUnknown = ({ message }: Refusal): boolean => /Key image not found/.test(message);
  const answer = await unlessRefused(ask(server, 'frozen', { key_image }), isUnknown);
  return answer === undefined ? 'gone' : String(answer.frozen);
}

async function shownKey(server: Callable, txid: string): Promise<string | undefined> {
  const answer = await unlessRefused(ask(server, 'get_tx_key', { txid }));
  return answer && String(answer.tx_key);
}

/**
 * Reads the listed facts from an open wallet; missing facts are absent from the result.
 * @param isRead false for facts to leave out.
 */
export async function readShownFacts(
  server: Callable,
  facts: Facts,
  isRead: (fact: string) => boolean = () => true,
): Promise<Map<string, string>> {
  const rest = (listed: Facts, prefix: string): string[] =>
    listed
      .allNames(prefix)
      .filter(isRead)
      .map((name) => name.slice(prefix.length));
  const shown = new Map<string, string>();
  const show = (name: string, value: string | undefined): void => {
    if (value !== undefined) shown.set(name, value);
  };
  const { addresses } = await ask(server, 'get_address', { account_index: 0 });
  for (const { address_index, label } of addresses as Loose[])
    show(`label/${String(address_index)}`, String(label));
  const { subaddress_accounts: accounts } = await ask(server, 'get_accounts');
  for (const { account_index, label } of accounts as Loose[])
    show(`account/${String(account_index)}`, String(label));
  const { entries = [] } = await ask(server, 'get_address_book');
  for (const { index, description } of entries as Loose[]) show(`book/${String(index)}`, String(description));
  for (const key of rest(facts, 'attribute/')) {
    const answer = await unlessRefused(ask(server, 'get_attribute', { key }));
    if (answer !== undefined) show(`attribute/${key}`, String(answer.value));
  }
  const noted = rest(facts, 'note/');
  if (noted.length > 0) {
    const { notes } = await ask(server, 'get_tx_notes', { txids: noted });
    // A transaction without a note has an empty one.
    for (const [i, txid] of noted.entries())
      if (notes[i] !== '') show(`note/${txid}`, String((notes as string[])[i]));
  }
  for (const image of rest(facts, 'frozen/')) show(`frozen/${image}`, await shownFrozen(server, image));
  for (const id of rest(facts, 'request/')) show(`request/${id}`, await shownRequest(server, id));
  for (const txid of rest(facts, 'payment/')) show(`payment/${txid}`, await shownPayment(server, txid));
  for (const txid of rest(facts, 'key/')) show(`key/${txid}`, await shownKey(server, txid));
  return shown;
}
