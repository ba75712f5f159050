import type { SecretKey } from '../../monero/crypto/types.js';
import {
  hitsAt,
  type ScanHits,
  type ScanKeys,
  TABLE_SCALARS,
  type ScanBatch,
  type ScanKernel,
} from '../../monero/kernel/kernel.js';
import type { KernelPool } from '../../monero/kernel/kernel-pool.js';
import {
  type KernelBatch,
  OutputMatches,
  type MatchStream,
} from '../../monero/wallet/scan/output-matches.js';

/** Number of kernel batches per scanning thread that may be in work or waiting to be read. */
export const BATCHES_AHEAD = 2;

/** Largest number of view keys in a kernel call. */
export const SECRETS_PER_CALL = 128;

/** Time that readers wait for a reader that has not started [ms]. */
const STALL_MS = 250;

/** Scans batches on several threads. */
export interface BatchScanner extends Pick<KernelPool, 'scanMany' | 'threads'> {
  /**
   * Scans one queued batch on the calling thread, while a reader has nothing to do but wait for results.
   * @returns false if no batch is queued, or if this thread already scans one. If the method is absent, only other
   * threads scan.
   */
  assist?(): Promise<boolean>;
}

/** A wallet that reads the output matches of a {@link MatchGroup}. */
export interface MatchReader extends ScanKeys {
  /** View key with which outputs are scanned. It is not read after the reader is dropped, nor is `balanceSecret`. */
  viewSecret: SecretKey;
  /** Index of the first transaction that this wallet lacks. */
  readonly firstTx: number;
}

/** A kernel batch with its hits by reader. */
interface ScannedBatch {
  readonly batch: KernelBatch;
  readonly hits: ReadonlyMap<MatchReader, Promise<ScanHits>>;
}

/**
 * Scans kernel batches once with the view keys of several readers. At most {@link BATCHES_AHEAD} batches per thread are
 * in work or not yet read by the slowest reader. A reader that has not started to read is dropped if the started
 * readers wait for it.
 */
export class MatchGroup {
  /** Resolves when the batches that the constructor began are scanned. */
  readonly ready: Promise<unknown>;
  readonly #batches: Iterator<KernelBatch, void, void>;
  /**
   * The batch after the last batch in `#scanned`, made ahead so that a reader knows whether its batch is the last one
   * without waiting for slower readers. Undefined after the last batch.
   */
  #upcoming: KernelBatch | undefined;
  readonly #kernel: BatchScanner;
  readonly #limit: number;
  readonly #stallMs: number;
  /** Number of the batch that each reader reads next. */
  readonly #next = new Map<MatchReader, number>();
  readonly #started = new Set<MatchReader>();
  readonly #positions = new ReaderPositions();
  readonly #scanned: ScannedBatch[] = [];
  /** Number of the batch at index 0 of `#scanned`. */
  #base = 0;
  #ended = false;
  readonly #waiting = new Map<MatchReader, () => void>();
  #stall: NodeJS.Timeout | undefined;

  constructor(
    batches: Iterator<KernelBatch, void, void>,
    readers: readonly MatchReader[],
    kernel: BatchScanner,
    stallMs = STALL_MS,
  ) {
    this.#batches = batches;
    this.#upcoming = this.#nextBatch();
    this.#kernel = kernel;
    this.#stallMs = stallMs;
    const calls = Math.max(1, Math.ceil(readers.length / SECRETS_PER_CALL));
    this.#limit =
      calls === 1
        ? BATCHES_AHEAD * kernel.threads
        : Math.max(2, Math.ceil((BATCHES_AHEAD * kernel.threads) / calls));
    for (const reader of readers) {
      this.#next.set(reader, 0);
      this.#positions.add(0);
    }
    this.#fill();
    this.ready = Promise.allSettled(this.#scanned.flatMap(({ hits }) => [...hits.values()]));
  }

  /** Marks a reader as started. @returns false if the reader was dropped, or is not part of this group. */
  start(reader: MatchReader): boolean {
    if (!this.#next.has(reader)) return false;
    this.#started.add(reader);
    return true;
  }

  /** Yields the matches of a started reader. @throws Error if the reader is dropped meanwhile. */
  async *read(reader: MatchReader): MatchStream & AsyncGenerator<OutputMatches, void, void> {
    try {
      for (;;) {
        const matches = await this.#take(reader);
        if (matches === undefined) return;
        yield matches;
      }
    } finally {
      this.drop(reader);
    }
  }

  drop(reader: MatchReader): void {
    const index = this.#next.get(reader);
    if (index === undefined) return;
    this.#next.delete(reader);
    this.#started.delete(reader);
    this.#positions.remove(index);
    this.#wake(reader);
    this.#release();
  }

  async #take(reader: MatchReader): Promise<OutputMatches | undefined> {
    for (;;) {
      const index = this.#next.get(reader);
      if (index === undefined) throw new Error('a reader of output matches was dropped');
      const scanned = this.#scanned[index - this.#base];
      if (scanned === undefined) {
        if (this.#ended) return undefined;
        await new Promise<void>((resolve) => {
          this.#waiting.set(reader, resolve);
          this.#watchStall();
        });
        continue;
      }
      const own = scanned.hits.get(reader);
      const hits = own && (await this.#assistUntil(own));
      this.#advance(reader);
      if (hits !== undefined) return new OutputMatches(scanned.batch, hits);
    }
  }

  /** Scans the first batches on the calling thread, beside the pool, until the group is ready for its readers. */
  async scanAhead(): Promise<void> {
    await this.#assistUntil(this.ready);
  }

  /** Waits for the hits of a batch. Meanwhile the calling thread scans queued batches. */
  async #assistUntil<T>(hits: Promise<T>): Promise<T> {
    let isWaiting = true;
    const assist = async (): Promise<void> => {
      while (isWaiting && (await this.#kernel.assist?.()) === true);
    };
    // The help starts in the next turn of the event loop, so that hits which are already there are read first.
    const assisting = setImmediate(() => void assist());
    try {
      return await hits;
    } finally {
      isWaiting = false;
      clearImmediate(assisting);
    }
  }

  #advance(reader: MatchReader): void {
    const index = this.#next.get(reader);
    if (index === undefined) return;
    this.#next.set(reader, index + 1);
    this.#positions.move(index, index + 1);
    this.#release();
  }

  /** Frees batches that every reader has read, and begins the scan of as many other batches. */
  #release(): void {
    for (const { lowest } = this.#positions; this.#base < lowest && this.#scanned.length > 0; this.#base++)
      this.#scanned.shift();
    this.#fill();
  }

  #fill(): void {
    if (this.#next.size === 0) {
      this.#ended = true;
      this.#scanned.length = 0;
      clearTimeout(this.#stall);
    }
    while (!this.#ended && this.#scanned.length < this.#limit) {
      const batch = this.#upcoming;
      if (batch !== undefined) this.#scanned.push({ batch, hits: this.#scan(batch) });
      this.#upcoming = this.#nextBatch();
      this.#ended = this.#upcoming === undefined;
      for (const reader of [...this.#waiting.keys()]) this.#wake(reader);
    }
  }

  #nextBatch(): KernelBatch | undefined {
    const { done, value } = this.#batches.next();
    return done === true ? undefined : value;
  }

  #wake(reader: MatchReader): void {
    const wake = this.#waiting.get(reader);
    this.#waiting.delete(reader);
    wake?.();
  }

  #scan(batch: KernelBatch): ReadonlyMap<MatchReader, Promise<ScanHits>> {
    const lastTx = batch.txs.at(-1) ?? 0;
    const readers = [...this.#next.keys()].filter(({ firstTx }) => firstTx <= lastTx);
    const hits = new Map<MatchReader, Promise<ScanHits>>();
    for (let start = 0; start < readers.length; start += SECRETS_PER_CALL)
      this.#scanTogether(batch, readers.slice(start, start + SECRETS_PER_CALL), hits);
    return hits;
  }

  #scanTogether(
    batch: KernelBatch,
    readers: readonly MatchReader[],
    hits: Map<MatchReader, Promise<ScanHits>>,
  ): void {
    const together = this.#kernel.scanMany(batch.scan, readers);
    readers.forEach((reader, i) => {
      const own = together.then(
        (all) => hitsAt(all, i),
        async (error: unknown) => {
          // The error may concern one view key only: the batch is scanned with each key alone, so that the other
          // wallets do not fail.
          if (readers.length === 1 || !this.#next.has(reader)) throw error;
          return hitsAt(await this.#kernel.scanMany(batch.scan, [reader]), 0);
        },
      );
      // If the reader stops early, nothing awaits this promise, and its rejection must not end the process.
      own.catch(() => undefined);
      hits.set(reader, own);
    });
  }

  /** Starts the timer that drops readers which have not started while a started reader waits for them. */
  #watchStall(): void {
    const base = this.#base;
    this.#stall ??= setTimeout(() => {
      this.#stall = undefined;
      if (this.#waiting.size === 0) return;
      if (this.#base > base) return this.#watchStall();
      for (const reader of [...this.#next.keys()]) if (!this.#started.has(reader)) this.drop(reader);
    }, this.#stallMs);
  }
}

/**
 * Counts readers by their position in a sequence of batches. All readers are close to each other, so few positions
 * occur.
 */
export class ReaderPositions {
  readonly #counts = new Map<number, number>();

  add(position: number): void {
    this.#counts.set(position, (this.#counts.get(position) ?? 0) + 1);
  }

  remove(position: number): void {
    const count = this.#counts.get(position) ?? 0;
    if (count > 1) this.#counts.set(position, count - 1);
    else this.#counts.delete(position);
  }

  move(from: number, to: number): void {
    this.remove(from);
    this.add(to);
  }

  /** Lowest position of a reader; Infinity without readers. */
  get lowest(): number {
    return Math.min(...this.#counts.keys());
  }

  /** Highest position of a reader; -Infinity without readers. */
  get highest(): number {
    return Math.max(...this.#counts.keys());
  }
}

/**
 * Largest amount of work in a batch that the calling thread scans without a pause, about 4 ms. A unit of work is the
 * product of a transaction key and a view key, 6 µs; testing an output with one key and one view key takes at most as
 * long.
 */
const MOST_WORK = 640;

/**
 * Returns the number of threads in the pool of a {@link RefreshScanner}; of `threads`, the remaining thread is the
 * calling thread.
 */
export const poolThreads = (threads: number): number => Math.max(1, threads - 1);

/**
 * Scans batches on the threads of a pool and on the calling thread, which would otherwise only wait for the pool. One
 * scanning thread less saves 7 MiB. A small batch, such as the batch of a new block or of the mempool, is always
 * scanned on the calling thread: otherwise each new block would start threads of the pool, which end when idle, for a
 * millisecond of work.
 */
export class RefreshScanner implements BatchScanner {
  readonly threads: number;
  readonly #pool: Pick<KernelPool, 'scanMany' | 'scanWaiting'>;
  readonly #own: Pick<ScanKernel, 'scanMany'>;
  readonly #assists: boolean;
  #isAssisting = false;

  /** @param threads number of threads that scan at once, ≥ 1; the pool has {@link poolThreads} of these threads. */
  constructor(
    pool: Pick<KernelPool, 'scanMany' | 'scanWaiting'>,
    own: Pick<ScanKernel, 'scanMany'>,
    threads: number,
  ) {
    this.#pool = pool;
    this.#own = own;
    this.threads = threads;
    this.#assists = threads > poolThreads(threads);
  }

  async scanMany(batch: ScanBatch, keys: readonly ScanKeys[]): Promise<readonly ScanHits[]> {
    if (workOf(batch, keys.length) > MOST_WORK) return this.#pool.scanMany(batch, keys);
    return this.#own.scanMany(batch, keys);
  }

  async assist(): Promise<boolean> {
    if (!this.#assists || this.#isAssisting) return false;
    this.#isAssisting = true;
    try {
      return await this.#pool.scanWaiting(this.#own);
    } finally {
      this.#isAssisting = false;
    }
  }
}

const workOf = ({ keys, outputKey }: ScanBatch, secrets: number): number =>
  (keys.length / 32) * (TABLE_SCALARS + secrets) + outputKey.length * secrets;
