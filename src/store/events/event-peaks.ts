import type { MetaReader, MetaWriter } from '../tables/meta.js';

/** The stages of payments below the height `below` were reported for a chain whose tip was at `tip`. */
interface Peak {
  readonly below: number;
  readonly tip: number;
}

const peaksIn = (meta: MetaReader): Peak[] => {
  const text = meta.get('event_peaks');
  return text === undefined ? [] : (JSON.parse(text) as Peak[]);
};

/** Returns the function of {@link EventPeaks.reader} for a store that is only read. */
export function readPeaks(meta: MetaReader): ((height: number) => number) | undefined {
  const peaks = peaksIn(meta);
  if (peaks.length === 0) return undefined;
  return (height) =>
    peaks.reduce((most, { below, tip }) => (height < below ? Math.max(most, tip) : most), -1);
}

/**
 * Tips ("peaks") of the chain before a reorganisation or a rescan shortened it. For payments in blocks below the
 * change, the stages up to the peak are already reported and must not be reported again. A peak is dropped when the
 * chain reaches its height.
 */
export class EventPeaks {
  readonly #meta: MetaWriter;

  constructor(meta: MetaWriter) {
    this.#meta = meta;
  }

  /**
   * Returns a function that maps the height of a payment to the tip up to which the payment's stages were reported;
   * undefined if there is no peak.
   */
  reader(): ((height: number) => number) | undefined {
    return readPeaks(this.#meta);
  }

  /** Records that the blocks from a height on are removed. @param tip height of the last removed block. */
  cut(from: number, tip: number): void {
    const peaks = this.#read().map((peak) => ({ ...peak, below: Math.min(peak.below, from) }));
    this.#write([...peaks, { below: from, tip }]);
  }

  /**
   * Records that a rescan begins, in which no block is replaced.
   * @param tip height of the last block before the rescan.
   */
  rescan(tip: number): void {
    this.#write([...this.#read(), { below: Number.MAX_SAFE_INTEGER, tip }]);
  }

  /** Drops the peaks up to the height of the present tip. */
  pass(tip: number): void {
    this.#write(this.#read().filter((peak) => peak.tip > tip));
  }

  /** True if the present chain is as high as it has ever been. */
  get isEmpty(): boolean {
    return this.#read().length === 0;
  }

  #read(): Peak[] {
    return peaksIn(this.#meta);
  }

  /** Stores the peaks; of several with the same `below` only the highest. */
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
