import type { Amount } from '../util/amount.js';
import type { RequestPrice } from './payment-request.js';

/** Number of atomic units of one XMR. */
const COIN = 10n ** 12n;

/** Pattern of decimal numbers in prices: at most 18 digits on each side of the point. */
export const DECIMAL = /^(?:0|[1-9]\d{0,17})(?:\.\d{1,18})?$/;

/** A decimal number as a fraction. */
interface Fraction {
  readonly units: bigint;
  readonly scale: bigint;
}

function fractionOf(decimal: string): Fraction {
  const [whole = '0', decimals = ''] = decimal.split('.');
  return { units: BigInt(whole + decimals), scale: 10n ** BigInt(decimals.length) };
}

/** True if a decimal number is greater than 0. @param decimal text that matches {@link DECIMAL}. */
export const isPositive = (decimal: string): boolean => fractionOf(decimal).units > 0n;

/** Amounts that fit a price [atomic units], both inclusive. */
export interface FittingAmounts {
  readonly least: bigint;
  readonly most: bigint;
}

/**
 * Returns the amounts that fit a price: price divided by rate, rounded up or down to an atomic unit, and the tolerance.
 * @param price price whose rate is greater than 0.
 */
export function amountsFor({ amount, rate }: RequestPrice, tolerance: Amount): FittingAmounts {
  const [price, perCoin] = [fractionOf(amount), fractionOf(rate)];
  const numerator = price.units * perCoin.scale * COIN;
  const denominator = perCoin.units * price.scale;
  const down = numerator / denominator;
  const up = down * denominator === numerator ? down : down + 1n;
  return { least: down - tolerance, most: up + tolerance };
}
