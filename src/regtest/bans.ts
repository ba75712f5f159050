import { BlockList, isIP, isIPv6 } from 'node:net';
import { unixSeconds, type TimeOfDay } from '../util/clock.js';

/** A banned host or subnet. */
export interface Ban {
  readonly host: string;
  /** End of the ban [Unix s]. */
  readonly until: number;
}

const MAX_PREFIX = 32;
const SUBNET = /^(\d{1,3}(?:\.\d{1,3}){3})\/(\d{1,2})$/;
const HIDDEN_HOST = /^[a-z2-7]{52,56}\.(?:onion|b32\.i2p)$/i;

/** Returns true for an IP address, an IPv4 subnet or the name of a hidden service. */
export function isBannable(host: string): boolean {
  const [, address = '', prefix = ''] = SUBNET.exec(host) ?? [];
  if (address !== '') return isIP(address) === 4 && Number(prefix) <= MAX_PREFIX;
  return isIP(host) !== 0 || HIDDEN_HOST.test(host);
}

/** Bans of hosts and subnets, each with the time at which it ends. */
export class Bans {
  readonly #clock: TimeOfDay;
  readonly #until = new Map<string, number>();

  constructor(clock: TimeOfDay) {
    this.#clock = clock;
  }

  /** Bans a host or subnet. @param host text for which {@link isBannable} returns true. @param seconds duration [s]. */
  ban(host: string, seconds: number): void {
    this.#until.set(host, unixSeconds(this.#clock) + seconds);
  }

  lift(host: string): void {
    this.#until.delete(host);
  }

  clear(): void {
    this.#until.clear();
  }

  /** Returns the bans: first hosts, then subnets, each in lexical order. */
  all(): Ban[] {
    const now = unixSeconds(this.#clock);
    for (const [host, until] of this.#until) if (until <= now) this.#until.delete(host);
    const list = [...this.#until]
      .map(([host, until]) => ({ host, until }))
      .sort((a, b) => (a.host < b.host ? -1 : 1));
    return [
      ...list.filter(({ host }) => !host.includes('/')),
      ...list.filter(({ host }) => host.includes('/')),
    ];
  }

  /** Returns the remaining time of a ban [s]; 0 if the address is not banned. */
  secondsLeft(address: string): number {
    const now = unixSeconds(this.#clock);
    const matching = this.all().filter(({ host }) => covers(host, address));
    return matching.reduce((longest, { until }) => Math.max(longest, until - now), 0);
  }
}

function covers(host: string, address: string): boolean {
  if (host === address) return true;
  const [, subnet = '', prefix = ''] = SUBNET.exec(host) ?? [];
  if (subnet === '' || isIP(address) === 0 || isIPv6(address)) return false;
  const list = new BlockList();
  list.addSubnet(subnet, Number(prefix));
  return list.check(address);
}
