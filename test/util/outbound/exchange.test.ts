import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { OutboundAgent } from '../../../src/util/outbound/agent.js';
import { connectTcp } from '../../../src/util/outbound/connect.js';
import { exchange, Unanswered, type OutboundRequest } from '../../../src/util/outbound/exchange.js';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

async function serve(listener: RequestListener, prepare?: (server: Server) => void): Promise<number> {
  const server = createServer(listener);
  prepare?.(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(
    () => void server.close(),
    () => server.closeAllConnections(),
  );
  return (server.address() as AddressInfo).port;
}

/** Sends a request with a body, and returns the status of its answer. */
function send(port: number, more: Partial<OutboundRequest> = {}): Promise<number | undefined> {
  const agent = new OutboundAgent({}, connectTcp);
  ends.push(() => agent.destroy());
  const request = { agent, host: '127.0.0.1', port, path: '/', method: 'POST', body: 'body' };
  const { signal } = new AbortController();
  return exchange({ ...request, signal, ...more }, (answer) => answer.resume().statusCode);
}

const held = { headers: { 'content-length': 4, expect: '100-continue' }, holdBack: () => undefined };

describe('a request may have reached the other side', () => {
  test.each([
    ['once it has a connection', (port: number) => send(port), true],
    ['and has not, while its body is held back', (port: number) => send(port, held), false],
  ])('%s', async (_, request, maybeSent) => {
    const end: RequestListener = ({ socket }) => socket.destroy();
    const port = await serve(end, (server) => server.on('checkContinue', end));
    await expect(request(port)).rejects.toMatchObject({ name: 'Unanswered', maybeSent });
  });

  test('once its body was asked for', async () => {
    const port = await serve(({ socket }) => socket.destroy());
    await expect(send(port, held)).rejects.toMatchObject({ maybeSent: true });
  });

  test('and has not, while the caller refuses to send its body', async () => {
    const bodies: string[] = [];
    const port = await serve((request) => void request.on('data', (chunk) => bodies.push(String(chunk))));
    const cause = new Error('no proof');
    const refused = send(port, { ...held, holdBack: () => cause });
    await expect(refused).rejects.toMatchObject({ maybeSent: false, cause });
    expect(bodies).toEqual([]);
  });

  test('and has not without a connection, or after the end of its caller', async () => {
    const closed = await serve(() => undefined);
    for (const end of ends.splice(0).reverse()) end();
    await expect(send(closed)).rejects.toMatchObject({ maybeSent: false, cause: { code: 'ECONNREFUSED' } });
    const reason = new Error('ended');
    const ended = send(closed, { signal: AbortSignal.abort(reason) });
    await expect(ended).rejects.toEqual(new Unanswered(reason, false));
  });
});

test('an answer is read once its body was asked for, and an error of the reader ends the request', async () => {
  const port = await serve((request, response) => void request.pipe(response.writeHead(202)));
  expect(await send(port, held)).toBe(202);
  const cause = new Error('too long');
  const agent = new OutboundAgent({}, connectTcp);
  const { signal } = new AbortController();
  const failing = exchange({ agent, host: '127.0.0.1', port, path: '/', signal }, () =>
    Promise.reject(cause),
  );
  await expect(failing).rejects.toMatchObject({ maybeSent: true, cause });
});

test('a connection that is opened early serves the first request, and is kept for the next', async () => {
  const opened: Socket[] = [];
  const port = await serve((_, response) => void response.end());
  const agent = new OutboundAgent({ most: 1, idleMs: 1000 }, async (to) => {
    const socket = connect(to);
    opened.push(socket);
    await new Promise((resolve) => socket.once('connect', resolve));
    return socket;
  });
  ends.push(() => agent.destroy());
  await agent.openEarly({ host: '127.0.0.1', port });
  expect(await send(port, { agent })).toBe(200);
  expect(await send(port, { agent })).toBe(200);
  expect(opened).toHaveLength(1);
});
