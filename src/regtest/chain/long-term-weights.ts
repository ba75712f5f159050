import { toHex } from '../../util/bytes.js';
import { MedianBag } from '../rules/median.js';
import { LONG_TERM_WINDOW } from '../rules/weights.js';
import type { BlockTable, StoredBlock } from '../store/blocks.js';

/**
 * Block weights in the window of the long-term median. They are updated as the chain grows, and read again after a
 * reorganisation.
 */
export class LongTermWeights {
  readonly #blocks: BlockTable;
  #bag = new MedianBag();
  #tip = '';

  constructor(blocks: BlockTable) {
    this.#blocks = blocks;
  }

  /** Returns the weights of the blocks in the window that ends with the block `tip`. */
  upTo(tip: StoredBlock): MedianBag {
    const name = toHex(tip.hash);
    if (name === this.#tip) return this.#bag;
    const previous = this.#blocks.at(tip.height - 1);
    if (previous !== undefined && toHex(previous.hash) === this.#tip) {
      const [leaving] = this.#blocks.longTermWeights(tip.height - LONG_TERM_WINDOW, 1);
      if (tip.height >= LONG_TERM_WINDOW && leaving !== undefined) this.#bag.remove(leaving);
      this.#bag.add(tip.longTermWeight);
    } else {
      const start = Math.max(0, tip.height + 1 - LONG_TERM_WINDOW);
      this.#bag = new MedianBag();
      for (const weight of this.#blocks.longTermWeights(start, LONG_TERM_WINDOW)) this.#bag.add(weight);
    }
    this.#tip = name;
    return this.#bag;
  }
}
