import type { ServerResponse } from 'node:http';
import { releaseBuffer } from '../../util/buffer-release.js';

export interface PacedResponseOptions {
  /** Number of unread bytes up to which more are produced. */
  readonly mostWaiting: number;
  /** Time in which the client must read a piece [ms]; otherwise its connection is closed. */
  readonly stallMs: number;
}

/** Response of any length that takes little memory: it is produced only as fast as the client reads it. */
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
