import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Publisher } from '../../../src/regtest/zmq/publisher.js';
import { greeting, message } from '../../../src/regtest/zmq/zmtp.js';
import { until } from '../../support/process.js';
import { ready } from '../../support/zmq-peer.js';

/** Greeting and command of the publisher. */
const OPENING = 64 + 27;

interface Subscriber {
  readonly socket: Socket;
  /** Bytes after the handshake, as text. */
  heard(): string;
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

  const subscribe = (...wishes: readonly string[]): Subscriber => {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    let heard = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => (heard = Buffer.concat([heard, chunk])));
    socket.on('error', () => socket.destroy());
    socket.write(Buffer.concat([greeting(), ready('SUB')]));
    for (const wish of wishes) socket.write(message(Buffer.from(wish, 'latin1')));
    return { socket, heard: () => heard.subarray(OPENING).toString('latin1') };
  };

  /** Publishes until it is heard: a subscription takes effect some time after it was sent. */
  const publishUntil = (text: string, done: () => boolean): Promise<true> =>
    until(`${text} to be heard`, () => {
      publisher.publish(text);
      return Promise.resolve(done() || undefined);
    });

  it('sends what begins with a topic to those who asked for it', async () => {
    const [all, blocks] = [subscribe('\x01'), subscribe('\x01blocks')];
    await publishUntil('blocks:1', () => blocks.heard() !== '' && all.heard() !== '');
    publisher.publish('pool:2');
    await publishUntil('blocks:3', () => blocks.heard().includes('blocks:3'));
    expect(all.heard()).toContain('\0\x06pool:2');
    expect(blocks.heard()).not.toContain('pool');
  });

  it('stops once a topic is cancelled', async () => {
    const subscriber = subscribe('\x01blocks', '\x01pool', '\x00pool');
    await publishUntil('blocks:1', () => subscriber.heard() !== '');
    publisher.publish('pool:2');
    await publishUntil('blocks:3', () => subscriber.heard().includes('blocks:3'));
    expect(subscriber.heard()).not.toContain('pool');
  });

  it('knows what is wanted', async () => {
    expect(publisher.isWanted('blocks')).toBe(false);
    const subscriber = subscribe('\x01blo');
    await publishUntil('blocks:1', () => subscriber.heard() !== '');
    expect([publisher.isWanted('blocks'), publisher.isWanted('pool')]).toEqual([true, false]);
    subscriber.socket.destroy();
    await until('the subscriber to be gone', () => !publisher.isWanted('blocks'));
  });

  it('hangs up on a peer that speaks something else', async () => {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.write('GET / HTTP/1.1\r\n\r\n');
    socket.resume();
    await until('the publisher to hang up', () => Promise.resolve(socket.closed || undefined));
    expect(socket.destroyed).toBe(true);
  });
});
