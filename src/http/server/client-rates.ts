import { CallRate, type RateRule } from '../../util/call-rate.js';
import { isPrivateAddress, networkOf } from '../message/client-address.js';

/** Limits of a number for each client, which differ by the kind of its address. */
export interface ClientLimits<T> {
  /** Limit of a public network. */
  readonly public: T;
  /** Limit of the loopback addresses, or of a private network, which may be a reverse proxy with the requests of all clients. */
  readonly private: T;
}

/** Largest number of clients whose requests are counted; of more, those idle for longest are forgotten. */
const MAX_CLIENTS = 10_000;

/** Returns the limit of the network of a client. */
export const limitOf = <T>(limits: ClientLimits<T>, ip: string): T =>
  isPrivateAddress(ip) ? limits.private : limits.public;

/** Limits the rate of requests of each network of clients. */
export class ClientRates {
  readonly #rules: ClientLimits<RateRule>;
  readonly #now: () => number;
  /** Rates by network, the one with the latest request last. */
  readonly #rates = new Map<string, CallRate>();

  /** @param now monotonic clock [ms]. */
  constructor(rules: ClientLimits<RateRule>, now: () => number = () => performance.now()) {
    this.#rules = rules;
    this.#now = now;
  }

  /**
   * Counts a request of a client, unless it is not allowed yet. @returns 0 if it was counted, otherwise the time until a
   * request is allowed [ms].
   */
  take(ip: string): number {
    const network = networkOf(ip);
    const rate = this.#rates.get(network) ?? new CallRate(limitOf(this.#rules, ip), this.#now);
    this.#rates.delete(network);
    this.#rates.set(network, rate);
    const [oldest] = this.#rates.keys();
    if (this.#rates.size > MAX_CLIENTS && oldest !== undefined) this.#rates.delete(oldest);
    return rate.take();
  }
}
