import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { PacedResponse } from '../../src/http/paced-response.js';
import { turns } from '../support/event-loop-turns.js';
import { withFakeTimeouts } from '../support/fake-timeouts.js';
import { until, untilSteady } from '../support/until.js';

const PIECE = 1 << 20;

let server: Server | undefined;
let client: Socket | undefined;

/** Connects to a server and sends requests, of which nothing is read until the socket is resumed. */
async function ask(listener: RequestListener, paths: readonly string[]): Promise<Socket> {
  server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  client.on('error', () => undefined);
  client.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`).join(''));
  return client;
}

/** Writes pieces without end. @returns the number of pieces once the connection is closed. */
async function flood(response: PacedResponse, onPiece: (pieces: number) => void): Promise<number> {
  for (let pieces = 1; ; pieces++) {
    response.write([Buffer.alloc(PIECE, pieces)]);
    onPiece(pieces);
    if (!(await response.ready())) return pieces;
  }
}

afterEach(() => {
  client?.destroy();
  server?.closeAllConnections();
  server?.close();
});

describe('a response without end', () => {
  it('is produced as fast as its client reads', async () => {
    let written = 0;
    let ended: Promise<number> | undefined;
    const socket = await ask(
      (_req, res) => {
        const response = new PacedResponse(res, { mostWaiting: PIECE, stallMs: 60_000 });
        ended = flood(response, (pieces) => (written = pieces));
      },
      ['/'],
    );
    // The system buffers some megabytes.
    await until('the response begins', () => written > 0);
    const waiting = await untilSteady('the response waits', () => written);
    expect(waiting).toBeLessThan(40);
    let read = 0;
    socket.on('data', (bytes: Buffer) => (read += bytes.length)).resume();
    await until('the client has read more', () => read > 2 * waiting * PIECE);
    expect(written).toBeGreaterThan(2 * waiting - 1);
    socket.destroy();
    expect(await ended).toBe(written);
  });

  it('loses a client that reads nothing in time', () =>
    withFakeTimeouts(async () => {
      let written = 0;
      let ended: Promise<number> | undefined;
      const socket = await ask(
        (_req, res) => {
          const response = new PacedResponse(res, { mostWaiting: PIECE, stallMs: 15_000 });
          ended = flood(response, (pieces) => (written = pieces));
        },
        ['/'],
      );
      await until('the response begins', () => written > 0);
      await untilSteady('the response waits', () => written);
      jest.advanceTimersByTime(15_000);
      expect(await ended).toBeLessThan(40);
      socket.resume();
      await once(socket, 'close');
    }));

  it('waits for the response before it on the same connection, and ends with the connection', () =>
    withFakeTimeouts(async () => {
      let endFirst = (): void => undefined;
      let ended: Promise<number> | undefined;
      let isOver = false;
      const socket = await ask(
        (req, res) => {
          if (req.url === '/first') endFirst = () => void res.end('first');
          else {
            const response = new PacedResponse(res, { mostWaiting: PIECE, stallMs: 15_000 });
            ended = flood(response, () => undefined).finally(() => (isOver = true));
          }
        },
        ['/first', '/second', '/third'],
      );
      await until('the second response begins', () => ended !== undefined);
      await turns(10);
      jest.advanceTimersByTime(100_000);
      await turns(10);
      expect(isOver).toBe(false);
      socket.resume();
      endFirst();
      const [part] = (await once(socket, 'data')) as [Buffer];
      expect(part.toString('latin1')).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*first/);
      socket.destroy();
      await ended;
    }));

  it('ends with a connection that is closed before its turn', async () => {
    let ended: Promise<number> | undefined;
    const socket = await ask(
      (req, res) => {
        if (req.url === '/second')
          ended = flood(new PacedResponse(res, { mostWaiting: PIECE, stallMs: 60_000 }), () => undefined);
      },
      ['/first', '/second'],
    );
    await until('the second response begins', () => ended !== undefined);
    socket.destroy();
    expect(await ended).toBeLessThan(5);
  });
});
