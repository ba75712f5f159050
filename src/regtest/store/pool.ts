import type { Hash, KeyImage } from '../../monero/crypto/types.js';
import { amount, type Amount } from '../../util/amount.js';
import { compareBytes } from '../../util/bytes.js';
import type { SqlDatabase } from '../../util/sql-database.js';
import { toBytes } from './database.js';

/** A transaction in the pool. */
export interface PoolTx {
  readonly hash: Hash;
  readonly blob: Uint8Array;
  readonly weight: number;
  readonly fee: Amount;
  /** Time when the pool received the transaction [Unix s]. */
  readonly receiveTime: number;
  readonly lastRelayedTime: number;
  readonly relayed: boolean;
  readonly doNotRelay: boolean;
  /** True if a block that was removed from the chain had contained the transaction. */
  readonly keptByBlock: boolean;
  readonly doubleSpendSeen: boolean;
  /** Height and hash of the block with the youngest ring member; zero while the inputs are invalid. */
  readonly maxUsedHeight: number;
  readonly maxUsedHash: Hash;
  /** Height and hash of the tip at which the inputs were last found invalid; zero if they were never found invalid. */
  readonly failedHeight: number;
  readonly failedHash: Hash;
}

interface PoolRow {
  readonly hash: Uint8Array;
  readonly blob: Uint8Array;
  readonly weight: bigint;
  readonly fee: bigint;
  readonly receive_time: bigint;
  readonly last_relayed_time: bigint;
  readonly relayed: bigint;
  readonly do_not_relay: bigint;
  readonly kept_by_block: bigint;
  readonly double_spend_seen: bigint;
  readonly max_used_height: bigint;
  readonly max_used_hash: Uint8Array;
  readonly failed_height: bigint;
  readonly failed_hash: Uint8Array;
}

const toPoolTx = (row: PoolRow): PoolTx => ({
  hash: toBytes<'Hash'>(row.hash),
  blob: Uint8Array.from(row.blob),
  weight: Number(row.weight),
  fee: amount(row.fee),
  receiveTime: Number(row.receive_time),
  lastRelayedTime: Number(row.last_relayed_time),
  relayed: row.relayed !== 0n,
  doNotRelay: row.do_not_relay !== 0n,
  keptByBlock: row.kept_by_block !== 0n,
  doubleSpendSeen: row.double_spend_seen !== 0n,
  maxUsedHeight: Number(row.max_used_height),
  maxUsedHash: toBytes<'Hash'>(row.max_used_hash),
  failedHeight: Number(row.failed_height),
  failedHash: toBytes<'Hash'>(row.failed_hash),
});

const flag = (value: boolean): bigint => (value ? 1n : 0n);

/** A key image, and the hash of a pool transaction that spends it. */
export interface PoolSpend {
  readonly keyImage: KeyImage;
  readonly txHash: Hash;
}

/** Compares two hashes, from their last byte to their first. Source: db_lmdb.cpp `compare_hash32`. */
export const compareHashes = (a: Hash, b: Hash): number => compareBytes(a.toReversed(), b.toReversed());

/** SQL order of the pool: highest fee per weight first. Source: tx_pool.h `txCompare`. */
const ORDER = 'ORDER BY fee * 1.0 / weight DESC, receive_time, hash';

/** Tables of the pool transactions and of the key images that they spend. */
export class PoolTable {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  get(hash: Hash): PoolTx | undefined {
    const row = this.#db.bigints.row<PoolRow>('SELECT * FROM pool_tx WHERE hash = ?', hash);
    return row && toPoolTx(row);
  }

  /** Returns all transactions, highest fee per weight first. */
  all(): PoolTx[] {
    return this.#db.bigints.rows<PoolRow>(`SELECT * FROM pool_tx ${ORDER}`).map(toPoolTx);
  }

  /**
   * Returns all transactions in the order of the reference's database: by hash, as {@link compareHashes} orders them.
   */
  byHash(): PoolTx[] {
    return this.all().sort((a, b) => compareHashes(a.hash, b.hash));
  }

  hashes(): Hash[] {
    return this.#db
      .values<Uint8Array>(`SELECT hash FROM pool_tx ${ORDER}`)
      .map((hash) => toBytes<'Hash'>(hash));
  }

  count(): number {
    return this.#db.value<number>('SELECT count(*) FROM pool_tx') ?? 0;
  }

  /** Returns the total weight of all transactions. */
  weight(): number {
    return this.#db.value<number>('SELECT coalesce(sum(weight), 0) FROM pool_tx') ?? 0;
  }

  /** Returns the hashes of the pool transactions that spend a key image. */
  spendersOf(image: KeyImage): Hash[] {
    return this.#db
      .values<Uint8Array>('SELECT tx FROM pool_key_image WHERE image = ?', image)
      .map((hash) => toBytes<'Hash'>(hash));
  }

  spends(): PoolSpend[] {
    return this.#db
      .rows<{ image: Uint8Array; tx: Uint8Array }>('SELECT image, tx FROM pool_key_image ORDER BY image, tx')
      .map(({ image, tx }) => ({ keyImage: toBytes<'KeyImage'>(image), txHash: toBytes<'Hash'>(tx) }));
  }

  /** Inserts or replaces a transaction. */
  put(tx: PoolTx): void {
    this.#db.run(
      `INSERT INTO pool_tx VALUES (@hash, @blob, @weight, @fee, @receive_time, @last_relayed_time, @relayed,
         @do_not_relay, @kept_by_block, @double_spend_seen, @max_used_height, @max_used_hash, @failed_height,
         @failed_hash)
       ON CONFLICT (hash) DO UPDATE SET receive_time = @receive_time, last_relayed_time = @last_relayed_time,
         relayed = @relayed, do_not_relay = @do_not_relay, kept_by_block = @kept_by_block,
         double_spend_seen = @double_spend_seen, max_used_height = @max_used_height,
         max_used_hash = @max_used_hash, failed_height = @failed_height, failed_hash = @failed_hash`,
      {
        hash: tx.hash,
        blob: tx.blob,
        weight: BigInt(tx.weight),
        fee: tx.fee,
        receive_time: BigInt(tx.receiveTime),
        last_relayed_time: BigInt(tx.lastRelayedTime),
        relayed: flag(tx.relayed),
        do_not_relay: flag(tx.doNotRelay),
        kept_by_block: flag(tx.keptByBlock),
        double_spend_seen: flag(tx.doubleSpendSeen),
        max_used_height: BigInt(tx.maxUsedHeight),
        max_used_hash: tx.maxUsedHash,
        failed_height: BigInt(tx.failedHeight),
        failed_hash: tx.failedHash,
      },
    );
  }

  addSpend({ keyImage, txHash }: PoolSpend): void {
    this.#db.run('INSERT OR IGNORE INTO pool_key_image VALUES (?, ?)', keyImage, txHash);
  }

  /** Removes a transaction and its key images. */
  remove(hash: Hash): void {
    this.#db.run('DELETE FROM pool_tx WHERE hash = ?', hash);
  }
}
