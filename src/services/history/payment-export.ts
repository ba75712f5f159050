import type { Hash } from '../../monero/crypto/types.js';
import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import type { Destination, OutgoingTx } from '../../monero/wallet/build/outgoing-tx.js';
import type { Payment } from '../../store/tables/payments.js';
import type { PoolTx } from '../../monero/wallet/scan/findings.js';
import type { HeightRange, TxRange } from '../../store/tables/pages.js';
import type { WalletReader } from '../../store/wallet-reader.js';
import { amount, sum, ZERO, type Amount } from '../../util/amount.js';
import { compareBytes } from '../../util/bytes.js';
import { mergePages, singlePage, pagesOf, type Paged } from '../../util/paged.js';
import type { WalletContext } from '../context/wallet-context.js';
import { HistoryRows, type HistoryContext, type HistoryEntry } from './history-rows.js';
import { divided, PagedReader } from '../context/paged-reader.js';

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
  /** Time of the block of the payment; for an unmined payment, time at which it was seen or made [Unix s]. */
  readonly time: number;
  /** Height of the block of the payment; 0 while it is not mined. */
  readonly height: number;
  readonly txHash: Hash;
  readonly direction: 'in' | 'out';
  /** Account that was paid, or that paid. */
  readonly account: number;
  readonly state: ExportState;
  /** Receiving address of an incoming payment; empty for an outgoing payment. */
  readonly address: string;
  /** Recorded recipients of an outgoing payment. */
  readonly destinations: readonly Destination[];
  /** Label of the receiving address; empty: no label. */
  readonly label: string;
  /** Reference of the payment request for the receiving address; empty: no reference. */
  readonly reference: string;
  /** Idempotency key of the order that made an outgoing payment; empty: no order. */
  readonly orderKey: string;
  /** Ids of the payouts that an outgoing payment pays. */
  readonly payoutIds: readonly string[];
  /**
   * Amount received; for an outgoing payment, the amount that leaves the paying account without the fee: payments to
   * the account's own addresses return to the account, as change does.
   */
  readonly amount: Amount;
  /** Fee that this wallet paid; 0 for an incoming payment. */
  readonly fee: Amount;
}

/** A payment for which the text of its address is not derived yet. */
interface Found<T> {
  readonly item: T;
  readonly subaddress: SubaddressIndex;
}

/** Texts of an exported payment that its wallet keeps as notes. */
type Names = Pick<ExportedPayment, 'label' | 'reference' | 'orderKey' | 'payoutIds'>;

const UNNAMED: Names = { label: '', reference: '', orderKey: '', payoutIds: [] };

/** A payment whose label, reference and idempotency key are not read yet. */
interface Unnamed {
  readonly payment: Omit<ExportedPayment, keyof Names>;
  /** Receiving address of an incoming payment; absent for an outgoing payment. */
  readonly subaddress?: SubaddressIndex;
}

/**
 * Number of rows per page. A page in which no payment is in the range takes little time, since its addresses are not
 * derived.
 */
const PAGE_ROWS = 128;

/** Exports all payments of a period: mined payments by height, then unmined payments. */
export class PaymentExport {
  readonly #context: Context;
  readonly #rows: HistoryRows;
  readonly #filter: ExportFilter;

  private constructor(context: Context, filter: ExportFilter) {
    this.#context = context;
    this.#filter = filter;
    this.#rows = new HistoryRows(context, {
      accounts: { address: (index) => context.addresses.text(index) },
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

  /** All lists are requested here, before the first page is awaited, so that they belong to one state of the store. */
  #pages(reading: PagedReader): AsyncIterable<readonly ExportedPayment[]> {
    const { store } = this.#context;
    const everything: HeightRange = { min: -1, max: Number.MAX_SAFE_INTEGER };
    const received = this.#shown(
      reading.pages(
        everything,
        divided(
          (r, range: TxRange, rows) => r.payments.divide(range, rows),
          (r, range) => this.#mined(r, range),
        ),
        PAGE_ROWS,
      ),
      (payment) => [this.#rows.incoming(payment)],
    );
    const sent = reading.pages(
      everything,
      divided(
        (r, range: HeightRange, rows) => r.outgoing.divide(range, rows),
        (r, { min, max }) => this.#outgoing(r, ['confirmed'], { minHeight: min, maxHeight: max }),
      ),
      PAGE_ROWS,
    );
    const unmined = store.read((r) => ({
      pool: this.#pooled(r),
      own: this.#outgoing(r, ['prepared', 'pending', 'failed']),
    }));
    return this.#named(reading, this.#inOrder(mergePages(received, sent, isBefore), unmined));
  }

  async *#inOrder(
    mined: AsyncIterable<readonly Unnamed[]>,
    { pool, own }: { readonly pool: readonly Found<PoolTx>[]; readonly own: readonly Unnamed[] },
  ): AsyncGenerator<readonly Unnamed[]> {
    yield* mined;
    for await (const incoming of this.#shown(singlePage(pool), (tx) => this.#rows.pooled(tx))) {
      const rest = [...incoming, ...own].sort((a, b) => a.payment.time - b.payment.time);
      if (rest.length > 0) yield rest;
    }
  }

  /** Derives the addresses of a page, then converts it. */
  async *#shown<T>(
    pages: AsyncIterable<readonly Found<T>[]>,
    show: (item: T) => readonly HistoryEntry[],
  ): AsyncGenerator<readonly Unnamed[]> {
    for await (const page of pages) {
      // Yields to the event loop between batches.
      await this.#context.addresses.texts(page.map(({ subaddress }) => subaddress));
      this.#context.assertOpen();
      yield page.flatMap(({ item, subaddress }) =>
        show(item).map((entry) => ({ payment: exported(entry), subaddress })),
      );
    }
  }

  /** Adds labels, references and idempotency keys, and divides pages with long labels. */
  async *#named(
    reading: PagedReader,
    pages: AsyncIterable<readonly Unnamed[]>,
  ): AsyncGenerator<readonly ExportedPayment[]> {
    const { keystore } = this.#context;
    const bytesOf = (part: readonly Unnamed[]): number =>
      keystore.hidesNotes
        ? 0
        : reading.read((r) =>
            part.reduce(
              (sum, { subaddress }) => sum + (subaddress ? r.subaddresses.labelBytes(subaddress) : 0),
              0,
            ),
          );
    const namesOf = (r: WalletReader, { payment, subaddress }: Unnamed): Names => {
      if (keystore.hidesNotes) return UNNAMED;
      const { txHash } = payment;
      if (subaddress === undefined)
        return {
          ...UNNAMED,
          orderKey: r.orders.keyOf(txHash) ?? '',
          payoutIds: r.payouts.idsPaidBy(txHash),
        };
      const { reference = '' } = r.requests.identityOf(subaddress) ?? {};
      return { ...UNNAMED, label: r.subaddresses.label(subaddress), reference };
    };
    for await (const page of pages)
      for await (const part of pagesOf(page, PAGE_ROWS, bytesOf))
        yield reading.read((r) => part.map((one) => ({ ...one.payment, ...namesOf(r, one) })));
  }

  #mined(r: WalletReader, range: TxRange): Found<Payment>[] {
    const { account } = this.#filter;
    return r.payments
      .list(range, account === undefined ? {} : { account })
      .filter(({ tx }) => this.#isInPeriod(tx.timestamp))
      .map((item) => ({ item, subaddress: item.subaddress }));
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
        return subaddress === undefined ? [] : [{ item, subaddress }];
      });
  }

  #outgoing(
    r: WalletReader,
    states: readonly OutgoingTx['state'][],
    heights: { readonly minHeight?: number; readonly maxHeight?: number } = {},
  ): Unnamed[] {
    const { account } = this.#filter;
    return r.outgoing
      .list({ states, ...heights, ...(account === undefined ? {} : { account }) })
      .filter(({ timestamp }) => this.#isInPeriod(timestamp))
      .map((tx) => ({ payment: { ...exported(this.#rows.outgoing(tx)), amount: paidToOthers(r, tx) } }));
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

/** Order of mined payments: by height and transaction hash, incoming payments first. */
const isBefore = ({ payment: b }: Unnamed, { payment: a }: Unnamed): boolean =>
  b.height < a.height || (b.height === a.height && compareBytes(b.txHash, a.txHash) < 0);

const STATES: Readonly<Record<HistoryEntry['type'], ExportState>> = {
  ...{ in: 'mined', block: 'mined', out: 'mined' },
  ...{ pool: 'pool', pending: 'pending', failed: 'failed' },
};

function exported(entry: HistoryEntry): Unnamed['payment'] {
  const { type, txHash, height, timestamp, fee, address, destinations } = entry;
  const isIncoming = type === 'in' || type === 'block' || type === 'pool';
  return {
    ...{ time: timestamp, height, txHash, amount: entry.amount, destinations },
    direction: isIncoming ? 'in' : 'out',
    account: entry.subaddress.major,
    state: STATES[type],
    address: isIncoming ? address : '',
    // The sender paid the fee of an incoming payment.
    fee: isIncoming ? ZERO : fee,
  };
}
