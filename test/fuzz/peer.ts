import { Duplex } from 'node:stream';
import { placeBy } from './target.js';

/** Text between the parts of an input, each of which answers one message. */
export const NEXT_ANSWER = '@next';

export const PEER_ADDRESS = '192.0.2.7';

/** Number of turns of the event loop after which a waiting peer ends if this side writes nothing. */
const QUIET_TURNS = 6;

/** Splits an input at a place that the input itself determines, as a network may do. */
export function chunksOf(input: Uint8Array): Uint8Array[] {
  const size = 1 + placeBy(input, Math.max(1, input.length));
  return [input.subarray(0, size), input.subarray(size)].filter(({ length }) => length > 0);
}

/** Splits an input into the answers that a peer gives one after the other. */
export function answersIn(input: Uint8Array): Uint8Array[] {
  const bytes = Buffer.from(input.buffer, input.byteOffset, input.length);
  const answers: Uint8Array[] = [];
  for (let at = 0; ;) {
    const end = bytes.indexOf(NEXT_ANSWER, at);
    answers.push(input.subarray(at, end === -1 ? input.length : end));
    if (end === -1) return answers;
    at = end + NEXT_ANSWER.length;
  }
}

/**
 * Behaviour of a peer. `speaks`: it sends its input at once, then waits for answers, and ends once none comes any more.
 * `answers`: it sends the next part of its input for each message that it receives, and ends after the last one, or once
 * no message comes.
 */
export type Manner = 'speaks' | 'answers';

/** One end of a connection without a network, in place of a socket: its peer sends the given bytes, then ends. */
export class Peer extends Duplex {
  readonly #parts: Uint8Array[];
  readonly #manner: Manner;
  #isAnswering = false;
  #isWaiting = false;
  #hasEnded = false;
  #quietTurns = 0;
  readonly remoteAddress = PEER_ADDRESS;
  readonly encrypted = false;

  constructor(input: Uint8Array, manner: Manner) {
    // A socket of a client closes with its peer; that of a server may answer afterwards.
    super({ allowHalfOpen: manner === 'speaks' });
    this.#manner = manner;
    this.#parts = manner === 'answers' ? answersIn(input) : [input];
  }

  override _read(): void {
    if (this.#manner === 'speaks') this.#send();
  }

  override _write(_chunk: unknown, _encoding: unknown, done: () => void): void {
    this.#quietTurns = 0;
    if (this.#manner === 'answers' && !this.#isAnswering) {
      this.#isAnswering = true;
      // The parts of one message are written in one turn of the event loop.
      setImmediate(() => {
        this.#isAnswering = false;
        this.#send();
      });
    }
    done();
  }

  #send(): void {
    const part = this.#parts.shift();
    if (part !== undefined && !this.#hasEnded) for (const chunk of chunksOf(part)) this.push(chunk);
    if (this.#manner === 'answers' && this.#parts.length === 0) this.#end();
    else if (!this.#isWaiting) this.#endWhenQuiet();
  }

  #endWhenQuiet(): void {
    this.#isWaiting = true;
    if (this.destroyed || this.#quietTurns++ >= QUIET_TURNS) this.#end();
    else setImmediate(() => this.#endWhenQuiet());
  }

  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.push(null);
    // Emits the end even if no handler reads, as a socket does.
    this.read(0);
  }

  // Methods of sockets that Node.js calls.
  readonly setTimeout = (): this => this;
  readonly setKeepAlive = (): this => this;
  readonly setNoDelay = (): this => this;
  readonly ref = (): this => this;
  readonly unref = (): this => this;
  readonly destroySoon = (): this => this.destroy();
}
