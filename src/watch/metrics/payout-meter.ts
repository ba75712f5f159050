import { ZERO, sum, type Amount } from '../../util/amount.js';
import { WalletMeter, type MeteredWallet } from './wallet-meter.js';

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

/** Counts batches, fees and stages of payouts from the first reading of a wallet on. */
export class PayoutMeter extends WalletMeter<Running> {
  constructor() {
    super(begin, readSome);
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
