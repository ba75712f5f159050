import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  FRAMES_PER_TURN,
  readFrames,
  FrameReader,
  greeting,
  message,
  ready,
} from '../../../src/net/zmq/zmtp.js';
import { Publisher } from '../../../src/net/zmq/publisher.js';
import { Subscriber } from '../../../src/net/zmq/subscriber.js';
import { concatBytes } from '../../../src/util/bytes.js';
import { EventLoopTurns } from '../../support/fakes/event-loop-turns.js';
import { until } from '../../support/fakes/until.js';

const COUNT = 20_000;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Repeats bytes. */
const repeated = (bytes: Uint8Array, count: number): Buffer =>
  Buffer.concat(Array.from({ length: count }, () => bytes));

describe('the frames of a peer', () => {
  it.each([
    ['empty messages', message(new Uint8Array())],
    ['messages of one byte', message(Uint8Array.of(1))],
    ['commands', Uint8Array.of(4, 0)],
  ])('are handled some at a time, with other work between them: %s', async (_, frame) => {
    const stream = new PassThrough();
    const reader = new FrameReader(1024);
    let count = 0;
    readFrames(stream as unknown as Socket, reader, () => void (count += 1));
    const turns = new EventLoopTurns();
    stream.write(Buffer.concat([greeting(), repeated(frame, COUNT)]));
    await until('all frames', () => count === COUNT + 1 || undefined);
    expect(turns.stop()).toBeGreaterThanOrEqual(COUNT / FRAMES_PER_TURN);
  });

  it('are all handled in order, whatever arrives meanwhile', async () => {
    const stream = new PassThrough();
    const bodies: number[] = [];
    readFrames(stream as unknown as Socket, new FrameReader(1024), (frame) => {
      if (frame.kind === 'message') bodies.push(frame.body[0] ?? -1);
    });
    const expected = Array.from({ length: 3 * FRAMES_PER_TURN }, (_, i) => i % 251);
    stream.write(greeting());
    for (let at = 0; at < expected.length; at += 100)
      stream.write(concatBytes(...expected.slice(at, at + 100).map((n) => message(Uint8Array.of(n)))));
    await until('all frames', () => bodies.length === expected.length || undefined);
    expect(bodies).toEqual(expected);
  });

  it('end the connection where one breaks the protocol', async () => {
    const stream = new PassThrough();
    readFrames(stream as unknown as Socket, new FrameReader(1024), () => undefined);
    stream.write(
      concatBytes(
        greeting(),
        repeated(message(new Uint8Array()), FRAMES_PER_TURN),
        repeated(Uint8Array.of(1, 0), 16),
      ),
    );
    await until('the end', () => stream.destroyed || undefined);
  });
});

describe('a flood of tiny messages', () => {
  it('of a publisher reaches a subscriber some at a time', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.write(Buffer.concat([greeting(), ready(), repeated(message(Buffer.from('t')), COUNT)]));
    });
    closing.push(() => server.close());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    let [inTurn, most, count] = [0, 0, 0];
    const subscriber = new Subscriber({
      ...{ host: '127.0.0.1', port: (server.address() as AddressInfo).port, topics: ['t'] },
      onMessage: () => {
        if (inTurn === 0) setImmediate(() => (inTurn = 0));
        inTurn += 1;
        count += 1;
        most = Math.max(most, inTurn);
      },
    });
    closing.push(() => subscriber.close());
    subscriber.open();
    await until('all messages', () => count === COUNT || undefined);
    // Two turns of frames may lie between two calls of the same timer phase.
    expect(most).toBeLessThanOrEqual(2 * FRAMES_PER_TURN);
  });

  it('of a subscriber leaves the publisher able to serve others', async () => {
    const publisher = new Publisher();
    closing.push(() => publisher.close());
    const port = await publisher.listen('127.0.0.1', 0);
    const socket = connect(port, '127.0.0.1');
    closing.push(() => socket.destroy());
    const requests = repeated(message(Uint8Array.of(1, 97)), COUNT);
    socket.write(Buffer.concat([greeting(), ready('SUB'), requests, message(Uint8Array.of(1, 98))]));
    await until('the last subscription', () => publisher.hasSubscriber('b') || undefined);
    expect(publisher.hasSubscriber('a')).toBe(true);
  });
});
