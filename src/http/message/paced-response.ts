import type { ServerResponse } from 'node:http';

/** Length from which a piece is released [bytes]; V8 manages smaller pieces well. */
const LARGE = 1 << 16;

const RELEASABLE = new WeakSet<Uint8Array>();

/**
 * Allows {@link releaseBuffer} to free these pieces. The caller must not read the pieces after it has passed them on.
 */
export function markReleasable(bytes: readonly Uint8Array[]): void {
  for (const part of bytes) if (part.length >= LARGE) RELEASABLE.add(part);
}

/**
 * Frees the memory of a piece at once, if the piece is large, covers its whole buffer, and was allowed by {@link
 * markReleasable}; the piece is empty afterwards. Otherwise V8 would collect its whole heap repeatedly because of the
 * few large buffers of long answers.
 */
export function releaseBuffer(bytes: Uint8Array): void {
  const { buffer } = bytes;
  if (!RELEASABLE.delete(bytes) || bytes.length !== buffer.byteLength || !(buffer instanceof ArrayBuffer))
    return;
  // Detaches the buffer and frees its memory; the empty copy is not used.
  buffer.transfer(0);
}

export interface PacedResponseOptions {
  /** Number of unread bytes up to which more are produced. */
  readonly mostWaiting: number;
  /** Time in which the client must read a piece [ms]; otherwise its connection is closed. */
  readonly stallMs: number;
}

/** Response of any length that takes little memory, because it is produced only as fast as the client reads it. */
export class PacedResponse {
  readonly #res: ServerResponse;
  readonly #options: PacedResponseOptions;
  /** Number of bytes that were not passed to the operating system yet. */
  #waiting = 0;
  /** Called when a piece was passed to the operating system. */
  #onProgress: () => void = () => undefined;

  constructor(res: ServerResponse, options: PacedResponseOptions) {
    this.#res = res;
    this.#options = options;
  }

  get #isClosed(): boolean {
    return this.#res.destroyed || this.#res.req.socket.destroyed;
  }

  /** Sends pieces in order, and frees their memory. */
  write(pieces: readonly Uint8Array[]): void {
    for (const piece of pieces) {
      const { length } = piece;
      this.#waiting += length;
      this.#res.write(piece, () => {
        this.#waiting -= length;
        releaseBuffer(piece);
        this.#onProgress();
      });
    }
  }

  /** Waits until the client has read most of the response. @returns false if the connection is closed. */
  async ready(): Promise<boolean> {
    while (!this.#isClosed && this.#waiting > this.#options.mostWaiting)
      if (!(await this.#progress())) this.#res.destroy();
    return !this.#isClosed;
  }

  /**
   * Waits until the next piece is passed to the operating system, or the connection ends. @returns false after a
   * timeout.
   */
  #progress(): Promise<boolean> {
    const { socket } = this.#res.req;
    return new Promise((resolve) => {
      const settle = (isInTime: boolean): void => {
        clearTimeout(timer);
        socket.off('close', proceed);
        this.#onProgress = () => undefined;
        resolve(isInTime);
      };
      const proceed = (): void => settle(true);
      const timer = setTimeout(() => settle(false), this.#options.stallMs);
      socket.once('close', proceed);
      this.#onProgress = proceed;
    });
  }
}
