import type { Logger } from 'pino';
import type { Clock } from '../../net/webhooks/clock.js';

/** Time after the first refused login in which further ones are counted [ms]. */
const PERIOD_MS = 10_000;
/** Addresses that are logged in one period; a flood from more must not fill the log. */
const MAX_ADDRESSES = 100;

/**
 * Logs refused logins by the address of the client: the first one of a period at once, further ones as a number at its
 * end. User names are not logged, because some clients send the password there.
 */
export class RefusedLogins {
  readonly #log: Logger;
  readonly #clock: Clock;
  /** Logins after the first one that was logged, by address. */
  readonly #further = new Map<string, number>();
  /** Logins from addresses beyond {@link MAX_ADDRESSES}. */
  #others = 0;
  #cancel: (() => void) | undefined;

  constructor(log: Logger, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  /** @param client IP address. */
  note(client: string): void {
    this.#cancel ??= this.#clock.after(PERIOD_MS, () => this.#end());
    const count = this.#further.get(client);
    if (count !== undefined) this.#further.set(client, count + 1);
    else if (this.#further.size >= MAX_ADDRESSES) this.#others += 1;
    else {
      this.#further.set(client, 0);
      this.#log.warn({ client }, 'login refused');
    }
  }

  /** Logs the numbers of the current period. */
  close(): void {
    this.#cancel?.();
    this.#end();
  }

  #end(): void {
    for (const [client, logins] of this.#further)
      if (logins > 0) this.#log.warn({ client, logins }, 'further logins refused');
    if (this.#others > 0) this.#log.warn({ logins: this.#others }, 'logins from further addresses refused');
    this.#further.clear();
    this.#others = 0;
    this.#cancel = undefined;
  }
}
