import { createHash } from 'node:crypto';
import type { Rng } from '../../../src/util/random.js';

/** Deterministic random source: SHAKE-256 of seed and position, generated in large blocks. */
export function seededRng(seed: string | number): Rng {
  const blockSize = 1 << 16;
  let block = new Uint8Array();
  let at = 0;
  let count = 0;
  return (length) => {
    const bytes = new Uint8Array(length);
    for (let filled = 0; filled < length;) {
      if (at === block.length) {
        block = createHash('shake256', { outputLength: blockSize }).update(`${seed}/${count++}`).digest();
        at = 0;
      }
      const part = block.subarray(at, at + length - filled);
      bytes.set(part, filled);
      filled += part.length;
      at += part.length;
    }
    return bytes;
  };
}
