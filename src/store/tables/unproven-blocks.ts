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
  readonly height: Integer;
  readonly output_index: Integer;
  readonly public_key: Uint8Array;
  readonly amount: Integer;
  readonly account: Integer;
  readonly minor: Integer;
}

type ReceiptRow = readonly [
  txHash: Uint8Array,
  height: number,
  unlockTime: string,
  paymentId: Uint8Array | null,
];
type SpendRow = readonly [txHash: Uint8Array, height: number, keyImage: Uint8Array | null];

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

/** SQL that returns the transactions of a range of heights, with the key image of each output that they spend. */
const SPENDS = `SELECT spent_by, spent_height, key_image FROM owned_output
    WHERE spent_height BETWEEN :from AND :to AND spent_by <> zeroblob(32)
  UNION ALL SELECT tx_hash, height, NULL FROM outgoing_tx WHERE height BETWEEN :from AND :to
  UNION ALL SELECT tx_hash, height, NULL FROM possible_spend WHERE height BETWEEN :from AND :to`;

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

  /** Returns what the store takes from the blocks at the heights from `from` to `to`, both inclusive. */
  held(from: number, to: number): HeldTx[] {
    const held = new Map<string, HeldTx & { outputs: HeldOutput[]; spent: KeyImage[] }>();
    const txOf = (
      hash: Uint8Array,
      height: number,
      receipt?: HeldTx['receipt'],
    ): { outputs: HeldOutput[]; spent: KeyImage[] } => {
      const name = `${height} ${toHex(hash)}`;
      const tx = held.get(name) ?? {
        ...{ txHash: toBytes<'Hash'>(hash), height, outputs: [], spent: [] },
        ...(receipt === undefined ? {} : { receipt }),
      };
      held.set(name, tx);
      return tx;
    };
    for (const [hash, height, unlockTime, paymentId] of this.db.arrays.rows<ReceiptRow>(
      'SELECT tx_hash, height, unlock_time, payment_id FROM received_tx WHERE height BETWEEN ? AND ?',
      from,
      to,
    ))
      txOf(hash, height, {
        unlockTime: BigInt(unlockTime),
        ...(paymentId === null ? {} : { paymentId: Uint8Array.from(paymentId) }),
      });
    for (const row of this.db.bigints.rows<OutputRow>(
      `SELECT tx_hash, height, output_index, public_key, amount, account, minor FROM owned_output
         WHERE height BETWEEN ? AND ?`,
      from,
      to,
    ))
      txOf(row.tx_hash, toNumber(row.height)).outputs.push({
        outputIndex: toNumber(row.output_index),
        publicKey: toBytes<'PublicKey'>(row.public_key),
        amount: toAmount(row.amount),
        subaddress: { major: toNumber(row.account), minor: toNumber(row.minor) },
      });
    for (const [hash, height, keyImage] of this.db.arrays.rows<SpendRow>(SPENDS, { from, to })) {
      const { spent } = txOf(hash, height);
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
