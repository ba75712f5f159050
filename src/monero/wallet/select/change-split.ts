import { amount, type Amount } from '../../../util/amount.js';
import { uniformBigInt, type Rng } from '../../../util/random.js';

/** Maximum change outputs of one transaction; a payee and a spare output fit beside them. */
export const MAX_CHANGE_OUTPUTS = 14;

/** Requested split of the change of one transaction. */
export interface ChangeSplit {
  /** Change outputs, 1 to {@link MAX_CHANGE_OUTPUTS}; fewer are made when the change is too small. */
  readonly outputs: number;
  /** Smallest amount of a change output beside others: the fee of spending it [atomic units]. */
  readonly least: bigint;
}

/** Smallest mean of the parts [atomic units] for which whole numbers within 20 % of it always add up to the change. */
const LEAST_MEAN = 5n;

/** Bounds of a part, both inclusive. */
interface PartBounds {
  readonly lowest: bigint;
  readonly highest: bigint;
}

/** Returns the whole numbers within 20 % of the mean part; below {@link LEAST_MEAN} the two next to the mean. */
function boundsOf(change: bigint, count: bigint): PartBounds {
  const [below, above] = [change / count, (change + count - 1n) / count];
  const [lowest, highest] = [(4n * change + 5n * count - 1n) / (5n * count), (6n * change) / (5n * count)];
  return { lowest: lowest < below ? lowest : below, highest: highest > above ? highest : above };
}

/** Returns the largest number of change outputs, up to the requested one, of which each is worth spending. */
export function changeOutputsFor(change: bigint, { outputs, least }: ChangeSplit): number {
  for (let count = outputs; count > 1; count--) {
    const parts = BigInt(count);
    if (change >= LEAST_MEAN * parts && boundsOf(change, parts).lowest >= least) return count;
  }
  return 1;
}

/**
 * Splits the change into random parts within 20 % of their mean that add up to it exactly. All parts but the last are
 * drawn uniformly within the bounds, and the last is the remainder; all are drawn again unless it is within the bounds
 * too. The result is thus uniform over all splits within the bounds, and every part has the same distribution. Fourteen
 * parts take three draws on average.
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
