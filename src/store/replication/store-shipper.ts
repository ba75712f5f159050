import type { LogKeeper } from '../file/store-file.js';
import { readBase } from './base-parts.js';
import { readFrame, LogError, LogFile, type LogPosition, type Moment } from './log-pages.js';
import {
  NotReplicatedError,
  NotStoredError,
  SinkEndedError,
  type PageSink,
  BaseNotRenewedError,
  type Replication,
  type ReplicationOptions,
  type ShippedStore,
} from './replication.js';
import { RetryPause, StoredWaiters } from './stored-waiters.js';

const DELAY_MS = 5000;
const TIMEOUT_MS = 5000;
const LONGEST_LOG = 16_000;

/** Least size of the frames since the last base from which a new base is made [bytes]. */
const LEAST_FRAME_BYTES = 4 << 20;

/** Size of a page of a store [bytes]. */
const PAGE_BYTES = 4096;

const NO_LOG: LogPosition = { salts: undefined, frames: 0 };

/**
 * Ships the committed pages of one open store. Pages that wait are read from the log when they are sent; one frame is
 * under way at a time, and the next frame has all newer pages. Each frame is on the local disk before it is sent, so
 * after a crash of the machine the store has all pages that the sink has.
 */
export class StoreShipper implements Replication, LogKeeper {
  readonly #store: ShippedStore;
  readonly #sink: PageSink;
  readonly #delayMs: number;
  readonly #timeoutMs: number;
  readonly #longestLog: number;
  readonly #onError: (error: unknown) => void;
  readonly #waiters = new StoredWaiters();
  readonly #pause = new RetryPause();

  /** Size of the committed log [pages]. */
  #frames: number;
  /** Commits until now; the state in which the store was opened counts as one. */
  #commits = 1;
  #flushed = 0;
  /** Number of the last commit for which {@link replicated} waits. */
  #durable = 0;
  /** Number of the last commit for which a caller waits. */
  #wanted = 0;
  /** True once a commit for which no caller waits is old enough to be sent. */
  #isDelayOver = false;

  /** Place in the log up to which the sink has everything. */
  #position = NO_LOG;
  #sequence: number;
  /** Greatest number that was ever sent. */
  #lastSent: number;
  /** End of a frame that the sink may have stored, and that is sent again unchanged. */
  #unsure: Moment | undefined;
  #baseBytes: number;
  #frameBytes: number;

  #needsBase: boolean;
  /** True until the store itself has a mark that the sink needs a base. Its log may start again only with this mark. */
  #mustMark: boolean;
  /** Number of times that the pages of the log were given up for a base. */
  #generation = 0;
  /** Number of times that the store was written to a new file. */
  #replacements = 0;
  /** True while a base is read, during which no commit may be moved into the main file. */
  #isReadingBase = false;
  /** Checkpoint that is under way; undefined if no checkpoint is under way. */
  #checkpoint: Promise<void> | undefined;
  /** Renewal of the base that is under way; undefined if no renewal is under way. */
  #renewal: Promise<void> | undefined;
  /** Size of the frames since the last base from which the next renewal starts [bytes]. */
  #renewalBytes = LEAST_FRAME_BYTES;

  #isWorking = false;
  #isStopped = false;
  #delay: NodeJS.Timeout | undefined;
  #behindSince: number | undefined;

  #shippedBytes = 0;
  #shippedFrames = 0;
  #shippedBases = 0;
  failedBases = 0;

  constructor(store: ShippedStore, sink: PageSink, options: ReplicationOptions) {
    this.#store = store;
    this.#sink = sink;
    this.#delayMs = options.delayMs ?? DELAY_MS;
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
    this.#longestLog = options.longestLog ?? LONGEST_LOG;
    this.#onError = options.onError ?? ((): void => undefined);
    this.#sequence = options.sequence;
    this.#lastSent = options.sequence;
    this.#baseBytes = options.baseBytes;
    this.#frameBytes = options.frameBytes;
    this.#frames = store.frames;
    this.#needsBase = store.needsBase || options.baseBytes === 0;
    this.#mustMark = this.#needsBase;
    if (this.#needsBase || this.#frames > 0) this.#want(true);
    else this.#noteStored(this.#commits);
  }

  replicated(): Promise<void> {
    return this.#waiters.wait(this.#durable, this.#timeoutMs);
  }

  /**
   * Resolves when all commits until now are stored at the sink.
   * @param isDurable true if callers of {@link replicated} wait for them from now on.
   * @throws NotReplicatedError as {@link replicated}.
   */
  allReplicated(isDurable: boolean): Promise<void> {
    this.#want(isDurable);
    return this.#waiters.wait(this.#commits, this.#timeoutMs);
  }

  get isBehind(): boolean {
    return this.#waiters.stored < this.#wanted;
  }

  get behindSince(): number | undefined {
    return this.#behindSince;
  }

  get pendingBytes(): number {
    if (this.#waiters.stored >= this.#commits) return 0;
    return Math.max(0, this.#frames - this.#position.frames) * PAGE_BYTES;
  }

  get sequence(): number {
    return this.#sequence;
  }

  get shippedBytes(): number {
    return this.#shippedBytes;
  }

  get frames(): number {
    return this.#shippedFrames;
  }

  get bases(): number {
    return this.#shippedBases;
  }

  async close(timeoutMs = this.#timeoutMs): Promise<void> {
    const end = performance.now() + timeoutMs;
    try {
      this.#store.settle();
      do {
        this.#want(true);
        await this.#waiters.wait(this.#commits, Math.max(0, end - performance.now()));
      } while (this.#waiters.stored < this.#commits);
    } finally {
      this.#stop(new NotReplicatedError('the store was closed', true));
    }
  }

  drop(): void {
    this.#stop(new NotReplicatedError('the store was dropped', true));
  }

  get commits(): number {
    return this.#commits;
  }

  noteCommit(frames: number, isDurable: boolean): void {
    if (frames < this.#frames) this.#noteNewLog();
    this.#frames = frames;
    this.#commits += 1;
    if (isDurable) {
      this.#flushed = this.#commits;
      this.#want(true);
    } else this.#startDelay();
  }

  noteFlushed(commits: number): void {
    this.#flushed = Math.max(this.#flushed, commits);
  }

  get mayRestart(): boolean {
    if (this.#isReadingBase && !this.#isStopped) return false;
    return this.#waiters.stored >= this.#commits || (this.#needsBase && !this.#mustMark);
  }

  async whenStored(checkpoint: () => Promise<void>): Promise<boolean> {
    const replacements = this.#replacements;
    if (!this.mayRestart && !(await this.#storeAll())) return false;
    // The caller keeps later commits out of a checkpoint of the former file only.
    if (replacements !== this.#replacements) return false;
    if (this.#isReadingBase || this.#isStopped) return false;
    this.#checkpoint = checkpoint().finally(() => {
      this.#checkpoint = undefined;
    });
    await this.#checkpoint;
    return true;
  }

  noteReplaced(): void {
    this.#generation += 1;
    this.#replacements += 1;
    this.#position = NO_LOG;
    this.#frames = 0;
    this.#unsure = undefined;
    this.#commits += 1;
    this.#needsBase = true;
    this.#mustMark = false;
    this.#want(true);
  }

  /** Notes that the log started again, which it must not while the sink lacks pages; a new base repairs the sink. */
  #noteNewLog(): void {
    if (this.#position.frames < this.#frames && !this.#needsBase) {
      this.#onError(new LogError('the log has started again before its pages were sent: a base is needed'));
      this.#loseLog();
    }
    this.#position = NO_LOG;
  }

  /** Gives up the pages of the log, because not all of them can be sent any more. */
  #loseLog(): void {
    this.#generation += 1;
    this.#position = NO_LOG;
    this.#unsure = undefined;
    this.#needsBase = true;
    this.#mustMark = true;
  }

  /** Starts to ship all commits, for a caller that waits. @param isDurable true if {@link replicated} waits for it. */
  #want(isDurable: boolean): void {
    this.#wanted = this.#commits;
    if (isDurable) this.#durable = this.#commits;
    if (this.isBehind) this.#behindSince ??= performance.now();
    this.#wake();
  }

  #startDelay(): void {
    this.#delay ??= setTimeout(() => {
      this.#delay = undefined;
      this.#isDelayOver = true;
      this.#wake();
    }, this.#delayMs).unref();
  }

  /**
   * Ships all commits until now, so that the log can start again. A log that is too long is given up for a base.
   * @returns false if the log has to stay.
   */
  async #storeAll(): Promise<boolean> {
    this.#want(false);
    try {
      await this.#waiters.wait(this.#commits, this.#timeoutMs);
      return true;
    } catch {
      if (this.#isStopped || this.#isReadingBase || this.#frames < this.#longestLog) return false;
      this.#loseLog();
      this.#mark();
      this.#wake();
      return true;
    }
  }

  #mark(): void {
    this.#store.markBaseNeeded(true);
    this.#mustMark = false;
  }

  get #isDue(): boolean {
    if (this.#isStopped) return false;
    const { stored } = this.#waiters;
    return this.#needsBase || stored < this.#wanted || (this.#isDelayOver && stored < this.#commits);
  }

  #wake(): void {
    if (this.#isWorking || !this.#isDue) return;
    this.#isWorking = true;
    void this.#work().finally(() => {
      this.#isWorking = false;
      this.#wake();
    });
  }

  async #work(): Promise<void> {
    // The caller may be inside a transaction, and may commit more.
    await Promise.resolve();
    while (this.#isDue) {
      const generation = this.#generation;
      try {
        if (this.#needsBase) await this.#storeFirstBase();
        else await this.#shipNext();
        this.#pause.reset();
      } catch (error) {
        // The log was given up while it was read.
        if (error instanceof LogError && generation !== this.#generation) continue;
        await this.#handle(error);
      }
    }
  }

  async #handle(error: unknown): Promise<void> {
    if (this.#isStopped) return;
    this.#onError(error);
    this.#waiters.note(error);
    if (error instanceof SinkEndedError)
      return this.#stop(new NotReplicatedError('the sink has ended', true, { cause: error }));
    if (error instanceof LogError && !this.#needsBase) this.#loseLog();
    await this.#pause.wait();
  }

  async #shipNext(): Promise<void> {
    const generation = this.#generation;
    const to = this.#unsure ?? { frames: this.#frames, commits: this.#commits };
    const sequence = this.#sequence + 1;
    if (this.#flushed < to.commits) await this.#store.flush();
    const frame = await readFrame(this.#store.log, sequence, { from: this.#position, to: to.frames });
    if (generation !== this.#generation || this.#isStopped) return;
    if (frame === undefined) return this.#noteStored(to.commits);
    this.#lastSent = sequence;
    try {
      await this.#sink.append(sequence, frame.bytes);
    } catch (error) {
      if (generation === this.#generation && !(error instanceof NotStoredError)) this.#unsure = to;
      throw error;
    }
    if (generation !== this.#generation) return;
    this.#unsure = undefined;
    this.#sequence = sequence;
    this.#position = frame.end;
    this.#shippedFrames += 1;
    this.#shippedBytes += frame.bytes.length;
    this.#frameBytes += frame.bytes.length;
    if (frame.end.frames === to.frames) this.#noteStored(to.commits);
    if (this.#isRenewalDue(frame.storeBytes))
      this.#renewal ??= this.#renewBase().finally(() => {
        this.#renewal = undefined;
      });
  }

  #noteStored(commits: number): void {
    this.#waiters.resolve(commits);
    if (!this.isBehind) this.#behindSince = undefined;
    this.#isDelayOver = false;
    clearTimeout(this.#delay);
    this.#delay = undefined;
    if (commits < this.#commits) this.#startDelay();
  }

  /** Stores a base of the present state when the frames at the sink, if there are any, do not lead up to it. */
  async #storeFirstBase(): Promise<void> {
    if (this.#mustMark) this.#mark();
    await this.#renewal;
    const generation = this.#generation;
    const at = await this.#whileReading(async () => {
      const moment = { frames: this.#frames, commits: this.#commits };
      const position = this.#positionAt(moment.frames);
      if (this.#flushed < moment.commits) await this.#store.flush();
      this.#lastSent += 1;
      const sequence = this.#lastSent;
      await this.#putBase(sequence, position);
      return { ...moment, position, sequence };
    });
    if (generation !== this.#generation) return;
    this.#needsBase = false;
    this.#sequence = at.sequence;
    this.#frameBytes = 0;
    // If the log has started again meanwhile, its whole content is new.
    if (this.#frames >= at.frames) this.#position = at.position;
    this.#noteStored(at.commits);
    if (!this.#isStopped) this.#store.markBaseNeeded(false);
  }

  /**
   * True if a new base would halve the size of the data at the sink. The frames of a growing store are hardly larger
   * than its new base would be, because most of their pages did not exist before.
   */
  #isRenewalDue(storeBytes: number): boolean {
    return this.#frameBytes > this.#renewalBytes && this.#baseBytes + this.#frameBytes > 2 * storeBytes;
  }

  /** Stores a new base, up to the last stored frame, in place of the base and the many frames at the sink. */
  async #renewBase(): Promise<void> {
    const generation = this.#generation;
    try {
      await this.#whileReading(async () => {
        const frameBytes = this.#frameBytes;
        await this.#putBase(this.#sequence, this.#position);
        if (generation !== this.#generation) return;
        this.#frameBytes -= frameBytes;
        this.#renewalBytes = LEAST_FRAME_BYTES;
      });
    } catch (error) {
      if (this.#isStopped || generation !== this.#generation) return;
      this.#renewalBytes = this.#frameBytes + LEAST_FRAME_BYTES;
      this.failedBases += 1;
      this.#onError(new BaseNotRenewedError((error as Error).message, { cause: error }));
    }
  }

  /** Runs a task during which no commit is moved into the main file. */
  async #whileReading<T>(task: () => Promise<T>): Promise<T> {
    this.#isReadingBase = true;
    try {
      await this.#checkpoint?.catch(() => undefined);
      return await task();
    } finally {
      this.#isReadingBase = false;
    }
  }

  #positionAt(frames: number): LogPosition {
    if (frames === 0) return NO_LOG;
    const log = LogFile.open(this.#store.log);
    log.close();
    return { salts: log.salts, frames };
  }

  async #putBase(sequence: number, at: LogPosition): Promise<void> {
    const generation = this.#generation;
    const base = await readBase({
      ...{ sequence, at, log: this.#store.log, mainBytes: this.#store.mainBytes() },
      readMain: (bytes, offset) => {
        if (this.#isStopped || generation !== this.#generation) throw new Error('the base was given up');
        return this.#store.readMain(bytes, offset);
      },
    });
    try {
      await this.#sink.putBase(sequence, base.parts);
    } finally {
      base.close();
    }
    if (generation !== this.#generation) return;
    this.#baseBytes = base.bytes;
    this.#shippedBases += 1;
    this.#shippedBytes += base.bytes;
  }

  #stop(error: NotReplicatedError): void {
    this.#isStopped = true;
    clearTimeout(this.#delay);
    this.#pause.end();
    this.#waiters.end(error);
  }
}
