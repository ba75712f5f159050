import type { MinedPaymentFacts, PaymentFacts } from '../../model/events.js';
import type { MetaWriter } from '../tables/meta.js';
import type { SqlDatabase } from '../../util/sql-database.js';

/** The stages of payments below the height `below` were reported for a chain whose tip was at `tip`. */
interface Peak {
  readonly below: number;
  readonly tip: number;
}

/** Returns the height of the tip up to which the stages of a payment were reported; -1: the present tip. */
export type PeakOf = (payment: Pick<MinedPaymentFacts, 'txHash' | 'subaddress' | 'height'>) => number;

/**
 * Tips ("peaks") of the chain before a reorganisation or a rescan shortened it. The stages of earlier reported payments
 * up to the peak must not be reported again. A peak is dropped when the chain reaches its height. Peaks decide nothing
 * else: confirmations and states follow from the payments and the present tip.
 */
export class EventPeaks {
  readonly #meta: MetaWriter;
  readonly #fresh: FreshPayments;

  constructor(meta: MetaWriter, fresh: FreshPayments) {
    this.#meta = meta;
    this.#fresh = fresh;
  }

  /** Returns the function of the present peaks; undefined if there are no peaks. */
  reader(): PeakOf | undefined {
    const peaks = this.#read();
    if (peaks.length === 0) return undefined;
    return (payment) =>
      this.#fresh.tipOf(payment) ??
      peaks.reduce((most, { below, tip }) => (payment.height < below ? Math.max(most, tip) : most), -1);
  }

  /** Notes that a payment is reported for the first time while there are peaks. */
  begin(payment: MinedPaymentFacts): void {
    this.#fresh.add(payment);
  }

  /** Notes that a payment was reversed. */
  forget(payment: MinedPaymentFacts): void {
    this.#fresh.remove(payment);
  }

  /** Records that the blocks from a height on are removed. @param tip height of the last removed block. */
  cut(from: number, tip: number): void {
    const peaks = this.#read().map((peak) => ({ ...peak, below: Math.min(peak.below, from) }));
    this.#write([...peaks, { below: from, tip }]);
    this.#fresh.raise(tip);
  }

  /**
   * Records that a rescan begins, in which no block is replaced.
   * @param tip height of the last block before the rescan.
   */
  rescan(tip: number): void {
    this.#write([...this.#read(), { below: Number.MAX_SAFE_INTEGER, tip }]);
    this.#fresh.raise(tip);
  }

  /** Drops the peaks up to the height of the present tip. */
  pass(tip: number): void {
    const peaks = this.#read();
    const higher = peaks.filter((peak) => peak.tip > tip);
    if (higher.length === peaks.length) return;
    this.#write(higher);
    if (higher.length === 0) this.#fresh.clear();
  }

  /** True if the present chain is as high as it has ever been. */
  get isEmpty(): boolean {
    return this.#read().length === 0;
  }

  #read(): Peak[] {
    const text = this.#meta.get('event_peaks');
    return text === undefined ? [] : (JSON.parse(text) as Peak[]);
  }

  /** Stores the peaks; of several peaks with the same `below`, only the highest peak. */
  #write(peaks: readonly Peak[]): void {
    const needed = peaks.filter(
      ({ below, tip }, i) =>
        !peaks.some((other, j) =>
          other.below === below && other.tip === tip ? j < i : other.below >= below && other.tip >= tip,
        ),
    );
    if (needed.length === 0) this.#meta.remove('event_peaks');
    else this.#meta.set('event_peaks', JSON.stringify(needed));
  }
}

type Key = Pick<PaymentFacts, 'txHash' | 'subaddress'>;

/** SQL condition of one payment. */
const BY_KEY = 'tx_hash = ? AND account = ? AND minor = ?';

/** Payments that were reported for the first time while the chain was shorter than before. */
export class FreshPayments {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  add({ txHash, subaddress: { major, minor } }: Key): void {
    this.#db.run(
      'INSERT INTO fresh_payment (tx_hash, account, minor, tip) VALUES (?, ?, ?, -1) ON CONFLICT DO NOTHING',
      txHash,
      major,
      minor,
    );
  }

  /**
   * Returns the height of a former tip up to which the stages of a payment were reported, -1 without a former tip;
   * undefined if the payment was not reported while the chain was shorter.
   */
  tipOf({ txHash, subaddress: { major, minor } }: Key): number | undefined {
    return this.#db.value<number>(`SELECT tip FROM fresh_payment WHERE ${BY_KEY}`, txHash, major, minor);
  }

  /** Records that the chain becomes shorter. @param tip height of the tip before. */
  raise(tip: number): void {
    this.#db.run('UPDATE fresh_payment SET tip = ? WHERE tip < ?', tip, tip);
  }

  remove({ txHash, subaddress: { major, minor } }: Key): void {
    this.#db.run(`DELETE FROM fresh_payment WHERE ${BY_KEY}`, txHash, major, minor);
  }

  clear(): void {
    this.#db.run('DELETE FROM fresh_payment');
  }
}
