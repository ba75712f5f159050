import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Publisher } from '../../../src/net/zmq/publisher.js';
import { greeting, message } from '../../../src/net/zmq/zmtp.js';
import { until } from '../../support/fakes/until.js';
import { ready } from '../../support/network/zmq-peer.js';

/** Length of the publisher's greeting and READY command [bytes]. */
const OPENING = 64 + 27;

interface Subscriber {
  readonly socket: Socket;
  /** Bytes received after the handshake, as text. */
  received(): string;
}

describe('a publisher', () => {
  let publisher: Publisher;
  let port: number;
  const sockets: Socket[] = [];

  beforeEach(async () => {
    publisher = new Publisher();
    port = await publisher.listen('127.0.0.1', 0);
  });

  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await publisher.close();
  });

  const subscribe = (...requests: readonly string[]): Subscriber => {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    let received = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => (received = Buffer.concat([received, chunk])));
    socket.on('error', () => socket.destroy());
    socket.write(Buffer.concat([greeting(), ready('SUB')]));
    for (const request of requests) socket.write(message(Buffer.from(request, 'latin1')));
    return { socket, received: () => received.subarray(OPENING).toString('latin1') };
  };

  /** Publishes until the text is received: a subscription takes effect with a delay. */
  const publishUntil = (text: string, done: () => boolean): Promise<true> =>
    until(`${text} to be received`, () => {
      publisher.publish(text);
      return Promise.resolve(done() || undefined);
    });

  it('sends messages that start with a topic to its subscribers', async () => {
    const [all, blocks] = [subscribe('\x01'), subscribe('\x01blocks')];
    await publishUntil('blocks:1', () => blocks.received() !== '' && all.received() !== '');
    publisher.publish('pool:2');
    await publishUntil('blocks:3', () => blocks.received().includes('blocks:3'));
    expect(all.received()).toContain('\0\x06pool:2');
    expect(blocks.received()).not.toContain('pool');
  });

  it('stops sending once a topic is cancelled', async () => {
    const subscriber = subscribe('\x01blocks', '\x01pool', '\x00pool');
    await publishUntil('blocks:1', () => subscriber.received() !== '');
    publisher.publish('pool:2');
    await publishUntil('blocks:3', () => subscriber.received().includes('blocks:3'));
    expect(subscriber.received()).not.toContain('pool');
  });

  it('knows which topics have subscribers', async () => {
    expect(publisher.hasSubscriber('blocks')).toBe(false);
    const subscriber = subscribe('\x01blo');
    await publishUntil('blocks:1', () => subscriber.received() !== '');
    expect([publisher.hasSubscriber('blocks'), publisher.hasSubscriber('pool')]).toEqual([true, false]);
    subscriber.socket.destroy();
    await until('the subscriber to be gone', () => !publisher.hasSubscriber('blocks'));
  });

  it('disconnects a peer that does not speak ZMTP', async () => {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.write('GET / HTTP/1.1\r\n\r\n');
    socket.resume();
    await until('the publisher to hang up', () => Promise.resolve(socket.closed || undefined));
    expect(socket.destroyed).toBe(true);
  });
});
