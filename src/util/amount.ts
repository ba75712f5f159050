/** Largest unsigned 64-bit integer. */
export const U64_MAX = (1n << 64n) - 1n;

/**
 * Amount in atomic units (1 XMR = 10^12). Always 0 ≤ x < 2^64.
 * @example
 * const price: Amount = parseCoins('1.5');
 * price; // => 1_500_000_000_000n
 */
export type Amount = bigint & { readonly __unit: 'atomic' };

/**
 * Checks the range of an amount. @throws RangeError outside u64.
 * @example
 * amount(5n); // => 5n
 */
export function amount(value: bigint): Amount {
  if (value < 0n || value > U64_MAX) throw new RangeError(`amount outside u64: ${value}`);
  return value as Amount;
}

/** Amount of 0. */
export const ZERO = 0n as Amount;

/** Returns the sum of the amounts of values, which may exceed u64. */
export const totalOf = (values: readonly { readonly amount: bigint }[]): bigint =>
  values.reduce((subtotal, value) => subtotal + value.amount, 0n);

/** Compares two numbers for `sort`, largest first. */
export function descending(a: bigint, b: bigint): number {
  if (a === b) return 0;
  return a > b ? -1 : 1;
}

/**
 * Returns the sum of amounts. @throws RangeError if the sum exceeds u64.
 * @example
 * sum([amount(2n), amount(3n)]); // => 5n
 */
export const sum = (xs: Iterable<Amount>): Amount => {
  let total = 0n;
  for (const x of xs) total += x;
  return amount(total);
};
