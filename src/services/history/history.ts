import { unixSeconds } from '../../util/clock.js';
import type { Hash } from '../../monero/crypto/types.js';
import type { HeightRange, TxRange } from '../../store/tables/pages.js';
import type { PaymentPlace, Payment } from '../../store/tables/payments.js';
import type { IncomingFilter, IncomingField } from '../../store/tables/incoming.js';
import { equalBytes } from '../../util/bytes.js';
import type { RowTemplate } from '../../util/json-writer.js';
import { mapPages, singlePage, type Paged } from '../../util/paged.js';
import { WalletError } from '../../model/wallet-error.js';
import type { OutgoingTx } from '../../monero/wallet/build/outgoing-tx.js';
import { HistoryRows, type HistoryEntry, type PaymentView } from './history-rows.js';
import { addressOutputs, addressPayments } from './address-pages.js';
import { divided, PagedReader } from '../context/paged-reader.js';
import type { Accounts } from '../accounts/accounts.js';
import type { Annotations } from '../accounts/notes.js';
import type { WalletContext } from '../context/wallet-context.js';

export type { IncomingField } from '../../store/tables/incoming.js';

type Context = Pick<WalletContext, 'assertOpen' | 'clock' | 'daemon' | 'keystore' | 'store'>;

/** Other services of the wallet that this service calls. */
interface Services {
  readonly accounts: Accounts;
  readonly annotations: Annotations;
}

/** Blocks and addresses whose payments are listed. */
export interface HistoryFilter {
  /** Height below the first listed block (exclusive bound). */
  readonly minHeight: number;
  /** Height of the last listed block (inclusive bound). */
  readonly maxHeight: number;
  /** Account whose payments are listed; absent: all accounts. */
  readonly account?: number;
  /** Minor indices of the listed addresses; absent or empty: all addresses of the account. */
  readonly minors?: readonly number[];
}

export type HistoryList = 'in' | 'out' | 'pending' | 'failed' | 'pool';

/** Outputs to list: all outputs, unspent outputs or spent outputs, as in `incoming_transfers`. */
export type IncomingKind = 'all' | 'available' | 'unavailable';

/** Number of outputs per page of JSON that the store writes: 1 to 2 ms of work. */
const INCOMING_PAGE_ROWS = 1024;

/** Incoming payments, and the texts of their addresses. */
interface PaymentPage {
  readonly payments: readonly Payment[];
  readonly addresses: readonly string[];
}

/** Lists of the history, all from the state of the store at the time of the request. */
export interface HistoryLists {
  readonly lists: Partial<Record<HistoryList, AsyncIterable<readonly HistoryEntry[]>>>;
  /** Frees the snapshot of the store, after which no page can be read. */
  release(): void;
}

/** Lists incoming payments, outgoing payments and outputs, from the same rows as the balance. */
export class History {
  readonly #context: Context;
  readonly #services: Services;

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
  }

  /** Reads the requested lists in pages; the caller must release the result. */
  list(lists: ReadonlySet<HistoryList>, filter: HistoryFilter): HistoryLists {
    const { account, minors } = filter;
    const place = { ...(account === undefined ? {} : { account }), ...(minors?.length ? { minors } : {}) };
    const range = { min: filter.minHeight, max: filter.maxHeight };
    const entries = new HistoryRows(this.#context, this.#services);
    const unconfirmed = (states: readonly OutgoingTx['state'][]) =>
      singlePage(
        this.#context.store.read((r) =>
          r.outgoing.list({ states, ...place }).map((tx) => entries.outgoing(tx)),
        ),
      );
    const reading = new PagedReader(this.#context);
    const release = (): void => reading.release();
    const noted = this.#noted();
    try {
      return {
        lists: {
          ...(lists.has('in') ? { in: noted(this.#received(reading, range, place, entries)) } : {}),
          ...(lists.has('out') ? { out: noted(this.#sent(reading, range, place, entries)) } : {}),
          ...(lists.has('pending') ? { pending: noted(unconfirmed(['prepared', 'pending'])) } : {}),
          ...(lists.has('failed') ? { failed: noted(unconfirmed(['failed'])) } : {}),
          ...(lists.has('pool') ? { pool: noted(singlePage(this.#inPool(account, minors, entries))) } : {}),
        },
        release,
      };
    } catch (error) {
      release();
      throw error;
    }
  }

  /**
   * Lists the newest mined transactions as {@link list}, in whole blocks.
   * @param limit approximate number of transactions, at least 1.
   * @returns the lists; `next` is the `maxHeight` of the next page, absent at the end.
   */
  page(
    lists: ReadonlySet<HistoryList>,
    filter: HistoryFilter,
    limit: number,
  ): HistoryLists & { readonly next?: number } {
    const range = { min: filter.minHeight, max: filter.maxHeight };
    const next = this.#context.store.read((r) => r.transferFacts.below(range, limit));
    if (next === undefined) return this.list(lists, filter);
    return { ...this.list(lists, { ...filter, minHeight: next }), next };
  }

  /**
   * Returns all rows of one transaction in one account, incoming payments first.
   * @throws WalletError `wrong_tx_hash`
   */
  byTransaction(txHash: Hash, account: number): readonly HistoryEntry[] {
    this.#services.accounts.assertAccount(account);
    const entries = new HistoryRows(this.#context, this.#services);
    const rows = this.#context.store.read((r) => {
      const outgoing = r.outgoing.byHash(txHash);
      return [
        ...r.payments
          .byTx(txHash)
          .filter(({ subaddress }) => subaddress.major === account)
          .map((payment) => entries.incoming(payment)),
        ...(outgoing?.account === account ? [entries.outgoing(outgoing)] : []),
        ...r.pool
          .list(account)
          .filter((tx) => equalBytes(tx.txHash, txHash))
          .flatMap((tx) => entries.pooled(tx)),
      ];
    });
    if (rows.length === 0)
      throw new WalletError({
        kind: 'wrong_tx_hash',
        reason: 'the account has no such transaction',
        text: 'Transaction not found.',
      });
    const [note = ''] = this.#services.annotations.notes([txHash]);
    return rows.map((row) => ({ ...row, note }));
  }

  /**
   * Returns the incoming payments with a payment id, by ascending height.
   * @param minHeight height below the first listed block.
   */
  payments(paymentId: Uint8Array, minHeight = -1): PaymentView[] {
    const payments = this.#context.store.read((r) => r.payments.byPaymentId(paymentId, minHeight));
    this.#services.accounts.prepare(payments.map(({ subaddress }) => subaddress));
    return new HistoryRows(this.#context, this.#services).payments(payments);
  }

  /** Reads all incoming payments in pages. @param minHeight height below the first listed block. */
  allPayments(minHeight: number): Paged<readonly PaymentView[]> {
    const entries = new HistoryRows(this.#context, this.#services);
    const reading = new PagedReader(this.#context);
    const pages = this.#payments(reading, { min: minHeight, max: Number.MAX_SAFE_INTEGER }, {});
    const shown = async function* (show: (page: PaymentPage) => PaymentView[]) {
      for await (const page of pages) yield show(page);
    };
    return {
      pages: shown(({ payments, addresses }) => entries.payments(payments, addresses)),
      release: () => reading.release(),
    };
  }

  /** Reads the outputs that an account received, as JSON rows made from a template. */
  incoming(
    kind: IncomingKind,
    account: number,
    minors: readonly number[],
    template: RowTemplate<IncomingField>,
  ): Paged<Uint8Array | undefined> {
    const reading = new PagedReader(this.#context);
    const listed: IncomingFilter = {
      account,
      ...(kind === 'all' ? {} : { spent: kind === 'unavailable' }),
      chainHeight: this.#context.store.height(),
      now: unixSeconds(this.#context.clock),
    };
    const filter = { ...listed, ...(minors.length === 0 ? {} : { minors }) };
    const imported = this.#context.store.read((r) => r.incoming.importedRows(template, filter));
    const range = { min: -1, max: Number.MAX_SAFE_INTEGER };
    const scanned =
      minors.length > 0
        ? addressOutputs(reading, { account, minors, range }, INCOMING_PAGE_ROWS, (r, numbers) =>
            r.incoming.listedRows(template, listed, numbers),
          )
        : reading.pages(
            range,
            divided(
              (r, heights: HeightRange, rows) => r.incoming.divide(heights, rows),
              (r, heights) => r.incoming.rows(template, listed, heights),
            ),
            INCOMING_PAGE_ROWS,
          );
    const both = async function* (): AsyncGenerator<Uint8Array | undefined> {
      yield* scanned;
      yield imported;
    };
    return { pages: both(), release: () => reading.release() };
  }

  /** Returns a function that adds the notes of the transactions to rows, and divides pages with long notes. */
  #noted(): (pages: AsyncIterable<readonly HistoryEntry[]>) => AsyncIterable<readonly HistoryEntry[]> {
    const { annotations } = this.#services;
    if (this.#context.store.read((r) => r.notes.isEmpty())) return (pages) => pages;
    return async function* (pages) {
      for await (const page of pages)
        yield* mapPages(
          annotations.noted(page, ({ txHash }) => txHash),
          ([row, note]) => (note === '' ? row : { ...row, note }),
        );
    };
  }

  #payments(reading: PagedReader, range: HeightRange, place: PaymentPlace): AsyncIterable<PaymentPage> {
    const { accounts } = this.#services;
    const { assertOpen } = this.#context;
    const { account, minors = [] } = place;
    const pages =
      account !== undefined && minors.length > 0
        ? addressPayments(reading, { account, minors, range })
        : reading.pages(
            range,
            divided(
              (r, txs: TxRange, rows) => r.payments.divide(txs, rows),
              (r, txs) => r.payments.list(txs, place),
            ),
          );
    return (async function* () {
      for await (const page of pages) {
        // Yields to the event loop between batches.
        const addresses = await accounts.addresses(page.map(({ subaddress }) => subaddress));
        assertOpen();
        yield { payments: page, addresses };
      }
    })();
  }

  #received(
    reading: PagedReader,
    range: HeightRange,
    place: PaymentPlace,
    entries: HistoryRows,
  ): AsyncIterable<readonly HistoryEntry[]> {
    const pages = this.#payments(reading, range, place);
    const shown = async function* (show: (page: PaymentPage) => HistoryEntry[]) {
      for await (const page of pages) yield show(page);
    };
    return shown(({ payments, addresses }) =>
      payments.map((payment, i) => entries.incoming(payment, addresses[i])),
    );
  }

  #sent(
    reading: PagedReader,
    range: HeightRange,
    place: PaymentPlace,
    entries: HistoryRows,
  ): AsyncIterable<readonly HistoryEntry[]> {
    return reading.pages(
      range,
      divided(
        (r, heights: HeightRange, rows) => r.outgoing.divide(heights, rows),
        (r, { min, max }) =>
          r.outgoing
            .list({ states: ['confirmed'], minHeight: min, maxHeight: max, ...place })
            .map((tx) => entries.outgoing(tx)),
      ),
    );
  }

  #inPool(
    account: number | undefined,
    minors: readonly number[] | undefined,
    entries: HistoryRows,
  ): HistoryEntry[] {
    return this.#context.store.read((r) => r.pool.list(account, minors)).flatMap((tx) => entries.pooled(tx));
  }
}
