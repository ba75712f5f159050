import type { Hash } from '../../monero/crypto/types.js';
import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import type { Destination, OutgoingTx, Payment, PoolTx } from '../../monero/wallet/model/records.js';
import type { HeightRange } from '../../store/sql/height-pages.js';
import type { TxRange } from '../../store/sql/tx-pages.js';
import type { WalletReader } from '../../store/wallet-reader.js';
import { amount, sum, ZERO, type Amount } from '../../util/amount.js';
import { compareBytes } from '../../util/bytes.js';
import { mergePages, singlePage, type Paged } from '../../util/paged.js';
import type { WalletContext } from '../context/wallet-context.js';
import { HistoryRows, type HistoryContext, type HistoryEntry } from './history-rows.js';
import { PagedReader } from './paged-reader.js';

type Context = HistoryContext & Pick<WalletContext, 'addresses' | 'assertOpen'>;

export const EXPORT_STATES = ['mined', 'pool', 'pending', 'failed'] as const;

/** State of an exported payment: in a block, incoming and in the mempool, outgoing and not in a block, or failed. */
export type ExportState = (typeof EXPORT_STATES)[number];

/** Payments to export. */
export interface ExportFilter {
  /** Earliest time of an exported payment [Unix s]. */
  readonly from: number;
  /** Time before which exported payments lie [Unix s]. */
  readonly to: number;
  /** Account of the payments; absent: every account. */
  readonly account?: number;
}

/** A payment with the facts that an accountant needs. */
export interface ExportedPayment {
  /** Time of its block; while unmined, time at which it was seen or made [Unix s]. */
  readonly time: number;
  /** Height of its block; 0 while it is not mined. */
  readonly height: number;
  readonly txHash: Hash;
  readonly direction: 'in' | 'out';
  readonly state: ExportState;
  /** Receiving address of an incoming payment; empty for an outgoing one. */
  readonly address: string;
  /** Recorded recipients of an outgoing payment. */
  readonly destinations: readonly Destination[];
  /** Label of the receiving address; empty: none. */
  readonly label: string;
  /** Reference of the payment request for the receiving address; empty: none. */
  readonly reference: string;
  /**
   * Amount received; of an outgoing payment, the amount that leaves the paying account without the fee: payments to the
   * account's own addresses return to it as change does.
   */
  readonly amount: Amount;
  /** Fee that this wallet paid: 0 for an incoming payment. */
  readonly fee: Amount;
}

/** Label and reference of an address. */
type AddressNames = Pick<ExportedPayment, 'label' | 'reference'>;

/** A payment whose address is not derived yet. */
interface Found<T> {
  readonly item: T;
  readonly subaddress: SubaddressIndex;
  readonly names: AddressNames;
}

const NO_NAMES: AddressNames = { label: '', reference: '' };

/**
 * Number of rows per page. A page in which no payment is in the range takes little time, since its addresses are not
 * derived.
 */
const PAGE_ROWS = 128;

/** Exports all payments of a period: mined ones by height, then those that are not mined. */
export class PaymentExport {
  readonly #context: Context;
  readonly #rows: HistoryRows;
  readonly #filter: ExportFilter;

  private constructor(context: Context, filter: ExportFilter) {
    this.#context = context;
    this.#filter = filter;
    this.#rows = new HistoryRows(context, {
      accounts: { address: (index) => context.addresses.text(index) },
      annotations: { notes: (txHashes) => txHashes.map(() => '') },
    });
  }

  /** Reads payments in pages, from one state of the store; the caller must release the result. */
  static read(context: Context, filter: ExportFilter): Paged<readonly ExportedPayment[]> {
    const reading = new PagedReader(context);
    const release = (): void => reading.release();
    try {
      return { pages: new PaymentExport(context, filter).#pages(reading), release };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** All lists are requested here, before the first page is awaited: then they belong to one state of the store. */
  #pages(reading: PagedReader): AsyncIterable<readonly ExportedPayment[]> {
    const { store } = this.#context;
    const everything: HeightRange = { min: -1, max: Number.MAX_SAFE_INTEGER };
    const received = this.#received(
      reading.pages(everything, {
        rows: PAGE_ROWS,
        divide: (r, range: TxRange, rows) => r.payments.divide(range, rows),
        read: (r, range) => this.#mined(r, range),
      }),
    );
    const sent = reading.pages(everything, {
      rows: PAGE_ROWS,
      divide: (r, range, rows) => r.outgoing.divide(range, rows),
      read: (r, { min, max }) => this.#outgoing(r, ['confirmed'], { minHeight: min, maxHeight: max }),
    });
    const unmined = store.read((r) => ({
      pool: this.#pooled(r),
      own: this.#outgoing(r, ['prepared', 'pending', 'failed']),
    }));
    return this.#inOrder(mergePages(received, sent, isBefore), unmined);
  }

  async *#inOrder(
    mined: AsyncIterable<readonly ExportedPayment[]>,
    { pool, own }: { readonly pool: readonly Found<PoolTx>[]; readonly own: readonly ExportedPayment[] },
  ): AsyncGenerator<readonly ExportedPayment[]> {
    yield* mined;
    for await (const incoming of this.#shown(singlePage(pool), (tx) => this.#rows.pooled(tx))) {
      const rest = [...incoming, ...own].sort((a, b) => a.time - b.time);
      if (rest.length > 0) yield rest;
    }
  }

  #received(pages: AsyncIterable<readonly Found<Payment>[]>): AsyncIterable<readonly ExportedPayment[]> {
    return this.#shown(pages, (payment) => [this.#rows.incoming(payment)]);
  }

  /** Derives the addresses of a page, then converts it. */
  async *#shown<T>(
    pages: AsyncIterable<readonly Found<T>[]>,
    show: (item: T) => readonly HistoryEntry[],
  ): AsyncGenerator<readonly ExportedPayment[]> {
    for await (const page of pages) {
      // Yields to the event loop between batches.
      await this.#context.addresses.texts(page.map(({ subaddress }) => subaddress));
      this.#context.assertOpen();
      yield page.flatMap(({ item, names }) => show(item).map((entry) => exported(entry, names)));
    }
  }

  #mined(r: WalletReader, range: TxRange): Found<Payment>[] {
    const { account } = this.#filter;
    return r.payments
      .list(range, account === undefined ? {} : { account })
      .filter(({ tx }) => this.#isInPeriod(tx.timestamp))
      .map((item) => ({ item, subaddress: item.subaddress, names: this.#namesOf(r, item.subaddress) }));
  }

  /** Reads payments in the mempool, divided so that each pays one address. */
  #pooled(r: WalletReader): Found<PoolTx>[] {
    return r.pool
      .list(this.#filter.account)
      .filter(({ timestamp }) => this.#isInPeriod(timestamp))
      .flatMap((tx) =>
        [...Map.groupBy(tx.outputs, ({ subaddress: { major, minor } }) => `${major}/${minor}`).values()].map(
          (outputs) => ({ ...tx, outputs }),
        ),
      )
      .flatMap((item) => {
        const subaddress = item.outputs[0]?.subaddress;
        return subaddress === undefined ? [] : [{ item, subaddress, names: this.#namesOf(r, subaddress) }];
      });
  }

  #outgoing(
    r: WalletReader,
    states: readonly OutgoingTx['state'][],
    heights: { readonly minHeight?: number; readonly maxHeight?: number } = {},
  ): ExportedPayment[] {
    const { account } = this.#filter;
    return r.outgoing
      .list({ states, ...heights, ...(account === undefined ? {} : { account }) })
      .filter(({ timestamp }) => this.#isInPeriod(timestamp))
      .map((tx) => ({ ...exported(this.#rows.outgoing(tx), NO_NAMES), amount: paidToOthers(r, tx) }));
  }

  #namesOf(r: WalletReader, subaddress: SubaddressIndex): AddressNames {
    if (this.#context.keystore.hidesNotes) return NO_NAMES;
    return {
      label: r.subaddresses.label(subaddress),
      reference: r.requests.identityOf(subaddress)?.reference ?? '',
    };
  }

  #isInPeriod(time: number): boolean {
    return time >= this.#filter.from && time < this.#filter.to;
  }
}

/**
 * Amount that leaves the paying account, without the fee [atomic units]. If inputs from below the restore height are
 * unknown, it is the sum of the recorded recipients.
 */
function paidToOthers(r: WalletReader, tx: OutgoingTx): Amount {
  const { amountIn, change, fee } = r.transferFacts.of(tx);
  const paid = amountIn - change - fee;
  return paid >= 0n ? amount(paid) : sum(tx.destinations.map((to) => to.amount));
}

/** Order of mined payments: by height and transaction hash, incoming ones first. */
const isBefore = (b: ExportedPayment, a: ExportedPayment): boolean =>
  b.height < a.height || (b.height === a.height && compareBytes(b.txHash, a.txHash) < 0);

const STATES: Readonly<Record<HistoryEntry['type'], ExportState>> = {
  ...{ in: 'mined', block: 'mined', out: 'mined' },
  ...{ pool: 'pool', pending: 'pending', failed: 'failed' },
};

function exported(entry: HistoryEntry, names: AddressNames): ExportedPayment {
  const { type, txHash, height, timestamp, fee, address, destinations } = entry;
  const isIncoming = type === 'in' || type === 'block' || type === 'pool';
  return {
    ...{ time: timestamp, height, txHash, amount: entry.amount, destinations, ...names },
    direction: isIncoming ? 'in' : 'out',
    state: STATES[type],
    address: isIncoming ? address : '',
    // The sender paid the fee of an incoming payment.
    fee: isIncoming ? ZERO : fee,
  };
}
