import { amount, U64_MAX, type Amount } from '../../util/amount.js';
import { CodecError } from '../../util/codec.js';
import { DECIMAL_PLACES } from './constants.js';

/**
 * Formats an amount in coins, or a sum or a change of amounts, with all twelve decimal places. Source:
 * cryptonote_format_utils.cpp `print_money`.
 * @example
 * formatCoins(amount(1_500_000_000_000n)); // => '1.500000000000'
 */
export function formatCoins(value: bigint): string {
  const sign = value < 0n ? '-' : '';
  const digits = (value < 0n ? -value : value).toString().padStart(DECIMAL_PLACES + 1, '0');
  return `${sign}${digits.slice(0, -DECIMAL_PLACES)}.${digits.slice(-DECIMAL_PLACES)}`;
}

/** Largest length of a text to parse; an amount may have leading and trailing zeros. */
const MAX_CHARS = 100;

/**
 * Parses an amount in coins exactly, without rounding.
 * @throws CodecError for other text, for a fraction of an atomic unit, and for an amount above 64 bits. Source:
 * cryptonote_format_utils.cpp `parse_amount`.
 * @example
 * parseCoins('0.25'); // => 250_000_000_000n
 */
export function parseCoins(text: string): Amount {
  const [, whole = '', decimals = ''] = /^[ \t\n\v\f\r]*(\d*)(?:\.(\d*))?[ \t\n\v\f\r]*$/.exec(
    text.slice(0, MAX_CHARS + 1),
  ) ?? [undefined];
  if (text.length > MAX_CHARS || whole + decimals === '') throw new CodecError('not an amount of coins');
  const fraction = decimals.slice(0, DECIMAL_PLACES);
  if (/[^0]/.test(decimals.slice(DECIMAL_PLACES)))
    throw new CodecError('an amount finer than an atomic unit');
  const value = BigInt(whole + fraction.padEnd(DECIMAL_PLACES, '0'));
  if (value > U64_MAX) throw new CodecError('an amount beyond 64 bits');
  return amount(value);
}
