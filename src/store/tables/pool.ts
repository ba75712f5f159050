import type { Hash } from '../../monero/crypto/types.js';
import type { PoolOutput, PoolTx } from '../../monero/wallet/scan/findings.js';
import { creditOf, type EffectiveOutput } from '../../monero/wallet/scan/reused-keys.js';
import {
  fromFlag,
  toAmount,
  toBytes,
  toColumn,
  toFlag,
  toNumber,
  type Integer,
  keyEquals,
} from './columns.js';
import type { SqlDatabase } from '../../util/sql-database.js';
import { ArrivalReader } from './arrivals.js';
import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import { amount, ZERO, type Amount } from '../../util/amount.js';
import { toHex } from '../../util/bytes.js';

interface PoolRow {
  readonly tx_hash: Uint8Array;
  readonly timestamp: Integer;
  readonly unlock_time: string;
  readonly fee: Integer;
  readonly payment_id: Uint8Array | null;
  readonly double_spend_seen: Integer;
  readonly output_index: Integer;
  readonly public_key: Uint8Array | null;
  readonly amount: Integer;
  readonly account: Integer;
  readonly minor: Integer;
  readonly mined_amount: Integer | null;
  readonly mined_spent: Integer | null;
}

/** A transaction in the table of unmined transactions. */
export interface ListedTx {
  readonly txHash: Hash;
  /**
   * Number of blocks that the wallet must hold before this transaction counts as gone. Absent while the mempool
   * contains the transaction.
   */
  readonly neededHeight?: number;
}

/**
 * Returns the credited amount of an output whose key is reused.
 * @returns an empty object if the full amount is credited.
 */
function creditIn({ amount: value, mined_amount, mined_spent }: PoolRow): Pick<PoolOutput, 'credited'> {
  if (mined_amount === null) return {};
  const spent = mined_spent !== null && toFlag(mined_spent);
  return { credited: creditOf(toAmount(value), { amount: toAmount(mined_amount), spent }) };
}

/**
 * SQL that selects the outputs in the mempool, each with the amount and the spend of the mined output with the same key
 * that is not burnt.
 */
const LIST = `SELECT p.*, o.output_index, o.public_key, o.amount, o.account, o.minor, m.amount AS mined_amount,
    m.spent_by IS NOT NULL AS mined_spent
  FROM pool_tx p JOIN pool_output o USING (tx_hash)
  LEFT JOIN owned_output m ON ${keyEquals('m.public_key', 'o.public_key')} AND m.burnt = 0
  WHERE p.tx_hash = coalesce(?, p.tx_hash)
  ORDER BY p.timestamp, p.tx_hash, o.output_index`;

/** Reads the transactions of the mempool that concern the wallet. */
export class PoolReader {
  protected readonly db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.db = db;
  }

  has(txHash: Hash): boolean {
    return this.db.row('SELECT 1 FROM pool_tx WHERE tx_hash = ?', txHash) !== undefined;
  }

  /** Returns the hashes of all listed transactions. */
  hashes(): Hash[] {
    return this.listed().map(({ txHash }) => txHash);
  }

  /** Returns all listed transactions. */
  listed(): ListedTx[] {
    return this.db.arrays
      .rows<[txHash: Uint8Array, neededHeight: number | null]>('SELECT tx_hash, needed_height FROM pool_tx')
      .map(([txHash, neededHeight]) => ({
        txHash: toBytes<'Hash'>(txHash),
        ...(neededHeight === null ? {} : { neededHeight }),
      }));
  }

  /** Returns true if a listed transaction pays the wallet a credited amount. */
  isIncome(txHash: Hash): boolean {
    return this.db.bigints.rows<PoolRow>(LIST, txHash).some((row) => creditIn(row).credited !== 0n);
  }

  /** Returns listed payments. @param account absent: every account. @param minors absent or empty: every address. */
  list(account?: number, minors?: readonly number[]): PoolTx[] {
    const txs = new Map<string, PoolTx & { outputs: PoolTx['outputs'][number][] }>();
    for (const row of this.db.bigints.rows<PoolRow>(LIST, null)) {
      const subaddress = { major: toNumber(row.account), minor: toNumber(row.minor) };
      if (account !== undefined && subaddress.major !== account) continue;
      if (account !== undefined && minors?.length && !minors.includes(subaddress.minor)) continue;
      const key = Buffer.from(row.tx_hash).toString('hex');
      const tx = txs.get(key) ?? {
        txHash: toBytes<'Hash'>(row.tx_hash),
        timestamp: toNumber(row.timestamp),
        unlockTime: BigInt(row.unlock_time),
        fee: toAmount(row.fee),
        ...(row.payment_id === null ? {} : { paymentId: Uint8Array.from(row.payment_id) }),
        doubleSpendSeen: toFlag(row.double_spend_seen),
        outputs: [],
      };
      tx.outputs.push({
        outputIndex: toNumber(row.output_index),
        ...(row.public_key === null ? {} : { publicKey: toBytes<'PublicKey'>(row.public_key) }),
        amount: toAmount(row.amount),
        ...creditIn(row),
        subaddress,
      });
      txs.set(key, tx);
    }
    return [...txs.values()];
  }
}

export class PoolWriter extends PoolReader {
  readonly #arrivals: ArrivalReader;

  constructor(db: SqlDatabase) {
    super(db);
    this.#arrivals = new ArrivalReader(db);
  }

  /** Adds a transaction, or replaces it. A replaced transaction keeps the time of its first sight. */
  add(tx: PoolTx): void {
    this.remove(tx.txHash);
    this.db.run(
      'INSERT INTO pool_tx (tx_hash, timestamp, unlock_time, fee, payment_id, double_spend_seen) VALUES (?, ?, ?, ?, ?, ?)',
      tx.txHash,
      this.#arrivals.firstSight(tx.txHash) ?? tx.timestamp,
      tx.unlockTime.toString(),
      toColumn(tx.fee),
      tx.paymentId ?? null,
      fromFlag(tx.doubleSpendSeen),
    );
    for (const { outputIndex, publicKey, amount, subaddress } of tx.outputs)
      this.db.run(
        'INSERT INTO pool_output (tx_hash, output_index, public_key, amount, account, minor) VALUES (?, ?, ?, ?, ?, ?)',
        tx.txHash,
        outputIndex,
        publicKey ?? null,
        toColumn(amount),
        subaddress.major,
        subaddress.minor,
      );
  }

  /**
   * Records whether the mempool contains a transaction.
   * @param neededHeight see {@link ListedTx.neededHeight}; undefined: the mempool contains it.
   */
  setMissing(txHash: Hash, neededHeight: number | undefined): void {
    this.db.run('UPDATE pool_tx SET needed_height = ? WHERE tx_hash = ?', neededHeight ?? null, txHash);
  }

  remove(txHash: Hash): void {
    this.db.run('DELETE FROM pool_tx WHERE tx_hash = ?', txHash);
  }

  clear(): void {
    this.db.run('DELETE FROM pool_tx');
  }
}

interface OutputRow {
  readonly tx_hash: Uint8Array;
  readonly public_key: Uint8Array | null;
  readonly amount: Integer;
  /** Credited amount of the whole payment in its last event. */
  readonly reported: Integer;
  /** True if the transaction of the payment is in the mempool. */
  readonly listed: Integer;
  readonly mined_amount: Integer | null;
  readonly mined_spent: Integer;
}

/**
 * Credited amounts of unmined payments to one address. Of several outputs with one key, mined or not, only one can be
 * spent: together they count as much as the largest one. A payment whose transaction is not in the mempool, because a
 * rescan has not read the mempool yet or because the mempool lacks the transaction, counts no more than its event has
 * reported.
 */
export class PoolCredits {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  /** Returns the credited amounts of the unmined transactions that pay an address, by their hash [hex]. */
  of({ major, minor }: SubaddressIndex): ReadonlyMap<string, Amount> {
    const credits = new Map<string, Amount>();
    const effective = new Map<string, EffectiveOutput>();
    const outputs = this.#db.bigints.rows<OutputRow>(
      `SELECT o.tx_hash, o.public_key, o.amount, s.amount AS reported,
         EXISTS (SELECT 1 FROM pool_tx p WHERE p.tx_hash = o.tx_hash) AS listed,
         m.amount AS mined_amount, m.spent_by IS NOT NULL AS mined_spent
       FROM seen_payment s JOIN seen_output o USING (tx_hash, account, minor)
       LEFT JOIN owned_output m ON ${keyEquals('m.public_key', 'o.public_key')} AND m.burnt = 0
       WHERE s.minor = ? AND s.account = ? ORDER BY s.event, o.output_index`,
      minor,
      major,
    );
    for (const row of outputs) {
      const value = toAmount(row.amount);
      const key = row.public_key === null ? undefined : toHex(row.public_key);
      const mined =
        row.mined_amount === null
          ? undefined
          : { amount: toAmount(row.mined_amount), spent: toFlag(row.mined_spent) };
      const credit = creditOf(value, key === undefined ? undefined : (effective.get(key) ?? mined));
      if (key !== undefined && credit > 0n) effective.set(key, { amount: value, spent: false });
      const name = toHex(row.tx_hash);
      const total = (credits.get(name) ?? ZERO) + credit;
      credits.set(name, amount(toFlag(row.listed) || total < row.reported ? total : row.reported));
    }
    return credits;
  }
}
