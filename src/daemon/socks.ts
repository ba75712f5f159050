import type { Socket } from 'node:net';
import { DaemonError } from './errors.js';

/** Address of a SOCKS 5 proxy. */
export interface Proxy {
  readonly host: string;
  readonly port: number;
}

/** Time to connect to the proxy, and through it to a host [ms]. */
const CONNECT_TIMEOUT_MS = 10_000;

/** Parses `[ip:]port`; without an address the proxy is on this machine. @throws DaemonError `unreachable` */
export function parseProxy(text: string): Proxy {
  const [, host, port] = /^(?:(.+):)?(\d{1,5})$/.exec(text) ?? [];
  if (port === undefined) throw new DaemonError('unreachable', 'a proxy is [ip:]port');
  return { host: host ?? '127.0.0.1', port: Number(port) };
}

/** Opens a connection through a proxy, which resolves the name of the host. */
export async function connectThrough(proxy: Proxy, host: string, port: number): Promise<Socket> {
  // Two threads connect, and most servers have no proxy: the package takes 0.7 MiB in each. A bundle gives a CommonJS
  // module as the default member.
  const { default: socks } = await import('socks');
  const { socket } = await socks.SocksClient.createConnection({
    proxy: { ...proxy, type: 5 },
    command: 'connect',
    destination: { host, port },
    timeout: CONNECT_TIMEOUT_MS,
  });
  return socket;
}
