import { Duplex } from 'node:stream';
import { placeBy } from './target.js';

/** Splits an input at a place that the input itself determines, as a network may do. */
export function chunksOf(input: Uint8Array): Uint8Array[] {
  const size = 1 + placeBy(input, Math.max(1, input.length));
  return [input.subarray(0, size), input.subarray(size)].filter(({ length }) => length > 0);
}

/** One end of a connection without a network, in place of a socket: its peer sends the given bytes, then ends. */
export class Peer extends Duplex {
  readonly #input: Uint8Array;
  readonly #answers: boolean;
  #isSent = false;
  readonly remoteAddress = '192.0.2.7';
  readonly encrypted = false;

  /** @param answers true: the peer sends when it has received something; false: at once. */
  constructor(input: Uint8Array, answers: boolean) {
    super();
    this.#input = input;
    this.#answers = answers;
  }

  override _read(): void {
    if (!this.#answers) this.#send();
  }

  override _write(_chunk: unknown, _encoding: unknown, done: () => void): void {
    this.#send();
    done();
  }

  #send(): void {
    if (this.#isSent) return;
    this.#isSent = true;
    for (const chunk of chunksOf(this.#input)) this.push(chunk);
    this.push(null);
  }

  // Methods of sockets that Node.js calls.
  readonly setTimeout = (): this => this;
  readonly setKeepAlive = (): this => this;
  readonly setNoDelay = (): this => this;
  readonly ref = (): this => this;
  readonly unref = (): this => this;
  readonly destroySoon = (): this => this.destroy();
}
