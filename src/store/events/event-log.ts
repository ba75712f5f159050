import type { Hash } from '../../monero/crypto/types.js';
import { toHex } from '../../util/bytes.js';
import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import type { LowBalance, MinedPaymentFacts } from '../../model/events.js';
import type { PageFindings, ReplacedBlocks } from '../../monero/wallet/scan/findings.js';
import type { Trace } from '../../util/trace.js';
import type { EventIds } from '../file/event-ids.js';
import type { SqlDatabase } from '../../util/sql-database.js';
import type { SubaddressReader } from '../tables/accounts.js';
import type { ChainReader } from '../tables/chain.js';
import type { CredentialSpendWriter } from '../tables/credential-spends.js';
import { EventWriter } from '../tables/events.js';
import type { ArrivalWriter } from '../tables/arrivals.js';
import { FreshPayments, EventPeaks } from './event-peaks.js';
import { LockedPayments, ReportedPayments, ReportedTransfers, SeenPayments } from '../tables/reported.js';
import type { MetaWriter } from '../tables/meta.js';
import type { OutgoingReader } from '../tables/outgoing.js';
import type { PaymentReader } from '../tables/payments.js';
import type { PaymentRequestWriter } from '../tables/payment-requests.js';
import type { ReportableRequest } from '../tables/request-row.js';
import type { PoolReader } from '../tables/pool.js';
import { ChangedTxs } from './changed-txs.js';
import { Following, Rescan } from './chain-progress.js';
import { minedFacts, PaymentEvents, type Tips, paymentsIn } from './payment-events.js';
import { PoolEvents } from './pool-events.js';
import { DEFAULT_PAYOUT_CONFIRMATIONS } from '../../model/payout.js';
import type { OrderReader } from '../tables/orders.js';
import type { OutputWriter } from '../tables/output-writer.js';
import type { PayoutWriter } from '../tables/payouts.js';
import type { RefundReader } from '../tables/refunds.js';
import { PayoutEvents, type PayoutEventParts } from './payout-events.js';
import { RequestEvents } from './request-events.js';
import { Stages } from './stages.js';
import { TransferFactReader } from '../tables/transfers.js';
import { TransferEvents } from './transfer-events.js';
import { UnknownSpends } from './unknown-spends.js';

/** Source of event ids, and the confirmations at which events are reported. */
export interface EventSettings {
  readonly ids: EventIds;
  /** Confirmations at which `payment.confirmed` is reported. */
  readonly confirmations: readonly number[];
  /** Confirmations at which `payout.confirmed` is reported; absent: {@link DEFAULT_PAYOUT_CONFIRMATIONS}. */
  readonly payoutConfirmations?: number;
}

/** Confirmations at which `payment.confirmed` is reported if the configuration sets no others. */
export const DEFAULT_CONFIRMATIONS: readonly number[] = [1, 10];

/** Tables whose changes are reported as events. */
export interface EventTables {
  readonly meta: MetaWriter;
  readonly chain: ChainReader;
  readonly payments: PaymentReader;
  readonly outgoing: OutgoingReader;
  readonly pool: PoolReader;
  readonly requests: PaymentRequestWriter;
  readonly orders: OrderReader;
  readonly outputs: OutputWriter;
  readonly payouts: PayoutWriter;
  readonly refunds: RefundReader;
  readonly credentialSpends: CredentialSpendWriter;
  readonly arrivals: ArrivalWriter;
  readonly subaddresses: SubaddressReader;
}

/** Number of transactions that one call of {@link EventLog.beginNext} reports, in about 20 ms. */
const CHUNK = 1_000;

const MAX_HEIGHT = Number.MAX_SAFE_INTEGER;

/**
 * The blocks that a page adds, and three tips: of the chain before the page, of this chain without its replaced blocks,
 * and of the chain after the page.
 */
interface OpenPage extends Tips {
  readonly start: number;
  readonly last: number;
  /** Height of the tip before the page. */
  readonly tip: number;
}

/**
 * Appends events for the changes of a wallet, in the same transaction as each change. Before {@link beginNext} has
 * returned true, only {@link beginNext} appends events.
 */
export class EventLog {
  readonly #rows: EventWriter;
  readonly #tables: EventTables;
  readonly #reported: ReportedPayments;
  readonly #reportedTransfers: ReportedTransfers;
  readonly #peaks: EventPeaks;
  readonly #rescan: Rescan;
  readonly #following: Following;
  readonly #locked: LockedPayments;
  readonly #stages: Stages;
  readonly #payments: PaymentEvents;
  readonly #facts: TransferFactReader;
  readonly #transfers: TransferEvents;
  readonly #pool: PoolEvents;
  readonly #changed: ChangedTxs;
  readonly #unknownSpends: UnknownSpends;
  readonly #requests: RequestEvents;
  /** Events of payouts, through which their states change. */
  readonly payouts: PayoutEvents;
  #page: OpenPage | undefined;

  constructor(
    db: SqlDatabase,
    tables: EventTables,
    { ids, confirmations, payoutConfirmations = DEFAULT_PAYOUT_CONFIRMATIONS }: EventSettings,
  ) {
    const rows = new EventWriter(db, ids);
    const seen = new SeenPayments(db);
    const reportedTransfers = new ReportedTransfers(db);
    this.#rows = rows;
    this.#tables = tables;
    this.#reported = new ReportedPayments(db);
    this.#reportedTransfers = reportedTransfers;
    this.#peaks = new EventPeaks(tables.meta, new FreshPayments(db));
    this.#rescan = new Rescan(tables.meta);
    this.#following = new Following(tables.meta);
    this.#locked = new LockedPayments(db);
    this.#stages = new Stages(confirmations);
    this.#requests = new RequestEvents({ rows, ...tables, rescan: this.#rescan });
    const onRefund: PayoutEventParts['onRefund'] = (request, refund) =>
      this.#requests.refund(request, refund, this.#tip);
    this.payouts = new PayoutEvents({ rows, ...tables, rescan: this.#rescan, onRefund }, payoutConfirmations);
    this.#payments = new PaymentEvents({
      ...{ rows, seen, payments: tables.payments, locked: this.#locked, reported: this.#reported },
      ...{ arrivals: tables.arrivals, following: this.#following, rescan: this.#rescan },
      ...{ peaks: this.#peaks, stages: this.#stages, requests: this.#requests },
    });
    this.#facts = new TransferFactReader(db);
    this.#transfers = new TransferEvents({
      ...{ facts: this.#facts, rows, outgoing: tables.outgoing, reported: reportedTransfers },
    });
    this.#pool = new PoolEvents({ ...tables, seen, events: this.#payments, requests: this.#requests });
    this.#unknownSpends = new UnknownSpends({ db, rows });
    this.#changed = new ChangedTxs({
      ...{ ...tables, events: this.#payments, transfers: this.#transfers, facts: this.#facts },
    });
  }

  /** Sets the trace of the call that causes the next events; undefined: no call causes them. */
  setCause(trace: Trace | undefined): void {
    this.#rows.setCause(trace);
  }

  /** Number of events that this log has appended. */
  get appended(): number {
    return this.#rows.appended;
  }

  get #isOn(): boolean {
    return this.#tables.meta.get('events') !== undefined;
  }

  get #tip(): number {
    return this.#tables.chain.tip()?.height ?? -1;
  }

  /** Number of confirmations at which a payment without an unlock time has reached every stage. */
  get deepestStage(): number {
    return this.#stages.deepest;
  }

  /**
   * True if moving the tip causes no event except for payments with fewer confirmations than {@link deepestStage}: no
   * payment is locked, and no reorganisation or rescan is still being followed.
   */
  get isAtRest(): boolean {
    return (
      this.#isOn &&
      this.#locked.isEmpty &&
      this.#peaks.isEmpty &&
      this.#reported.isEmpty &&
      this.#reportedTransfers.isEmpty &&
      this.#unknownSpends.isEmpty &&
      this.#requests.isAtRest &&
      this.payouts.isAtRest
    );
  }

  /**
   * Reports the next part of the contents of a store that has no events yet, by ascending height. Nothing else may
   * change the store between two calls. A later call continues, also after a restart.
   * @returns true when everything is reported.
   */
  beginNext(): boolean {
    if (this.#isOn) return true;
    const { meta, payments, outgoing } = this.#tables;
    const min = Number(meta.get('events_begun') ?? '-1');
    const end = payments.pageEnd({ min, max: MAX_HEIGHT }, CHUNK);
    const tip = this.#tip;
    const batch = this.#payments.batch({ from: tip, to: tip });
    for (const payment of this.#minedIn(min + 1, end ?? MAX_HEIGHT)) this.#payments.mine(payment, batch);
    for (const transfer of this.#facts.minedBetween(min + 1, end ?? MAX_HEIGHT))
      this.#transfers.mine(transfer);
    if (end !== undefined) {
      meta.set('events_begun', String(end));
      return false;
    }
    for (const tx of outgoing.list({ states: ['pending'] })) this.#transfers.relay(tx);
    this.#pool.follow();
    meta.remove('events_begun');
    meta.set('events', '1');
    return true;
  }

  /** Returns the payments in the blocks at the heights from `from` to `to`, both inclusive. */
  #minedIn(from: number, to: number): MinedPaymentFacts[] {
    return this.#tables.payments
      .list({ min: from - 1, max: to })
      .flatMap((payment) => minedFacts(payment) ?? []);
  }

  /**
   * Reports the reversal of the blocks that a page replaces, and remembers their payments, which the page may contain
   * again. Must be called before the replaced blocks are detached.
   * @param replaced the blocks that the page replaces; undefined if the page extends the chain.
   */
  startPage({ startHeight, hashes }: PageFindings, replaced: ReplacedBlocks | undefined): void {
    if (!this.#isOn) return;
    const tip = this.#tip;
    const last = startHeight + hashes.length - 1;
    if (replaced !== undefined) this.#reorganise(startHeight, tip, replaced);
    else {
      for (const { txHash } of this.#minedIn(startHeight, last)) this.touch(txHash);
      for (const { txHash } of this.#facts.minedBetween(startHeight, last)) this.touch(txHash);
    }
    const from = Math.min(tip, startHeight - 1);
    this.#page = { start: startHeight, last, tip, from, to: Math.max(from, last) };
  }

  #reorganise(from: number, tip: number, replaced: ReplacedBlocks): void {
    // A payment that is mined again after this reorganisation is a new event, even if it was part of the wallet's
    // history.
    const arrival = this.#tables.meta.get('arrival_height');
    if (arrival !== undefined && from < Number(arrival))
      this.#tables.meta.set('arrival_height', String(from));
    this.#rows.append({ type: 'wallet.reorganised', data: replaced });
    for (const payment of [...this.#minedIn(from, MAX_HEIGHT), ...this.#reported.takeRange(from, MAX_HEIGHT)])
      this.#payments.reverse(payment, 'reorganised');
    for (const transfer of this.#facts.minedBetween(from, MAX_HEIGHT))
      // A transfer with a stored blob can be relayed again, so its amount stays deducted and it has not failed.
      if (this.#tables.outgoing.byHash(transfer.txHash)?.blob === undefined)
        this.#transfers.fail(transfer, 'reorganised');
    this.#transfers.expire(this.#reportedTransfers.takeRange(from, MAX_HEIGHT), 'reorganised');
    this.#peaks.cut(from, tip);
  }

  /** Reports the payments, transfers and stages of a page. Must be called after the page is stored. */
  endPage(findings: PageFindings): void {
    const page = this.#page;
    if (page === undefined) return;
    const batch = this.#payments.batch(page);
    const done = this.#changed.report(batch);
    for (const payment of paymentsIn(findings) ?? this.#minedIn(page.start, page.last))
      if (done.size === 0 || !done.has(toHex(payment.txHash))) this.#payments.mine(payment, batch);
    for (const { txHash } of findings.outgoing) {
      const transfer = done.has(toHex(txHash)) ? undefined : this.#facts.minedOf(txHash);
      if (transfer !== undefined) this.#transfers.mine(transfer);
    }
    this.#payments.advance(batch);
    this.#page = undefined;
    this.#expireReported(page.to);
    this.#peaks.pass(page.to);
    if (page.to < page.tip) this.#requests.shorten(page.to);
    if (page.to >= (this.#rescan.to ?? Infinity)) this.#endRescan();
  }

  /** Ends a rescan that has reached the height of the tip before the rescan. */
  #endRescan(): void {
    this.#rescan.end();
    this.#unknownSpends.settle({ isRescan: true });
  }

  /** True while a rescan has not ended. */
  get isRescanning(): boolean {
    return this.#rescan.to !== undefined;
  }

  /**
   * Ends a rescan that has reached the tip of the daemon, whose chain is shorter than before: payments and transfers
   * that it has not found are reported as reversed or failed.
   * @param hasPool true if the whole mempool was read since.
   */
  endRescan({ hasPool }: { readonly hasPool: boolean }): void {
    if (!this.isRescanning) return;
    this.#endRescan();
    this.#expireReported(MAX_HEIGHT);
    this.#requests.shorten(this.#tip);
    if (hasPool) this.poolRead();
  }

  /** Notes that the wallet has all blocks of the daemon: see {@link Following.note}. */
  noteCompleteRead(time: number, newestBlock: number | undefined): void {
    this.#following.note(time, newestBlock);
  }

  /** True if the last complete read of a wallet with payment requests is to be stored before the store is closed. */
  get isReadUnstored(): boolean {
    return this.#following.isUnstored && !this.#tables.requests.isEmpty;
  }

  /**
   * Reports payments as reversed and transfers as failed that were reported before a rescan and that the rescan has not
   * found again up to the height `to`.
   */
  #expireReported(to: number): void {
    if (!this.#reported.isEmpty)
      for (const payment of this.#reported.takeRange(0, to)) this.#payments.reverse(payment, 'rescan');
    if (!this.#reportedTransfers.isEmpty)
      this.#transfers.expire(this.#reportedTransfers.takeRange(0, to), 'rescan');
  }

  /**
   * Reads the payments and the transfer of a transaction before it changes; {@link settle} reports the difference.
   * Payments and transfers in blocks of the page that is being stored are not reported yet, so they have no difference.
   */
  touch(txHash: Hash): void {
    if (!this.#isOn) return;
    const page = this.#page;
    this.#changed.add(txHash, (height) => page !== undefined && height >= page.start && height <= page.last);
  }

  /** Reports the changes since {@link touch}, and the changed spends by transactions that the wallet has not seen. */
  settle(): void {
    const tip = this.#tip;
    if (!this.#changed.isEmpty) this.#changed.report(this.#payments.batch({ from: tip, to: tip }));
    if (!this.#isOn || this.isRescanning) return;
    this.#unknownSpends.settle({ isRescan: false });
  }

  /** Reports the changed payment requests and payouts, after {@link settle}. To be called before each commit. */
  settleStates(): void {
    this.#requests.settle(this.#tip);
    this.payouts.settle(this.#tip);
    if (this.isReadUnstored) this.#following.store();
  }

  /** Forgets the changed payment requests of a transaction that was rolled back. */
  resetRequests(): void {
    this.#requests.reset();
  }

  /**
   * Reports a new payment request if its address was paid before: another wallet with the same keys may have given it
   * out.
   */
  beginRequest(subaddress: SubaddressIndex): void {
    const { requests, arrivals } = this.#tables;
    const payments = requests.paymentsTo([subaddress])(subaddress);
    if (payments.length === 0) return;
    // The arrivals of payments in blocks are not recorded yet, because these payments paid no request.
    for (const { txHash, arrival } of payments)
      arrivals.see({ txHash, subaddress }, { time: Math.min(arrival, this.#rows.now()) });
    this.#pool.contestListed();
    const request = requests.byAddress(subaddress);
    if (request !== undefined) this.#requests.begin(request, this.#tip);
  }

  /** Reports that the balance of an account has fallen below its limit. */
  balanceLow(data: LowBalance): void {
    this.#rows.append({ type: 'balance.low', data });
  }

  /** Reports a payment request whose end has changed. */
  reviseRequest(request: ReportableRequest): void {
    this.#requests.revise(request, this.#tip);
  }

  /** Forgets the changes of a write that was rolled back. */
  reset(): void {
    this.#changed.clear();
    this.#page = undefined;
  }

  /**
   * Copies the facts that were reported for blocks from a height on, before a rescan deletes the rows of these blocks.
   */
  rescan(from: number): void {
    if (!this.#isOn) return;
    this.#reported.keep(from);
    this.#transfers.keepMined(from);
    this.#peaks.rescan(this.#tip);
    this.#rescan.begin(this.#tip);
  }

  /** Copies the reported facts of unmined transfers before a rescan deletes them. */
  rescanUnmined(): void {
    if (this.#isOn) this.#transfers.keepUnmined();
  }

  /** Reports that a transfer of the wallet is pending. */
  relayed(txHash: Hash): void {
    const tx = this.#isOn ? this.#tables.outgoing.byHash(txHash) : undefined;
    if (tx !== undefined) this.#transfers.relay(tx);
  }

  /** Reports that an unmined transfer of the wallet has failed. */
  failed(txHash: Hash): void {
    const tx = this.#isOn ? this.#tables.outgoing.byHash(txHash) : undefined;
    if (tx !== undefined) this.#transfers.fail(this.#facts.unmined(tx), 'dropped');
  }

  /** Reports payments in a pool transaction as reversed, because the transaction is a transfer of the wallet itself. */
  notIncoming(txHash: Hash): void {
    this.#payments.dropTx(txHash);
  }

  /** Reports payments that were added to the mempool. */
  poolChanged(): void {
    if (this.#isOn) this.#pool.follow();
  }

  /** Reports that the mempool has seen other transactions with the inputs of unmined payments. */
  contested(txHashes: readonly Hash[]): void {
    this.#pool.contest(txHashes);
  }

  /**
   * Reports the payments in the mempool as {@link poolChanged}, after the whole mempool was read, and decides whether
   * payments that have left the mempool are reversed.
   */
  poolRead(): void {
    if (!this.#isOn) return;
    this.#pool.follow();
    // The block that contains such a payment may not be scanned again yet.
    if (this.isRescanning) return;
    this.#pool.decide();
    this.#transfers.expire(this.#reportedTransfers.takeUnmined(), 'rescan');
  }

  /** Reports that the wallet has reached the daemon's tip. @param height number of blocks of the chain. */
  synced(height: number): void {
    if (this.#isOn) this.#rows.append({ type: 'wallet.synced', data: { height } });
  }

  /**
   * Deletes events before a time [Unix ms], oldest first.
   * @param max largest number of events to delete.
   * @returns true if further events may be deleted.
   */
  expire(before: number, max: number): boolean {
    return this.#rows.expire(before, max);
  }
}
