import type { MetaWriter } from '../tables/meta.js';

/** Heights below `below` had their stages reported for a chain up to `tip`. */
interface Peak {
  readonly below: number;
  readonly tip: number;
}

/**
 * Tips of chains that a reorganisation or a rescan shortened: stages up to such a tip were reported for blocks below
 * the change. A peak is dropped once the chain reaches its tip.
 */
export class EventPeaks {
  readonly #meta: MetaWriter;

  constructor(meta: MetaWriter) {
    this.#meta = meta;
  }

  /**
   * Returns a function from a height to the tip up to which the stages of its payments were reported; undefined if there
   * is no peak.
   */
  reader(): ((height: number) => number) | undefined {
    const peaks = this.#read();
    if (peaks.length === 0) return undefined;
    return (height) =>
      peaks.reduce((most, { below, tip }) => (height < below ? Math.max(most, tip) : most), -1);
  }

  /** Records that the blocks from a height on are removed from a chain. @param tip height of the removed tip. */
  cut(from: number, tip: number): void {
    const peaks = this.#read().map((peak) => ({ ...peak, below: Math.min(peak.below, from) }));
    this.#write([...peaks, { below: from, tip }]);
  }

  /** Records that a rescan begins: no block is replaced. @param tip height of the tip before. */
  rescan(tip: number): void {
    this.#write([...this.#read(), { below: Number.MAX_SAFE_INTEGER, tip }]);
  }

  /** Drops the peaks that a chain has reached. */
  pass(tip: number): void {
    const peaks = this.#read();
    if (peaks.length > 0) this.#write(peaks.filter((peak) => peak.tip > tip));
  }

  /** True unless the chain was higher before a rescan or a reorganisation. */
  get isEmpty(): boolean {
    return this.#read().length === 0;
  }

  #read(): Peak[] {
    const text = this.#meta.get('event_peaks');
    return text === undefined ? [] : (JSON.parse(text) as Peak[]);
  }

  /** Keeps the highest tip of each height only. */
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
