import type { Logger } from 'pino';
import type { Clock } from '../../util/clock.js';

/** Length of a period, which begins with a refused login [ms]. */
const PERIOD_MS = 10_000;
/**
 * Largest number of client addresses that are logged in one period, so that a flood from many addresses does not fill
 * the log.
 */
const MAX_ADDRESSES = 100;

/**
 * Logs refused logins by client address: the first one of a period at once, further ones as a number when the period
 * ends. Does not log user names, because some clients send the password as the user name.
 */
export class RefusedLogins {
  readonly #log: Logger;
  readonly #clock: Clock;
  /** Number of refused logins after the logged one, by client address. */
  readonly #further = new Map<string, number>();
  /** Number of refused logins from addresses beyond {@link MAX_ADDRESSES}. */
  #others = 0;
  #cancel: (() => void) | undefined;

  constructor(log: Logger, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  /** Records a refused login. @param client IP address. */
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

  /** Logs the numbers of the current period; to be called at the end. */
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
