import {
  createClient,
  WalletConnectionError,
  type GetPaymentRequestResult,
  type RefundPaymentRequestParams,
  type RefundPaymentRequestResult,
  type WalletClient,
} from 'wallet-rpc-client';
import { hasCode, KEY_MISMATCH, REQUEST_MISSING } from './errors.js';
import type { ProviderOptions, RateQuote } from './options.js';
import { amountToRequest } from './price.js';
import { metadataOf, nameOf, revisionOf, sessionOf, type PaymentRequest } from './session.js';

const HOUR = 3600;
/** Number of attempts of a refund whose answers are lost. */
const REFUND_ATTEMPTS = 3;

/** Price of a session: amount as a decimal number, and code of the currency in capitals. */
export interface SessionPrice {
  readonly amount: string;
  readonly currency: string;
}

/** Data of a session, which may come from a browser. */
export type SessionData = Readonly<Record<string, unknown>> | undefined;

const isEnded = ({ state }: PaymentRequest): boolean => state === 'expired' || state === 'cancelled';

const hasPrice = ({ price }: PaymentRequest, { amount, currency }: SessionPrice): boolean =>
  price?.amount === amount && price.currency === currency;

/** Returns the members of data that the customer may choose. */
function choicesIn(data: SessionData): { readonly refund_address?: string; readonly locale?: string } {
  const [address, locale] = [data?.['refund_address'], data?.['locale']];
  return {
    ...(typeof address === 'string' && address !== '' ? { refund_address: address } : {}),
    ...(typeof locale === 'string' && locale !== '' ? { locale } : {}),
  };
}

/** Payment requests of the sessions of one shop. Errors of the server and of the connection are those of the client. */
export class SessionRequests {
  readonly #options: ProviderOptions;
  readonly #client: WalletClient;

  constructor(options: ProviderOptions) {
    const { url, wallet, auth, fingerprint, ca } = options;
    this.#options = options;
    this.#client = createClient({ url, wallet, auth, fingerprint, ca });
  }

  /**
   * Reads the request of a session.
   * @throws RangeError if the data names no request, or that of another session
   */
  async read(data: SessionData): Promise<GetPaymentRequestResult> {
    const id = data?.['request_id'];
    if (typeof id !== 'string') throw new RangeError('the payment session has no payment request');
    const request = await this.#client.get_payment_request({ request_id: id });
    if (sessionOf(request) !== data?.['session_id'])
      throw new RangeError('the payment request belongs to another payment session');
    return request;
  }

  /** Reads a request that an event names. @returns undefined for one that the wallet does not have. */
  async find(id: string): Promise<GetPaymentRequestResult | undefined> {
    try {
      return await this.#client.get_payment_request({ request_id: id });
    } catch (error) {
      if (hasCode(error, REQUEST_MISSING)) return undefined;
      throw error;
    }
  }

  /**
   * Creates the first request of a session, once for each session.
   * @throws RangeError if it exists with another price, and for a rate that is missing or too old
   */
  async create(session: string, price: SessionPrice, data: SessionData): Promise<PaymentRequest> {
    const request = await this.#createOrFind(session, 1, price, data);
    if (!hasPrice(request, price)) throw new RangeError('the payment session has another amount');
    return request;
  }

  /**
   * Replaces the request of a session unless it has the price, since the amount of a request never changes. The former one is
   * cancelled first, so that no customer pays it meanwhile.
   * @throws RangeError if money has arrived
   */
  async replace(request: PaymentRequest, price: SessionPrice, data: SessionData): Promise<PaymentRequest> {
    if (hasPrice(request, price) && !isEnded(request)) return request;
    const session = sessionOf(request) ?? '';
    if (request.received + request.received_unconfirmed + request.received_locked > 0n)
      throw new RangeError(
        `the payment request is ${request.state}, and has money: its amount cannot be changed`,
      );
    await this.cancel(request);
    // A repeated call finds the request that it made before.
    const next = await this.#createOrFind(session, revisionOf(request) + 1, price, data);
    return await this.replace(next, price, data);
  }

  /** Cancels a request. @throws RangeError if enough was paid: that is to be refunded. */
  async cancel(request: PaymentRequest): Promise<PaymentRequest> {
    if (request.state === 'seen' || request.state === 'confirming' || request.state === 'paid')
      throw new RangeError(`the payment request is ${request.state}, and cannot be cancelled: refund it`);
    return await this.#client.cancel_payment_request({ request_id: request.request_id });
  }

  /** Refunds once for each id: a call whose answer was lost is repeated, and pays nothing twice. */
  async refund(
    params: RefundPaymentRequestParams,
    attempts = REFUND_ATTEMPTS,
  ): Promise<RefundPaymentRequestResult> {
    try {
      return await this.#client.refund_payment_request(params);
    } catch (error) {
      if (!(error instanceof WalletConnectionError) || attempts <= 1) throw error;
      return await this.refund(params, attempts - 1);
    }
  }

  /** Creates a request under its name, or returns the one that has it: the rate may have changed between two calls. */
  async #createOrFind(
    session: string,
    revision: number,
    price: SessionPrice,
    data: SessionData,
  ): Promise<PaymentRequest> {
    const name = nameOf(session, revision);
    const { expiresIn = HOUR, returnUrl, terms } = this.#options;
    const { rate, time, source } = await this.#rate(price.currency);
    const stored = { ...price, rate, rate_time: time, ...(source === undefined ? {} : { source }) };
    try {
      return await this.#client.create_payment_request({
        ...{ refunds: 'ask', ...terms, ...choicesIn(data) },
        ...{ amount: amountToRequest(stored), price: stored, expires_in: expiresIn },
        ...{ reference: name, idempotency_key: name, metadata: metadataOf(session, revision) },
        ...(returnUrl === undefined ? {} : { return_url: returnUrl.replaceAll('{session_id}', session) }),
      });
    } catch (error) {
      if (!hasCode(error, KEY_MISMATCH)) throw error;
      return await this.#client.get_payment_request({ reference: name });
    }
  }

  /** Asks for the rate of a currency. @throws RangeError if there is none, or only an old one. */
  async #rate(currency: string): Promise<RateQuote> {
    const { rate: source, maxRateAge = HOUR } = this.#options;
    const code = currency.toLowerCase();
    const quote = typeof source === 'function' ? await source(code) : source[code];
    if (quote === undefined) throw new RangeError(`there is no rate of XMR in ${currency}`);
    const age = Date.now() / 1000 - quote.time;
    if (!(age <= maxRateAge)) throw new RangeError(`the rate of XMR in ${currency} is too old`);
    return quote;
  }
}
