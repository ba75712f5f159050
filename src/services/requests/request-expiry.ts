import { betweenWrites } from '../../store/between-writes.js';
import { unixSeconds } from '../../util/clock.js';
import type { WalletContext } from '../context/wallet-context.js';
import type { WalletSync } from '../sync/wallet-sync.js';

type Context = Pick<WalletContext, 'clock' | 'log' | 'store'>;

/** Other services of the wallet that this service calls. */
interface Services {
  readonly sync: Pick<WalletSync, 'isSynced'>;
}

/** Number of expiries that one transaction records. */
const EXPIRIES_AT_ONCE = 200;
/** Longest time between two looks at the clock [ms], because steps of the clock move the expiries. */
const LOOK_MS = 60_000;
/**
 * Longest time for which expiries wait for the first refresh of a wallet after it is opened, which may find payments
 * that were in time [ms].
 */
const CATCH_UP_MS = 30_000;

/**
 * Records the expiry of payment requests when it has passed, also if the wallet was closed at the time of the expiry.
 */
export class RequestExpiry {
  readonly #context: Context;
  readonly #services: Services;
  /** Earliest expiry that is not recorded [Unix s]; Infinity: all expiries are recorded. */
  #next = Infinity;
  /** Time until which expiries wait for the first refresh [Unix ms]. */
  #waitsUntil = 0;
  #timer: NodeJS.Timeout | undefined;
  #isRunning = false;
  #isClosed = false;

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
  }

  /** Reads the next expiry. To be called once. */
  start(): void {
    this.#next = this.#readNext();
    if (this.#next < Infinity && !this.#services.sync.isSynced)
      this.#waitsUntil = this.#context.clock.now() + CATCH_UP_MS;
    this.#schedule();
  }

  /** Must be called when a request has received an expiry [Unix s]; undefined: the request has no expiry. */
  onExpiry(expires: number | undefined): void {
    if (expires === undefined || expires >= this.#next) return;
    this.#next = expires;
    this.#schedule();
  }

  /** Ends the wait for the first refresh once the wallet has all blocks. */
  onEvents(): void {
    if (this.#waitsUntil === 0 || !this.#services.sync.isSynced) return;
    this.#waitsUntil = 0;
    this.#schedule();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #readNext(): number {
    return this.#context.store.read((r) => r.requests.nextExpiry()) ?? Infinity;
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed || this.#next === Infinity) return;
    const now = this.#context.clock.now();
    const due = Math.max(this.#waitsUntil, (this.#next + 1) * 1000);
    this.#timer = setTimeout(() => void this.#look(), Math.min(Math.max(0, due - now), LOOK_MS));
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      const { clock } = this.#context;
      if (clock.now() >= this.#waitsUntil) {
        this.#waitsUntil = 0;
        if (this.#next < unixSeconds(clock)) await this.#record();
      }
    } catch (error) {
      // The wallet was closed, or its disk is full: the next look tries again.
      if (!this.#isClosed)
        this.#context.log.error({ err: error }, 'the expiry of payment requests cannot be recorded');
    } finally {
      this.#isRunning = false;
      if (this.#next < unixSeconds(this.#context.clock)) this.#retryLater();
      else this.#schedule();
    }
  }

  #retryLater(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.#look(), LOOK_MS);
    this.#timer.unref();
  }

  /** Records all expiries that have passed, some in each transaction. */
  async #record(): Promise<void> {
    const { store, clock } = this.#context;
    for (;;) {
      if (this.#isClosed) return;
      const now = unixSeconds(clock);
      const count = store.writeRecoverable((w) => {
        const expired = w.requests.expiring(now, EXPIRIES_AT_ONCE);
        for (const request of expired) {
          w.requests.end(request.sequence);
          w.events.reviseRequest({ ...request, ended: true });
        }
        return expired.length;
      });
      if (count < EXPIRIES_AT_ONCE) break;
      await betweenWrites(store);
    }
    this.#next = this.#readNext();
  }
}
