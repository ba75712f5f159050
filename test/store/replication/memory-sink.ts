import { NotStoredError, SinkEndedError, type PageSink } from '../../../src/store/replication/replication.js';
import { decodeFrame } from '../../../src/store/replication/frame.js';
import { rebuildStore } from '../../../src/store/replication/rebuild-store.js';

/** Fate of a call of a sink. */
export type Fate =
  /** It fails before anything is stored, and says so. */
  | 'refused'
  /** It fails before anything is stored, with an unknown outcome. */
  | 'lost'
  /** Everything is stored, but the answer is lost. */
  | 'unanswered';

interface StoredFrame {
  readonly sequence: number;
  readonly bytes: Uint8Array;
}

/** The elements of an array, one in each turn of the event loop. */
async function* each(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield await Promise.resolve(part);
}

/** A receiver of pages that keeps them in memory and refuses whatever a receiver on a network would refuse. */
export class MemorySink {
  base: { readonly sequence: number; readonly parts: readonly Uint8Array[] } | undefined;
  frames: StoredFrame[] = [];
  /** Calls that broke the rules of the interface. */
  readonly violations: string[] = [];
  /** Fates of the next calls of `append`; those of `putBase` are in another list. */
  readonly appendFates: Fate[] = [];
  readonly baseFates: Fate[] = [];
  /** Is called after something was stored. */
  onStored: () => void = () => undefined;
  /** Number of calls of `append`, failed ones included. */
  appends = 0;
  hasEnded = false;
  /** Waits before each call and each part. */
  wait: () => Promise<void> = () => Promise.resolve();
  #isAppending = false;
  #lease = 0;
  /** The last frame that may have been stored. */
  #unsure: StoredFrame | undefined;

  /** Returns the receiver of a new holder of the store; calls of earlier holders store nothing from now on. */
  lease(): PageSink {
    const lease = (this.#lease += 1);
    this.#unsure = undefined;
    this.#isAppending = false;
    return {
      append: (sequence, bytes) => this.#append(lease, { sequence, bytes }),
      putBase: (sequence, parts) => this.putBase(lease, sequence, parts),
    };
  }

  #checkLease(lease: number): void {
    if (this.hasEnded || lease !== this.#lease) throw new SinkEndedError('another process holds the store');
  }

  get sequence(): number {
    return this.frames.at(-1)?.sequence ?? this.base?.sequence ?? 0;
  }

  /** State of this sink, as a shipper needs it. */
  get state(): { readonly sequence: number; readonly baseBytes: number; readonly frameBytes: number } {
    const bytes = (parts: readonly Uint8Array[]): number => parts.reduce((sum, part) => sum + part.length, 0);
    return {
      sequence: this.sequence,
      baseBytes: bytes(this.base?.parts ?? []),
      frameBytes: bytes(this.frames.map((frame) => frame.bytes)),
    };
  }

  async #append(lease: number, { sequence, bytes }: StoredFrame): Promise<void> {
    this.#checkLease(lease);
    this.appends += 1;
    if (this.#isAppending) this.violations.push(`frame ${sequence} was sent beside another one`);
    this.#isAppending = true;
    try {
      await this.wait();
      this.#checkLease(lease);
      const fate = this.appendFates.shift();
      this.#check({ sequence, bytes });
      if (fate === 'refused') throw new NotStoredError('refused');
      this.#unsure = { sequence, bytes };
      if (fate === 'lost') throw new Error('lost');
      if (sequence > this.sequence) this.frames.push({ sequence, bytes });
      this.onStored();
      if (fate === 'unanswered') throw new Error('unanswered');
      this.#unsure = undefined;
    } finally {
      if (lease === this.#lease) this.#isAppending = false;
    }
  }

  #check({ sequence, bytes }: StoredFrame): void {
    if (decodeFrame(bytes).sequence !== sequence)
      this.violations.push(`frame ${sequence} has another number`);
    if (this.base === undefined) this.violations.push(`frame ${sequence} came before any base`);
    const earlier = [...this.frames, this.#unsure].find((frame) => frame?.sequence === sequence);
    if (earlier !== undefined && Buffer.compare(earlier.bytes, bytes) !== 0)
      this.violations.push(`frame ${sequence} changed`);
    if (sequence > this.sequence + 1 || (sequence <= this.sequence && earlier === undefined))
      this.violations.push(`frame ${sequence} came after ${this.sequence}`);
  }

  async putBase(lease: number, sequence: number, source: AsyncIterable<Uint8Array>): Promise<void> {
    await this.wait();
    this.#checkLease(lease);
    const fate = this.baseFates.shift();
    if (fate === 'refused') throw new NotStoredError('refused');
    const parts: Uint8Array[] = [];
    for await (const part of source) {
      parts.push(part);
      await this.wait();
      if (fate === 'lost') throw new Error('lost');
    }
    this.#checkLease(lease);
    if (sequence < (this.base?.sequence ?? 0)) this.violations.push(`base ${sequence} is older`);
    this.base = { sequence, parts };
    this.frames = this.frames.filter((frame) => frame.sequence > sequence);
    this.onStored();
    if (fate === 'unanswered') throw new Error('unanswered');
  }

  /** Makes a copy that later calls do not change. */
  copy(): MemorySink {
    const made = new MemorySink();
    made.base = this.base;
    made.frames = [...this.frames];
    return made;
  }

  async rebuild(path: string): Promise<void> {
    const frames = this.frames.map((frame) => frame.bytes);
    await rebuildStore(path, each(this.base?.parts ?? []), each(frames));
  }
}
