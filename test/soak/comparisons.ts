import type { Order } from '../crash/wallet-load.js';
import type { Resources } from './soak-process.js';

/** Money of a wallet [atomic units], and its transactions. */
export interface Money {
  /** Sum of the outputs that no known transaction spends. */
  readonly available: bigint;
  /** Sum of those that are frozen. */
  readonly frozen: bigint;
  /** Balance of all accounts, as the wallet gives it. */
  readonly balance: bigint;
  /** Sum of the payments in the pool. */
  readonly pool: bigint;
  /** Hashes of incoming and outgoing transactions in blocks, and of the others by their state. */
  readonly in: readonly string[];
  readonly poolHashes: readonly string[];
  readonly out: readonly string[];
  readonly pending: readonly string[];
  readonly failed: readonly string[];
}

/** Amounts of a transfer, by its events. */
export interface TransferSums {
  readonly amountIn: bigint;
  readonly change: bigint;
  readonly failed: boolean;
}

/**
 * Compares the balance of a wallet with its outputs, with the sum of its events and with a wallet that was restored from
 * its seed just now.
 */
export function compareMoney(
  ours: Money,
  twin: Money,
  events: { readonly sum: bigint; readonly transfers: ReadonlyMap<string, TransferSums> },
): string[] {
  const faults: string[] = [];
  let change = 0n;
  let reserved = 0n;
  for (const hash of ours.pending) {
    const transfer = events.transfers.get(hash);
    if (transfer === undefined || transfer.failed) {
      faults.push(
        `the payment ${hash} is pending, and ${transfer === undefined ? 'has no event' : 'its events end with its failure'}`,
      );
      continue;
    }
    change += transfer.change;
    // A restored wallet reserves the inputs of a payment that it sees in the pool, too.
    if (!twin.pending.includes(hash)) reserved += transfer.amountIn;
  }
  const same = (a: string, x: bigint, b: string, y: bigint): void => {
    if (x !== y) faults.push(`${a} is ${x}, ${b} is ${y}: the difference is ${x - y}`);
  };
  // A payment may spend the change of another one that a reorganisation has taken out of its block. Only the balance and
  // the events know which do.
  const chained = ours.available - ours.frozen + change - ours.balance;
  if (chained < 0n || (ours.pending.length < 2 && chained !== 0n))
    faults.push(`the balance is ${ours.balance}, the difference to the sum of the outputs is ${-chained}`);
  same(
    'the sum of the events',
    events.sum,
    'the sum of the outputs',
    ours.available + change - chained + ours.pool,
  );
  same(
    'the sum of the outputs',
    ours.available + reserved - chained,
    'that of a restored wallet',
    twin.available,
  );
  for (const [title, mine, theirs] of [
    ['received', ours.in, twin.in],
    ['paid', ours.out, twin.out],
  ] as const) {
    const known = new Set(mine);
    const found = new Set(theirs);
    for (const hash of mine)
      if (!found.has(hash)) faults.push(`${hash} is ${title} here, and not by a restored wallet`);
    for (const hash of theirs)
      if (!known.has(hash)) faults.push(`${hash} is ${title} by a restored wallet, and not here`);
  }
  return faults;
}

/**
 * Compares the orders with the chain.
 * @param stored hashes of the transactions of each order, as the wallet lists them. @param chain hashes of the payments of
 * the wallet in blocks.
 */
export function compareOrders(
  orders: ReadonlyMap<string, Pick<Order, 'txid' | 'failed'>>,
  stored: ReadonlyMap<string, readonly string[]>,
  chain: readonly string[],
): string[] {
  const faults: string[] = [];
  const mined = new Set(chain);
  const ofOrders = new Set<string>();
  for (const key of new Set([...orders.keys(), ...stored.keys()])) {
    const order = orders.get(key);
    const hashes = new Set([
      ...(stored.get(key) ?? []),
      ...(order?.failed ?? []),
      ...(order?.txid === undefined ? [] : [order.txid]),
    ]);
    const paid = [...hashes].filter((hash) => mined.has(hash));
    if (paid.length > 1) faults.push(`${key} is paid ${paid.length} times: ${paid.join(', ')}`);
    for (const hash of hashes) ofOrders.add(hash);
    if (order === undefined) faults.push(`${key} was never ordered`);
    if (order?.txid !== undefined && !stored.has(key)) faults.push(`${key} was answered, and is lost`);
  }
  for (const hash of mined)
    if (!ofOrders.has(hash)) faults.push(`the chain has the payment ${hash}, which is of no order`);
  return faults;
}

/** Compares the ids that a reader of a stream got with those of the wallet, from the first one that it got. */
export function compareStream(read: readonly number[], listed: readonly number[]): string[] {
  const faults: string[] = [];
  for (const [i, id] of read.entries())
    if (i > 0 && id <= (read[i - 1] ?? 0)) faults.push(`the stream sends event ${id} after ${read[i - 1]}`);
  const known = new Set(read);
  const lost = listed.filter((id) => !known.has(id));
  if (lost.length > 0) faults.push(`the stream lacks ${lost.length} events: ${lost.slice(0, 5).join(', ')}`);
  const all = new Set(listed);
  const last = listed.at(-1) ?? 0;
  const more = read.filter((id) => id <= last && !all.has(id));
  if (more.length > 0)
    faults.push(`the stream has events that the wallet lacks: ${more.slice(0, 5).join(', ')}`);
  return faults;
}

/** Compares the deliveries of a webhook with the events of the wallet. @param waiting ids that are to be sent again. */
export function compareDeliveries(
  delivered: ReadonlySet<number>,
  listed: readonly number[],
  waiting: ReadonlySet<number>,
): string[] {
  const lost = listed.filter((id) => !delivered.has(id) && !waiting.has(id));
  return lost.length === 0 ? [] : [`the webhook lacks ${lost.length} events: ${lost.slice(0, 5).join(', ')}`];
}

/** Margins of the resources of an idle process over those at the start of the run. */
export const MARGINS: Resources = { memory: 96 << 20, descriptors: 24 };

/** Compares the resources of a process with those at the start of the run. */
export function compareResources(before: Resources, now: Resources): string[] {
  const faults: string[] = [];
  if (now.memory > before.memory + MARGINS.memory)
    faults.push(`takes ${now.memory >> 20} MiB of memory, ${before.memory >> 20} MiB at the start`);
  if (now.descriptors > before.descriptors + MARGINS.descriptors)
    faults.push(`has ${now.descriptors} open files, ${before.descriptors} at the start`);
  return faults;
}
