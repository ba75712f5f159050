import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import { connect as connectSocket, type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import {
  sendEvents,
  type EventSource,
  type EventStreamOptions,
} from '../../../src/http/message/event-stream.js';
import { turns } from '../../support/fakes/event-loop-turns.js';
import { withFakeTimeouts } from '../../support/fakes/fake-timeouts.js';
import { until, untilSteady } from '../../support/fakes/until.js';

let server: Server | undefined;

/** Serves one source. @returns the port. */
async function serve(source: EventSource, options?: EventStreamOptions): Promise<number> {
  const started = createServer((_req, res) => void sendEvents(res, source, options));
  server = started;
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', () => resolve()));
  return (started.address() as AddressInfo).port;
}

const connect = (port: number): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => get({ port, host: '127.0.0.1' }, resolve).on('error', reject));

const eventOf = (id: number, data = '{}') => ({ id, type: 'payment.seen', data });

const never = (_ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

describe('a stream of events', () => {
  it('sends each with its id and type, and ends with its source', async () => {
    const pages = [[eventOf(1, '{"a":1}'), eventOf(2)], [eventOf(3)]];
    const port = await serve({
      next: () => pages.shift() ?? [],
      wait: () => Promise.resolve(),
      get isClosed() {
        return pages.length === 0;
      },
    });
    const response = await connect(port);
    expect(response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
    });
    response.setEncoding('utf8');
    let text = '';
    for await (const part of response) text += part as string;
    expect(text).toBe(
      'retry: 2000\n\nid: 1\nevent: payment.seen\ndata: {"a":1}\n\nid: 2\nevent: payment.seen\ndata: {}\n\n' +
        'id: 3\nevent: payment.seen\ndata: {}\n\n',
    );
  });

  it('ends when the client closes its side', async () => {
    const port = await serve({ next: () => [], wait: never, isClosed: false });
    const started = server as Server & { httpAllowHalfOpen: boolean };
    started.httpAllowHalfOpen = true;
    const socket = connectSocket({ port, host: '127.0.0.1', allowHalfOpen: true });
    const ended = new Promise((resolve) => socket.resume().once('end', resolve));
    socket.end('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await ended;
    socket.destroy();
  });

  it('sends comments while nothing happens', async () => {
    let elapsed = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => elapsed);
    const wait = async (ms: number): Promise<void> => {
      elapsed += ms;
      await turns();
    };
    const port = await serve({ next: () => [], wait, isClosed: false });
    const response = await connect(port);
    response.setEncoding('utf8');
    let text = '';
    for await (const part of response) {
      text += part as string;
      if (text.endsWith(':\n\n:\n\n')) break;
    }
    clock.mockRestore();
    expect(text).toMatch(/^retry: 2000\n\n(:\n\n)+$/);
  });

  it('closes the connection of a client that does not read, after one page beyond its buffers', () =>
    withFakeTimeouts(async () => {
      let pages = 0;
      const data = JSON.stringify('x'.repeat(1 << 20));
      const next = () => [eventOf((pages += 1), data)];
      const port = await serve({ next, wait: never, isClosed: false }, { stallMs: 15_000 });
      const closing = once(server as Server, 'connection').then(([socket]) =>
        once(socket as Socket, 'close'),
      );
      const response = await connect(port);
      response.pause();
      const sent = await untilSteady('the stream waits', () => pages);
      expect(sent).toBeLessThan(40);
      jest.advanceTimersByTime(15_000);
      await closing;
      await expect(
        (async () => {
          for await (const part of response) void part;
        })(),
      ).rejects.toThrow('aborted');
      expect(pages).toBe(sent);
    }));

  it('asks its source for nothing more once the client has gone', async () => {
    let ended = false;
    const wait = async (_ms: number, signal: AbortSignal): Promise<void> => {
      await never(_ms, signal);
      ended = true;
    };
    const port = await serve({ next: () => [], wait, isClosed: false });
    const response = await connect(port);
    response.destroy();
    await until('the end of the wait', () => ended);
  });
});
