import type { Socket } from 'node:net';
import { DaemonError } from './errors.js';

/** Address of a SOCKS 5 proxy. */
export interface Proxy {
  readonly host: string;
  readonly port: number;
}

/** Time limit for the connection to the proxy, and for the proxy's connection to a host [ms]. */
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Parses a proxy address `[ip:]port`. Default address: 127.0.0.1.
 * @throws DaemonError `unreachable` for an invalid address.
 */
export function parseProxy(text: string): Proxy {
  const [, host, port] = /^(?:(.+):)?(\d{1,5})$/.exec(text) ?? [];
  if (port === undefined) throw new DaemonError('unreachable', 'a proxy is [ip:]port');
  return { host: host ?? '127.0.0.1', port: Number(port) };
}

/** Opens a connection to a host through a proxy, which resolves the host's name. */
export async function connectThrough(proxy: Proxy, host: string, port: number): Promise<Socket> {
  // Loaded on demand: the package takes 0.7 MiB in each of two threads, and most servers use no proxy. In a bundle, a
  // CommonJS module is the default member.
  const { default: socks } = await import('socks');
  const { socket } = await socks.SocksClient.createConnection({
    proxy: { ...proxy, type: 5 },
    command: 'connect',
    destination: { host, port },
    timeout: CONNECT_TIMEOUT_MS,
  });
  return socket;
}
