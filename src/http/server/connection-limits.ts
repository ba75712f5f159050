import { isPrivateAddress, networkOf } from '../message/caller.js';
import { isLoopback } from '../../util/address.js';
import type { Socket } from 'node:net';

/** Limit for the rate of calls. */
export interface RateRule {
  /** Largest number of calls within any period of `seconds`. */
  readonly requests: number;
  readonly seconds: number;
}

/** Limits the rate of calls: at most `requests` calls begin within any period of `seconds`. */
export class CallRate {
  readonly rule: RateRule;
  readonly #now: () => number;
  /** Times of the latest calls [ms], in a ring buffer of `requests` entries. */
  readonly #times: number[] = [];
  #next = 0;

  /** @param now monotonic clock [ms]. */
  constructor(rule: RateRule, now: () => number = () => performance.now()) {
    this.rule = rule;
    this.#now = now;
  }

  /** Time until a call is allowed again [ms]; 0 if a call is allowed now. */
  wait(now = this.#now()): number {
    const oldest = this.#times[this.#next];
    return oldest === undefined ? 0 : Math.max(0, oldest + this.rule.seconds * 1000 - now);
  }

  /**
   * Counts one call, unless it is not allowed yet. @returns 0 if the call was counted, otherwise the time until a call
   * is allowed [ms].
   */
  take(): number {
    const now = this.#now();
    const wait = this.wait(now);
    if (wait > 0) return wait;
    this.#times[this.#next] = now;
    this.#next = (this.#next + 1) % this.rule.requests;
    return 0;
  }
}

/** Limits of a number for each client, which differ by the kind of its address. */
export interface ClientLimits<T> {
  /** Limit of a public network. */
  readonly public: T;
  /** Limit of the loopback addresses, or of a private network, which may be a reverse proxy with the requests of all clients. */
  readonly private: T;
}

/**
 * Largest number of clients whose requests are counted; if there are more clients, the clients that were idle for
 * longest are forgotten.
 */
const MAX_CLIENTS = 10_000;

/** Returns the limit of the network of a client. */
const limitOf = <T>(limits: ClientLimits<T>, ip: string): T =>
  isPrivateAddress(ip) ? limits.private : limits.public;

/** Limits the rate of requests of each network of clients. */
export class ClientRates {
  readonly #rules: ClientLimits<RateRule>;
  readonly #now: () => number;
  /** Rates by network; the network with the latest request is the last one. */
  readonly #rates = new Map<string, CallRate>();

  /** @param now monotonic clock [ms]. */
  constructor(rules: ClientLimits<RateRule>, now: () => number = () => performance.now()) {
    this.#rules = rules;
    this.#now = now;
  }

  /**
   * Counts a request of a client, unless it is not allowed yet. @returns 0 if the request was counted, otherwise the
   * time until a request is allowed [ms].
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

export interface CountLimits {
  /** Largest number of connections of all clients together. */
  readonly all: number;
  /** Largest number of connections of the clients of one network. */
  readonly each: ClientLimits<number>;
}

/** Limit that a client, or all clients together, have reached. */
export interface ReachedLimit {
  readonly limit: number;
  readonly of: 'address' | 'all';
}

/**
 * Numbers of open connections, or of other things that clients hold, in total and by network. Connections of this
 * machine do not count in the total, and are not refused because of the total, so that other clients cannot shut this
 * machine out.
 */
export class CountedConnections {
  readonly #limits: CountLimits;
  readonly #perNetwork = new Map<string, number>();
  #all = 0;

  constructor(limits: CountLimits) {
    this.#limits = limits;
  }

  /**
   * Counts a connection, unless a limit is reached. @param ip address of the client.
   * @returns the reached limit, or a function that ends the count; later calls of the function have no effect.
   */
  take(ip: string): ReachedLimit | (() => void) {
    const { all, each } = this.#limits;
    const network = networkOf(ip);
    const isOwn = isLoopback(ip);
    const limit = Math.min(limitOf(each, ip), all);
    const count = this.#perNetwork.get(network) ?? 0;
    if (!isOwn && this.#all >= all) return { limit: all, of: 'all' };
    if (count >= limit) return { limit, of: 'address' };
    this.#add(network, isOwn, 1);
    let isCounted = true;
    return () => {
      if (isCounted) this.#add(network, isOwn, -1);
      isCounted = false;
    };
  }

  #add(network: string, isOwn: boolean, change: 1 | -1): void {
    if (!isOwn) this.#all += change;
    const count = (this.#perNetwork.get(network) ?? 0) + change;
    if (count === 0) this.#perNetwork.delete(network);
    else this.#perNetwork.set(network, count);
  }
}

/** Longest time from the opening of a connection to the headers of its first authenticated request [ms]. */
const LOGIN_MS = 8_000;

/**
 * Closes connections that do not authenticate in time, so that clients without a login cannot use up the limits on
 * connections.
 */
export class LoginDeadline {
  readonly #ms: number;
  readonly #timers = new WeakMap<Socket, NodeJS.Timeout>();

  constructor(ms = LOGIN_MS) {
    this.#ms = ms;
  }

  /** Starts the deadline of an open connection. */
  begin(socket: Socket): void {
    const timer = setTimeout(() => socket.destroy(), this.#ms);
    this.#timers.set(socket, timer);
    socket.once('close', () => clearTimeout(timer));
  }

  /** Ends the deadline of a connection; to be called at its first authenticated request. */
  lift(socket: Socket): void {
    clearTimeout(this.#timers.get(socket));
    this.#timers.delete(socket);
  }
}
