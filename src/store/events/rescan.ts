import type { MetaReader, MetaWriter } from '../tables/meta.js';

/** Returns the height of the tip before a rescan that has not ended; undefined if none runs. */
export function rescanTo(meta: MetaReader): number | undefined {
  const to = meta.get('rescan_to');
  return to === undefined ? undefined : Number(to);
}

/**
 * A rescan that runs. What was reported before it holds until the rescan has read the block, or has ended: at the height of
 * the tip before it, or at the tip of a shorter chain.
 */
export class Rescan {
  readonly #meta: MetaWriter;

  constructor(meta: MetaWriter) {
    this.#meta = meta;
  }

  /** Height of the tip before the rescan; undefined if none runs. */
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
