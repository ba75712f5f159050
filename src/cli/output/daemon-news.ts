import type { Logger } from 'pino';
import { Subscriber } from '../../net/zmq/subscriber.js';

/** Message of a changed chain. Source: zmq_pub.cpp. */
const CHAIN = 'json-minimal-chain_main';
/** Message of new transactions in the mempool. Source: zmq_pub.cpp. */
const POOL = 'json-minimal-txpool_add';

/** Shortest interval between two refreshes for new transactions [ms]: a busy mempool has several each second. */
const POOL_INTERVAL_MS = 250;

export interface DaemonNewsOptions {
  readonly host: string;
  readonly port: number;
  /** Called for a new block at once, for new transactions at most four times a second. */
  readonly onNews: () => void;
  readonly log: Logger;
}

/**
 * Follows the ZeroMQ publisher of the daemon. It only shortens the time until a refresh: a lost message costs the
 * refresh period.
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
        // It may have published before the subscription.
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
