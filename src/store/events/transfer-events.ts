import type { Statement } from '../../util/sql-database.js';
import type { Hash } from '../../monero/crypto/types.js';
import { tryParseAddress } from '../../monero/cryptonote/address.js';
import { amount } from '../../util/amount.js';
import type { ReversalReason, TransferFacts } from '../../monero/wallet/model/events.js';
import type { OutgoingTx } from '../../monero/wallet/model/records.js';
import type { Db } from '../file/database.js';
import { toNumber, type Integer } from '../sql/columns.js';
import type { SubaddressReader } from '../tables/accounts.js';
import type { EventWriter } from '../tables/events.js';
import type { OutgoingReader } from '../tables/outgoing.js';
import { toTransferFacts, type TransferFactRow } from '../tables/fact-rows.js';
import type { ReportedTransfer, ReportedTransfers } from '../tables/reported.js';

/** Tables that {@link TransferEvents} reads and writes. */
export interface TransferEventParts {
  readonly db: Db;
  readonly rows: EventWriter;
  readonly outgoing: OutgoingReader;
  readonly subaddresses: SubaddressReader;
  readonly reported: ReportedTransfers;
}

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

const isSame = (a: MinedTransfer, b: ReportedTransfer): boolean =>
  a.height === b.height && a.amountIn === b.amountIn && a.change === b.change && a.account === b.account;

/** Appends the events of transfers that the wallet makes. */
export class TransferEvents {
  readonly #parts: TransferEventParts;
  readonly #mined: Statement<[Uint8Array], MinedRow>;
  readonly #between: Statement<[number, number], MinedRow>;

  constructor(parts: TransferEventParts) {
    this.#parts = parts;
    const mined = <P extends unknown[]>(condition: string): Statement<P, MinedRow> =>
      parts.db.prepare<P, MinedRow>(`${MINED} AND ${condition}`).safeIntegers();
    this.#mined = mined('t.tx_hash = ?');
    this.#between = mined('t.height BETWEEN ? AND ? ORDER BY t.height, t.tx_hash');
  }

  /** Returns the facts of a transfer if it is mined. */
  minedOf(txHash: Hash): MinedTransfer | undefined {
    const row = this.#mined.get(txHash);
    return row && toMined(row);
  }

  /** Returns the transfers in the blocks at the heights from `from` to `to`, both inclusive. */
  minedBetween(from: number, to: number): MinedTransfer[] {
    return this.#between.all(from, to).map(toMined);
  }

  /** Reports a mined transfer, unless the same facts were reported before a rescan. */
  mine(transfer: MinedTransfer): void {
    const { rows, reported } = this.#parts;
    const before = reported.isEmpty ? undefined : reported.take(transfer.txHash);
    if (before === undefined || !isSame(transfer, before))
      rows.append({ type: 'transfer.mined', data: transfer });
  }

  /** Reports a transfer whose facts have changed while it stayed mined. */
  change(before: MinedTransfer, after: MinedTransfer): void {
    if (!isSame(after, before)) this.mine(after);
  }

  /** Reports a transfer as pending: the daemon has accepted it, or a mempool contains it. */
  relay(tx: OutgoingTx): void {
    const { rows, reported } = this.#parts;
    if (reported.take(tx.txHash) === undefined)
      rows.append({ type: 'transfer.relayed', data: this.unminedFacts(tx) });
  }

  /** Reports a transfer as failed. */
  fail(transfer: TransferFacts, reason: ReversalReason): void {
    const { rows, reported } = this.#parts;
    reported.take(transfer.txHash);
    const { txHash, account, amountIn, change, fee } = transfer;
    rows.append({ type: 'transfer.failed', data: { txHash, account, amountIn, change, fee, reason } });
  }

  /** Returns the facts of a recorded transfer that is not mined. */
  unminedFacts({ txHash, account, amountIn, change, fee, destinations }: OutgoingTx): TransferFacts {
    const returned = destinations
      .filter(({ address }) => this.#accountOf(address) === account)
      .reduce((total, to) => total + to.amount, BigInt(change));
    return { txHash, account, amountIn, change: amount(returned), fee };
  }

  /** Returns the account of an address of the wallet; undefined for any other address. */
  #accountOf(address: string): number | undefined {
    const key = tryParseAddress(address)?.spendPublicKey;
    return key && this.#parts.subaddresses.find(key)?.major;
  }

  /** Copies the transfers in blocks from a height on, before a rescan deletes them. */
  keepMined(from: number): void {
    for (const transfer of this.minedBetween(from, Number.MAX_SAFE_INTEGER))
      this.#parts.reported.add(transfer);
  }

  /** Copies the reported unmined transfers before a rescan deletes them. */
  keepUnmined(): void {
    const { outgoing, reported } = this.#parts;
    for (const tx of outgoing.list({ states: ['pending'] })) reported.add(this.unminedFacts(tx));
  }

  /** Reports transfers as failed that a rescan has not found, unless they are recorded again. */
  expire(transfers: readonly ReportedTransfer[], reason: ReversalReason): void {
    for (const transfer of transfers) {
      const state = this.#parts.outgoing.byHash(transfer.txHash)?.state;
      if (state === undefined || state === 'failed') this.fail(transfer, reason);
    }
  }
}
