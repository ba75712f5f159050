import { DaemonError } from '../../daemon/errors.js';
import type { DaemonTransaction } from '../../daemon/daemon.js';
import { parseTransaction, transactionWeight } from '../../monero/cryptonote/transaction.js';
import { isCovered, meets, priorityOf } from '../../model/zero-conf.js';
import { faultOf } from '../../model/wallet-error.js';
import type { PooledPayment } from '../../store/tables/payment-requests.js';
import { amount } from '../../util/amount.js';
import { toHex } from '../../util/bytes.js';
import { unixSeconds } from '../../util/clock.js';
import type { NamedDaemon } from '../context/daemon-list.js';
import type { WalletContext } from '../context/wallet-context.js';

type Context = Pick<WalletContext, 'clock' | 'daemon' | 'log' | 'store'>;

/** Time between two looks while a payment has not met its rule [ms]. */
const LOOK_MS = 1000;
/** Time between two looks while all payments have met their rules and wait for a block [ms]. */
const SLOW_LOOK_MS = 5000;
/** Longest time for which a node is waited for [ms]. */
const DEADLINE_MS = 3000;
/** Largest number of transactions that one look asks for. */
const MOST_ASKED = 100;

/** A transaction in the mempools of listed nodes. */
interface Sighting {
  readonly daemons: NamedDaemon[];
  isContested: boolean;
  /** Complete encoding, from the first node that has it. */
  blob?: Uint8Array;
}

/**
 * Asks all listed nodes for the unmined payments to requests with a rule for zero confirmations, and records the signals by
 * which these payments count before a block contains them, or do not.
 */
export class ZeroConf {
  readonly #context: Context;
  #timer: NodeJS.Timeout | undefined;
  #isRunning = false;
  #isClosed = false;

  constructor(context: Context) {
    this.#context = context;
  }

  /** Looks for payments that wait. To be called once. */
  start(): void {
    this.onEvents();
  }

  /** Must be called after each commit with events. */
  onEvents(): void {
    if (this.#timer === undefined && !this.#isRunning && this.#pooled().length > 0) this.#schedule(0);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #pooled(): readonly PooledPayment[] {
    return this.#context.store.read((r) => r.requests.inPool());
  }

  #schedule(ms: number): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.#look(), ms);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    this.#timer = undefined;
    this.#isRunning = true;
    try {
      const pooled = this.#pooled().slice(0, MOST_ASKED);
      if (pooled.length > 0) await this.#judge(pooled);
    } catch (error) {
      const isExpected = error instanceof DaemonError || faultOf(error) !== undefined;
      if (!this.#isClosed && !isExpected)
        this.#context.log.error({ err: error }, 'unmined payments cannot be judged by their rules');
    } finally {
      this.#isRunning = false;
    }
    if (this.#isClosed) return;
    const left = this.#pooled();
    if (left.length > 0) this.#schedule(left.every(({ isAccepted }) => isAccepted) ? SLOW_LOOK_MS : LOOK_MS);
  }

  async #judge(pooled: readonly PooledPayment[]): Promise<void> {
    const { daemon } = this.#context;
    const [sightings, rates] = await Promise.all([
      this.#sightings(pooled),
      pooled.some(({ priority }) => priority === undefined)
        ? daemon.client().getFeeEstimate()
        : { perByte: [] },
    ]);
    for (const payment of pooled) {
      const sighting = sightings.get(toHex(payment.txHash));
      const priority = payment.priority ?? priorityIn(sighting?.blob, rates.perByte);
      const seenBy = daemon.countNodes(sighting?.daemons ?? []);
      if (this.#isClosed) return;
      // The transaction has left the mempools, or nobody answers: the next look decides.
      if (priority === undefined) continue;
      this.#record(payment, { seenBy, priority }, sighting?.isContested ?? false);
    }
  }

  /** Asks all listed nodes for transactions. */
  async #sightings(pooled: readonly PooledPayment[]): Promise<ReadonlyMap<string, Sighting>> {
    const hashes = [...new Map(pooled.map(({ txHash }) => [toHex(txHash), txHash])).values()];
    const prune = pooled.every(({ priority }) => priority !== undefined);
    const answers = await this.#context.daemon.askAll((client) =>
      client.getTransactions(hashes, { prune, deadline: DEADLINE_MS }),
    );
    const found = new Map<string, Sighting>();
    const see = ({ hash, inPool, doubleSpendSeen, blob }: DaemonTransaction, daemon: NamedDaemon): void => {
      if (!inPool) return;
      const known = found.get(toHex(hash)) ?? { daemons: [], isContested: false };
      known.daemons.push(daemon);
      known.isContested ||= doubleSpendSeen;
      if (!prune) known.blob ??= blob;
      found.set(toHex(hash), known);
    };
    for (const { daemon, answer } of answers) for (const tx of answer.transactions) see(tx, daemon);
    return found;
  }

  #record(
    payment: PooledPayment,
    signals: { readonly seenBy: number; readonly priority: number },
    isContested: boolean,
  ): void {
    const { store, clock } = this.#context;
    const now = unixSeconds(clock);
    store.write((w) => {
      const request = w.requests.at(payment.request);
      const { zeroConf: rule, subaddress } = request;
      const isMet =
        !isContested &&
        rule !== undefined &&
        isCovered(rule, request.amount) &&
        meets(rule, signals, now - payment.arrival);
      const isNew = payment.seenBy !== signals.seenBy || payment.priority !== signals.priority;
      const isFirst = isMet && !payment.isAccepted;
      if (isNew || isFirst)
        w.arrivals.signal({ txHash: payment.txHash, subaddress }, signals, isMet ? now : undefined);
      if (isContested) w.arrivals.contest(payment.txHash);
      if (isContested || isFirst) w.events.reviseRequest(request);
    });
  }
}

/** Returns the priority of the fee of a transaction; undefined if the transaction is not known. */
function priorityIn(blob: Uint8Array | undefined, perByte: readonly bigint[]): number | undefined {
  if (blob === undefined) return undefined;
  const tx = parseTransaction(blob);
  const fee = tx.rct?.base.fee ?? 0n;
  return priorityOf(amount(fee), transactionWeight(tx), perByte);
}
