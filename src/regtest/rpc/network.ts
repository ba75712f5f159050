import * as z from 'zod';
import { flag, listOf, none, params, text, u32 } from '../../http/methods/params.js';
import { isBannable } from '../bans.js';
import { refuse, defineMethod, type DaemonMethod } from './method.js';
import { replied } from './shapes.js';

/** Formats an IPv4 address. @param ip integer whose lowest byte is the first number of the address. */
const addressOf = (ip: number): string =>
  [ip, ip >>> 8, ip >>> 16, ip >>> 24].map((byte) => byte & 0xff).join('.');

function integerOf(host: string): number {
  const bytes = /^\d+(?:\.\d+){3}$/.test(host) ? host.split('.').map(Number) : [0, 0, 0, 0];
  return bytes.reduceRight((value, byte) => value * 256 + byte, 0);
}

const banEntry = z.object({
  host: text.default(''),
  ip: u32.default(0),
  ban: flag.default(false),
  seconds: u32.default(0),
});

export const networkMethods: readonly DaemonMethod[] = [
  defineMethod({
    name: 'get_connections',
    summary: 'Connections to peers; there are none.',
    meta: { unrestricted: true },
    params: none,
    source: 'COMMAND_RPC_GET_CONNECTIONS, on_get_connections',
    handle: () => replied({}),
  }),

  defineMethod({
    name: 'set_bans',
    summary: 'Bans hosts or lifts bans; open connections stay.',
    meta: { unrestricted: true },
    params: params({ bans: listOf(banEntry) }),
    source: 'COMMAND_RPC_SETBANS, on_set_bans',
    handle({ daemon: { bans } }, { bans: entries }) {
      for (const { host, ip, ban, seconds } of entries) {
        if (host === 'all' && !ban) {
          bans.clear();
          continue;
        }
        if (host === '' && ip === 0) throw refuse('wrongParam', 'a ban names a host or an ip');
        const name = host === '' ? addressOf(ip) : host;
        if (!isBannable(name))
          throw refuse('wrongParam', 'the host of a ban is neither an address nor a subnet');
        if (ban) bans.ban(name, seconds);
        else bans.lift(name);
      }
      return replied({});
    },
  }),

  defineMethod({
    name: 'get_bans',
    summary: 'Banned hosts.',
    meta: { unrestricted: true },
    params: none,
    source: 'COMMAND_RPC_GETBANS, on_get_bans',
    handle: ({ daemon: { bans, node } }) =>
      replied({
        bans: bans.all().map(({ host, until }) => ({
          host,
          ip: integerOf(host),
          seconds: until - node.chain.now(),
        })),
      }),
  }),

  defineMethod({
    name: 'banned',
    summary: 'Whether an address is banned, and for how long.',
    meta: { unrestricted: true },
    params: params({ address: text.default('') }),
    source: 'COMMAND_RPC_BANNED, on_banned',
    handle({ daemon: { bans } }, { address }) {
      if (!isBannable(address) || address.includes('/'))
        throw refuse('wrongParam', 'addresses of this kind cannot be banned');
      const seconds = bans.secondsLeft(address);
      return replied({ banned: seconds > 0, seconds });
    },
  }),
];
