import type { Logger } from 'pino';
import { Subscriber } from '../../net/zmq/subscriber.js';

/** Topic of the message that the chain has changed. Source: zmq_pub.cpp. */
const CHAIN = 'json-minimal-chain_main';
/** Topic of the message with new transactions in the mempool. Source: zmq_pub.cpp. */
const POOL = 'json-minimal-txpool_add';

/** Shortest interval between two refreshes because of new transactions [ms]: a busy mempool has several each second. */
const POOL_INTERVAL_MS = 250;

export interface DaemonNewsOptions {
  readonly host: string;
  readonly port: number;
  /** Called at once for a new block, and at most four times a second for new transactions. */
  readonly onNews: () => void;
  readonly log: Logger;
}

/**
 * Follows the ZeroMQ publisher of the daemon. This only shortens the time until a refresh: after a lost message, the
 * wallets are refreshed when their period ends.
 */
export class DaemonNews {
  readonly #subscriber: Subscriber;
  readonly #onNews: () => void;
  #last = -Infinity;
  #timer: NodeJS.Timeout | undefined;

  constructor({ host, port, onNews, log }: DaemonNewsOptions) {
    this.#onNews = onNews;
    this.#subscriber = new Subscriber({
      ...{ host, port, topics: [CHAIN, POOL] },
      onMessage: (topic) => (topic === CHAIN ? this.#tell() : this.#tellSoon()),
      onState: (state) => {
        if (state === 'lost')
          return log.warn('the ZeroMQ publisher of the daemon is gone; wallets refresh periodically');
        log.info('following the ZeroMQ publisher of the daemon');
        // The daemon may have published something before the subscription began.
        this.#tell();
      },
    });
  }

  open(): void {
    this.#subscriber.open();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#subscriber.close();
  }

  #tell(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#last = performance.now();
    this.#onNews();
  }

  #tellSoon(): void {
    const wait = this.#last + POOL_INTERVAL_MS - performance.now();
    if (wait <= 0) this.#tell();
    else this.#timer ??= setTimeout(() => this.#tell(), wait).unref();
  }
}
