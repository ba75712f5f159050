import { amount, type Amount } from '../../../util/amount.js';
import { uniformBigInt, type Rng } from '../../../util/random.js';

/** Largest number of change outputs in one transaction; a payee and one more output still fit beside them. */
export const MAX_CHANGE_OUTPUTS = 14;

/** Requested division of a transaction's change into outputs. */
export interface ChangeSplit {
  /** Number of change outputs, 1 to {@link MAX_CHANGE_OUTPUTS}; fewer are made if the change is too small. */
  readonly outputs: number;
  /** Smallest amount of one of several change outputs: the fee for spending the output [atomic units]. */
  readonly least: bigint;
}

/**
 * Smallest mean of the parts [atomic units] for which whole numbers within 20 % of the mean can always add up to the
 * change.
 */
const LEAST_MEAN = 5n;

/** Smallest and largest amount of a part, both inclusive [atomic units]. */
interface PartBounds {
  readonly lowest: bigint;
  readonly highest: bigint;
}

/**
 * Returns the whole numbers within 20 % of the mean part; for a mean below {@link LEAST_MEAN}, the two whole numbers
 * next to it.
 */
function boundsOf(change: bigint, count: bigint): PartBounds {
  const [below, above] = [change / count, (change + count - 1n) / count];
  const [lowest, highest] = [(4n * change + 5n * count - 1n) / (5n * count), (6n * change) / (5n * count)];
  return { lowest: lowest < below ? lowest : below, highest: highest > above ? highest : above };
}

/**
 * Returns the largest number of change outputs, up to the requested number, for which each output is worth spending.
 */
export function changeOutputsFor(change: bigint, { outputs, least }: ChangeSplit): number {
  for (let count = outputs; count > 1; count--) {
    const parts = BigInt(count);
    if (change >= LEAST_MEAN * parts && boundsOf(change, parts).lowest >= least) return count;
  }
  return 1;
}

/**
 * Divides the change into random parts within 20 % of their mean that add up to the change exactly. All parts except
 * the last are drawn uniformly within the bounds; the last part is the remainder, and if it is outside the bounds, all
 * parts are drawn again. So every division within the bounds has the same probability, and all parts have the same
 * distribution. Fourteen parts take three draws on average.
 */
export function splitChange(change: Amount, count: number, rng: Rng): Amount[] {
  if (count === 1) return [change];
  const { lowest, highest } = boundsOf(change, BigInt(count));
  for (;;) {
    const parts = Array.from({ length: count - 1 }, () => lowest + uniformBigInt(highest - lowest + 1n, rng));
    const last = parts.reduce((left, part) => left - part, change as bigint);
    if (last >= lowest && last <= highest) return [...parts, last].map(amount);
  }
}
