import type { CallOptions } from './call-options.js';

/** Reason why a call ended before its answer. */
export type Ending = 'aborted' | 'timeout' | 'closed';

/**
 * Signal for one call, aborted by the signal of the caller, by the timeout of the call, or when the client is closed.
 */
export class Cancellation {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #callers: AbortSignal | undefined;
  readonly #onEnd: () => void;
  #ending: Ending | undefined;

  constructor({ signal, timeout = 0 }: CallOptions, onEnd: () => void) {
    this.#onEnd = onEnd;
    this.#callers = signal;
    this.#timer = timeout > 0 ? setTimeout(() => this.stop('timeout'), timeout) : undefined;
    if (signal?.aborted === true) this.#onAbort();
    else signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Reason why the signal was aborted; undefined until then. */
  get ending(): Ending | undefined {
    return this.#ending;
  }

  readonly #onAbort = (): void => this.stop('aborted');

  stop(ending: Ending): void {
    this.#ending ??= ending;
    this.#controller.abort(ending === 'aborted' ? this.#callers?.reason : new Error(ending));
  }

  /** Frees timer and listener; to be called when the call has ended. */
  end(): void {
    clearTimeout(this.#timer);
    this.#callers?.removeEventListener('abort', this.#onAbort);
    this.#onEnd();
  }
}

/** Running calls and event streams of a client. */
export class OpenCalls {
  readonly #open = new Set<Cancellation>();
  #isClosed = false;

  /** Registers a call until its `end`. If the client is closed, the signal is aborted at once. */
  begin(options: CallOptions): Cancellation {
    const call: Cancellation = new Cancellation(options, () => this.#open.delete(call));
    this.#open.add(call);
    if (this.#isClosed) call.stop('closed');
    return call;
  }

  /** Ends all running calls, and every later one. */
  close(): void {
    this.#isClosed = true;
    for (const call of this.#open) call.stop('closed');
  }
}
