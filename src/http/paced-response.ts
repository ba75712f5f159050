import type { ServerResponse } from 'node:http';
import { releaseBuffer } from '../util/buffer-release.js';

export interface PacedResponseOptions {
  /** Bytes that may wait for the client while more are produced. */
  readonly mostWaiting: number;
  /** Time in which the client must read a piece [ms]; then its connection is closed. */
  readonly stallMs: number;
}

/** Response of any length, which takes little memory because it is produced as fast as the client reads it. */
export class PacedResponse {
  readonly #res: ServerResponse;
  readonly #options: PacedResponseOptions;
  /** Bytes that were not passed to the system yet. */
  #waiting = 0;
  /** Called when a piece was passed to the system. */
  #onProgress: () => void = () => undefined;

  constructor(res: ServerResponse, options: PacedResponseOptions) {
    this.#res = res;
    this.#options = options;
  }

  get #isClosed(): boolean {
    return this.#res.destroyed || this.#res.req.socket.destroyed;
  }

  /** Sends pieces in order, and releases their memory. */
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

  /** Waits until the client has read most of the response. @returns false if its connection is closed. */
  async ready(): Promise<boolean> {
    while (!this.#isClosed && this.#waiting > this.#options.mostWaiting)
      if (!(await this.#progress())) this.#res.destroy();
    return !this.#isClosed;
  }

  /** Waits for the next piece that is passed to the system, or the end of the connection. @returns false after too long. */
  #progress(): Promise<boolean> {
    const { socket } = this.#res.req;
    return new Promise((resolve) => {
      const settle = (isInTime: boolean): void => {
        clearInterval(timer);
        socket.off('close', proceed);
        this.#onProgress = () => undefined;
        resolve(isInTime);
      };
      const proceed = (): void => settle(true);
      const timer = setInterval(() => {
        // Without a socket the response waits for the one to an earlier request of the same connection.
        if (this.#res.socket !== null) settle(false);
      }, this.#options.stallMs);
      socket.once('close', proceed);
      this.#onProgress = proceed;
    });
  }
}
