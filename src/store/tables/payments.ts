import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import type { Hash, KeyImage } from '../../monero/crypto/types.js';
import { sum, type Amount } from '../../util/amount.js';
import { chunks, concatBytes, equalBytes } from '../../util/bytes.js';
import type { ReceivedTx } from '../../monero/wallet/scan/findings.js';
import { fromFlag, small, toAmount, toBytes, toColumn, toFlag, toNumber, type Integer } from './columns.js';
import type { SqlDatabase, SqlParameter } from '../../util/sql-database.js';
import {
  divide,
  type Division,
  type HeightRange,
  IN_TX_RANGE,
  txRangeColumns,
  type TxRange,
} from './pages.js';

/** An entry in the history of incoming payments: the outputs that one transaction pays to one address. */
export interface Payment {
  readonly tx: Omit<ReceivedTx, 'size' | 'txPublicKey' | 'additionalPublicKeys' | 'spentKeyImages'>;
  readonly subaddress: SubaddressIndex;
  /** Sum of the amounts that the outputs add to the balance [atomic units]. */
  readonly amount: Amount;
  /** Amounts of the outputs, in the order of the transaction; burnt outputs are left out. */
  readonly amounts: readonly Amount[];
}

interface TxRow {
  readonly tx_hash: Uint8Array;
  readonly height: Integer;
  readonly timestamp: Integer;
  readonly unlock_time: string;
  readonly fee: Integer;
  readonly coinbase: Integer;
  readonly payment_id: Uint8Array | null;
  readonly tx_public_key: Uint8Array;
  readonly additional_keys: Uint8Array;
  readonly size: Integer | null;
}

type OrderRow = readonly [number: number, txHash: Uint8Array];

/** Output of a payment: an array with numbers where possible, because long lists have one for each row. */
type PaymentRow = readonly [
  txHash: Uint8Array,
  height: number,
  timestamp: number,
  unlockTime: string,
  fee: Integer,
  coinbase: number,
  paymentId: Uint8Array | null,
  account: number,
  minor: number,
  amount: Integer,
  credited: Integer | null,
];

/** Places of the columns in a {@link PaymentRow}. */
const AT = {
  txHash: 0,
  height: 1,
  timestamp: 2,
  unlockTime: 3,
  fee: 4,
  coinbase: 5,
  paymentId: 6,
  account: 7,
  minor: 8,
  amount: 9,
  credited: 10,
} as const;

const toUnlockTime = (text: string): bigint => (text === '0' ? 0n : BigInt(text));

function toFacts(row: PaymentRow): Payment['tx'] {
  const paymentId = row[AT.paymentId];
  return {
    txHash: toBytes<'Hash'>(row[AT.txHash]),
    height: row[AT.height],
    timestamp: row[AT.timestamp],
    unlockTime: toUnlockTime(row[AT.unlockTime]),
    fee: toAmount(row[AT.fee]),
    coinbase: row[AT.coinbase] !== 0,
    ...(paymentId === null ? {} : { paymentId: new Uint8Array(paymentId) }),
  };
}

const toTx = (row: TxRow): ReceivedTx => ({
  txHash: toBytes<'Hash'>(row.tx_hash),
  height: toNumber(row.height),
  timestamp: toNumber(row.timestamp),
  unlockTime: toUnlockTime(row.unlock_time),
  fee: toAmount(row.fee),
  coinbase: toFlag(row.coinbase),
  ...(row.payment_id === null ? {} : { paymentId: new Uint8Array(row.payment_id) }),
  txPublicKey: toBytes<'PublicKey'>(row.tx_public_key),
  additionalPublicKeys: chunks(row.additional_keys, 32).map((key) => toBytes<'PublicKey'>(key)),
  ...(row.size === null ? {} : { size: toNumber(row.size) }),
});

const samePayment = (a: PaymentRow, b: PaymentRow): boolean =>
  a[AT.minor] === b[AT.minor] && a[AT.account] === b[AT.account] && equalBytes(a[AT.txHash], b[AT.txHash]);

function toPayment(outputs: readonly [PaymentRow, ...PaymentRow[]]): Payment {
  const [first] = outputs;
  return {
    tx: toFacts(first),
    subaddress: { major: first[AT.account], minor: first[AT.minor] },
    amount: sum(outputs.map((row) => toAmount(row[AT.credited] ?? row[AT.amount]))),
    amounts: outputs.filter((row) => row[AT.credited] !== 0n).map((row) => toAmount(row[AT.amount])),
  };
}

/** Groups consecutive outputs of one transaction to one address into a payment. @param rows one row for each output. */
function group(rows: readonly PaymentRow[]): Payment[] {
  const payments: Payment[] = [];
  let outputs: [PaymentRow, ...PaymentRow[]] | undefined;
  for (const row of rows) {
    if (outputs !== undefined && samePayment(outputs[0], row)) {
      outputs.push(row);
      continue;
    }
    if (outputs !== undefined) payments.push(toPayment(outputs));
    outputs = [row];
  }
  if (outputs !== undefined) payments.push(toPayment(outputs));
  return payments;
}

const COLUMNS = `t.tx_hash, ${small('t.height')}, ${small('t.timestamp')}, t.unlock_time, t.fee, ${small('t.coinbase')},
  t.payment_id, ${small('o.account')}, ${small('o.minor')}, o.amount, o.credited`;
const ORDER = 'ORDER BY t.height, t.tx_hash, o.account, o.minor, o.output_index';

/** Addresses whose payments are listed. */
export interface PaymentPlace {
  /** Index of the account; absent: every account. */
  readonly account?: number;
  /** Minor indices of the addresses; absent: every address. */
  readonly minors?: readonly number[];
}

/**
 * Reads incoming payments: outputs that are not change, grouped by transaction and address. A burnt output is a payment
 * of amount 0, as in the reference. Source: wallet2.cpp `process_new_transaction`.
 */
export class PaymentReader {
  protected readonly db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.db = db;
  }

  /**
   * Returns the lowest height up to which a range contains the given number of received transactions; undefined if the
   * range contains fewer transactions.
   */
  pageEnd(range: HeightRange, transactions: number): number | undefined {
    return divide(this.db, 'received', range, transactions)?.page.max;
  }

  /**
   * Divides a range after approximately the given number of outputs, including change, at a boundary between
   * transactions; undefined if the range has fewer outputs.
   */
  divide(range: TxRange, outputs: number): Division<TxRange> | undefined {
    return divide(this.db, 'payments', range, outputs);
  }

  /** Returns payments ordered by height and transaction hash. */
  list(range: TxRange, { account, minors }: PaymentPlace = {}): Payment[] {
    const txs = txRangeColumns(range);
    const rows =
      account === undefined
        ? this.#select(IN_TX_RANGE, txs)
        : this.#select(`${IN_TX_RANGE} AND o.account = :account`, { ...txs, account });
    const wanted = minors && new Set(minors);
    return group(wanted === undefined ? rows : rows.filter((row) => wanted.has(row[AT.minor])));
  }

  /**
   * Returns the payments of some outputs in the order of {@link list}. @param numbers row numbers of all outputs of
   * these payments; change is left out.
   */
  ofOutputs(numbers: readonly number[]): Payment[] {
    return group(
      this.db.bigintArrays.rows<PaymentRow>(
        `SELECT ${COLUMNS} FROM json_each(?) n CROSS JOIN owned_output o ON o.rowid = n.value
           CROSS JOIN received_tx t USING (tx_hash)
         WHERE o.change = 0 ${ORDER}`,
        JSON.stringify(numbers),
      ),
    );
  }

  /**
   * Sorts outputs by height and transaction hash, and divides them into parts between transactions.
   * @param numbers row numbers of the outputs. @param least least number of outputs in each part except the last part.
   */
  divideOutputs(numbers: readonly number[], least: number): number[][] {
    const parts: number[][] = [];
    let part: number[] = [];
    let last: Uint8Array | undefined;
    const sorted = this.db.arrays.each<OrderRow>(
      `SELECT o.rowid, o.tx_hash FROM json_each(?) n CROSS JOIN owned_output o ON o.rowid = n.value
       ORDER BY o.height, o.tx_hash`,
      JSON.stringify(numbers),
    );
    for (const [number, txHash] of sorted) {
      const isNew = last === undefined || !equalBytes(last, txHash);
      if (isNew && (last === undefined || part.length >= least)) parts.push((part = []));
      part.push(number);
      last = txHash;
    }
    return parts;
  }

  /** Returns true for a mined transaction that has paid the wallet, even if it paid only change. */
  has(txHash: Hash): boolean {
    return this.db.row('SELECT 1 FROM received_tx WHERE tx_hash = ?', txHash) !== undefined;
  }

  /**
   * Returns the hashes of transactions at or above a height that have paid the wallet, even if they paid only change;
   * miner transactions are left out.
   */
  hashesFrom(height: number): Hash[] {
    return this.db
      .values<Uint8Array>('SELECT tx_hash FROM received_tx WHERE height >= ? AND coinbase = 0', height)
      .map((hash) => toBytes<'Hash'>(hash));
  }

  byTx(txHash: Hash): Payment[] {
    return group(this.#select('t.tx_hash = ?', txHash));
  }

  /** Returns the transactions that have paid the wallet and that spend a key image. */
  spending(keyImage: KeyImage): ReceivedTx[] {
    return this.db.bigints
      .rows<TxRow>(
        'SELECT t.* FROM received_tx t JOIN received_input USING (tx_hash) WHERE key_image = ?',
        keyImage,
      )
      .map(toTx);
  }

  /**
   * Returns the transactions above a height that pay a given fee and may spend outputs without a known key image. Such
   * a transaction has paid the wallet, perhaps as change.
   */
  maySpend({ above, fee }: { readonly above: number; readonly fee: Amount }): Hash[] {
    return this.db
      .values<Uint8Array>(
        `SELECT tx_hash FROM received_tx WHERE height > ? AND fee = ? AND coinbase = 0
           AND EXISTS (SELECT 1 FROM received_input i WHERE i.tx_hash = received_tx.tx_hash)`,
        above,
        toColumn(fee),
      )
      .map((hash) => toBytes<'Hash'>(hash));
  }

  /** Returns payments with a payment id. @param minHeight lower bound of the heights, exclusive. */
  byPaymentId(paymentId: Uint8Array, minHeight = -1): Payment[] {
    return group(this.#select('t.payment_id = ? AND t.height > ?', paymentId, minHeight));
  }

  /** Returns one row for each output of the payments that meet an SQL condition. */
  #select(condition: string, ...params: readonly SqlParameter[]): PaymentRow[] {
    return this.db.bigintArrays.rows<PaymentRow>(
      `SELECT ${COLUMNS} FROM received_tx t CROSS JOIN owned_output o USING (tx_hash)
       WHERE o.change = 0 AND ${condition} ${ORDER}`,
      ...params,
    );
  }
}

export class PaymentWriter extends PaymentReader {
  /** Adds a received transaction. @returns false if the transaction is stored already, and nothing changes. */
  add(tx: ReceivedTx): boolean {
    const { changes } = this.db.run(
      `INSERT INTO received_tx (tx_hash, height, timestamp, unlock_time, fee, coinbase, payment_id, tx_public_key,
         additional_keys, size) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (tx_hash) DO NOTHING`,
      tx.txHash,
      tx.height,
      tx.timestamp,
      tx.unlockTime.toString(),
      toColumn(tx.fee),
      fromFlag(tx.coinbase),
      tx.paymentId ?? null,
      tx.txPublicKey,
      concatBytes(...tx.additionalPublicKeys),
      tx.size ?? null,
    );
    if (changes === 0) return false;
    for (const keyImage of tx.spentKeyImages ?? [])
      this.db.run(
        'INSERT INTO received_input (key_image, tx_hash) VALUES (?, ?) ON CONFLICT DO NOTHING',
        keyImage,
        tx.txHash,
      );
    return true;
  }

  /** Deletes a transaction together with its outputs. */
  remove(txHash: Hash): void {
    this.db.run('DELETE FROM received_tx WHERE tx_hash = ?', txHash);
  }

  /** Deletes the transactions in the blocks at the heights from `from` to `to`, both inclusive. */
  detach(from: number, to: number): void {
    this.db.run('DELETE FROM received_tx WHERE height BETWEEN ? AND ?', from, to);
  }
}
