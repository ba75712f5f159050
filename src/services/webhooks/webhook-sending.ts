import type { Logger } from 'pino';
import { connectThrough, parseProxy } from '../../daemon/socks.js';
import { WalletError } from '../../monero/wallet/model/wallet-error.js';
import { systemClock, type Clock } from '../../util/clock.js';
import { directConnect, proxiedConnect, type Connect } from '../../net/webhooks/connect.js';
import { Dispatcher } from '../../net/webhooks/dispatcher.js';
import { HttpSender, type DeliverySender } from '../../net/webhooks/sender.js';
import { parseTarget, TargetError } from '../../net/webhooks/target.js';

export interface WebhookSettings {
  /** True: allows targets that are not public (loopback, private networks, local names). */
  readonly allowPrivate: boolean;
  readonly userAgent: string;
  /** True: also sends the history of restored and imported wallets. */
  readonly history?: boolean;
  /** SOCKS 5 proxy for all deliveries, `[ip:]port`; absent: direct connections. */
  readonly proxy?: string;
}

/** Sends the webhook deliveries of all wallets of a server. */
export class WebhookSending {
  readonly clock: Clock;
  readonly dispatcher: Dispatcher;
  /** True if the history of restored and imported wallets is sent, too. */
  readonly history: boolean;
  readonly #allowPrivate: boolean;

  /** @param createSender creates a sender for tests; absent: the HTTP sender. */
  constructor(
    settings: WebhookSettings,
    log: Pick<Logger, 'error'>,
    { clock = systemClock, createSender = httpSender(settings) }: SendingParts = {},
  ) {
    this.#allowPrivate = settings.allowPrivate;
    this.history = settings.history ?? false;
    this.clock = clock;
    this.dispatcher = new Dispatcher({
      ...{ createSender, clock },
      onError: (webhook, error) => log.error({ err: error, webhook }, 'a webhook delivery was interrupted'),
    });
  }

  /** Checks the URL of an endpoint. @throws WalletError `bad_webhook` for a URL that nothing may be sent to. */
  assertTarget(url: string): void {
    try {
      parseTarget(url, this.#allowPrivate);
    } catch (error) {
      if (!(error instanceof TargetError)) throw error;
      throw new WalletError({ kind: 'bad_webhook', reason: error.message }, { cause: error });
    }
  }

  close(): Promise<void> {
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
