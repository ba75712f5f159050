import type { ClientOptions, CreatePaymentRequestParams } from 'wallet-rpc-client';

/** Rate of XMR in a currency, as the merchant's own source gives it. */
export interface RateQuote {
  /** Units of the currency for one XMR, as a decimal number in a text, such as "151.20". */
  readonly rate: string;
  /** Time of the rate [Unix s]. */
  readonly time: number;
  /** Origin of the rate, which the request keeps. */
  readonly source?: string;
}

/** Terms of every payment request, as `create_payment_request` takes them. */
export type Terms = Pick<
  CreatePaymentRequestParams,
  'account_index' | 'confirmations' | 'label' | 'locale' | 'refunds' | 'return' | 'tolerance' | 'zero_conf'
>;

/** Options of the provider in `medusa-config.ts`. */
export interface ProviderOptions {
  /** Address of the server. */
  readonly url: string;
  /** Login of the server: `{ token }`, or `{ username, password }`. */
  readonly auth?: ClientOptions['auth'];
  /** SHA-256 fingerprints of certificates, one of which the server must have. */
  readonly fingerprint?: ClientOptions['fingerprint'];
  /** Certificates to trust (PEM). */
  readonly ca?: ClientOptions['ca'];
  /** Name of the wallet, which no other program requests payments to. */
  readonly wallet: string;
  /** Secret of the webhook (`whsec_…`); a list while it is rotated. */
  readonly webhookSecret: string | readonly string[];
  /** Rates by the lower-case code of the currency, or a function that returns the present one. */
  readonly rate: Readonly<Record<string, RateQuote>> | ((currency: string) => RateQuote | Promise<RateQuote>);
  /** Greatest age of a rate [s]; default: an hour. */
  readonly maxRateAge?: number;
  /** Time that a customer has to pay [s]; default: an hour. */
  readonly expiresIn?: number;
  /** State from which an order may be placed; default: paid. seen: also before the payment is confirmed. */
  readonly placeOrderAt?: 'seen' | 'paid';
  /** Page of the shop that the pay page leads back to; `{session_id}` is replaced. */
  readonly returnUrl?: string;
  /** Further terms; customers are asked for an address for refunds unless `refunds` is none. */
  readonly terms?: Terms;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Finds the first option that is missing or has a wrong type. @returns a sentence, or undefined. */
export function faultOf(options: Readonly<Record<string, unknown>>): string | undefined {
  const { url, wallet, webhookSecret, rate, placeOrderAt } = options;
  if (!isText(url) || !URL.canParse(url))
    return 'url is the address of wallet-rpc, such as http://127.0.0.1:18083';
  if (!isText(wallet)) return 'wallet is the name of the wallet that receives the payments';
  const secrets = [webhookSecret].flat();
  if (secrets.length === 0 || !secrets.every((secret) => isText(secret) && secret.startsWith('whsec_')))
    return 'webhookSecret is the secret that add_webhook returned (whsec_…)';
  if (typeof rate !== 'function' && (typeof rate !== 'object' || rate === null))
    return 'rate is a function, or has a rate for each currency';
  if (placeOrderAt !== undefined && placeOrderAt !== 'seen' && placeOrderAt !== 'paid')
    return 'placeOrderAt is seen or paid';
  for (const name of ['maxRateAge', 'expiresIn'])
    if (options[name] !== undefined && !(Number(options[name]) > 0)) return `${name} is a number of seconds`;
  return undefined;
}
