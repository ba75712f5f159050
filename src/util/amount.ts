/** Largest unsigned 64-bit integer. */
export const U64_MAX = (1n << 64n) - 1n;

/** Atomic units (1 XMR = 10^12). Always 0 ≤ x < 2^64. */
export type Amount = bigint & { readonly __unit: 'atomic' };

/** @throws RangeError outside u64. */
export function amount(value: bigint): Amount {
  if (value < 0n || value > U64_MAX) throw new RangeError(`amount outside u64: ${value}`);
  return value as Amount;
}

export const ZERO = 0n as Amount;

/** Σ of the amounts of values, without a limit. */
export const totalOf = (values: readonly { readonly amount: bigint }[]): bigint =>
  values.reduce((subtotal, value) => subtotal + value.amount, 0n);

/** Order of numbers from the largest to the smallest, for `sort`. */
export function descending(a: bigint, b: bigint): number {
  if (a === b) return 0;
  return a > b ? -1 : 1;
}

/** Σ xs; an overflow is an error, never a wrap. */
export const sum = (xs: Iterable<Amount>): Amount => {
  let total = 0n;
  for (const x of xs) total += x;
  return amount(total);
};
