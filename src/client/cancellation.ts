import type { CallOptions } from './call-options.js';

/** Cause of the end of a call before its answer. */
export type Ending = 'aborted' | 'timeout' | 'closed';

/** Signal of one call, aborted by the caller's own signal, by its timeout, or when the client is closed. */
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

  /** Undefined until the signal is aborted. */
  get ending(): Ending | undefined {
    return this.#ending;
  }

  readonly #onAbort = (): void => this.stop('aborted');

  stop(ending: Ending): void {
    this.#ending ??= ending;
    this.#controller.abort(ending === 'aborted' ? this.#callers?.reason : new Error(ending));
  }

  /** Frees timer and listener; call it when the call has ended. */
  end(): void {
    clearTimeout(this.#timer);
    this.#callers?.removeEventListener('abort', this.#onAbort);
    this.#onEnd();
  }
}

/** Calls and event streams of a client that have not ended. */
export class OpenCalls {
  readonly #open = new Set<Cancellation>();
  #isClosed = false;

  /** Registers a call until its `end`. The signal is aborted at once if the client is closed. */
  begin(options: CallOptions): Cancellation {
    const call: Cancellation = new Cancellation(options, () => this.#open.delete(call));
    this.#open.add(call);
    if (this.#isClosed) call.stop('closed');
    return call;
  }

  /** Ends all calls, and every later one. */
  close(): void {
    this.#isClosed = true;
    for (const call of this.#open) call.stop('closed');
  }
}
