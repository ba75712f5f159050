import type { HeightRange, Part } from '../../store/tables/pages.js';
import type { WalletReader } from '../../store/wallet-reader.js';
import type { OutputList, OutputPlace } from '../../store/tables/address-outputs.js';
import type { Payment } from '../../store/tables/payments.js';
import type { PagedReader } from '../context/paged-reader.js';

/**
 * Binary heap, which finds the first of many items in an order, in a time that grows with the logarithm of their
 * number.
 */
export class Heap<T> {
  readonly #isBefore: (a: T, b: T) => boolean;
  readonly #items: T[] = [];

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore;
  }

  /** First item of the order; undefined if the heap is empty. */
  get first(): T | undefined {
    return this.#items[0];
  }

  add(item: T): void {
    const items = this.#items;
    let at = items.length;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = items[above] as T;
      if (!this.#isBefore(item, parent)) break;
      items[at] = parent;
      at = above;
    }
    items[at] = item;
  }

  removeFirst(): void {
    const last = this.#items.pop();
    if (last === undefined || this.#items.length === 0) return;
    this.#items[0] = last;
    this.siftFirst();
  }

  /** Restores the order after the first item has changed. */
  siftFirst(): void {
    const items = this.#items;
    const [item] = items;
    if (item === undefined) return;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      if (left >= items.length) break;
      const right = left + 1;
      const below =
        right < items.length && this.#isBefore(items[right] as T, items[left] as T) ? right : left;
      const child = items[below] as T;
      if (!this.#isBefore(child, item)) break;
      items[at] = child;
      at = below;
    }
    items[at] = item;
  }
}

/** Number of addresses whose first outputs are read in one step: about a millisecond. */
const ADDRESSES_AT_ONCE = 128;

/** Number of positions that are read ahead: of all lists together, and at least of each list. */
const READ_AHEAD = 1024;
const LEAST_AHEAD = 4;

/** Outputs of an account to list. */
interface MergedScope {
  readonly account: number;
  /** Minor indices of the addresses, each once. */
  readonly minors: readonly number[];
  readonly range: HeightRange;
  /**
   * `payments`: outputs that are not change, at their own positions; `outputs`: all outputs, where an output with a
   * reused key has the position of the first output with this key.
   */
  readonly kind: 'payments' | 'outputs';
}

/** Positions of one list that were read ahead. */
interface Cursor {
  readonly list: OutputList;
  ahead: readonly OutputPlace[];
  next: number;
  /** True if all positions of the list were read. */
  isRead: boolean;
}

const isBefore = (a: OutputPlace, b: OutputPlace): boolean =>
  a.height !== b.height
    ? a.height < b.height
    : a.globalIndex !== b.globalIndex
      ? a.globalIndex < b.globalIndex
      : a.number < b.number;

const placeOf = ({ ahead, next }: Cursor): OutputPlace => ahead[next] as OutputPlace;

/**
 * Merges the outputs of some addresses of an account in chain order. Reads only their entries of an index, a few ahead,
 * so the time depends neither on other outputs of the wallet nor on outputs outside the range. All calls must read the
 * same state of a store.
 */
class MergedOutputs {
  readonly #scope: MergedScope;
  readonly #count: number;
  readonly #cursors = new Heap<Cursor>((a, b) => isBefore(placeOf(a), placeOf(b)));
  /** Number of addresses whose lists were begun. */
  #begun = 0;
  #unmoved = false;

  constructor(scope: MergedScope) {
    this.#scope = scope;
    this.#count = Math.max(LEAST_AHEAD, Math.ceil(READ_AHEAD / Math.max(1, scope.minors.length)));
  }

  /**
   * Begins the lists of some further addresses. Positions can be taken once the lists of all addresses are begun.
   * @returns true when all lists are begun.
   */
  begin(r: WalletReader): boolean {
    const { account, minors, kind } = this.#scope;
    if (this.#begun === 0 && kind === 'outputs' && r.addressOutputs.anyMoved()) {
      this.#unmoved = true;
      this.#add(r, { moved: minors });
    }
    const some = minors.slice(this.#begun, this.#begun + ADDRESSES_AT_ONCE);
    this.#begun += some.length;
    for (const minor of r.balances.usedAmong(account, some)) {
      this.#add(r, { minor, change: false, unmoved: this.#unmoved });
      if (kind === 'outputs') this.#add(r, { minor, change: true, unmoved: this.#unmoved });
    }
    return this.#begun === minors.length;
  }

  /** Next position of the merged outputs; undefined at the end. */
  get next(): OutputPlace | undefined {
    const first = this.#cursors.first;
    return first && placeOf(first);
  }

  /** Takes the next position. @returns the row number of its output. @throws Error at the end. */
  take(r: WalletReader): number {
    const cursor = this.#cursors.first;
    if (cursor === undefined) throw new Error('no output is left');
    const place = placeOf(cursor);
    cursor.next += 1;
    if (cursor.next === cursor.ahead.length && !cursor.isRead) this.#read(r, cursor, place);
    if (cursor.next < cursor.ahead.length) this.#cursors.siftFirst();
    else this.#cursors.removeFirst();
    return place.number;
  }

  #add(r: WalletReader, list: OutputList): void {
    const cursor: Cursor = { list, ahead: [], next: 0, isRead: false };
    this.#read(r, cursor, undefined);
    if (cursor.ahead.length > 0) this.#cursors.add(cursor);
  }

  #read(r: WalletReader, cursor: Cursor, after: OutputPlace | undefined): void {
    const { account, range } = this.#scope;
    cursor.ahead = r.addressOutputs.part(account, cursor.list, { range, after, count: this.#count });
    cursor.next = 0;
    cursor.isRead = cursor.ahead.length < this.#count;
  }
}

/** Addresses of an account, and the heights of the listed outputs. */
type AddressScope = Omit<MergedScope, 'kind'>;

const mergedOf = (scope: AddressScope, kind: MergedScope['kind']): MergedOutputs =>
  new MergedOutputs({ ...scope, kind, minors: [...new Set(scope.minors)] });

/**
 * Begins the lists of outputs of some addresses.
 * @returns true when the lists of all addresses are begun; at once for a list in one page.
 */
function areBegun(outputs: MergedOutputs, r: WalletReader, rows: number): boolean {
  let isBegun = outputs.begin(r);
  while (!isBegun && rows === Infinity) isBegun = outputs.begin(r);
  return isBegun;
}

/**
 * Reads the outputs of addresses in pages, in the order of the chain.
 * @param read reads the outputs with the given row numbers, in their order.
 */
export function addressOutputs<Page>(
  reading: PagedReader,
  scope: AddressScope,
  pageRows: number,
  read: (r: WalletReader, numbers: readonly number[]) => Page,
): AsyncIterable<Page> {
  const next = (r: WalletReader, outputs: MergedOutputs, rows: number): Part<Page, MergedOutputs> => {
    const numbers: number[] = [];
    if (!areBegun(outputs, r, rows)) return { page: read(r, numbers), rest: outputs };
    while (outputs.next !== undefined && numbers.length < rows) numbers.push(outputs.take(r));
    return { page: read(r, numbers), rest: outputs.next && outputs };
  };
  return reading.pages(mergedOf(scope, 'outputs'), next, pageRows);
}

/** Outputs of payments that are still to be listed. */
interface Waiting {
  readonly outputs: MergedOutputs;
  /** Row numbers of the outputs of the last blocks that were read, divided between transactions. */
  readonly divided: readonly (readonly number[])[];
}

/** Takes the outputs of whole blocks. @param least number after which no further block is begun. */
function takeBlocks(outputs: MergedOutputs, r: WalletReader, least: number): number[] {
  const numbers: number[] = [];
  for (;;) {
    const height = outputs.next?.height;
    if (height === undefined || numbers.length >= least) return numbers;
    while (outputs.next?.height === height) numbers.push(outputs.take(r));
  }
}

/** Reads the payments to addresses in pages, in the order of all payments: by height, then by transaction hash. */
export function addressPayments(
  reading: PagedReader,
  scope: AddressScope,
  pageRows?: number,
): AsyncIterable<Payment[]> {
  const next = (r: WalletReader, { outputs, divided }: Waiting, rows: number): Part<Payment[], Waiting> => {
    let waiting = divided;
    if (waiting.length === 0) {
      if (!areBegun(outputs, r, rows)) return { page: [], rest: { outputs, divided } };
      const numbers = takeBlocks(outputs, r, rows);
      // A block may have many more outputs than a page.
      waiting = numbers.length < 2 * rows ? [numbers] : r.payments.divideOutputs(numbers, rows);
    }
    const [first = [], ...rest] = waiting;
    const isEnd = rest.length === 0 && outputs.next === undefined;
    return { page: r.payments.ofOutputs(first), rest: isEnd ? undefined : { outputs, divided: rest } };
  };
  return reading.pages({ outputs: mergedOf(scope, 'payments'), divided: [] }, next, pageRows);
}
