import type { Logger } from 'pino';
import { networkOf } from '../../http/message/caller.js';
import type { Clock } from '../../util/clock.js';

/** Length of a period, which begins with a refusal [ms]. */
const PERIOD_MS = 10_000;
/**
 * Largest number of networks of clients and reasons that are logged in one period, so that a flood from many networks does
 * not fill the log.
 */
const MAX_LOGGED = 100;

/** Messages of a {@link RefusalLog}. */
export interface RefusalTexts {
  /** Message of the first refusal of a client. */
  readonly first: string;
  /** Message with the number of further refusals of a client. */
  readonly further: string;
  /** Message with the number of refusals of other clients. */
  readonly others: string;
  /** Name of the field with the number. */
  readonly number: string;
}

/** Further refusals of a client for one reason. */
interface Further {
  readonly facts: object;
  count: number;
}

/**
 * Logs refusals by network of the client and reason: the first refusal of a period at once, with its address, further
 * refusals as a number when the period ends.
 */
export class RefusalLog {
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #texts: RefusalTexts;
  /** Refusals after the logged one, by network and reason. */
  readonly #further = new Map<string, Further>();
  /** Number of refusals of networks and reasons after the first {@link MAX_LOGGED} networks and reasons. */
  #others = 0;
  #cancel: (() => void) | undefined;

  constructor(log: Logger, clock: Clock, texts: RefusalTexts) {
    this.#log = log;
    this.#clock = clock;
    this.#texts = texts;
  }

  /** Records a refusal. @param client IP address. @param facts fields beside the address, such as the reason. */
  note(client: string, facts: { readonly reason?: string } = {}): void {
    this.#cancel ??= this.#clock.after(PERIOD_MS, () => this.#end());
    const key = `${networkOf(client)} ${facts.reason ?? ''}`;
    const known = this.#further.get(key);
    if (known !== undefined) known.count += 1;
    else if (this.#further.size >= MAX_LOGGED) this.#others += 1;
    else {
      this.#further.set(key, { facts: { client, ...facts }, count: 0 });
      this.#log.warn({ client, ...facts }, this.#texts.first);
    }
  }

  /** Logs the numbers of the current period; to be called at the end. */
  close(): void {
    this.#cancel?.();
    this.#end();
  }

  #end(): void {
    const { further, others, number } = this.#texts;
    for (const { facts, count } of this.#further.values())
      if (count > 0) this.#log.warn({ ...facts, [number]: count }, further);
    if (this.#others > 0) this.#log.warn({ [number]: this.#others }, others);
    this.#further.clear();
    this.#others = 0;
    this.#cancel = undefined;
  }
}
