import type {
  AuthorizePaymentInput,
  AuthorizePaymentOutput,
  InitiatePaymentInput,
  InitiatePaymentOutput,
  Logger,
  PaymentProviderInput,
  PaymentProviderOutput,
  ProviderWebhookPayload,
  RefundPaymentInput,
  UpdatePaymentInput,
  UpdatePaymentOutput,
  WebhookActionResult,
} from '@medusajs/framework/types';
import { AbstractPaymentProvider, MedusaError, PaymentActions } from '@medusajs/framework/utils';
import { verifyWebhook, type WalletEvent, type WebhookHeaders } from 'wallet-rpc-client';
import { withMedusaErrors } from './errors.js';
import { faultOf, type ProviderOptions } from './options.js';
import { amountToRefund, priceAmount } from './price.js';
import { dataOf, sessionOf, type PaymentRequest } from './session.js';
import { SessionRequests, type SessionPrice } from './session-requests.js';
import { sessionStatus, webhookAction, type PlaceOrderAt } from './states.js';

/**
 * Greatest age of a delivery [s]. Medusa processes it later, perhaps from a queue, and a repeated one does no harm: it is a reason
 * to read the request, whose state decides.
 */
const WEBHOOK_TOLERANCE = 24 * 3600;

/** Events that the merchant has to look at. */
const REPORTED = [
  'request.reversed',
  'request.late',
  'request.overpaid',
] as const satisfies WalletEvent['type'][];

type LogWarnings = Pick<Logger, 'warn'>;

const priceOf = ({ amount, currency_code }: InitiatePaymentInput): SessionPrice => {
  const currency = currency_code.toUpperCase();
  return { amount: priceAmount(amount, currency), currency };
};

/** Payment provider of Medusa whose sessions are payment requests of wallet-rpc. */
export class WalletRpcPaymentProvider extends AbstractPaymentProvider<ProviderOptions> {
  static override identifier = 'wallet-rpc';

  readonly #options: ProviderOptions;
  readonly #requests: SessionRequests;
  readonly #logger: LogWarnings;

  /** Checks the options of `medusa-config.ts`. @throws MedusaError */
  static override validateOptions(options: Record<string, unknown>): void {
    const fault = faultOf(options);
    if (fault !== undefined)
      throw new MedusaError(MedusaError.Types.INVALID_DATA, `wallet-rpc-medusa: ${fault}`);
  }

  constructor(cradle: Record<string, unknown>, options: ProviderOptions) {
    super(cradle, options);
    WalletRpcPaymentProvider.validateOptions({ ...options });
    this.#options = options;
    this.#requests = new SessionRequests(options);
    this.#logger = cradle['logger'] as LogWarnings;
  }

  /** Creates the payment request of a session, once however often it is called for it. */
  initiatePayment(input: InitiatePaymentInput): Promise<InitiatePaymentOutput> {
    return withMedusaErrors(async () => {
      const session = input.context?.idempotency_key ?? input.data?.['session_id'];
      if (typeof session !== 'string') throw new RangeError('Medusa has given the payment session no id');
      const request = await this.#requests.create(session, priceOf(input), input.data);
      return { id: request.request_id, ...this.#outcome(request) };
    });
  }

  /** Replaces the request if the amount has changed, or if it has ended. @throws MedusaError if money has arrived. */
  updatePayment(input: UpdatePaymentInput): Promise<UpdatePaymentOutput> {
    return withMedusaErrors(async () => {
      const request = await this.#requests.read(input.data);
      return this.#outcome(await this.#requests.replace(request, priceOf(input), input.data));
    });
  }

  /** Reads the state: a session is captured once its request is paid. */
  authorizePayment(input: AuthorizePaymentInput): Promise<AuthorizePaymentOutput> {
    return withMedusaErrors(async () => this.#outcome(await this.#requests.read(input.data)));
  }

  getPaymentStatus(input: PaymentProviderInput): Promise<AuthorizePaymentOutput> {
    return this.authorizePayment(input);
  }

  retrievePayment({ data }: PaymentProviderInput): Promise<PaymentProviderOutput> {
    return withMedusaErrors(async () => ({ data: dataOf(await this.#requests.read(data)) }));
  }

  /** Confirms that the money has arrived; there is nothing left to collect. @throws MedusaError unless it is paid. */
  capturePayment({ data }: PaymentProviderInput): Promise<PaymentProviderOutput> {
    return withMedusaErrors(async () => {
      const request = await this.#requests.read(data);
      if (request.state !== 'paid') throw new RangeError(`the payment request is ${request.state}, not paid`);
      return { data: dataOf(request) };
    });
  }

  /** Cancels the request. @throws MedusaError if enough was paid: that is to be refunded. */
  cancelPayment({ data }: PaymentProviderInput): Promise<PaymentProviderOutput> {
    return withMedusaErrors(async () => {
      const request = await this.#requests.read(data);
      return { data: dataOf(await this.#requests.cancel(request)) };
    });
  }

  /** Cancels the request, if there is one. @throws MedusaError if enough was paid. */
  async deletePayment(input: PaymentProviderInput): Promise<PaymentProviderOutput> {
    // Medusa also deletes what it could not create.
    return input.data?.['request_id'] === undefined ? { data: {} } : await this.cancelPayment(input);
  }

  /** Refunds at the rate of the payment, once for each refund of Medusa. */
  refundPayment({ data, amount, context }: RefundPaymentInput): Promise<PaymentProviderOutput> {
    return withMedusaErrors(async () => {
      const id = context?.idempotency_key;
      if (id === undefined) throw new RangeError('Medusa has given the refund no id');
      const request = await this.#requests.read(data);
      // What is left to refund may differ from the first call, and with it the terms.
      if (request.refunds.some(({ refund_id }) => refund_id === id)) return { data: dataOf(request) };
      const refund = {
        request_id: request.request_id,
        refund_id: id,
        amount: amountToRefund(amount, request),
      };
      return { data: dataOf(await this.#requests.refund(refund)) };
    });
  }

  /** Checks a delivery of the webhook, and reads the state of its request. @throws MedusaError for a false one. */
  getWebhookActionAndData(delivery: ProviderWebhookPayload['payload']): Promise<WebhookActionResult> {
    return withMedusaErrors(async () => {
      const { type, data } = verifyWebhook(
        delivery.headers as WebhookHeaders,
        delivery.rawData,
        this.#options.webhookSecret,
        { tolerance: WEBHOOK_TOLERANCE },
      );
      const id = type.startsWith('request.') && 'request_id' in data ? data.request_id : undefined;
      const request = id === undefined ? undefined : await this.#requests.find(id);
      const session = request === undefined ? undefined : sessionOf(request);
      if (request === undefined || session === undefined) return { action: PaymentActions.NOT_SUPPORTED };
      if (REPORTED.some((reported) => reported === type))
        this.#logger.warn(
          `wallet-rpc: ${type} of payment session ${session}: the request is ${request.state}, ${request.refundable} atomic units can be refunded`,
        );
      return {
        action: webhookAction(request.state, this.#placeOrderAt),
        data: { session_id: session, amount: request.price?.amount ?? 0 },
      };
    });
  }

  get #placeOrderAt(): PlaceOrderAt {
    return this.#options.placeOrderAt ?? 'paid';
  }

  #outcome(request: PaymentRequest) {
    return { status: sessionStatus(request.state, this.#placeOrderAt), data: dataOf(request) };
  }
}
