import type { BigNumberInput } from '@medusajs/framework/types';
import type { PaymentRequestPrice } from 'wallet-rpc-client';

/** Number of atomic units of one XMR. */
const COIN = 10n ** 12n;

const NUMBER = /^(\d+)(?:\.(\d*))?(?:e([+-]?\d{1,3}))?$/i;

/** A decimal number as a fraction: units / 10^decimals. */
interface Decimal {
  readonly units: bigint;
  readonly decimals: number;
}

/** Members of the objects that Medusa has for amounts; those of bignumber.js have none of them. */
interface AmountObject {
  readonly raw?: { readonly value: string | number } | null;
  readonly value?: string | number;
  readonly numeric?: number;
}

/** Returns the digits of an amount in any of the forms that Medusa has for one. */
function textOf(amount: BigNumberInput): string {
  if (typeof amount !== 'object') return String(amount);
  const { raw, value, numeric } = amount as AmountObject;
  return String(raw?.value ?? value ?? numeric ?? amount);
}

/** Parses a decimal number that is not negative. @throws RangeError for another text. */
function parseDecimal(text: string): Decimal {
  const match = NUMBER.exec(text);
  if (match === null) throw new RangeError(`${text} is not an amount`);
  const [, whole = '', fraction = '', exponent = '0'] = match;
  const decimals = fraction.length - Number(exponent);
  const units = BigInt(whole + fraction);
  return decimals < 0 ? { units: units * 10n ** BigInt(-decimals), decimals: 0 } : { units, decimals };
}

/** Returns the number of decimals that amounts of a currency have: 2 for EUR, 0 for JPY. */
const decimalsOf = (currency: string): number =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;

/**
 * Rounds an amount of a cart to the decimals of its currency, half up: totals with taxes may have many more.
 * @param currency code in any case. @returns a decimal number in a text, such as "19.90".
 * @throws RangeError for what is no amount, and for 0.
 */
export function priceAmount(amount: BigNumberInput, currency: string): string {
  const { units, decimals } = parseDecimal(textOf(amount));
  const digits = decimalsOf(currency);
  const scale = 10n ** BigInt(decimals);
  const rounded = (2n * units * 10n ** BigInt(digits) + scale) / (2n * scale);
  if (rounded === 0n) throw new RangeError('an amount of 0 needs no payment');
  const text = String(rounded).padStart(digits + 1, '0');
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/**
 * Returns the amount to request for a price [atomic units]: price divided by rate, rounded up.
 * @throws RangeError for a rate of 0
 */
export function amountToRequest(price: Pick<PaymentRequestPrice, 'amount' | 'rate'>): bigint {
  const [amount, rate] = [parseDecimal(price.amount), parseDecimal(price.rate)];
  if (rate.units === 0n) throw new RangeError('the rate is 0');
  const numerator = amount.units * 10n ** BigInt(rate.decimals) * COIN;
  const denominator = rate.units * 10n ** BigInt(amount.decimals);
  return (numerator + denominator - 1n) / denominator;
}

/** Payment request, as far as the amount of a refund follows from it. */
export interface RefundBase {
  readonly tolerance: bigint;
  readonly refundable: bigint;
  readonly price?: PaymentRequestPrice;
  readonly refunds: readonly unknown[];
}

/**
 * Returns the amount of a refund [atomic units] at the rate of the payment, rounded up. Where less is left by the tolerance, or by
 * the rounding of the refunds, it is what is left: the parts of a price then add up to what was paid.
 * @throws RangeError for a request without a price
 */
export function amountToRefund(refund: BigNumberInput, request: RefundBase): bigint {
  const { tolerance, refundable, price, refunds } = request;
  if (price === undefined) throw new RangeError('the payment request has no price');
  const amount = amountToRequest({ amount: priceAmount(refund, price.currency), rate: price.rate });
  const slack = tolerance + BigInt(refunds.length);
  return amount > refundable && amount - refundable <= slack ? refundable : amount;
}
