import type { Hash } from '../crypto/types.js';
import { DIFFICULTY_TARGET_SECONDS, MAX_BLOCK_NUMBER } from '../cryptonote/constants.js';
import type { SubaddressIndex } from '../cryptonote/types.js';
import type { PaymentFilter } from '../store/payments.js';
import type { HeightRange } from '../store/height-pages.js';
import type { IncomingFilter } from '../store/incoming.js';
import { amount, sum, type Amount } from '../util/amount.js';
import { equalBytes } from '../util/bytes.js';
import type { RowShape } from '../util/row-shape.js';
import { WalletError } from '../wallet/fault.js';
import type { Destination, IncomingField, OutgoingTx, Payment, PoolTx } from '../wallet/records.js';
import { isUnlocked } from '../wallet/unlock.js';
import { PagedReading } from './paged-reading.js';
import type { WalletSession } from './wallet-session.js';

export type HistoryType = 'in' | 'out' | 'pending' | 'failed' | 'pool' | 'block';

/** One row of the history, whatever list it stands in. */
export interface HistoryEntry {
  readonly type: HistoryType;
  readonly txHash: Hash;
  /** 8 or 32 bytes. */
  readonly paymentId?: Uint8Array;
  /** 0 while unconfirmed. */
  readonly height: number;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly amount: Amount;
  /** Incoming: one an output. */
  readonly amounts: readonly Amount[];
  readonly fee: Amount;
  readonly change?: Amount;
  readonly note: string;
  readonly unlockTime: bigint;
  readonly subaddress: SubaddressIndex;
  /** Where it was received, or which addresses it was paid from. */
  readonly subaddresses: readonly SubaddressIndex[];
  readonly address: string;
  readonly destinations: readonly Destination[];
  readonly doubleSpendSeen: boolean;
  readonly confirmations: number;
  readonly suggestedConfirmationsThreshold: number;
  readonly locked: boolean;
}

export interface HistoryFilter {
  /** Exclusive. */
  readonly minHeight: number;
  /** Inclusive. */
  readonly maxHeight: number;
  /** Absent: every account. */
  readonly account?: number;
  /** Absent or empty: every address of the account. */
  readonly minors?: readonly number[];
}

/** Which addresses. */
type HistoryPlace = Pick<PaymentFilter, 'account' | 'minors'>;

export type HistoryList = 'in' | 'out' | 'pending' | 'failed' | 'pool';

/** An incoming payment as the payment methods show it. */
export interface PaymentView {
  readonly payment: Payment;
  readonly address: string;
  readonly locked: boolean;
}

export type IncomingKind = 'all' | 'available' | 'unavailable';

/** Pages of a long answer. */
export interface Paged<Page> {
  readonly pages: AsyncIterable<Page>;
  /** To be called once no more of them are wanted. */
  release(): void;
}

/** All of them as they were when they were asked for. */
export interface HistoryLists {
  readonly lists: Partial<Record<HistoryList, AsyncIterable<readonly HistoryEntry[]>>>;
  /** To be called once no more of them are wanted. */
  release(): void;
}

/** Answers what came in and what went out, all of it from the same rows as the balance. */
export class History {
  readonly #session: WalletSession;

  constructor(session: WalletSession) {
    this.#session = session;
  }

  list(lists: ReadonlySet<HistoryList>, filter: HistoryFilter): HistoryLists {
    const { account, minors } = filter;
    const place = { ...(account === undefined ? {} : { account }), ...(minors?.length ? { minors } : {}) };
    const range = { min: filter.minHeight, max: filter.maxHeight };
    const at = this.#view();
    const open = (states: readonly OutgoingTx['state'][]) =>
      once(
        this.#session.file.read((r) =>
          r.outgoing.list({ states, ...place }).map((tx) => this.#outgoing(tx, at)),
        ),
      );
    const reading = new PagedReading(this.#session);
    const release = (): void => reading.release();
    try {
      return {
        lists: {
          ...(lists.has('in') ? { in: this.#received(reading, range, place, at) } : {}),
          ...(lists.has('out') ? { out: this.#sent(reading, range, place, at) } : {}),
          ...(lists.has('pending') ? { pending: open(['prepared', 'pending']) } : {}),
          ...(lists.has('failed') ? { failed: open(['failed']) } : {}),
          ...(lists.has('pool') ? { pool: once(this.#inPool(account, minors, at)) } : {}),
        },
        release,
      };
    } catch (error) {
      release();
      throw error;
    }
  }

  /**
   * {@link list} of the newest mined transactions only, about so many, whole blocks in any case.
   * @param limit at least 1.
   * @returns the lists, and the `maxHeight` of the next page while there is one.
   */
  page(
    lists: ReadonlySet<HistoryList>,
    filter: HistoryFilter,
    limit: number,
  ): HistoryLists & { readonly next?: number } {
    const range = { min: filter.minHeight, max: filter.maxHeight };
    const next = this.#session.file.read((r) => r.transferPages.below(range, limit));
    if (next === undefined) return this.list(lists, filter);
    return { ...this.list(lists, { ...filter, minHeight: next }), next };
  }

  /** Every row of one transaction in one account, incoming first. @throws WalletError `wrong_tx_hash` */
  byTransaction(txHash: Hash, account: number): HistoryEntry[] {
    this.#session.accounts.assertAccount(account);
    const at = this.#view();
    const rows = this.#session.file.read((r) => {
      const outgoing = r.outgoing.byHash(txHash);
      return [
        ...r.payments
          .byTx(txHash)
          .filter(({ subaddress }) => subaddress.major === account)
          .map((payment) => this.#incoming(payment, at)),
        ...(outgoing?.account === account ? [this.#outgoing(outgoing, at)] : []),
        ...r.pool
          .list(account)
          .filter((tx) => equalBytes(tx.txHash, txHash))
          .flatMap((tx) => this.#pooled(tx, at)),
      ];
    });
    if (rows.length === 0) throw new WalletError({ kind: 'wrong_tx_hash', reason: 'Transaction not found.' });
    return rows;
  }

  /** Incoming payments with a payment id, in height order. @param minHeight exclusive. */
  payments(paymentId: Uint8Array, minHeight = -1): PaymentView[] {
    const payments = this.#session.file.read((r) => r.payments.byPaymentId(paymentId, minHeight));
    this.#session.accounts.prepare(payments.map(({ subaddress }) => subaddress));
    return this.#shown(payments, this.#view());
  }

  /** All incoming payments. @param minHeight exclusive. */
  allPayments(minHeight: number): Paged<readonly PaymentView[]> {
    const at = this.#view();
    const reading = new PagedReading(this.#session);
    const pages = this.#payments(reading, { min: minHeight, max: Number.MAX_SAFE_INTEGER }, {});
    const shown = async function* (show: (payments: readonly Payment[]) => PaymentView[]) {
      for await (const page of pages) yield show(page);
    };
    return { pages: shown((payments) => this.#shown(payments, at)), release: () => reading.release() };
  }

  /** Outputs received by an account, as JSON of the given shape. */
  incoming(
    kind: IncomingKind,
    account: number,
    minors: readonly number[],
    shape: RowShape<IncomingField>,
  ): Paged<Uint8Array | undefined> {
    const reading = new PagedReading(this.#session);
    const filter: IncomingFilter = {
      account,
      ...(minors.length === 0 ? {} : { minors }),
      ...(kind === 'all' ? {} : { spent: kind === 'unavailable' }),
      chainHeight: this.#session.height(),
      now: this.#session.now(),
    };
    const told = this.#session.file.read((r) => r.incoming.toldRows(shape, filter));
    const found = reading.pages(
      { min: -1, max: Number.MAX_SAFE_INTEGER },
      {
        end: (r, range, rows) => r.incoming.pageEnd(range, rows),
        read: (r, range) => r.incoming.rows(shape, filter, range),
      },
    );
    const both = async function* (): AsyncGenerator<Uint8Array | undefined> {
      yield* found;
      yield told;
    };
    return { pages: both(), release: () => reading.release() };
  }

  #payments(
    reading: PagedReading,
    range: HeightRange,
    place: HistoryPlace,
  ): AsyncIterable<readonly Payment[]> {
    const session = this.#session;
    const pages = reading.pages(range, {
      end: (r, heights, rows) => r.payments.pageEnd(heights, rows),
      read: (r, { min, max }) => r.payments.list({ minHeight: min, maxHeight: max, ...place }),
    });
    return (async function* () {
      for await (const page of pages) {
        // Many that were never shown take their time.
        await session.accounts.addresses(page.map(({ subaddress }) => subaddress));
        session.assertOpen();
        yield page;
      }
    })();
  }

  #received(
    reading: PagedReading,
    range: HeightRange,
    place: HistoryPlace,
    at: ChainView,
  ): AsyncIterable<readonly HistoryEntry[]> {
    const pages = this.#payments(reading, range, place);
    const shown = async function* (show: (payment: Payment) => HistoryEntry) {
      for await (const page of pages) yield page.map(show);
    };
    return shown((payment) => this.#incoming(payment, at));
  }

  #sent(
    reading: PagedReading,
    range: HeightRange,
    place: HistoryPlace,
    at: ChainView,
  ): AsyncIterable<readonly HistoryEntry[]> {
    return reading.pages(range, {
      end: (r, heights, rows) => r.outgoing.pageEnd(heights, rows),
      read: (r, { min, max }) =>
        r.outgoing
          .list({ states: ['confirmed'], minHeight: min, maxHeight: max, ...place })
          .map((tx) => this.#outgoing(tx, at)),
    });
  }

  #inPool(account: number | undefined, minors: readonly number[] | undefined, at: ChainView): HistoryEntry[] {
    return this.#session.file.read((r) => r.pool.list(account, minors)).flatMap((tx) => this.#pooled(tx, at));
  }

  #view(): ChainView {
    const { file, annotations } = this.#session;
    return {
      chainHeight: this.#session.height(),
      now: this.#session.now(),
      reward: this.#session.lastBlockReward(),
      note: file.read((r) => r.notes.areNone()) ? () => '' : (txHash) => annotations.notes([txHash])[0] ?? '',
    };
  }

  #shown(payments: readonly Payment[], at: ChainView): PaymentView[] {
    return payments.map((payment) => ({
      payment,
      address: this.#session.accounts.address(payment.subaddress),
      locked: isLocked(payment.tx.unlockTime, payment.tx.height, at),
    }));
  }

  #incoming({ tx, subaddress, amount: total, amounts }: Payment, at: ChainView): HistoryEntry {
    return {
      type: tx.coinbase ? 'block' : 'in',
      txHash: tx.txHash,
      ...(tx.paymentId === undefined ? {} : { paymentId: tx.paymentId }),
      height: tx.height,
      timestamp: tx.timestamp,
      amount: total,
      amounts,
      fee: tx.fee,
      unlockTime: tx.unlockTime,
      doubleSpendSeen: false,
      destinations: [],
      ...this.#place(subaddress, [subaddress]),
      ...depth(tx.txHash, tx.height, total, tx.unlockTime, at),
    };
  }

  #outgoing(tx: OutgoingTx, at: ChainView): HistoryEntry {
    const paid = amount(tx.amountIn - tx.change - tx.fee);
    const height = tx.height ?? 0;
    return {
      type: tx.state === 'confirmed' ? 'out' : tx.state === 'failed' ? 'failed' : 'pending',
      txHash: tx.txHash,
      ...(tx.paymentId === undefined ? {} : { paymentId: tx.paymentId }),
      height,
      timestamp: tx.timestamp,
      amount: paid,
      amounts: [],
      fee: tx.fee,
      change: tx.change,
      unlockTime: tx.unlockTime,
      doubleSpendSeen: false,
      destinations: this.#session.keyKeeper.hidesNotes ? [] : tx.destinations,
      ...this.#place(
        { major: tx.account, minor: 0 },
        tx.fromIndices.map((minor) => ({ major: tx.account, minor })),
      ),
      ...depth(tx.txHash, height, paid, tx.unlockTime, at),
      locked: tx.state !== 'confirmed' || isLocked(tx.unlockTime, height, at),
    };
  }

  /** One row an address, as once mined. */
  #pooled(tx: PoolTx, at: ChainView): HistoryEntry[] {
    const byAddress = new Map<string, { readonly subaddress: SubaddressIndex; readonly amounts: Amount[] }>();
    for (const { subaddress, amount: value } of tx.outputs) {
      const key = `${subaddress.major}/${subaddress.minor}`;
      const row = byAddress.get(key) ?? { subaddress, amounts: [] };
      row.amounts.push(value);
      byAddress.set(key, row);
    }
    return [...byAddress.values()].map(({ subaddress, amounts }) => {
      const total = sum(amounts);
      return {
        type: 'pool',
        txHash: tx.txHash,
        ...(tx.paymentId === undefined ? {} : { paymentId: tx.paymentId }),
        height: 0,
        timestamp: tx.timestamp,
        amount: total,
        amounts,
        fee: tx.fee,
        unlockTime: tx.unlockTime,
        doubleSpendSeen: tx.doubleSpendSeen,
        destinations: [],
        ...this.#place(subaddress, [subaddress]),
        ...depth(tx.txHash, 0, total, tx.unlockTime, at),
        locked: true,
      };
    });
  }

  #place(
    subaddress: SubaddressIndex,
    subaddresses: readonly SubaddressIndex[],
  ): Pick<HistoryEntry, 'subaddress' | 'subaddresses' | 'address'> {
    return { subaddress, subaddresses, address: this.#session.accounts.address(subaddress) };
  }
}

async function* once<T>(page: T): AsyncGenerator<T> {
  yield await Promise.resolve(page);
}

/** What an answer is seen from, the same for all its rows. */
interface ChainView {
  readonly chainHeight: number;
  /** Unix seconds. */
  readonly now: number;
  /** What the miner of the last block got. */
  readonly reward: Amount;
  /** Empty where there is none. */
  readonly note: (txHash: Hash) => string;
}

/** Source: wallet_rpc_server.cpp `set_confirmations`. */
function depth(
  txHash: Hash,
  height: number,
  value: Amount,
  unlockTime: bigint,
  at: ChainView,
): Pick<HistoryEntry, 'note' | 'confirmations' | 'suggestedConfirmationsThreshold' | 'locked'> {
  const { chainHeight, reward, note } = at;
  const byValue = reward === 0n ? 0 : Number((value + reward - 1n) / reward);
  return {
    note: note(txHash),
    confirmations: height === 0 || height >= chainHeight ? 0 : chainHeight - height,
    suggestedConfirmationsThreshold: Math.max(byValue, blocksUntil(unlockTime, at)),
    locked: isLocked(unlockTime, height, at),
  };
}

function blocksUntil(unlockTime: bigint, { chainHeight, now }: ChainView): number {
  const until = Number(unlockTime);
  if (unlockTime < BigInt(MAX_BLOCK_NUMBER)) return Math.max(0, until - chainHeight);
  return Math.max(0, Math.ceil((until - now) / DIFFICULTY_TARGET_SECONDS));
}

const isLocked = (unlockTime: bigint, height: number, { chainHeight, now }: ChainView): boolean =>
  !isUnlocked({ unlockTime, height }, chainHeight, now);
