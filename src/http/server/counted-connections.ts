import { isLoopback } from '../../util/address.js';
import { networkOf } from '../message/client-address.js';
import { limitOf, type ClientLimits } from './call-rate.js';

export interface CountLimits {
  /** Largest number of all clients together. */
  readonly all: number;
  /** Largest number of the clients of one network. */
  readonly each: ClientLimits<number>;
}

/** Limit that a client, or all clients together, have reached. */
export interface ReachedLimit {
  readonly limit: number;
  readonly of: 'address' | 'all';
}

/**
 * Numbers of open connections, or of other things that clients hold, in total and by network. Those of this machine do
 * not count in the total, nor does the total refuse them: strangers cannot shut it out.
 */
export class CountedConnections {
  readonly #limits: CountLimits;
  readonly #perNetwork = new Map<string, number>();
  #all = 0;

  constructor(limits: CountLimits) {
    this.#limits = limits;
  }

  /**
   * Counts a connection, unless a limit is reached. @param ip address of its client.
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
