import { isIP } from 'node:net';
import { isLoopback } from '../../util/address.js';
import { ConfigError } from './config-values.js';

/** Address to listen on. If an optional address cannot be bound, the server starts without it. */
export interface BindAddress {
  readonly ip: string;
  readonly optional: boolean;
}

/**
 * Checks that only this machine can reach an address, unless the user has confirmed an external address.
 * @throws ConfigError
 */
function assertLoopback(ip: string, externalConfirmed: boolean): void {
  if (!isLoopback(ip) && !externalConfirmed)
    throw new ConfigError(
      `${ip} can be reached from outside this machine: add --confirm-external-bind if that is meant`,
    );
}

/** Parses the addresses of the RPC server. @throws ConfigError */
export function bindAddresses(
  ipv4: string,
  ipv6: string,
  rules: { readonly ipv6: boolean; readonly ipv4Optional: boolean; readonly externalConfirmed: boolean },
): readonly BindAddress[] {
  const bare = ipv6.replace(/^\[(.*)\]$/, '$1');
  if (isIP(ipv4) === 0) throw new ConfigError('--rpc-bind-ip is not an IP address');
  if (rules.ipv6 && isIP(bare) !== 6) throw new ConfigError('--rpc-bind-ipv6-address is not an IPv6 address');
  const bind = [
    { ip: ipv4, optional: rules.ipv6 && rules.ipv4Optional },
    ...(rules.ipv6 ? [{ ip: bare, optional: false }] : []),
  ];
  for (const { ip } of bind) assertLoopback(ip, rules.externalConfirmed);
  return bind;
}

/**
 * Parses an address of a further port, such as the port of `/metrics`.
 * @param option name of the option.
 * @throws ConfigError
 */
export function readTcpBind(
  option: string,
  text: string | undefined,
  externalConfirmed: boolean,
): { ip: string; port: number } | undefined {
  if (text === undefined) return undefined;
  const [, host = '127.0.0.1', digits] = /^(?:([^:]+|\[[^\]]+\]):)?(\d{1,5})$/.exec(text) ?? [];
  const ip = host.replace(/^\[|\]$/g, '');
  const port = Number(digits);
  if (isIP(ip) === 0 || !(port <= 65_535)) throw new ConfigError(`--${option} is [ip:]port`);
  assertLoopback(ip, externalConfirmed);
  return { ip, port };
}

/** Parses a host name that the `Host` header of requests may contain. @throws ConfigError */
export function readHost(text: string): string {
  if (isIP(text) === 0 && !/^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$/i.test(text))
    throw new ConfigError('--rpc-allowed-hosts is a list of host names, without scheme and port');
  return text.toLowerCase();
}
