import type { ReplacedBlocks } from '../../monero/wallet/scan/findings.js';
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
 * Follows the ZeroMQ publisher of the daemon. Its messages only shorten the time until a refresh: after a lost message,
 * the wallets are refreshed when their period ends.
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

export interface ReorganisationAlertOptions {
  /** Number of replaced blocks above which a reorganisation is deep. */
  readonly limit: number;
  /**
   * Called with each deep reorganisation, and again with `isNew` false when another wallet shows that it was deeper.
   */
  readonly onDeep: (depth: number, isNew: boolean) => void;
}

/**
 * Logs deep reorganisations as errors. Every wallet sees the same reorganisation of the chain, but a wallet that was
 * behind sees it less deep: only the first wallet, and each wallet that saw it deeper, is logged.
 */
export class ReorganisationAlert {
  readonly #log: Logger;
  readonly #options: ReorganisationAlertOptions;
  /** The latest deep reorganisation, and the wallets that have seen it. */
  #latest: ReplacedBlocks | undefined;
  readonly #seenBy = new Set<string>();

  constructor(log: Logger, options: ReorganisationAlertOptions) {
    this.#log = log;
    this.#options = options;
  }

  /** Notes a reorganisation of a wallet. @param name of the wallet; empty in memory. */
  note(name: string, blocks: ReplacedBlocks): void {
    const { fromHeight, depth } = blocks;
    if (depth <= this.#options.limit) return;
    // A wallet that reports the same height twice has seen another reorganisation.
    const isSame = this.#latest?.fromHeight === fromHeight && !this.#seenBy.has(name);
    if (!isSame) this.#seenBy.clear();
    this.#seenBy.add(name);
    if (isSame && depth <= (this.#latest?.depth ?? 0)) return;
    this.#latest = blocks;
    this.#log.error(
      { name, from_height: fromHeight, depth },
      'a deep reorganisation replaced blocks of the chain; payments in them may be missing or spent otherwise: compare the events payment.reversed with what was delivered',
    );
    this.#options.onDeep(depth, !isSame);
  }
}
