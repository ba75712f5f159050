import type { OpenWallet } from '../../services/open-wallet.js';
import { ZERO, sum, type Amount } from '../../util/amount.js';
import { yieldToEventLoop } from '../../util/event-loop.js';
import { readable } from '../wallet-facts.js';

/** Upper bounds of the times from a payout's creation to its next stages [s]: 1 s to 2 h. */
export const STAGE_BOUNDS = [1, 5, 15, 60, 120, 300, 600, 1200, 1800, 3600, 7200] as const;

/** Number of rows that one turn of the event loop reads. */
const ROWS_AT_ONCE = 2000;

/** Distribution of durations. */
export class DurationCounts {
  /** Number of durations up to each of {@link STAGE_BOUNDS}, and above the bound before it. */
  readonly #counts = STAGE_BOUNDS.map(() => 0);
  #count = 0;
  #sum = 0;

  /** Counts a duration [s]. */
  add(seconds: number): void {
    const at = STAGE_BOUNDS.findIndex((bound) => seconds <= bound);
    if (at >= 0) this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#count += 1;
    this.#sum += seconds;
  }

  /** Number of all durations, and their sum [s]. */
  get total(): { readonly count: number; readonly sum: number } {
    return { count: this.#count, sum: this.#sum };
  }

  /** Numbers of durations up to each of {@link STAGE_BOUNDS}, which never decrease. */
  get upTo(): readonly number[] {
    let below = 0;
    return this.#counts.map((count) => (below += count));
  }
}

/** Counts of a wallet since it was metered first. */
export interface PayoutTally {
  readonly batches: number;
  /** Number of payouts in these batches. */
  readonly payees: number;
  /** Sum of the fees of confirmed payouts [atomic units]. */
  readonly fees: Amount;
  /** Times until payouts were sent. */
  readonly sent: DurationCounts;
  /** Times until payouts were confirmed. */
  readonly confirmed: DurationCounts;
}

/** Tally of a wallet with the places up to which it has read. */
interface Running extends PayoutTally {
  version: number;
  /** Number of the last batch, and id of the last event, that were read. */
  lastBatch: number;
  lastEvent: number;
  batches: number;
  payees: number;
  fees: Amount;
}

/** Parts of an open wallet that are metered. */
export interface MeteredWallet {
  readonly store: Pick<OpenWallet['store'], 'read' | 'version'>;
}

/**
 * Counts batches, fees and stages of payouts from the first reading of a wallet on. Reads only rows that are new since the
 * last reading.
 */
export class PayoutMeter {
  readonly #running = new WeakMap<MeteredWallet, Running>();

  /** Begins to count for a wallet, without reading its payouts. A store that cannot be read is begun by a later call. */
  begin(wallet: MeteredWallet): void {
    if (this.#running.has(wallet)) return;
    const begun = readable(() => begin(wallet));
    if (begun !== undefined) this.#running.set(wallet, begun);
  }

  /** Reads the tally of a wallet; undefined if its store cannot be read. Readings of a wallet must not overlap. */
  async read(wallet: MeteredWallet): Promise<PayoutTally | undefined> {
    this.begin(wallet);
    const tally = this.#running.get(wallet);
    if (tally === undefined) return undefined;
    const { version } = wallet.store;
    if (tally.version === version) return tally;
    while (readable(() => readSome(wallet, tally)) === true) await yieldToEventLoop();
    tally.version = version;
    return tally;
  }
}

const begin = ({ store }: MeteredWallet): Running => ({
  version: store.version,
  ...store.read((r) => ({ lastBatch: r.payoutFigures.lastBatch(), lastEvent: r.events.last() })),
  ...{ batches: 0, payees: 0, fees: ZERO, sent: new DurationCounts(), confirmed: new DurationCounts() },
});

/** Counts some new rows. @returns true if there may be more. */
function readSome({ store }: MeteredWallet, running: Running): boolean {
  const { batches, steps, upTo } = store.read((r) => ({
    batches: r.payoutFigures.batchesAfter(running.lastBatch, ROWS_AT_ONCE),
    ...r.payoutFigures.stepsAfter(running.lastEvent, ROWS_AT_ONCE),
  }));
  for (const { batch, payees } of batches) {
    running.lastBatch = batch;
    running.batches += 1;
    running.payees += payees;
  }
  for (const { state, since, time, fee } of steps) {
    running[state].add(Math.max(0, time - since));
    if (state === 'confirmed') running.fees = sum([running.fees, fee]);
  }
  running.lastEvent = upTo ?? running.lastEvent;
  return upTo !== undefined || batches.length === ROWS_AT_ONCE;
}
