import type { Hash } from '../../monero/crypto/types.js';
import { tryParseAddress } from '../../monero/cryptonote/address.js';
import type { TransferFacts } from '../../model/events.js';
import type { OutgoingTx } from '../../monero/wallet/build/outgoing-tx.js';
import { amount } from '../../util/amount.js';
import type { SqlDatabase } from '../../util/sql-database.js';
import { type Integer, toNumber } from './columns.js';
import { positionAt, type HeightRange } from './pages.js';
import { SubaddressReader } from './accounts.js';
import { toTransferFacts, type TransferFactRow } from './reported.js';

/** A transfer of the wallet in a block. */
export type MinedTransfer = TransferFacts & { readonly height: number };

interface MinedRow extends TransferFactRow {
  readonly height: Integer;
}

/**
 * Selects mined transfers. Their change is the sum of the outputs with the flag `change`, which are not listed as
 * payments to the wallet.
 */
const MINED = `SELECT t.tx_hash, t.height, t.account, t.amount_in, t.fee,
    (SELECT coalesce(sum(coalesce(o.credited, o.amount)), 0) FROM owned_output o
     WHERE o.tx_hash = t.tx_hash AND o.change = 1) AS change
  FROM outgoing_tx t WHERE t.height IS NOT NULL`;

const toMined = (row: MinedRow): MinedTransfer => ({ ...toTransferFacts(row), height: toNumber(row.height) });

/**
 * Reads transfers of the wallet with all amounts that return to the paying account, so that amounts of transfers and
 * payments sum to the balance. The record of a transfer that this wallet made has its change without the payments to
 * the account's own addresses.
 */
export class TransferFactReader {
  readonly #db: SqlDatabase;
  readonly #subaddresses: SubaddressReader;

  constructor(db: SqlDatabase) {
    this.#db = db;
    this.#subaddresses = new SubaddressReader(db);
  }

  /** Returns the facts of a recorded transfer of any state. */
  of(tx: OutgoingTx): TransferFacts {
    return this.minedOf(tx.txHash) ?? this.unmined(tx);
  }

  /** Returns the facts of a transfer if it is mined. */
  minedOf(txHash: Hash): MinedTransfer | undefined {
    const row = this.#db.bigints.row<MinedRow>(`${MINED} AND t.tx_hash = ?`, txHash);
    return row && toMined(row);
  }

  /** Returns the transfers in the blocks at the heights from `from` to `to`, both inclusive. */
  minedBetween(from: number, to: number): MinedTransfer[] {
    return this.#db.bigints
      .rows<MinedRow>(`${MINED} AND t.height BETWEEN ? AND ? ORDER BY t.height, t.tx_hash`, from, to)
      .map(toMined);
  }

  /** Returns the facts of a recorded transfer that is not mined. */
  unmined({ txHash, account, amountIn, change, fee, destinations }: OutgoingTx): TransferFacts {
    const returned = destinations
      .filter(({ address }) => this.#accountOf(address) === account)
      .reduce((total, to) => total + to.amount, BigInt(change));
    return { txHash, account, amountIn, change: amount(returned), fee };
  }

  /**
   * Finds the page at the upper end of a range of the history of mined transactions, received ones included, in whole
   * blocks.
   * @param limit largest number of transactions in a page, at least 1; a block with more transactions is a page of its
   * own.
   * @returns the exclusive lower bound of the page's heights; undefined if the page includes the whole range.
   */
  below({ min, max }: HeightRange, limit: number): number | undefined {
    const heightAt = (skip: number, top = max): number | undefined =>
      positionAt(this.#db, 'newest', { min, max: top }, skip)?.height;
    const next = heightAt(limit);
    if (next === undefined || next !== heightAt(0)) return next;
    const floor = next - 1;
    return heightAt(0, floor) === undefined ? undefined : floor;
  }

  /** Returns the account of an address of the wallet; undefined for any other address. */
  #accountOf(address: string): number | undefined {
    const key = tryParseAddress(address)?.spendPublicKey;
    return key && this.#subaddresses.find(key)?.major;
  }
}
