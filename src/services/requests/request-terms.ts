import { amountsFor, DECIMAL, isPositive } from '../../model/request-price.js';
import type { RequestPrice } from '../../model/payment-request.js';
import type { ZeroConfRule } from '../../model/zero-conf.js';
import { WalletError } from '../../model/wallet-error.js';
import { formatAddress } from '../../monero/cryptonote/address.js';
import { formatCoins } from '../../monero/cryptonote/coins.js';
import { amount, type Amount } from '../../util/amount.js';
import type { Accounts } from '../accounts/accounts.js';

/** Largest integer of SQLite. */
const MAX_AMOUNT = (1n << 63n) - 1n;
/** Longest time until an expiry: ten years [s]. */
const MAX_LIFETIME = 10 * 365 * 86_400;
const MAX_URL_CHARS = 2048;
const CURRENCY = /^[A-Z0-9]{2,10}$/;
/** Hosts of pages of a developer's own machine. */
const OWN_MACHINE: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Creates the error `bad_payment_request`. */
export const badRequest = (reason: string): WalletError =>
  new WalletError({ kind: 'bad_payment_request', reason });

/** Checks the amount of a request and its tolerance. @throws WalletError `bad_payment_request` */
export function checkAmount(asked: Amount | undefined, tolerance: Amount): void {
  if (asked === 0n) throw badRequest('the amount is 0; without an amount the request is open');
  if (asked !== undefined && asked > MAX_AMOUNT) throw badRequest(`the amount is greater than ${MAX_AMOUNT}`);
  if (asked === undefined && tolerance > 0n) throw badRequest('a request without amount has no tolerance');
  if (asked !== undefined && tolerance >= asked)
    throw badRequest('the tolerance is not less than the amount');
}

/** Checks an expiry. @param now present time [Unix s]. @throws WalletError `bad_payment_request` */
export function checkExpiry(expires: number, now: number): void {
  if (expires <= now) throw badRequest('the expiry is not in the future');
  if (expires > now + MAX_LIFETIME) throw badRequest('the expiry is more than ten years away');
}

/**
 * Checks the price of a request, and that the requested amount fits it.
 * @throws WalletError `bad_payment_request`
 */
export function checkPrice(price: RequestPrice, asked: Amount | undefined, tolerance: Amount): void {
  if (asked === undefined) throw badRequest('a request with a price needs an amount');
  if (!CURRENCY.test(price.currency))
    throw badRequest('price.currency is not a code of 2 to 10 capital letters and digits');
  for (const name of ['amount', 'rate'] as const)
    if (!DECIMAL.test(price[name]) || !isPositive(price[name]))
      throw badRequest(`price.${name} is not a decimal number greater than 0 as a text, such as "19.90"`);
  const { least, most } = amountsFor(price, tolerance);
  if (asked >= least && asked <= most) return;
  const nearest = amount(least + tolerance);
  throw badRequest(
    `the amount does not fit the price: ${price.amount} ${price.currency} at ${price.rate} for one XMR are ${formatCoins(nearest)} XMR, and the amount is ${formatCoins(asked)} XMR with a tolerance of ${formatCoins(tolerance)}`,
  );
}

/**
 * Checks that the listed nodes can meet a rule for zero confirmations.
 * @param nodes number of listed nodes. @throws WalletError `bad_payment_request`
 */
export function checkZeroConf({ maxAmount, minNodes }: ZeroConfRule, nodes: number): void {
  if (maxAmount === 0n) throw badRequest('zero_conf.max_amount is 0');
  if (minNodes > nodes)
    throw badRequest(`zero_conf.min_nodes is ${minNodes}, and the server lists ${nodes} (--daemon-address)`);
}

/**
 * Reads the address of a customer for refunds. @returns the address in the standard spelling.
 * @throws WalletError `wrong_address`; `bad_payment_request` for an address of this wallet, which no refund may pay
 */
export function refundAddressOf(accounts: Pick<Accounts, 'ownIndex' | 'parse'>, text: string): string {
  const address = formatAddress(accounts.parse(text));
  if (accounts.ownIndex(address) !== undefined)
    throw badRequest('the refund address is one of this wallet: give one of the customer');
  return address;
}

/** Returns a language in its canonical spelling. @throws WalletError `bad_payment_request` unless it is a BCP 47 tag */
export function checkLocale(locale: string): string {
  try {
    const [canonical] = Intl.getCanonicalLocales(locale);
    if (canonical !== undefined) return canonical;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  throw badRequest('locale is not a language tag (BCP 47), such as de or pt-BR');
}

/**
 * Checks the address of a page that a visitor is led back to: https, or, outside the main network, http of the visitor's
 * own machine.
 * @param isMain returns true if the network is the main one; asked only for a page of the visitor's own machine.
 * @throws WalletError `bad_payment_request`
 */
export async function checkReturnUrl(url: string, isMain: () => Promise<boolean>): Promise<string> {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const isOwn = parsed?.protocol === 'http:' && OWN_MACHINE.has(parsed.hostname);
  if (
    parsed === undefined ||
    parsed.username + parsed.password !== '' ||
    (parsed.protocol !== 'https:' && !(isOwn && !(await isMain())))
  )
    throw badRequest(
      'return_url is not an https URL without user and password (outside mainnet it may be http://localhost)',
    );
  if (parsed.href.length > MAX_URL_CHARS)
    throw badRequest(`return_url has more than ${MAX_URL_CHARS} characters`);
  return parsed.href;
}
