import type { Secret } from '../../util/secret.js';
import type { Clock } from '../../util/clock.js';
import { writeTraceparent } from '../../util/trace.js';
import type { EndpointQueue, Job, LaneName, NextStep } from './queue.js';
import type { DeliveryResult, DeliverySender } from './sender.js';
import { signatureHeaders } from './signature.js';

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
export class Lane {
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

  /** Sets the timer of the lane, in place of an earlier one. @param ms time after which the function runs [ms]. */
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

  /** Sends an event. @returns undefined after an error of the program, of which there is no record. */
  async #send({ event: { id, body, trace } }: Job): Promise<DeliveryResult | undefined> {
    const { sender, secrets, clock, onError } = this.#parts;
    try {
      const now = clock.now();
      const timestamp = Math.floor(now / 1000);
      const signature = signatureHeaders({ id: String(id), timestamp, body }, secrets(now));
      // Each attempt is a part of the trace of its own.
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
