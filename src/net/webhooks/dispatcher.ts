import type { Secret } from '../../util/secret.js';
import { writeTraceparent } from '../../util/trace.js';
import type { DeliveryResult, DeliverySender } from './sender.js';
import { signatureHeaders } from './signature.js';
import { systemRng, type Rng } from '../../util/random.js';
import { systemClock, type Clock } from '../../util/clock.js';
import type { DeliveryLog, EventSource } from './delivery-log.js';
import { EndpointQueue, type Job, type LaneName, type NextStep } from './queue.js';

/** Pause after an error of the store or of the program [ms]. */
const ERROR_PAUSE_MS = 5000;

/** Parts of an endpoint that both its lanes use. */
export interface LaneParts {
  readonly queue: EndpointQueue;
  readonly sender: DeliverySender;
  /** Returns the secrets that sign at a time, newest first. @param now Unix time [ms]. */
  readonly secrets: (now: number) => readonly Secret[];
  readonly clock: Clock;
  /** Called with errors of the store and of the program. */
  readonly onError: (error: unknown) => void;
}

/** Lane for the first attempts, or for the retries, of one endpoint: it makes one attempt at a time. */
class Lane {
  readonly name: LaneName;
  readonly #parts: LaneParts;
  readonly #abort = new AbortController();
  /** True if the receiver did not acknowledge the last attempt. */
  #failing = false;
  #cancelTimer: () => void = () => undefined;

  constructor(name: LaneName, parts: LaneParts) {
    this.name = name;
    this.#parts = parts;
  }

  /** True if the next attempt will probably fail, and may occupy its connection until the time limit. */
  get isSuspect(): boolean {
    return this.#failing || this.name === 'retry';
  }

  /** Returns the next step of the lane. After an error of the store, the step is a pause. */
  next(): NextStep {
    const { queue, clock, onError } = this.#parts;
    try {
      return queue.next(this.name, clock.now());
    } catch (error) {
      onError(error);
      return { waitMs: ERROR_PAUSE_MS };
    }
  }

  /** Sets the timer of the lane, in place of an earlier timer. @param ms time after which the function runs [ms]. */
  setTimer(ms: number, run: () => void): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#parts.clock.after(ms, run);
  }

  /**
   * Makes an attempt and records its result. Never rejects.
   * @param onSent called when the attempt does not use a connection any more.
   */
  async deliver(job: Job, onSent: () => void): Promise<void> {
    const { queue, onError } = this.#parts;
    const result = await this.#send(job).finally(onSent);
    if (result === undefined) return this.#pause();
    this.#failing = result.kind !== 'delivered';
    // Repeats until the result is recorded: an acknowledged event must not be sent again.
    while (!this.#settle(job, result)) {
      await this.#pause();
      if (this.#abort.signal.aborted) return;
    }
    // Waits until the result is on disk before the next event is sent, so that a crash of the machine loses at most one
    // result.
    await queue.flush().catch(onError);
  }

  /** Aborts the running attempt, and cancels the timer. */
  abort(): void {
    this.#cancelTimer();
    this.#abort.abort();
  }

  cancelTimer(): void {
    this.#cancelTimer();
  }

  /** Sends an event. @returns undefined after an error of the program, which is not recorded as an attempt. */
  async #send({ event: { id, body, trace } }: Job): Promise<DeliveryResult | undefined> {
    const { sender, secrets, clock, onError } = this.#parts;
    try {
      const now = clock.now();
      const timestamp = Math.floor(now / 1000);
      const signature = signatureHeaders({ id: String(id), timestamp, body }, secrets(now));
      // Each attempt is a separate part of the trace.
      const headers =
        trace === undefined ? signature : { ...signature, traceparent: writeTraceparent(trace) };
      return await sender.send({ headers, body }, this.#abort.signal);
    } catch (error) {
      onError(error);
      return undefined;
    }
  }

  #settle(job: Job, result: DeliveryResult): boolean {
    const { queue, clock, onError } = this.#parts;
    try {
      queue.settle(job, result, clock.now());
      return true;
    } catch (error) {
      onError(error);
      return false;
    }
  }

  /** Waits for {@link ERROR_PAUSE_MS}, or until the lane is aborted. */
  #pause(): Promise<void> {
    const { signal } = this.#abort;
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const end = (): void => {
        cancel();
        signal.removeEventListener('abort', end);
        resolve();
      };
      const cancel = this.#parts.clock.after(ERROR_PAUSE_MS, end);
      signal.addEventListener('abort', end);
    });
  }
}

/** Endpoint whose deliveries a dispatcher makes. */
export interface Endpoint {
  /** Id of the endpoint, unique among all wallets. */
  readonly id: string;
  readonly url: string;
  /** Returns the secrets that sign at a time, newest first, at least one. @param now Unix time [ms]. */
  readonly secrets: (now: number) => readonly Secret[];
  readonly log: DeliveryLog;
  readonly events: EventSource;
}

export interface DispatcherOptions {
  readonly createSender: (url: string) => DeliverySender;
  readonly clock?: Clock;
  readonly rng?: Rng;
  /** Largest number of attempts to all endpoints at the same time. */
  readonly maxConnections?: number;
  /** Longest sleep of a lane [ms], after which it notices that the clock was set forward. */
  readonly maxSleepMs?: number;
  /** Called with each error of a store or of the program, but not with failed deliveries. Must not throw. */
  readonly onError?: (endpointId: string, error: unknown) => void;
}

const MAX_CONNECTIONS = 16;
/** Time that running attempts have to end when the dispatcher stops [ms]. */
const STOP_GRACE_MS = 15_000;
const MAX_SLEEP_MS = 60_000;

/** Endpoint with its lanes, while the dispatcher serves it. */
class ServedEndpoint {
  readonly lanes: readonly Lane[];
  readonly sender: DeliverySender;
  /** Running attempts by lane, until their results are recorded. */
  readonly flights = new Map<Lane, Promise<void>>();
  closing = false;

  constructor(lanes: readonly Lane[], sender: DeliverySender) {
    this.lanes = lanes;
    this.sender = sender;
  }
}

/**
 * Makes the deliveries to endpoints over a limited number of connections. Lanes with work get a connection in turn.
 * Lanes whose last attempt failed get at most half of the connections, so that endpoints that do not answer do not
 * delay other endpoints.
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
  /** Lanes that may have work, in the order in which they get a connection. */
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

  /**
   * Starts the deliveries to an endpoint. @throws Error if an endpoint with the same id is served, or after {@link
   * stop}.
   */
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

  /**
   * Looks for new events and due deliveries. @param id id of the endpoint, which may be unknown; absent: all endpoints.
   */
  wake(id?: string): void {
    for (const endpoint of id === undefined ? this.#served.values() : [this.#served.get(id)])
      if (endpoint !== undefined) this.#wake(endpoint);
  }

  /**
   * Ends the deliveries to an endpoint. Once the promise resolves, the log of the endpoint is not used any more.
   * @param graceMs time that running attempts have to end [ms]; attempts that still run afterwards are aborted, and
   * count as not made.
   */
  async remove(id: string, graceMs = 0): Promise<void> {
    const endpoint = this.#served.get(id);
    if (endpoint !== undefined) await this.#close([[id, endpoint]], graceMs);
  }

  /** Ends the deliveries to all endpoints; running attempts have 15 seconds to end. */
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

  /** Waits for a promise. @param ms longest wait [ms]. */
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

  /** Marks a lane as ready; a lane with a running attempt is marked when the attempt ends. */
  #markReady(lane: Lane, endpoint: ServedEndpoint): void {
    if (!endpoint.closing && !endpoint.flights.has(lane)) this.#ready.set(lane, endpoint);
  }

  /** Starts attempts of the ready lanes, as long as connections are free. */
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
      // A failed first attempt is work for the lane of the retries.
      this.#wake(endpoint);
    });
    endpoint.flights.set(lane, flight);
  }
}
