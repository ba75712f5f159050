import { describe, expect, it, test } from '@jest/globals';
import { FrameReader, greeting, message, ready, SubscriberReader } from '../../../src/net/zmq/zmtp.js';
import { CodecError } from '../../../src/util/codec.js';
import { concatBytes, fromHex, toHex } from '../../../src/util/bytes.js';
import { framesIn } from '../../support/network/zmtp-frames.js';

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
