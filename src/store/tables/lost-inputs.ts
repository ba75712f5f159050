import type { Hash } from '../../monero/crypto/types.js';
import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import type { Amount } from '../../util/amount.js';
import type { SqlDatabase } from '../../util/sql-database.js';
import { toAmount, toBytes, toNumber, type Integer } from './columns.js';
import type { OutputRef } from '../../monero/wallet/select/spendable-outputs.js';

/** Input of an unmined payment: an output whose transaction a reorganisation took out of its block. */
export interface LostInput extends OutputRef {
  /** Hash of the payment. */
  readonly payment: Hash;
  readonly subaddress: SubaddressIndex;
  /** Credited amount [atomic units]. */
  readonly amount: Amount;
}

interface LostRow {
  readonly payment: Uint8Array;
  readonly tx_hash: Uint8Array;
  readonly output_index: Integer;
  readonly account: Integer;
  readonly minor: Integer;
  readonly amount: Integer;
}

/** SQL source of the rows `l` whose payment is unmined and whose output is not in a block. */
const LOST = `lost_input l JOIN outgoing_tx p ON p.tx_hash = l.payment
  WHERE p.state IN ('prepared', 'pending') AND NOT EXISTS
    (SELECT 1 FROM owned_output o WHERE o.tx_hash = l.tx_hash AND o.output_index = l.output_index)`;

/** Reads the inputs of unmined payments that the wallet had before a reorganisation and no longer has. */
export class LostInputReader {
  protected readonly db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.db = db;
  }

  /** Returns the hashes of the unmined payments that spend a lost output of a transaction. */
  spendersOf(txHash: Hash): Hash[] {
    return this.db
      .values<Uint8Array>(`SELECT DISTINCT l.payment FROM ${LOST} AND l.tx_hash = ?`, txHash)
      .map((payment) => toBytes<'Hash'>(payment));
  }

  list(): LostInput[] {
    return this.db.bigints.rows<LostRow>(`SELECT l.* FROM ${LOST}`).map((row) => ({
      payment: toBytes<'Hash'>(row.payment),
      txHash: toBytes<'Hash'>(row.tx_hash),
      outputIndex: toNumber(row.output_index),
      subaddress: { major: toNumber(row.account), minor: toNumber(row.minor) },
      amount: toAmount(row.amount),
    }));
  }
}

/** Records inputs of unmined payments before their outputs are removed. */
export class LostInputWriter extends LostInputReader {
  /**
   * Removes the records of outputs that were found again.
   * @returns for each record the output and the hash of the payment.
   */
  takeFound(outputs: readonly OutputRef[]): { readonly output: OutputRef; readonly payment: Hash }[] {
    if (this.db.row('SELECT 1 FROM lost_input LIMIT 1') === undefined) return [];
    return outputs.flatMap((output) =>
      this.db
        .values<Uint8Array>(
          'DELETE FROM lost_input WHERE tx_hash = ? AND output_index = ? RETURNING payment',
          output.txHash,
          output.outputIndex,
        )
        .map((payment) => ({ output, payment: toBytes<'Hash'>(payment) })),
    );
  }

  /**
   * Records the inputs among the outputs in the blocks at the heights from `from` to `to`, both inclusive; to be called
   * before these outputs are deleted.
   */
  detach(from: number, to: number): void {
    this.db.run(
      `INSERT INTO lost_input (payment, tx_hash, output_index, account, minor, amount)
         SELECT o.spent_by, o.tx_hash, o.output_index, o.account, o.minor, coalesce(o.credited, o.amount)
         FROM owned_output o JOIN outgoing_tx p ON p.tx_hash = o.spent_by
         WHERE o.height BETWEEN ? AND ? AND (p.blob IS NOT NULL OR p.state IN ('prepared', 'pending'))
       ON CONFLICT DO NOTHING`,
      from,
      to,
    );
  }
}
