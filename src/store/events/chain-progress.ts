import type { MetaReader, MetaWriter } from '../tables/meta.js';
import { completeRead, sightAt, type CompleteRead, type Sight } from '../../model/arrival.js';

/** Returns the height of the tip before a rescan that has not ended; undefined if no rescan runs. */
export function rescanTo(meta: MetaReader): number | undefined {
  const to = meta.get('rescan_to');
  return to === undefined ? undefined : Number(to);
}

/**
 * A running rescan. Facts that were reported before the rescan hold until it has read the block, or has ended: at the
 * height of the tip before it, or at the tip of a shorter chain.
 */
export class Rescan {
  readonly #meta: MetaWriter;

  constructor(meta: MetaWriter) {
    this.#meta = meta;
  }

  /** Height of the tip before the rescan; undefined if no rescan runs. */
  get to(): number | undefined {
    return rescanTo(this.#meta);
  }

  /** Records that a rescan begins. @param tip height of the tip; that before a rescan that runs already stays. */
  begin(tip: number): void {
    if (tip > (this.to ?? -1)) this.#meta.set('rescan_to', String(tip));
  }

  end(): void {
    this.#meta.remove('rescan_to');
  }
}

/**
 * The last time at which the wallet had all blocks and the mempool of the daemon. The time is written together with
 * other changes, so that a wallet that finds nothing writes nothing.
 */
export class Following {
  readonly #meta: MetaWriter;
  #read: CompleteRead | undefined;
  /** True if {@link note} was called since the store was opened. */
  #isOpenSince = false;
  #isStored = true;

  constructor(meta: MetaWriter) {
    this.#meta = meta;
  }

  /** True if the last complete read is to be stored. */
  get isUnstored(): boolean {
    return !this.#isStored;
  }

  /** Notes a complete read. @param time see {@link CompleteRead.time}. @param newestBlock see {@link completeRead}. */
  note(time: number, newestBlock: number | undefined): void {
    this.#read = completeRead(time, newestBlock, this.#last());
    this.#isOpenSince = true;
    this.#isStored = false;
  }

  /** Stores the last complete read. */
  store(): void {
    if (this.#isStored || this.#read === undefined) return;
    this.#meta.set('followed', JSON.stringify(this.#read));
    this.#isStored = true;
  }

  /** Judges a payment that is seen for the first time. @param now time of the sight [Unix s]. */
  sight(now: number): Sight {
    const newest = this.#meta.get('last_block_time');
    return sightAt({
      ...{ now, read: this.#last(), isOpenSince: this.#isOpenSince },
      newestBlock: newest === undefined ? undefined : Number(newest),
    });
  }

  #last(): CompleteRead | undefined {
    if (this.#read === undefined) {
      const stored = this.#meta.get('followed');
      if (stored !== undefined) this.#read = JSON.parse(stored) as CompleteRead;
    }
    return this.#read;
  }
}
