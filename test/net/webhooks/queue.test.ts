import { beforeEach, describe, expect, it } from '@jest/globals';
import type { QueuedEvent } from '../../../src/net/webhooks/delivery-log.js';
import { EndpointQueue, type Job, type LaneName } from '../../../src/net/webhooks/queue.js';
import type { DeliveryResult } from '../../../src/net/webhooks/sender.js';
import { MemoryDeliveryLog, MemoryEvents } from '../../support/fakes/memory-delivery-log.js';

const HOUR = 3_600_000;
const T0 = 1_700_000_000_000;
const delivered: DeliveryResult = { kind: 'delivered', status: 200 };
const failed: DeliveryResult = { kind: 'failed', reason: 'status', status: 500 };
const noJitter = (length: number): Uint8Array => new Uint8Array(length);

let log: MemoryDeliveryLog;
let events: MemoryEvents;
let queue: EndpointQueue;
let now: number;

const open = (): EndpointQueue => new EndpointQueue(log, events, now, noJitter);

beforeEach(() => {
  log = new MemoryDeliveryLog();
  events = new MemoryEvents();
  now = T0;
  for (const id of [10, 20, 30]) events.add(id, `"${id}"`);
  queue = open();
});

function job(lane: LaneName): Job {
  const step = queue.next(lane, now);
  if (step?.job === undefined) throw new Error(`no ${lane} attempt: ${JSON.stringify(step)}`);
  return step.job;
}

const wait = (lane: LaneName): number | undefined => queue.next(lane, now)?.waitMs;
const attempt = (lane: LaneName, result: DeliveryResult): QueuedEvent => {
  const { event, ...rest } = job(lane);
  queue.settle({ event, ...rest }, result, now);
  return event;
};

/** Fails the first event, and waits until the next may be sent. */
const failFirst = (): void => {
  attempt('fresh', failed);
  now += 1000;
};

describe('first attempts', () => {
  it('are made in the order of the ids', () => {
    const sent = [attempt('fresh', delivered), attempt('fresh', delivered), attempt('fresh', delivered)];
    expect(sent.map(({ id }) => id)).toEqual([10, 20, 30]);
    expect(queue.next('fresh', now)).toBeUndefined();
  });

  it('repeat an event until its result is recorded', () => {
    expect(job('fresh').event.id).toBe(10);
    expect(job('fresh').event.id).toBe(10);
    queue.settle(job('fresh'), { kind: 'aborted' }, now);
    queue = open();
    expect(job('fresh').event.id).toBe(10);
    expect(log.records).toEqual([]);
  });

  it('go on with the next event after a failure, one second later', () => {
    attempt('fresh', failed);
    expect(wait('fresh')).toBe(1000);
    now += 999;
    expect(wait('fresh')).toBe(1);
    now += 1;
    expect(job('fresh').event.id).toBe(20);
  });

  it('wait for as long as a receiver asks that is asked too often, up to a minute', () => {
    attempt('fresh', { kind: 'failed', reason: 'status', status: 429, retryAfter: 20_000 });
    expect(wait('fresh')).toBe(20_000);
    now += 20_000;
    attempt('fresh', { kind: 'failed', reason: 'status', status: 429, retryAfter: HOUR });
    expect(wait('fresh')).toBe(60_000);
    expect(log.pending.map(({ eventId, due }) => [eventId, due - T0])).toEqual([
      [10, 20_000],
      [20, 20_000 + HOUR],
    ]);
  });

  it('leave out events of other types, and search them once', () => {
    for (const id of [40, 50]) events.add(id);
    for (let i = 0; i < 3; i++) attempt('fresh', delivered);
    expect(queue.next('fresh', now)).toBeUndefined();
    expect(queue.next('fresh', now)).toBeUndefined();
    expect(events.searches.slice(-2)).toEqual([30, 50]);
    events.add(60, '"60"');
    expect(attempt('fresh', delivered).id).toBe(60);
    expect(log.position()).toBe(60);
  });

  it('are not made by a source that goes back', () => {
    events.next = () => ({ event: { id: 10, body: '"10"' } });
    attempt('fresh', delivered);
    expect(() => queue.next('fresh', now)).toThrow(RangeError);
  });
});

describe('retries', () => {
  it('follow the schedule, then the delivery has failed', () => {
    const delays: number[] = [];
    failFirst();
    now -= 1000;
    for (;;) {
      const ms = wait('retry');
      if (ms === undefined) break;
      delays.push(ms / 1000);
      now += ms;
      expect(attempt('retry', failed).id).toBe(10);
    }
    expect(delays).toEqual([5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]);
    expect(log.records).toHaveLength(10);
    expect(log.records.at(-1)).toEqual({
      eventId: 10,
      attempts: 10,
      time: now,
      state: 'failed',
      status: 500,
      reason: 'status',
    });
    expect(log.position()).toBe(10);
  });

  it('end with the acknowledgement, also after a restart', () => {
    failFirst();
    now += 4000;
    queue = open();
    expect(attempt('retry', delivered).id).toBe(10);
    expect(queue.next('retry', now)).toBeUndefined();
    queue = open();
    expect(queue.next('retry', now)).toBeUndefined();
    expect(job('fresh').event.id).toBe(20);
  });

  it('do not take the place of first attempts', () => {
    failFirst();
    now += HOUR;
    expect(job('retry').event.id).toBe(10);
    expect(job('fresh').event.id).toBe(20);
  });

  it('are at least a second apart while they fail, even if many are due', () => {
    for (let i = 0; i < 3; i++) failFirst();
    now += HOUR;
    attempt('retry', failed);
    expect(wait('retry')).toBe(1000);
    now += 1000;
    attempt('retry', delivered);
    expect(job('retry').event.id).toBe(30);
  });

  it('end as expired when retention has deleted the event', () => {
    for (let i = 0; i < 2; i++) failFirst();
    events.delete(10);
    now += HOUR;
    expect(job('retry').event.id).toBe(20);
    expect(log.records.at(-1)).toMatchObject({ eventId: 10, state: 'failed', reason: 'expired' });
  });
});

describe('an endpoint that is gone', () => {
  it('gets nothing more, and its deliveries stay pending until it is enabled', () => {
    failFirst();
    attempt('fresh', { kind: 'gone' });
    now += HOUR;
    expect([queue.next('fresh', now), queue.next('retry', now)]).toEqual([undefined, undefined]);
    expect(log.pending.map(({ eventId }) => eventId)).toEqual([10, 20]);
    expect(log.records.at(-1)).toMatchObject({ state: 'pending', status: 410, disable: true });
    log.disabled = false;
    expect(job('retry').event.id).toBe(10);
    expect(job('fresh').event.id).toBe(30);
  });
});

describe('a clock', () => {
  it('that is stepped back lengthens no wait beyond its own length', () => {
    failFirst();
    failFirst();
    now -= 365 * 24 * HOUR;
    expect(wait('retry')).toBe(5000);
    expect(job('fresh').event.id).toBe(30);
    now += 5000;
    expect(attempt('retry', delivered).id).toBe(10);
    expect(attempt('retry', delivered).id).toBe(20);
  });

  it('that was stepped back during a restart does so neither', () => {
    failFirst();
    now -= 365 * 24 * HOUR;
    queue = open();
    expect(wait('retry')).toBe(5000);
  });

  it('that is stepped forward makes each delivery due once', () => {
    for (let i = 0; i < 3; i++) failFirst();
    now += 365 * 24 * HOUR;
    const tried: number[] = [];
    for (let i = 0; i < 3; i++) {
      tried.push(attempt('retry', failed).id);
      now += 1000;
    }
    expect(tried).toEqual([10, 20, 30]);
    expect(wait('retry')).toBe(300_000 - 3000);
  });
});
