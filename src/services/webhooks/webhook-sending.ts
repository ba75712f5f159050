import type { Logger } from 'pino';
import { connectThrough, parseProxy } from '../../daemon/connector.js';
import { WalletError } from '../../model/wallet-error.js';
import { monotonicMs, systemClock, type Clock } from '../../util/clock.js';
import {
  directConnect,
  proxiedConnect,
  type Connect,
  parseTarget,
  TargetError,
} from '../../net/webhooks/target.js';
import { Dispatcher } from '../../net/webhooks/dispatcher.js';
import {
  HttpSender,
  type DeliveryRequest,
  type DeliveryResult,
  type DeliverySender,
  type ResponseHead,
} from '../../net/webhooks/sender.js';

export interface WebhookSettings {
  /** True: allows targets that are not public (loopback, private networks, local names). */
  readonly allowPrivate: boolean;
  readonly userAgent: string;
  /** True: also sends the history of restored and imported wallets. */
  readonly history?: boolean;
  /** SOCKS 5 proxy for all deliveries, `[ip:]port`; absent: direct connections. */
  readonly proxy?: string;
}

/** Largest number of test deliveries at the same time. */
const MAX_TESTS = 4;

/** Result of a test delivery. */
export interface TestResult {
  readonly result: DeliveryResult;
  /** Beginning of the response; absent if there was no response. */
  readonly response?: ResponseHead;
  /** Time from the start of the attempt to its end [ms]. */
  readonly ms: number;
}

/** Sends the webhook deliveries of all wallets of a server. */
export class WebhookSending {
  readonly clock: Clock;
  readonly dispatcher: Dispatcher;
  /** True if the history of restored and imported wallets is sent, too. */
  readonly history: boolean;
  readonly #allowPrivate: boolean;
  readonly #createSender: (url: string) => DeliverySender;
  readonly #closing = new AbortController();
  /** Number of running test deliveries. */
  #tests = 0;

  /** @param createSender creates a sender for tests; absent: the HTTP sender. */
  constructor(
    settings: WebhookSettings,
    log: Pick<Logger, 'error'>,
    { clock = systemClock, createSender = httpSender(settings) }: SendingParts = {},
  ) {
    this.#allowPrivate = settings.allowPrivate;
    this.history = settings.history ?? false;
    this.clock = clock;
    this.#createSender = createSender;
    this.dispatcher = new Dispatcher({
      ...{ createSender, clock },
      onError: (webhook, error) => log.error({ err: error, webhook }, 'a webhook delivery was interrupted'),
    });
  }

  /** Checks the URL of an endpoint. @throws WalletError `bad_webhook` for a URL to which no requests may be sent. */
  assertTarget(url: string): void {
    try {
      parseTarget(url, this.#allowPrivate);
    } catch (error) {
      if (!(error instanceof TargetError)) throw error;
      throw new WalletError({ kind: 'bad_webhook', reason: error.message }, { cause: error });
    }
  }

  /**
   * Makes one attempt of a delivery that is not an event, beside the dispatcher: over a connection of its own, and without
   * a record.
   * @throws WalletError `bad_webhook` while too many tests run.
   */
  async test(url: string, request: DeliveryRequest, signal: AbortSignal): Promise<TestResult> {
    if (this.#tests >= MAX_TESTS)
      throw new WalletError({
        kind: 'bad_webhook',
        reason: `${MAX_TESTS} tests of webhooks are running: try again when one has ended`,
      });
    const sender = this.#createSender(url);
    this.#tests += 1;
    const begun = monotonicMs();
    let response: ResponseHead | undefined;
    try {
      const result = await sender.send(
        { ...request, onResponse: (head) => (response = head) },
        AbortSignal.any([signal, this.#closing.signal]),
      );
      const ms = Math.round(monotonicMs() - begun);
      return { result, ms, ...(response === undefined ? {} : { response }) };
    } finally {
      this.#tests -= 1;
      sender.close();
    }
  }

  close(): Promise<void> {
    this.#closing.abort();
    return this.dispatcher.stop();
  }
}

interface SendingParts {
  readonly clock?: Clock;
  readonly createSender?: (url: string) => DeliverySender;
}

function httpSender({ allowPrivate, userAgent, proxy }: WebhookSettings): (url: string) => DeliverySender {
  const connect = connectOf(allowPrivate, proxy);
  return (url) => new HttpSender({ url, allowPrivate, connect, userAgent });
}

function connectOf(allowPrivate: boolean, proxy: string | undefined): Connect {
  if (proxy === undefined) return directConnect(allowPrivate);
  const address = parseProxy(proxy);
  return proxiedConnect(allowPrivate, (host, port) => connectThrough(address, host, port));
}
