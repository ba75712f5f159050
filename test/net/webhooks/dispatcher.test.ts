import { beforeEach, describe, expect, it } from '@jest/globals';
import { Dispatcher, type DispatcherOptions, type Endpoint } from '../../../src/net/webhooks/dispatcher.js';
import { createSecret } from '../../../src/net/webhooks/signature.js';
import type { DeliveryRequest, DeliveryResult, DeliverySender } from '../../../src/net/webhooks/sender.js';
import { MemoryDeliveryLog, MemoryEvents } from '../../support/fakes/memory-delivery-log.js';
import { VirtualClock } from '../../support/fakes/virtual-clock.js';

const HOUR = 3_600_000;
const delivered: DeliveryResult = { kind: 'delivered', status: 200 };
const failed: DeliveryResult = { kind: 'failed', reason: 'status', status: 500 };

/** Attempt that waits for its result. */
interface Open {
  readonly url: string;
  readonly id: number;
  readonly request: DeliveryRequest;
  readonly answer: (result: DeliveryResult) => void;
}

let clock: VirtualClock;
/** Attempts in flight. */
let open: Open[];
/** Ids that were sent, with the host of their endpoint. */
let sent: string[];
let errors: unknown[];
let automatic: ((url: string, id: number) => DeliveryResult | 'hang') | undefined;

const createSender = (url: string): DeliverySender => ({
  send: (request, signal) =>
    new Promise((resolve) => {
      const id = Number(request.headers['webhook-id']);
      sent.push(`${url}${id}`);
      const result = automatic?.(url, id) ?? 'hang';
      if (result !== 'hang') return resolve(result);
      const attempt: Open = {
        url,
        id,
        request,
        answer: (answered) => {
          open = open.filter((other) => other !== attempt);
          resolve(answered);
        },
      };
      open.push(attempt);
      signal.addEventListener('abort', () => attempt.answer({ kind: 'aborted' }));
    }),
  close: () => undefined,
});

const dispatcherWith = (more: Partial<DispatcherOptions> = {}): Dispatcher =>
  new Dispatcher({ createSender, clock, onError: (_, error) => errors.push(error), ...more });

interface Shop extends Endpoint {
  readonly log: MemoryDeliveryLog;
  readonly events: MemoryEvents;
}

const shop = (id: string, ...ids: number[]): Shop => {
  const events = new MemoryEvents();
  for (const event of ids) events.add(event, `"${event}"`);
  const secret = createSecret();
  return { id, url: `${id}/`, secrets: () => [secret], log: new MemoryDeliveryLog(), events };
};

beforeEach(() => {
  clock = new VirtualClock();
  open = [];
  sent = [];
  errors = [];
  automatic = undefined;
});

describe('an endpoint', () => {
  it('gets its events one at a time, in order', async () => {
    const dispatcher = dispatcherWith();
    const a = shop('a', 1, 2);
    dispatcher.add(a);
    await clock.advance(60_000);
    expect(sent).toEqual(['a/1']);
    open[0]?.answer(delivered);
    await clock.advance(0);
    expect(sent).toEqual(['a/1', 'a/2']);
    open[0]?.answer(delivered);
    await clock.advance(0);
    expect(a.log.records.map(({ eventId, state }) => [eventId, state])).toEqual([
      [1, 'delivered'],
      [2, 'delivered'],
    ]);
    expect(open).toEqual([]);
  });

  it('gets an event once it is woken, and searches only then', async () => {
    automatic = () => delivered;
    const dispatcher = dispatcherWith();
    const [a, b] = [shop('a'), shop('b')];
    dispatcher.add(a);
    dispatcher.add(b);
    await clock.advance(HOUR);
    a.events.add(5, '"5"');
    b.events.add(6, '"6"');
    await clock.advance(HOUR);
    expect(a.events.searches).toEqual([0]);
    expect(sent).toEqual([]);
    dispatcher.wake('a');
    dispatcher.wake('unknown');
    await clock.advance(0);
    expect(sent).toEqual(['a/5']);
    dispatcher.wake();
    await clock.advance(0);
    expect(sent).toEqual(['a/5', 'b/6']);
  });

  it('gets a failed event again, next to first attempts, at its due time', async () => {
    automatic = () => failed;
    const dispatcher = dispatcherWith({ rng: (length) => new Uint8Array(length) });
    const a = shop('a', 1, 2, 3);
    dispatcher.add(a);
    await clock.advance(4999);
    expect(sent).toEqual(['a/1', 'a/2', 'a/3']);
    automatic = () => delivered;
    await clock.advance(1);
    expect(sent.slice(3)).toEqual(['a/1']);
    await clock.advance(2000);
    expect(sent.slice(3)).toEqual(['a/1', 'a/2', 'a/3']);
    expect(a.log.pending).toEqual([]);
    expect(clock.timers).toBe(0);
  });

  it('that answers 410 gets nothing until it is enabled and woken', async () => {
    automatic = () => ({ kind: 'gone' });
    const dispatcher = dispatcherWith();
    const a = shop('a', 1, 2);
    dispatcher.add(a);
    await clock.advance(100 * HOUR);
    expect(sent).toEqual(['a/1']);
    automatic = () => delivered;
    a.log.disabled = false;
    dispatcher.wake('a');
    await clock.advance(100 * HOUR);
    expect(sent.slice(1).sort()).toEqual(['a/1', 'a/2']);
  });

  it('is signed by the secrets of the moment of each attempt', async () => {
    const secrets = [createSecret(), createSecret()];
    const asked: number[] = [];
    const a = {
      ...shop('a', 1),
      secrets: (now: number) => {
        asked.push(now);
        return secrets;
      },
    };
    dispatcherWith().add(a);
    await clock.advance(0);
    expect(asked).toEqual([clock.now()]);
    expect(open[0]?.request.headers['webhook-signature'].split(' ')).toHaveLength(2);
    expect(open[0]?.request.headers['webhook-timestamp']).toBe(String(clock.now() / 1000));
  });

  it('without a secret gets nothing, which is an error and not a failed attempt', async () => {
    const a = { ...shop('a', 1), secrets: () => [] };
    dispatcherWith().add(a);
    await clock.advance(4999);
    expect(sent).toEqual([]);
    expect(errors).toHaveLength(1);
    expect(a.log.records).toEqual([]);
  });
});

describe('connections', () => {
  it('are bounded, over all endpoints in turn', async () => {
    const dispatcher = dispatcherWith({ maxConnections: 2 });
    for (const name of ['a', 'b', 'c']) dispatcher.add(shop(name, 1, 2));
    await clock.advance(0);
    expect(sent).toEqual(['a/1', 'b/1']);
    for (let i = 0; i < 6; i++) {
      expect(open.length).toBeLessThanOrEqual(2);
      open[0]?.answer(delivered);
      await clock.advance(0);
    }
    expect(sent).toEqual(['a/1', 'b/1', 'c/1', 'a/2', 'b/2', 'c/2']);
  });

  it('are at most two for one endpoint', async () => {
    const dispatcher = dispatcherWith();
    automatic = () => failed;
    dispatcher.add(shop('a', 1, 2, 3, 4));
    await clock.advance(2500);
    automatic = undefined;
    await clock.advance(HOUR);
    expect(open.map(({ id }) => id).sort()).toEqual([1, 4]);
  });

  it('are kept free for endpoints that answer when many others hang', async () => {
    const hanging = Array.from({ length: 40 }, (_, i) => shop(`hang${i}`, 1, 2, 3));
    const dispatcher = dispatcherWith();
    automatic = () => failed;
    for (const endpoint of hanging) dispatcher.add(endpoint);
    await clock.advance(0);
    automatic = (url) => (url === 'good/' ? delivered : 'hang');
    await clock.advance(HOUR);
    expect(open).toHaveLength(8);
    dispatcher.add(shop('good', 1, 2, 3));
    await clock.advance(0);
    expect(sent.slice(-3)).toEqual(['good/1', 'good/2', 'good/3']);
    expect(open).toHaveLength(8);
  });
});

describe('a store that fails', () => {
  it('is asked again, and an acknowledged event is not sent twice meanwhile', async () => {
    automatic = () => delivered;
    const dispatcher = dispatcherWith();
    const a = shop('a', 1, 2);
    const record = a.log.record.bind(a.log);
    a.log.record = () => {
      throw new Error('disk full');
    };
    dispatcher.add(a);
    await clock.advance(20_000);
    expect(sent).toEqual(['a/1']);
    expect(errors).toHaveLength(5);
    a.log.record = record;
    await clock.advance(5000);
    expect(sent).toEqual(['a/1', 'a/2']);
  });

  it('to reach the disk holds back the next event only until it reports so', async () => {
    automatic = () => delivered;
    const a = shop('a', 1, 2);
    let fail: (error: Error) => void = () => undefined;
    a.log.flush = () => new Promise<void>((_, reject) => (fail = reject));
    dispatcherWith().add(a);
    await clock.advance(HOUR);
    expect(sent).toEqual(['a/1']);
    a.log.flush = () => Promise.resolve();
    fail(new Error('disk full'));
    await clock.advance(0);
    expect(sent).toEqual(['a/1', 'a/2']);
    expect(errors).toHaveLength(1);
  });

  it('does not end the service when it cannot be read', async () => {
    automatic = () => delivered;
    const a = shop('a', 1);
    const position = a.log.position.bind(a.log);
    a.log.position = () => {
      throw new Error('locked');
    };
    dispatcherWith().add(a);
    await clock.advance(0);
    expect(errors).toHaveLength(1);
    a.log.position = position;
    await clock.advance(5000);
    expect(sent).toEqual(['a/1']);
  });
});

describe('stopping', () => {
  it('waits for attempts in flight, and starts none', async () => {
    const dispatcher = dispatcherWith();
    const a = shop('a', 1, 2);
    dispatcher.add(a);
    await clock.advance(0);
    let stopped = false;
    const stop = dispatcher.stop().then(() => (stopped = true));
    await clock.advance(14_000);
    expect(stopped).toBe(false);
    open[0]?.answer(delivered);
    await stop;
    expect(sent).toEqual(['a/1']);
    expect(a.log.records).toHaveLength(1);
    expect(clock.timers).toBe(0);
    expect(() => dispatcher.add(shop('b'))).toThrow('stopped');
  });

  it('aborts them after 15 seconds, and leaves their events unsent', async () => {
    const dispatcher = dispatcherWith();
    const a = shop('a', 1);
    dispatcher.add(a);
    await clock.advance(0);
    const stop = dispatcher.stop();
    await clock.advance(14_999);
    expect(open).toHaveLength(1);
    await clock.advance(1);
    await stop;
    expect(a.log.records).toEqual([]);
    expect(a.log.position()).toBe(0);
  });

  it('of one endpoint leaves the others served, and its log untouched', async () => {
    const dispatcher = dispatcherWith();
    const [a, b] = [shop('a', 1, 2), shop('b', 1, 2)];
    dispatcher.add(a);
    dispatcher.add(b);
    await clock.advance(0);
    expect(() => dispatcher.add(a)).toThrow('served already');
    const removed = dispatcher.remove('a');
    await clock.advance(0);
    await removed;
    open[0]?.answer(delivered);
    await clock.advance(0);
    expect(sent).toEqual(['a/1', 'b/1', 'b/2']);
    expect(a.log.records).toEqual([]);
    dispatcher.add(a);
    await clock.advance(0);
    expect(sent.at(-1)).toBe('a/1');
  });

  it('does not wait for a store that fails', async () => {
    automatic = () => delivered;
    const dispatcher = dispatcherWith();
    const a = shop('a', 1);
    a.log.record = () => {
      throw new Error('disk full');
    };
    dispatcher.add(a);
    await clock.advance(1000);
    const stop = dispatcher.stop();
    await clock.advance(15_000);
    await stop;
    expect(clock.timers).toBe(0);
  });
});
