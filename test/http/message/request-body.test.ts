import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { bodyOf, giveBody, shortBodyOf, SHORT_BYTES } from '../../../src/http/message/request-body.js';
import { until } from '../../support/fakes/until.js';

let server: Server;
/** Called with the next request. */
let take: (req: IncomingMessage) => void = () => undefined;
const sockets: Socket[] = [];

beforeAll(async () => {
  server = createServer((req) => take(req));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterAll(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

/** Sends the beginning of a request. @param header header that declares the length of the body. */
async function begun(
  header: string,
  begin: string,
): Promise<{ readonly req: IncomingMessage; readonly socket: Socket }> {
  const { promise, resolve } = Promise.withResolvers<IncomingMessage>();
  take = resolve;
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket);
  socket.setNoDelay(true);
  socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\n${header}\r\n\r\n${begin}`);
  return { req: await promise, socket };
}

const short = (req: IncomingMessage): Promise<string | undefined> =>
  shortBodyOf(req)?.then((bytes) => Buffer.from(bytes).toString()) ?? Promise.resolve(undefined);

describe('a body of a short declared length', () => {
  it('is read whole, in however many parts it arrives', async () => {
    const { req, socket } = await begun('Content-Length: 6', 'a');
    const read = short(req);
    for (const part of ['\u00e9', '\u00e8', '!']) {
      const { bytesRead } = req.socket;
      socket.write(part);
      await until('the part arrives', () => Promise.resolve(req.socket.bytesRead > bytesRead || undefined));
    }
    expect(await read).toBe('a\u00e9\u00e8!');
  });

  it('may be empty', async () => {
    const { req } = await begun('Content-Length: 0', '');
    expect(await short(req)).toBe('');
  });

  it('is refused if the connection ends within it', async () => {
    const { req, socket } = await begun('Content-Length: 6', 'abc');
    const read = short(req);
    socket.destroy();
    await expect(read).rejects.toThrow();
  });

  it('is left to the reader of chunks if the connection has ended before', async () => {
    const { req, socket } = await begun('Content-Length: 6', 'abc');
    socket.destroy();
    await until('the connection ends', () => Promise.resolve(req.destroyed || undefined));
    expect(shortBodyOf(req)).toBeUndefined();
    await expect(text(bodyOf(req))).rejects.toThrow();
  });

  it('is left to the reader of chunks if it was given', async () => {
    const { req } = await begun('Content-Length: 3', 'abc');
    giveBody(req, bodyOf(req));
    expect(shortBodyOf(req)).toBeUndefined();
    expect(await text(bodyOf(req))).toBe('abc');
  });
});

describe('any other body', () => {
  it.each([
    ['without a declared length', 'Transfer-Encoding: chunked', '3\r\nabc\r\n0\r\n\r\n'],
    ['of a greater length', `Content-Length: ${SHORT_BYTES + 1}`, 'a'.repeat(SHORT_BYTES + 1)],
  ])('is left to the reader of chunks: one %s', async (_, header, begin) => {
    const { req } = await begun(header, begin);
    expect(shortBodyOf(req)).toBeUndefined();
    expect((await text(bodyOf(req))).slice(0, 2)).toMatch(/^a/);
  });
});
