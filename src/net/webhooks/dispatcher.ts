import { systemRng, type Rng } from '../../util/random.js';
import type { Secret } from '../../util/secret.js';
import { systemClock, type Clock } from './clock.js';
import type { DeliveryLog, EventSource } from './delivery-log.js';
import { Lane } from './lane.js';
import { EndpointQueue } from './queue.js';
import type { DeliverySender } from './sender.js';

/** Endpoint with its deliveries. */
export interface Endpoint {
  /** Unique among all wallets. */
  readonly id: string;
  readonly url: string;
  /** Returns the secrets that sign at a Unix time [ms], newest first; at least one. */
  readonly secrets: (now: number) => readonly Secret[];
  readonly log: DeliveryLog;
  readonly events: EventSource;
}

export interface DispatcherOptions {
  readonly createSender: (url: string) => DeliverySender;
  readonly clock?: Clock;
  readonly rng?: Rng;
  /** Attempts at the same time, of all endpoints. */
  readonly maxConnections?: number;
  /** Longest sleep of a lane [ms]: a clock that is stepped forward is noticed within this time. */
  readonly maxSleepMs?: number;
  /** Receives errors of stores and of the program, not failed deliveries. Must not throw. */
  readonly onError?: (endpointId: string, error: unknown) => void;
}

const MAX_CONNECTIONS = 16;
/** Time for attempts in flight when the dispatcher stops [ms]. */
const STOP_GRACE_MS = 15_000;
const MAX_SLEEP_MS = 60_000;

/** Endpoint while it is served. */
class ServedEndpoint {
  readonly lanes: readonly Lane[];
  readonly sender: DeliverySender;
  /** Attempts in flight, until their results are recorded. */
  readonly flights = new Map<Lane, Promise<void>>();
  closing = false;

  constructor(lanes: readonly Lane[], sender: DeliverySender) {
    this.lanes = lanes;
    this.sender = sender;
  }
}

/**
 * Serves endpoints over a bounded number of connections. Lanes with work are served in turn. Lanes whose last attempt
 * failed get at most half of the connections, so that endpoints that hang do not hold up the others.
 */
export class Dispatcher {
  readonly #createSender: DispatcherOptions['createSender'];
  readonly #clock: Clock;
  readonly #rng: Rng;
  readonly #maxConnections: number;
  readonly #maxSuspects: number;
  readonly #maxSleepMs: number;
  readonly #onError: NonNullable<DispatcherOptions['onError']>;
  readonly #served = new Map<string, ServedEndpoint>();
  /** Lanes that may have work, in the order in which they are served. */
  readonly #ready = new Map<Lane, ServedEndpoint>();
  #connections = 0;
  #suspects = 0;
  #stopped = false;

  constructor(options: DispatcherOptions) {
    const { createSender, clock = systemClock, rng = systemRng, onError = () => undefined } = options;
    this.#createSender = createSender;
    this.#clock = clock;
    this.#rng = rng;
    this.#onError = onError;
    this.#maxConnections = options.maxConnections ?? MAX_CONNECTIONS;
    this.#maxSleepMs = options.maxSleepMs ?? MAX_SLEEP_MS;
    this.#maxSuspects = Math.ceil(this.#maxConnections / 2);
  }

  /** Begins to serve an endpoint. @throws Error if one with this id is served, or after {@link stop}. */
  add({ id, url, secrets, log, events }: Endpoint): void {
    if (this.#stopped) throw new Error('the webhook dispatcher is stopped');
    if (this.#served.has(id)) throw new Error('the webhook endpoint is served already');
    const sender = this.#createSender(url);
    const clock = this.#clock;
    const queue = new EndpointQueue(log, events, clock.now(), this.#rng);
    const onError = (error: unknown): void => this.#onError(id, error);
    const parts = { queue, sender, secrets, clock, onError };
    const endpoint = new ServedEndpoint([new Lane('fresh', parts), new Lane('retry', parts)], sender);
    this.#served.set(id, endpoint);
    this.#wake(endpoint);
  }

  /** Looks for new events and due deliveries of one endpoint, or of all. Unknown ids are ignored. */
  wake(id?: string): void {
    for (const endpoint of id === undefined ? this.#served.values() : [this.#served.get(id)])
      if (endpoint !== undefined) this.#wake(endpoint);
  }

  /**
   * Ends the service of an endpoint. Its log is not used once the promise resolves.
   * @param graceMs time for attempts in flight; then they are aborted, and stay as they were before.
   */
  async remove(id: string, graceMs = 0): Promise<void> {
    const endpoint = this.#served.get(id);
    if (endpoint !== undefined) await this.#close([[id, endpoint]], graceMs);
  }

  /** Ends the service of all endpoints; attempts in flight get 15 seconds. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#close([...this.#served], STOP_GRACE_MS);
  }

  async #close(closing: readonly (readonly [string, ServedEndpoint])[], graceMs: number): Promise<void> {
    const endpoints = closing.map(([, endpoint]) => endpoint);
    for (const endpoint of endpoints) {
      endpoint.closing = true;
      for (const lane of endpoint.lanes) {
        this.#ready.delete(lane);
        lane.cancelTimer();
      }
    }
    const flights = Promise.all(endpoints.flatMap((endpoint) => [...endpoint.flights.values()]));
    await this.#atMost(graceMs, flights);
    for (const { lanes, sender } of endpoints) {
      for (const lane of lanes) lane.abort();
      sender.close();
    }
    await flights;
    for (const [id, endpoint] of closing) if (this.#served.get(id) === endpoint) this.#served.delete(id);
  }

  /** Waits for a promise, at most for a time [ms]. */
  #atMost(ms: number, promise: Promise<unknown>): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(ms, resolve);
      const end = (): void => {
        cancel();
        resolve();
      };
      promise.then(end, end);
    });
  }

  #wake(endpoint: ServedEndpoint): void {
    for (const lane of endpoint.lanes) this.#markReady(lane, endpoint);
    this.#serve();
  }

  /** A lane with an attempt in flight is marked when that ends. */
  #markReady(lane: Lane, endpoint: ServedEndpoint): void {
    if (!endpoint.closing && !endpoint.flights.has(lane)) this.#ready.set(lane, endpoint);
  }

  /** Starts attempts of the lanes that are ready, as far as connections are free. */
  #serve(): void {
    for (const [lane, endpoint] of this.#ready) {
      if (this.#connections >= this.#maxConnections) return;
      if (lane.isSuspect && this.#suspects >= this.#maxSuspects) continue;
      this.#ready.delete(lane);
      const step = lane.next();
      if (step?.job !== undefined) this.#start(lane, endpoint, step.job);
      else if (step !== undefined)
        lane.setTimer(Math.min(step.waitMs, this.#maxSleepMs), () => {
          this.#markReady(lane, endpoint);
          this.#serve();
        });
    }
  }

  #start(lane: Lane, endpoint: ServedEndpoint, job: Parameters<Lane['deliver']>[0]): void {
    const suspect = lane.isSuspect ? 1 : 0;
    this.#connections += 1;
    this.#suspects += suspect;
    const onSent = (): void => {
      this.#connections -= 1;
      this.#suspects -= suspect;
      this.#serve();
    };
    const flight = lane.deliver(job, onSent).then(() => {
      endpoint.flights.delete(lane);
      // A failed first attempt gives work to the other lane.
      this.#wake(endpoint);
    });
    endpoint.flights.set(lane, flight);
  }
}
