import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Publisher } from '../../../src/net/zmq/publisher.js';
import { Subscriber } from '../../../src/net/zmq/subscriber.js';
import { until } from '../../support/fakes/until.js';

const TOPICS = ['json-minimal-chain_main', 'json-minimal-txpool_add'];
const retryMs = { first: 5, last: 20 };

let closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing) await close();
  closing = [];
});

function subscribe(port: number) {
  const received: string[] = [];
  const states: string[] = [];
  const subscriber = new Subscriber({
    ...{ host: '127.0.0.1', port, topics: TOPICS, retryMs },
    onMessage: (topic) => received.push(topic),
    onState: (state) => states.push(state),
  });
  closing.push(() => subscriber.close());
  subscriber.open();
  return { received, states };
}

async function publish(port = 0): Promise<{ readonly publisher: Publisher; readonly port: number }> {
  const publisher = new Publisher();
  closing.push(() => publisher.close());
  return { publisher, port: await publisher.listen('127.0.0.1', port) };
}

const isTrue = (text: string, test: () => boolean): Promise<true> =>
  until(text, () => Promise.resolve(test() || undefined));

describe('a subscriber', () => {
  it('receives the messages of its topics, long ones too, in order', async () => {
    const { publisher, port } = await publish();
    const { received, states } = subscribe(port);
    await isTrue('both subscriptions', () => TOPICS.every((topic) => publisher.hasSubscriber(topic)));
    publisher.publish(`${TOPICS[0] ?? ''}:${'x'.repeat(100_000)}`);
    publisher.publish('json-full-miner_data:{}');
    publisher.publish(`${TOPICS[1] ?? ''}:[]`);
    await isTrue('two messages', () => received.length === 2);
    expect([received, states]).toEqual([TOPICS, ['subscribed']]);
  });

  it('connects again to a publisher that was away', async () => {
    const { publisher, port } = await publish();
    const { received, states } = subscribe(port);
    await isTrue('a subscription', () => publisher.hasSubscriber(TOPICS[0] ?? ''));
    await publisher.close();
    await isTrue('the loss', () => states.at(-1) === 'lost');
    const again = await publish(port);
    await isTrue('a subscription', () => again.publisher.hasSubscriber(TOPICS[0] ?? ''));
    again.publisher.publish(`${TOPICS[0] ?? ''}:{}`);
    await isTrue('a message', () => received.length === 1);
    expect(states).toEqual(['subscribed', 'lost', 'subscribed']);
  });

  it('leaves a peer that speaks something else, and tries again', async () => {
    const sockets: Socket[] = [];
    const server: Server = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined);
      socket.write('HTTP/1.1 400 Bad Request\r\n\r\n');
    });
    closing.push(() => server.close());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    const { states } = subscribe((server.address() as AddressInfo).port);
    await isTrue('three attempts', () => sockets.length >= 3);
    expect(states).toEqual([]);
  });
});
