import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { bodyOf, LARGEST_BYTES, ORDINARY_BYTES, RequestMemory } from '../message/request-body.js';

/** Body of a request that is kept, so that it can be sent to another process, perhaps several times. */
export class KeptBody {
  readonly chunks: Uint8Array[] = [];
  readonly #rest: AsyncIterator<Uint8Array>;
  readonly #memory: RequestMemory;
  readonly #hash = createHash('sha256');
  #length = 0;
  #isWhole = false;
  #digest: string | undefined;

  /** @param client name of a client with limited rights, which may take only a part of the memory. */
  constructor(req: IncomingMessage, client?: string) {
    this.#rest = bodyOf(req)[Symbol.asyncIterator]();
    this.#memory = new RequestMemory(client);
  }

  /** Number of bytes that were read. */
  get length(): number {
    return this.#length;
  }

  /** SHA-256 of the whole body [hex]. */
  get hash(): string {
    return (this.#digest ??= this.#hash.digest('hex'));
  }

  /** Reads the body, up to the length of an ordinary request. @throws the errors of the connection. */
  begin(): Promise<void> {
    return this.#read(ORDINARY_BYTES);
  }

  /**
   * Reads the rest of the body. @returns false for a body that is longer than the longest request, and is not read to
   * its end.
   * @throws RequestTooLarge if large requests take too much memory.
   */
  async complete(): Promise<boolean> {
    await this.#read(LARGEST_BYTES);
    return this.#isWhole;
  }

  async #read(most: number): Promise<void> {
    while (!this.#isWhole && this.#length <= most) {
      const next = await this.#rest.next();
      if (next.done === true) this.#isWhole = true;
      else {
        this.chunks.push(next.value);
        this.#hash.update(next.value);
        this.#length += next.value.length;
        if (this.#length > ORDINARY_BYTES) this.#memory.claim(this.#length);
      }
    }
  }

  /** Returns the whole body for a handler of this process, which reads the rest as it arrives. */
  async *handOver(): AsyncGenerator<Uint8Array> {
    this.release();
    for (let chunk = this.chunks.shift(); chunk !== undefined; chunk = this.chunks.shift()) yield chunk;
    if (this.#isWhole) return;
    for (let next = await this.#rest.next(); next.done !== true; next = await this.#rest.next())
      yield next.value;
  }

  /** Releases the claimed memory of the body. To be called when the request is answered. */
  release(): void {
    this.#memory.release();
  }
}
