import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Secret } from '../../../src/util/secret.js';
import { Dispatcher } from '../../../src/net/webhooks/dispatcher.js';
import { activeSecrets, createSecret, type SigningSecret } from '../../../src/net/webhooks/signature.js';
import type { DeliveryRequest, DeliveryResult, DeliverySender } from '../../../src/net/webhooks/sender.js';
import { MemoryDeliveryLog, MemoryEvents } from '../../support/fakes/memory-delivery-log.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { VirtualClock } from '../../support/fakes/virtual-clock.js';

const HOUR = 3_600_000;
const ENDPOINTS = ['a', 'b', 'c'];
const MAX_CONNECTIONS = 4;
/** Time within which any delivery ends: the delays with their jitter, and the pauses of a long backlog [ms]. */
const ALL_ATTEMPTS_MS = 120 * HOUR;

/**
 * Behaviour of a receiver in one attempt: it acknowledges; it acknowledges but the response is lost; it never gets the
 * request; it refuses; it hangs.
 */
type Behaviour = 'ack' | 'lost ack' | 'unreachable' | 'refuse' | 'busy' | 'hang';

type Step =
  | { readonly kind: 'events'; readonly endpoint: number; readonly count: number; readonly others: number }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'clock'; readonly ms: number }
  | { readonly kind: 'crash' }
  | { readonly kind: 'restart' }
  | { readonly kind: 'rotate'; readonly endpoint: number };

/** Receiver and delivery log of one endpoint, with the rules that every delivery must keep. */
class ModelEndpoint {
  log = new MemoryDeliveryLog();
  readonly events = new MemoryEvents();
  secrets: SigningSecret[] = [{ secret: createSecret() }];
  /** Events that the receiver got at least once. */
  readonly got = new Set<number>();
  /** Events whose attempt began at least once. */
  readonly tried = new Set<number>();
  /** Greatest event that the receiver acknowledged. */
  highestAck = 0;
  inFlight = 0;
  readonly id: string;

  constructor(id: string) {
    this.id = id;
  }

  check({ headers, body }: DeliveryRequest, now: number): number {
    const id = Number(headers['webhook-id']);
    const content = `${id}.${Math.floor(now / 1000)}.${body}`;
    const expected = activeSecrets(this.secrets, now).map((secret) => signature(secret, content));
    expect(headers['webhook-signature']).toBe(expected.join(' '));
    expect(body).toBe(this.events.byId(id)?.body);
    // Never again after its acknowledgement was recorded.
    expect(this.log.records.filter(({ eventId, state }) => eventId === id && state !== 'pending')).toEqual(
      [],
    );
    if (!this.tried.has(id)) expect(id).toBeGreaterThan(Math.max(this.highestAck, ...this.tried));
    this.tried.add(id);
    return id;
  }
}

const signature = (secret: Secret, content: string): string =>
  `v1,${createHmac('sha256', secret.expose()).update(content).digest('base64')}`;

class Model {
  readonly clock = new VirtualClock();
  readonly endpoints = ENDPOINTS.map((id) => new ModelEndpoint(id));
  /** Taken in turn by the attempts; then every receiver acknowledges. */
  readonly #behaviours: Behaviour[];
  readonly #seed: number;
  readonly errors: unknown[] = [];
  #lastId = 0;
  #inFlight = 0;
  #process = 0;
  #dispatcher: Dispatcher;

  constructor(behaviours: readonly Behaviour[], seed: number) {
    this.#behaviours = [...behaviours];
    this.#seed = seed;
    this.#dispatcher = this.#start();
  }

  #start(): Dispatcher {
    const process = ++this.#process;
    this.#inFlight = 0;
    const dispatcher = new Dispatcher({
      createSender: (url) => this.#senderFor(this.#byId(url), process),
      clock: {
        now: () => this.clock.now(),
        after: (ms, run) => this.clock.after(ms, () => process === this.#process && run()),
      },
      rng: seededRng(`${this.#seed}/${process}`),
      maxConnections: MAX_CONNECTIONS,
      // Sleeps are as long as the waits, so that days of virtual time need few timers.
      maxSleepMs: 24 * HOUR,
      onError: (_, error) => this.errors.push(error),
    });
    for (const endpoint of this.endpoints) {
      endpoint.inFlight = 0;
      const { id, log, events } = endpoint;
      dispatcher.add({ id, url: id, log, events, secrets: (now) => activeSecrets(endpoint.secrets, now) });
    }
    return dispatcher;
  }

  #byId(id: string): ModelEndpoint {
    const endpoint = this.endpoints.find((other) => other.id === id);
    if (endpoint === undefined) throw new Error('unknown endpoint');
    return endpoint;
  }

  #senderFor(endpoint: ModelEndpoint, process: number): DeliverySender {
    return {
      close: () => undefined,
      send: async (request, signal) => {
        const behaviour = this.#behaviours.shift() ?? 'ack';
        try {
          const id = endpoint.check(request, this.clock.now());
          if (behaviour !== 'unreachable') endpoint.got.add(id);
          if (behaviour === 'ack' || behaviour === 'lost ack')
            endpoint.highestAck = Math.max(endpoint.highestAck, id);
          expect(++this.#inFlight).toBeLessThanOrEqual(MAX_CONNECTIONS);
          expect(++endpoint.inFlight).toBeLessThanOrEqual(2);
        } catch (error) {
          this.errors.push(error);
        }
        const result = await this.#answer(behaviour, process, signal);
        this.#inFlight -= 1;
        endpoint.inFlight -= 1;
        return result;
      },
    };
  }

  /** An attempt of a process that was killed has no result. */
  #answer(behaviour: Behaviour, process: number, signal: AbortSignal): Promise<DeliveryResult> {
    return new Promise((resolve) => {
      const answer = (ms: number, result: DeliveryResult): void =>
        void this.clock.after(ms, () => process === this.#process && resolve(result));
      signal.onabort = () => resolve({ kind: 'aborted' });
      if (behaviour === 'ack') answer(20, { kind: 'delivered', status: 200 });
      else if (behaviour === 'busy')
        answer(20, { kind: 'failed', reason: 'status', status: 429, retryAfter: 90_000 });
      else if (behaviour === 'refuse') answer(20, { kind: 'failed', reason: 'status', status: 500 });
      else if (behaviour === 'lost ack') answer(30, { kind: 'failed', reason: 'response' });
      else answer(behaviour === 'hang' ? 15_000 : 5, { kind: 'failed', reason: 'timeout' });
    });
  }

  async run(step: Step): Promise<void> {
    switch (step.kind) {
      case 'events': {
        const endpoint = this.endpoints[step.endpoint];
        for (let i = 0; i < step.count; i++) endpoint?.events.add(++this.#lastId, `"${this.#lastId}"`);
        for (let i = 0; i < step.others; i++) endpoint?.events.add(++this.#lastId);
        this.#dispatcher.wake(endpoint?.id);
        return;
      }
      case 'pass':
        return this.clock.advance(step.ms);
      case 'clock':
        return this.clock.step(step.ms);
      case 'crash':
        // Writes of the old process go to a log that is not used any more.
        for (const endpoint of this.endpoints) endpoint.log = endpoint.log.copy();
        this.#dispatcher = this.#start();
        return;
      case 'restart': {
        const stop = this.#dispatcher.stop();
        await this.clock.advance(15_000);
        await stop;
        this.#dispatcher = this.#start();
        return;
      }
      case 'rotate': {
        const endpoint = this.endpoints[step.endpoint];
        if (endpoint === undefined) return;
        const until = this.clock.now() + HOUR;
        endpoint.secrets = [
          { secret: createSecret() },
          ...endpoint.secrets.map(({ secret, until: end = until }) => ({ secret, until: end })),
        ];
      }
    }
  }

  checkEnd(): void {
    for (const { log, got, events } of this.endpoints) {
      const expected: number[] = [];
      for (let id = 1; id <= this.#lastId; id++) if (events.byId(id) !== undefined) expected.push(id);
      const state = new Map(log.records.map((record) => [record.eventId, record.state]));
      expect([...state.keys()].sort((a, b) => a - b)).toEqual(expected);
      expect(log.pending).toEqual([]);
      for (const [id, end] of state) if (end === 'delivered') expect(got).toContain(id);
      // Every receiver acknowledges in the end: a delivery fails only if it had all of its attempts.
      const ended = log.records.filter(({ state: end }) => end !== 'pending');
      expect(ended).toHaveLength(expected.length);
      for (const { state: end, attempts } of ended) expect(attempts).toBe(end === 'failed' ? 10 : attempts);
    }
    expect(this.errors).toEqual([]);
  }
}

const endpoint = fc.nat(ENDPOINTS.length - 1);
const steps = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('events' as const),
        endpoint,
        count: fc.nat(4),
        others: fc.nat(2),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('pass' as const),
        ms: fc.oneof(fc.nat(50), fc.nat(20_000), fc.nat(10 * HOUR)),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('clock' as const),
        ms: fc.oneof(
          fc.integer({ min: -HOUR, max: HOUR }),
          fc.integer({ min: -9000 * HOUR, max: 9000 * HOUR }),
        ),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('crash' as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('rotate' as const), endpoint }) },
  ),
  { maxLength: 40 },
);
const behaviours = fc.array(
  fc.constantFrom<Behaviour>('ack', 'ack', 'lost ack', 'unreachable', 'refuse', 'busy', 'hang'),
  { maxLength: 60 },
);

describe('deliveries', () => {
  it('arrive at least once, first in order and always signed, through failures, kills and clock steps', async () => {
    await fc.assert(
      fc.asyncProperty(steps, behaviours, fc.nat(), async (list, answers, seed) => {
        const model = new Model(answers, seed);
        for (const step of list) {
          await model.run(step);
          expect(model.errors).toEqual([]);
        }
        await model.clock.advance(ALL_ATTEMPTS_MS);
        model.checkEnd();
      }),
      { numRuns: 150 },
    );
  });
});
