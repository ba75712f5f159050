import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import type { KeyImage, PublicKey } from '../../monero/crypto/types.js';
import type { FoundTx } from '../../monero/wallet/scan/findings.js';
import type { Amount } from '../../util/amount.js';
import { toHex } from '../../util/bytes.js';
import type { SqlDatabase } from '../../util/sql-database.js';
import { toAmount, toBytes, toNumber, type Integer } from './columns.js';

/** An output as the store has it. */
export interface HeldOutput {
  readonly outputIndex: number;
  readonly publicKey: PublicKey;
  readonly amount: Amount;
  readonly subaddress: SubaddressIndex;
}

/** Everything that the store takes from one transaction in a block. */
export interface HeldTx extends FoundTx {
  /** Facts of a transaction that has paid the wallet. */
  readonly receipt?: { readonly unlockTime: bigint; readonly paymentId?: Uint8Array };
  readonly outputs: readonly HeldOutput[];
  /** Key images of the outputs that the transaction spends, as far as they are known. */
  readonly spent: readonly KeyImage[];
}

interface OutputRow {
  readonly tx_hash: Uint8Array;
  readonly output_index: Integer;
  readonly public_key: Uint8Array;
  readonly amount: Integer;
  readonly account: Integer;
  readonly minor: Integer;
}

type ReceiptRow = readonly [txHash: Uint8Array, unlockTime: string, paymentId: Uint8Array | null];
type SpendRow = readonly [txHash: Uint8Array, keyImage: Uint8Array | null];

/** Outputs and spends of a transaction, to which further ones are added. */
interface Lists {
  readonly outputs: HeldOutput[];
  readonly spent: KeyImage[];
}

/**
 * Tables of rows that come from blocks, and the columns with the heights of these blocks; the table of the blocks
 * themselves is left out.
 */
export const FOUND_IN_BLOCKS = [
  ['owned_output', 'height'],
  ['owned_output', 'spent_height'],
  ['received_tx', 'height'],
  ['outgoing_tx', 'height'],
  ['possible_spend', 'height'],
] as const;

/** SQL that returns the greatest heights of rows below a height, descending. Spends of unknown height have the height 0. */
const NEXT_HEIGHTS = `${FOUND_IN_BLOCKS.map(
  ([table, height]) =>
    `SELECT * FROM (SELECT DISTINCT ${height} AS height FROM ${table}
       WHERE ${height} > 0 AND ${height} < :below ORDER BY ${height} DESC LIMIT :most)`,
).join(' UNION ')} ORDER BY height DESC LIMIT :most`;

/** SQL that returns the spending transactions of a block, with the key image of each output that they spend. */
const SPENDS = `SELECT spent_by, key_image FROM owned_output WHERE spent_height = :height AND spent_by <> zeroblob(32)
  UNION ALL SELECT tx_hash, NULL FROM outgoing_tx WHERE height = :height
  UNION ALL SELECT tx_hash, NULL FROM possible_spend WHERE height = :height`;

/**
 * Reads which blocks an earlier version has read without a proof. These are the blocks below a height, which falls while
 * they are proven and when they are read again.
 */
export class UnprovenBlockReader {
  protected readonly db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.db = db;
  }

  /** Returns the height below which blocks are unproven; undefined if all are proven. */
  below(): number | undefined {
    const below = this.db.value<string>("SELECT value FROM meta WHERE key = 'unproven_below'");
    return below === undefined ? undefined : Number(below);
  }

  /** Returns the greatest heights of unproven blocks from which the store has rows, descending. @param most length. */
  next(most: number): number[] {
    return this.db.values<number>(NEXT_HEIGHTS, { below: this.below() ?? 0, most });
  }

  /** Returns what the store takes from the block at a height. */
  held(height: number): HeldTx[] {
    const held = new Map<string, Omit<HeldTx, 'outputs' | 'spent'> & Lists>();
    const txOf = (hash: Uint8Array, receipt: Pick<HeldTx, 'receipt'> = {}): Lists => {
      const name = toHex(hash);
      const tx = held.get(name) ?? {
        ...{ txHash: toBytes<'Hash'>(hash), height, ...receipt },
        ...{ outputs: [], spent: [] },
      };
      held.set(name, tx);
      return tx;
    };
    const receipts = this.db.arrays.rows<ReceiptRow>(
      'SELECT tx_hash, unlock_time, payment_id FROM received_tx WHERE height = ?',
      height,
    );
    for (const [hash, unlockTime, id] of receipts) {
      const paymentId = id === null ? {} : { paymentId: Uint8Array.from(id) };
      txOf(hash, { receipt: { unlockTime: BigInt(unlockTime), ...paymentId } });
    }
    const outputs = this.db.bigints.rows<OutputRow>(
      'SELECT tx_hash, output_index, public_key, amount, account, minor FROM owned_output WHERE height = ?',
      height,
    );
    for (const row of outputs)
      txOf(row.tx_hash).outputs.push({
        outputIndex: toNumber(row.output_index),
        publicKey: toBytes<'PublicKey'>(row.public_key),
        amount: toAmount(row.amount),
        subaddress: { major: toNumber(row.account), minor: toNumber(row.minor) },
      });
    for (const [hash, keyImage] of this.db.arrays.rows<SpendRow>(SPENDS, { height })) {
      const { spent } = txOf(hash);
      if (keyImage !== null) spent.push(toBytes<'KeyImage'>(keyImage));
    }
    return [...held.values()];
  }
}

/** Lowers the height below which blocks are unproven. As every writer, it exists only for the task of `WalletStore.write`. */
export class UnprovenBlockWriter extends UnprovenBlockReader {
  /** Records that the blocks from a height on are proven, or that the wallet does not hold them any more. */
  lower(height: number): void {
    const below = this.below();
    if (below === undefined || below <= height) return;
    if (height <= 1) this.db.run("DELETE FROM meta WHERE key = 'unproven_below'");
    else this.db.run("UPDATE meta SET value = ? WHERE key = 'unproven_below'", String(height));
  }
}
