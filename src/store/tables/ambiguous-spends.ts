import { amount } from '../../util/amount.js';
import type { Hash, KeyImage } from '../../monero/crypto/types.js';
import { chunks, concatBytes, equalBytes } from '../../util/bytes.js';
import type { AmbiguousSpend } from '../../monero/wallet/scan/findings.js';
import { toAmount, toBytes, toColumn, toNumber, type Integer } from './columns.js';
import type { SqlDatabase } from '../../util/sql-database.js';

interface Row {
  readonly tx_hash: Uint8Array;
  readonly height: Integer;
  readonly timestamp: Integer;
  readonly unlock_time: string;
  readonly fee: Integer | null;
  readonly amount_out: string;
  readonly key_images: Uint8Array;
  readonly global_index: Integer | null;
}

const toSpend = (row: Row): AmbiguousSpend => ({
  txHash: toBytes<'Hash'>(row.tx_hash),
  height: toNumber(row.height),
  timestamp: toNumber(row.timestamp),
  unlockTime: BigInt(row.unlock_time),
  ...(row.fee === null ? {} : { fee: toAmount(row.fee) }),
  amountOut: amount(BigInt(row.amount_out)),
  ...(row.global_index === null ? {} : { globalIndex: toNumber(row.global_index) }),
  keyImages: chunks(row.key_images, 32).map((image) => toBytes<'KeyImage'>(image)),
});

/** Reads transactions that may spend outputs without a known key image. */
export class AmbiguousSpendReader {
  protected readonly db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.db = db;
  }

  /** Returns all ambiguous transactions, by ascending height. */
  list(): AmbiguousSpend[] {
    return this.db.bigints.rows<Row>('SELECT * FROM possible_spend ORDER BY height').map(toSpend);
  }
}

export class AmbiguousSpendWriter extends AmbiguousSpendReader {
  /** Adds a transaction. If it is known already, its key images are added to the known key images. */
  add(spend: AmbiguousSpend): void {
    const known = this.db.row<{ readonly key_images: Uint8Array }>(
      'SELECT key_images FROM possible_spend WHERE tx_hash = ?',
      spend.txHash,
    );
    if (known !== undefined) {
      const keyImages = chunks(known.key_images, 32).map((image) => toBytes<'KeyImage'>(image));
      return this.keep(spend.txHash, [
        ...keyImages,
        ...spend.keyImages.filter((image) => !keyImages.some((other) => equalBytes(other, image))),
      ]);
    }
    this.db.run(
      `INSERT INTO possible_spend (tx_hash, height, timestamp, unlock_time, fee, amount_out, key_images,
           global_index) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      spend.txHash,
      spend.height,
      spend.timestamp,
      spend.unlockTime.toString(),
      spend.fee === undefined ? null : toColumn(spend.fee),
      spend.amountOut.toString(),
      concatBytes(...spend.keyImages),
      spend.globalIndex ?? null,
    );
  }

  /** Sets the key images of a transaction; deletes the transaction if there are no key images. */
  keep(txHash: Hash, keyImages: readonly KeyImage[]): void {
    if (keyImages.length === 0) this.db.run('DELETE FROM possible_spend WHERE tx_hash = ?', txHash);
    else
      this.db.run(
        'UPDATE possible_spend SET key_images = ? WHERE tx_hash = ?',
        concatBytes(...keyImages),
        txHash,
      );
  }

  /** Deletes the transactions in the blocks at the heights from `from` to `to`, both inclusive. */
  detach(from: number, to: number): void {
    this.db.run('DELETE FROM possible_spend WHERE height >= ? AND height <= ?', from, to);
  }

  clear(): void {
    this.db.run('DELETE FROM possible_spend');
  }
}
