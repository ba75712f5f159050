import type { Secret } from '../../util/secret.js';
import type { Clock } from './clock.js';
import type { EndpointQueue, Job, LaneName, NextStep } from './queue.js';
import type { DeliveryResult, DeliverySender } from './sender.js';
import { signatureHeaders } from './signature.js';

/** Pause after an error of the store or of the program [ms]. */
const ERROR_PAUSE_MS = 5000;

/** Parts of an endpoint that both of its lanes use. */
export interface LaneParts {
  readonly queue: EndpointQueue;
  readonly sender: DeliverySender;
  /** Returns the secrets that sign at a Unix time [ms], newest first. */
  readonly secrets: (now: number) => readonly Secret[];
  readonly clock: Clock;
  /** Reports an error of the store or of the program. */
  readonly onError: (error: unknown) => void;
}

/** First attempts or retries of one endpoint: at most one attempt at a time. */
export class Lane {
  readonly name: LaneName;
  readonly #parts: LaneParts;
  readonly #abort = new AbortController();
  /** True if the last attempt was not acknowledged. */
  #failing = false;
  #cancelTimer: () => void = () => undefined;

  constructor(name: LaneName, parts: LaneParts) {
    this.name = name;
    this.#parts = parts;
  }

  /** True if the next attempt will probably fail, and may hold its connection until the time limit. */
  get isSuspect(): boolean {
    return this.#failing || this.name === 'retry';
  }

  /** Returns the next step; an error of the store is a pause. */
  next(): NextStep {
    const { queue, clock, onError } = this.#parts;
    try {
      return queue.next(this.name, clock.now());
    } catch (error) {
      onError(error);
      return { waitMs: ERROR_PAUSE_MS };
    }
  }

  /** Runs a function once after a time, in place of the one set before. */
  setTimer(ms: number, run: () => void): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#parts.clock.after(ms, run);
  }

  /**
   * Makes an attempt and records its result. Never rejects.
   * @param onSent is called when the attempt no longer uses a connection.
   */
  async deliver(job: Job, onSent: () => void): Promise<void> {
    const { queue, onError } = this.#parts;
    const result = await this.#send(job).finally(onSent);
    if (result === undefined) return this.#pause();
    this.#failing = result.kind !== 'delivered';
    // An acknowledged event must not be sent again, so nothing else is done before its result is recorded.
    while (!this.#settle(job, result)) {
      await this.#pause();
      if (this.#abort.signal.aborted) return;
    }
    // The next event is sent only once this result is on disk, so that a crash of the machine loses one at most.
    await queue.flush().catch(onError);
  }

  /** Ends the attempt in flight, and the timer. */
  abort(): void {
    this.#cancelTimer();
    this.#abort.abort();
  }

  cancelTimer(): void {
    this.#cancelTimer();
  }

  /** @returns undefined after an error of the program, without a record. */
  async #send({ event: { id, body } }: Job): Promise<DeliveryResult | undefined> {
    const { sender, secrets, clock, onError } = this.#parts;
    try {
      const now = clock.now();
      const timestamp = Math.floor(now / 1000);
      const headers = signatureHeaders({ id: String(id), timestamp, body }, secrets(now));
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
