import { describe, expect, it, test, afterEach } from '@jest/globals';
import {
  FrameReader,
  greeting,
  message,
  ready,
  SubscriberReader,
  FRAMES_PER_TURN,
  readFrames,
} from '../../../src/net/zmq/zmtp.js';
import { CodecError } from '../../../src/util/codec.js';
import { concatBytes, fromHex, toHex } from '../../../src/util/bytes.js';
import { framesIn } from '../../support/network/zmtp-frames.js';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { Publisher } from '../../../src/net/zmq/publisher.js';
import { Subscriber } from '../../../src/net/zmq/subscriber.js';
import { EventLoopTurns } from '../../support/fakes/event-loop-turns.js';
import { until } from '../../support/fakes/until.js';

/** Greeting of a SUB socket of libzmq 4.3.4: signature, version 3.1, NULL. */
const PEER_GREETING = fromHex(`ff00000000000000017f0301${toHex(Buffer.from('NULL'))}${'00'.repeat(48)}`);
const PEER_READY = concatBytes(
  fromHex('0426'),
  Buffer.from([5]),
  Buffer.from('READY'),
  Buffer.from([11]),
  Buffer.from('Socket-Type'),
  fromHex('00000003'),
  Buffer.from('SUB'),
  Buffer.from([8]),
  Buffer.from('Identity'),
  fromHex('00000000'),
);
const subscription = (topic: string): Uint8Array =>
  concatBytes(Uint8Array.from([0, topic.length + 1, 1]), Buffer.from(topic));
const cancellation = (topic: string): Uint8Array =>
  concatBytes(Uint8Array.from([0, topic.length + 1, 0]), Buffer.from(topic));
const CONVERSATION = concatBytes(
  PEER_GREETING,
  fromHex('041a'),
  PEER_READY.subarray(2, 28),
  subscription('json-a'),
  cancellation('json-b'),
);

const requestsIn = (reader: SubscriberReader, chunk: Uint8Array) =>
  framesIn(reader.frames, chunk).flatMap((frame) => reader.requestIn(frame) ?? []);

describe('the ZMTP protocol', () => {
  it('greets with 64 bytes: signature, version 3.0, NULL', () => {
    expect(toHex(greeting())).toBe(`ff00000000000000007f0300${toHex(Buffer.from('NULL'))}${'00'.repeat(48)}`);
  });

  it('sends READY as a PUB socket', () => {
    expect(Buffer.from(ready()).toString('latin1')).toBe('\x04\x19\x05READY\x0bSocket-Type\0\0\0\x03PUB');
  });

  test.each([
    [0, '0000'],
    [255, '00ff'],
    [256, '020000000000000100'],
  ])('a message of %i bytes begins with %s', (length, head) => {
    expect(toHex(message(new Uint8Array(length)))).toBe(head + '00'.repeat(length));
  });

  it('parses subscriptions, in one chunk or byte by byte', () => {
    const expected = [
      { kind: 'subscribe', topic: 'json-a' },
      { kind: 'cancel', topic: 'json-b' },
    ];
    expect(requestsIn(new SubscriberReader(), CONVERSATION)).toEqual(expected);
    const reader = new SubscriberReader();
    expect([...CONVERSATION].flatMap((byte) => requestsIn(reader, Uint8Array.of(byte)))).toEqual(expected);
  });

  it('takes linear time for a long frame in single bytes, and for many short frames', () => {
    // A copy of all pending bytes for each chunk or frame would take longer than the time limit of tests.
    const long = new FrameReader(2 << 20);
    framesIn(long, PEER_GREETING);
    const body = new Uint8Array(2 << 20).fill(7);
    let frames: unknown[] = [];
    for (const byte of message(body)) frames = framesIn(long, Uint8Array.of(byte));
    expect(frames).toEqual([{ kind: 'message', body }]);
    const short = new FrameReader(16);
    expect(framesIn(short, concatBytes(PEER_GREETING, new Uint8Array(1 << 20)))).toHaveLength(1 + (1 << 19));
  });

  it('gives frames that later chunks do not change', () => {
    const reader = new FrameReader(16);
    const [, first] = framesIn(
      reader,
      concatBytes(PEER_GREETING, message(Uint8Array.of(1, 2, 3)), Uint8Array.of(0, 3)),
    );
    framesIn(reader, Uint8Array.of(4, 5, 6));
    expect(first).toEqual({ kind: 'message', body: Uint8Array.of(1, 2, 3) });
  });

  test.each<[string, Uint8Array]>([
    ['HTTP', Buffer.from('GET / HTTP/1.1\r\n')],
    ['version 2', fromHex(`ff00000000000000017f0201${'00'.repeat(52)}`)],
    [
      'a mechanism with passwords',
      fromHex(`ff00000000000000017f0300${toHex(Buffer.from('PLAIN'))}${'00'.repeat(47)}`),
    ],
    ['a subscription before the handshake', concatBytes(PEER_GREETING, subscription('json-a'))],
    ['a frame that never ends', concatBytes(PEER_GREETING, fromHex('02ffffffffffffffff'))],
    ['a message of many frames', concatBytes(PEER_GREETING, fromHex('0100'.repeat(16)))],
    ['a message of many bytes', concatBytes(PEER_GREETING, fromHex(`01ff${'00'.repeat(255)}`.repeat(5)))],
    ['a command that is cut short', concatBytes(PEER_GREETING, fromHex('04020552'))],
  ])('refuses %s', (_, bytes) => {
    const reader = new SubscriberReader();
    expect(() => requestsIn(reader, bytes)).toThrow(CodecError);
  });
});

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
