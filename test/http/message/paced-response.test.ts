import { describe, expect, it, afterEach, jest } from '@jest/globals';
import { releaseBuffer, markReleasable, PacedResponse } from '../../../src/http/message/paced-response.js';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { withFakeTimeouts } from '../../support/fakes/fake-timeouts.js';
import { until, untilSteady } from '../../support/fakes/until.js';

const LARGE = 1 << 17;

describe('a piece that may be released', () => {
  it('is empty once it is released', () => {
    const bytes = Buffer.alloc(LARGE, 'a');
    markReleasable([bytes]);
    expect(bytes).toHaveLength(LARGE);
    releaseBuffer(bytes);
    expect(bytes).toHaveLength(0);
    releaseBuffer(bytes);
    expect(bytes.buffer.byteLength).toBe(0);
  });

  it('is kept if it was not marked, or shares its buffer', () => {
    const unmarked = Buffer.alloc(LARGE, 'a');
    const buffer = Buffer.alloc(2 * LARGE, 'b');
    const half = buffer.subarray(0, LARGE);
    const shared = new Uint8Array(new SharedArrayBuffer(LARGE));
    markReleasable([half, shared]);
    for (const bytes of [unmarked, half, shared]) {
      releaseBuffer(bytes);
      expect(bytes).toHaveLength(LARGE);
    }
    expect(half.every((byte) => byte === 98)).toBe(true);
  });

  it('is kept if it is small', () => {
    const small = Buffer.from('small');
    markReleasable([small]);
    releaseBuffer(small);
    expect(small.toString()).toBe('small');
  });
});

const PIECE = 1 << 20;

let server: Server | undefined;
let client: Socket | undefined;

/** Connects to a server and sends a request, of whose answer nothing is read until the socket is resumed. */
async function ask(listener: RequestListener): Promise<Socket> {
  server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  client.on('error', () => undefined);
  client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
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
    const socket = await ask((_req, res) => {
      const response = new PacedResponse(res, { mostWaiting: PIECE, stallMs: 60_000 });
      ended = flood(response, (pieces) => (written = pieces));
    });
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
      const socket = await ask((_req, res) => {
        const response = new PacedResponse(res, { mostWaiting: PIECE, stallMs: 15_000 });
        ended = flood(response, (pieces) => (written = pieces));
      });
      await until('the response begins', () => written > 0);
      await untilSteady('the response waits', () => written);
      jest.advanceTimersByTime(15_000);
      expect(await ended).toBeLessThan(40);
      socket.resume();
      await once(socket, 'close');
    }));
});
