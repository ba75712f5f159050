import { amount, U64_MAX, type Amount } from '../util/amount.js';
import { CodecError } from '../util/codec.js';
import { DECIMAL_PLACES } from './constants.js';

/** A decimal coin amount, all twelve places. Source: cryptonote_format_utils.cpp `print_money`. */
export function formatCoins(value: Amount): string {
  const digits = value.toString().padStart(DECIMAL_PLACES + 1, '0');
  return `${digits.slice(0, -DECIMAL_PLACES)}.${digits.slice(-DECIMAL_PLACES)}`;
}

/** Longest text looked at; zeros may stand before and behind an amount. */
const MAX_CHARS = 100;

/**
 * Reads a decimal coin amount exactly: nothing is rounded.
 * @throws CodecError for other text, a fraction finer than an atomic unit, or an amount beyond 64 bits.
 * Source: cryptonote_format_utils.cpp `parse_amount`.
 */
export function parseCoins(text: string): Amount {
  const [, whole = '', given = ''] = /^[ \t\n\v\f\r]*(\d*)(?:\.(\d*))?[ \t\n\v\f\r]*$/.exec(
    text.slice(0, MAX_CHARS + 1),
  ) ?? [undefined];
  if (text.length > MAX_CHARS || whole + given === '') throw new CodecError('not an amount of coins');
  const fraction = given.slice(0, DECIMAL_PLACES);
  if (/[^0]/.test(given.slice(DECIMAL_PLACES))) throw new CodecError('an amount finer than an atomic unit');
  const value = BigInt(whole + fraction.padEnd(DECIMAL_PLACES, '0'));
  if (value > U64_MAX) throw new CodecError('an amount beyond 64 bits');
  return amount(value);
}
