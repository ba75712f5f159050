import type { Statement } from 'better-sqlite3';
import type { Hash } from '../crypto/types.js';
import type { PoolTx } from '../wallet/records.js';
import { fromFlag, toAmount, toBytes, toColumn, toFlag, toNumber, type Integer } from './columns.js';
import type { Db } from './database.js';

interface PoolRow {
  readonly tx_hash: Uint8Array;
  readonly timestamp: Integer;
  readonly unlock_time: string;
  readonly fee: Integer;
  readonly payment_id: Uint8Array | null;
  readonly double_spend_seen: Integer;
  readonly output_index: Integer;
  readonly amount: Integer;
  readonly account: Integer;
  readonly minor: Integer;
}

export class PoolReader {
  protected readonly db: Db;
  readonly #list: Statement<[], PoolRow>;
  readonly #has: Statement<[Uint8Array], { found: number }>;

  constructor(db: Db) {
    this.db = db;
    this.#list = db
      .prepare<[], PoolRow>(
        'SELECT * FROM pool_tx JOIN pool_output USING (tx_hash) ORDER BY timestamp, tx_hash, output_index',
      )
      .safeIntegers();
    this.#has = db.prepare('SELECT 1 AS found FROM pool_tx WHERE tx_hash = ?');
  }

  has(txHash: Hash): boolean {
    return this.#has.get(txHash) !== undefined;
  }

  /** @param account absent: every account. @param minors absent or empty: every address. */
  list(account?: number, minors?: readonly number[]): PoolTx[] {
    const txs = new Map<string, PoolTx & { outputs: PoolTx['outputs'][number][] }>();
    for (const row of this.#list.all()) {
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
      tx.outputs.push({ outputIndex: toNumber(row.output_index), amount: toAmount(row.amount), subaddress });
      txs.set(key, tx);
    }
    return [...txs.values()];
  }
}

export class PoolWriter extends PoolReader {
  readonly #remove: Statement<[Uint8Array]>;

  constructor(db: Db) {
    super(db);
    this.#remove = db.prepare('DELETE FROM pool_tx WHERE tx_hash = ?');
  }

  add(tx: PoolTx): void {
    this.remove(tx.txHash);
    this.db
      .prepare(
        'INSERT INTO pool_tx (tx_hash, timestamp, unlock_time, fee, payment_id, double_spend_seen) VALUES (?, ?, ?, ?, ?, ?)',
      )
      .run(
        tx.txHash,
        tx.timestamp,
        tx.unlockTime.toString(),
        toColumn(tx.fee),
        tx.paymentId ?? null,
        fromFlag(tx.doubleSpendSeen),
      );
    const insert = this.db.prepare(
      'INSERT INTO pool_output (tx_hash, output_index, amount, account, minor) VALUES (?, ?, ?, ?, ?)',
    );
    for (const { outputIndex, amount, subaddress } of tx.outputs)
      insert.run(tx.txHash, outputIndex, toColumn(amount), subaddress.major, subaddress.minor);
  }

  remove(txHash: Hash): void {
    this.#remove.run(txHash);
  }

  clear(): void {
    this.db.prepare('DELETE FROM pool_tx').run();
  }
}
