import { DECIMAL_PLACES } from '../cryptonote/constants.js';
import type { Amount } from '../util/amount.js';

/** A decimal coin amount for people, all twelve places. */
export function formatCoins(value: Amount): string {
  const digits = value.toString().padStart(DECIMAL_PLACES + 1, '0');
  return `${digits.slice(0, -DECIMAL_PLACES)}.${digits.slice(-DECIMAL_PLACES)}`;
}
