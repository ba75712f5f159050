import type { ReversalReason, TransferFacts } from '../../model/events.js';
import type { OutgoingTx } from '../../monero/wallet/build/outgoing-tx.js';
import type { MinedTransfer, TransferFactReader } from '../tables/transfers.js';
import type { EventWriter } from '../tables/events.js';
import type { OutgoingReader } from '../tables/outgoing.js';
import type { ReportedTransfer, ReportedTransfers } from '../tables/reported.js';

/** Tables that {@link TransferEvents} reads and writes. */
export interface TransferEventParts {
  readonly facts: TransferFactReader;
  readonly rows: EventWriter;
  readonly outgoing: OutgoingReader;
  readonly reported: ReportedTransfers;
}

const isSame = (a: MinedTransfer, b: ReportedTransfer): boolean =>
  a.height === b.height && a.amountIn === b.amountIn && a.change === b.change && a.account === b.account;

/** Appends the events of transfers that the wallet makes. */
export class TransferEvents {
  readonly #parts: TransferEventParts;

  constructor(parts: TransferEventParts) {
    this.#parts = parts;
  }

  /** Reports a mined transfer, unless the same facts were already reported before a rescan. */
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
    const { facts, rows, reported } = this.#parts;
    if (reported.take(tx.txHash) === undefined)
      rows.append({ type: 'transfer.relayed', data: facts.unmined(tx) });
  }

  /** Reports a transfer as failed. */
  fail(transfer: TransferFacts, reason: ReversalReason): void {
    const { rows, reported } = this.#parts;
    reported.take(transfer.txHash);
    const { txHash, account, amountIn, change, fee } = transfer;
    rows.append({ type: 'transfer.failed', data: { txHash, account, amountIn, change, fee, reason } });
  }

  /** Copies the transfers in blocks from a height on, before a rescan deletes them. */
  keepMined(from: number): void {
    const { facts, reported } = this.#parts;
    for (const transfer of facts.minedBetween(from, Number.MAX_SAFE_INTEGER)) reported.add(transfer);
  }

  /** Copies the reported unmined transfers before a rescan deletes them. */
  keepUnmined(): void {
    const { facts, outgoing, reported } = this.#parts;
    for (const tx of outgoing.list({ states: ['pending'] }))
      // The rescan makes mined transfers pending, which were copied before.
      if (!reported.has(tx.txHash)) reported.add(facts.unmined(tx));
  }

  /** Reports transfers as failed that a rescan has not found, unless they are recorded again. */
  expire(transfers: readonly ReportedTransfer[], reason: ReversalReason): void {
    for (const transfer of transfers) {
      const state = this.#parts.outgoing.byHash(transfer.txHash)?.state;
      if (state === undefined || state === 'failed') this.fail(transfer, reason);
    }
  }
}
