import { createServer, type RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { utf8 } from '../../src/util/bytes.js';
import { Peer } from './peer.js';
import type { Parser } from './target.js';

/** Words of HTTP requests. */
export const HTTP_WORDS = [
  '\r\n',
  ' HTTP/1.1\r\n',
  'POST ',
  'GET ',
  'Content-Length: ',
  'Transfer-Encoding: chunked\r\n',
  'Origin: null\r\n',
  'Host: a\r\n',
  '%',
  '%ff',
  '%2f',
  '..',
  '?',
  'Sec-Fetch-Site: none\r\n',
  'Expect: 100-continue\r\n',
  'Upgrade: h2c\r\n',
  'traceparent: 00-',
];

/** Writes a request. */
export const request = (head: string, body = ''): Uint8Array =>
  utf8(`${head}\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`);

/** Parser of the bytes of a connection to a server. */
export function connectionParser(
  seeds: readonly Uint8Array[],
  handlerOf: (onBug: (error: unknown) => void) => RequestListener,
): Parser {
  const bugs: unknown[] = [];
  const server = createServer(handlerOf((error) => void bugs.push(error)));
  return {
    seeds,
    async run(input) {
      const peer = new Peer(input, 'speaks');
      peer.on('error', () => undefined);
      const closed = new Promise((resolve) => peer.once('close', resolve));
      server.emit('connection', peer as unknown as Socket);
      await closed;
      const [bug] = bugs.splice(0);
      if (bug !== undefined) throw bug;
    },
  };
}
