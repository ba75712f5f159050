import { createHash } from 'node:crypto';
import { toHex } from '../../src/util/bytes.js';
import { yieldToEventLoop } from '../../src/util/event-loop.js';
import { Mutator, type Lengths } from './mutator.js';
import { collectGarbage } from '../support/fakes/collect-garbage.js';
import { PeakMemory } from './peak-memory.js';
import { quickRandom } from './quick-random.js';
import type { Guide } from './coverage.js';
import type { Parser, Target } from './target.js';

/*
 * A fuzzer of its own, because none of the known ones runs here: `@jazzer.js/core` 4.0 instruments ES modules, but its
 * native part needs a newer C library (2.38) than Debian 12 has, and version 2.1 neither builds on this Node.js nor knows
 * ES modules. fast-check makes structured values, which the property tests use, and sees no coverage. This one needs
 * nothing but V8's own counters.
 */

/** Kind of a finding. */
export type FindingKind =
  /** An error that the target does not list. */
  | 'error'
  /** A case that takes longer than {@link LIMITS}. */
  | 'slow'
  /** A case that does not end. */
  | 'hang'
  /** A case that needs more memory than {@link LIMITS}. */
  | 'memory'
  /** An error outside of the call, or the end of the process. */
  | 'crash';

/** An input that a parser does not withstand. */
export interface Finding {
  readonly target: string;
  readonly kind: FindingKind;
  readonly text: string;
  readonly input: Uint8Array;
}

/** Limits of one case. */
export interface Limits {
  /** Processor time [ms]. */
  readonly ms: number;
  /** Growth of the memory of the process [bytes]. */
  readonly bytes: number;
  /** Processor time after which a case counts as endless [ms]. */
  readonly hangMs: number;
  /** Interval in which another process looks whether a case has ended [ms]. */
  readonly watchMs: number;
  /** Time in which a case neither ends nor computes, after which it counts as endless [s]. */
  readonly idleSeconds: number;
  /** Memory for objects of the process [MiB]: more than a case may take ends it. */
  readonly heapMib: number;
}

export const LIMITS: Limits = {
  ms: 1000,
  bytes: 256 * 1024 * 1024,
  hangMs: 10_000,
  watchMs: 1000,
  idleSeconds: 60,
  heapMib: 512,
};

/**
 * Largest number of cases that are run before coverage and memory are read, and of their bytes. Reading the coverage
 * takes as long as many cases.
 */
const MOST_BATCH = 2048;
const MOST_BATCH_BYTES = 16 << 20;
const FIRST_BATCH = 16;
/** Least length of the longest input but for a few, and of the longest input, of targets that set none [bytes]. */
const LEAST_USUAL_BYTES = 1024;
const LEAST_MOST_BYTES = 4096;
/** Number of attempts to repeat a slow case, which the work of earlier cases may have slowed down. */
const SLOW_ATTEMPTS = 3;
/** Number of attempts to repeat cases that needed much memory: it may take the place of other memory that is freed. */
const MEMORY_ATTEMPTS = 3;
/** Number of lines in the trace of a finding. */
const TRACE_LINES = 10;
/** Number of findings with the same text that are reported. */
const SAME_FINDINGS = 1;

/** Progress of a run. */
export interface Progress {
  cases: number;
  /** Processor time of the cases, with the reading of their coverage [ms]. */
  cpuMs: number;
  /** Processor time of the slowest case [ms]. */
  slowestMs: number;
  slowest: Uint8Array;
  /** Greatest growth of the memory of the process in a batch of cases [bytes]. */
  peakBytes: number;
}

export interface FuzzOptions {
  readonly cases: number;
  readonly seed: string;
  /** Time after which no further batch begins [ms]. */
  readonly forMs?: number;
  readonly limits?: Limits;
  readonly guide: Guide;
  /** Inputs beside the seeds. */
  readonly corpus?: readonly Uint8Array[];
  /** Is called before each call of the parser, with the number of cases before it. */
  readonly onCase?: (input: Uint8Array, cases: number) => void;
  readonly onKept?: (input: Uint8Array) => void;
  readonly onFinding: (finding: Finding) => void;
  /** Is called after each batch. */
  readonly onProgress?: (progress: Progress) => void;
}

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Text by which findings with the same cause are recognised. */
const causeOf = (error: unknown): string => {
  const { name, message, stack = '' } = error instanceof Error ? error : new Error(String(error));
  const place = stack.split('\n').find((line) => line.includes('/src/')) ?? '';
  return `${name}: ${message.slice(0, 200)}${place.replace(/^\s*at/, ' at').replace(/file:\/\/\S*\/build\//, '')}`;
};

/** Returns the lengths of a target's mutated inputs: seldom more than four times those of most seeds. */
function lengthsOf({ maxBytes }: Target, { seeds }: Parser): Lengths {
  const lengths = seeds.map(({ length }) => length).toSorted((a, b) => a - b);
  const usual = Math.max(LEAST_USUAL_BYTES, 4 * (lengths[lengths.length >> 1] ?? 0));
  const most = maxBytes ?? Math.max(LEAST_MOST_BYTES, 2 * (lengths.at(-1) ?? 0), usual);
  return { usual: Math.min(usual, most), most };
}

/** Returns the SHA-256 of an input, in hex. */
export const idOf = (input: Uint8Array): string => createHash('sha256').update(input).digest('hex');

/** Runs mutated inputs of one target. */
export class Fuzzer {
  readonly #target: Target;
  readonly #parser: Parser;
  readonly #options: FuzzOptions;
  readonly #limits: Limits;
  readonly #mutator: Mutator;
  readonly #corpus: Uint8Array[];
  readonly #known: Set<string>;
  readonly #causes = new Map<string, number>();
  readonly #memory = new PeakMemory();
  #isStopped = false;
  readonly progress: Progress = {
    cases: 0,
    cpuMs: 0,
    slowestMs: 0,
    slowest: new Uint8Array(),
    peakBytes: 0,
  };

  constructor(target: Target, parser: Parser, options: FuzzOptions) {
    this.#target = target;
    this.#parser = parser;
    this.#options = options;
    this.#limits = options.limits ?? LIMITS;
    this.#corpus = [...parser.seeds, ...(options.corpus ?? [])];
    if (this.#corpus.length === 0) this.#corpus.push(new Uint8Array());
    this.#known = new Set(this.#corpus.map(idOf));
    this.#mutator = new Mutator(
      quickRandom(`${options.seed}/${target.name}`),
      target.words ?? [],
      lengthsOf(target, parser),
    );
  }

  /** Seeds, and the inputs that reached new code. */
  get corpus(): readonly Uint8Array[] {
    return this.#corpus;
  }

  /** Ends the run after its batch. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Runs the seeds, then mutated inputs until the number of cases or the time is reached. */
  async run(): Promise<void> {
    const { stackTraceLimit } = Error;
    // The traces of refusals take a tenth of the time.
    Error.stackTraceLimit = 0;
    try {
      await this.#run();
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
    }
  }

  async #run(): Promise<void> {
    const { cases, guide, forMs = Infinity, onProgress } = this.#options;
    const { progress } = this;
    const end = performance.now() + forMs;
    const cpuBefore = cpuMs();
    await this.#batch(this.#corpus);
    guide.reachedNew();
    let size = FIRST_BATCH;
    while (progress.cases < cases && performance.now() < end && !this.#isStopped) {
      const batch = this.#nextBatch(Math.min(size, cases - progress.cases));
      await this.#batch(batch);
      progress.cases += batch.length;
      if (guide.reachedNew()) {
        const restore = guide.forget();
        await this.#keep(batch);
        restore();
        size = Math.max(FIRST_BATCH, size >> 1);
      } else size = Math.min(MOST_BATCH, 2 * size);
      progress.cpuMs = cpuMs() - cpuBefore;
      onProgress?.(progress);
      // Messages of the main process are received between batches.
      await yieldToEventLoop();
    }
  }

  /** Runs the corpus once more. */
  async replay(): Promise<void> {
    for (const input of this.#corpus) await this.#attempt(input);
  }

  #nextBatch(size: number): Uint8Array[] {
    const batch: Uint8Array[] = [];
    for (let bytes = 0; batch.length < size && bytes < MOST_BATCH_BYTES;) {
      const input = this.#mutator.next(this.#corpus);
      bytes += input.length;
      batch.push(input);
    }
    return batch;
  }

  /** Runs a batch and checks the errors, the duration and the memory of its cases. */
  async #batch(batch: readonly Uint8Array[]): Promise<void> {
    const { progress } = this;
    this.#memory.reset();
    let start = performance.now();
    for (const input of batch) {
      await this.#attempt(input);
      const now = performance.now();
      const ms = now - start;
      start = now;
      if (ms <= progress.slowestMs) continue;
      // Another program, the compiler or the garbage collector may have worked meanwhile.
      const least = await this.#leastMs(input);
      start = performance.now();
      if (least <= progress.slowestMs) continue;
      progress.slowestMs = least;
      progress.slowest = input;
      if (least > Math.min(this.#limits.ms, this.#target.limitMs ?? Infinity))
        this.#report('slow', `takes ${Math.round(least)} ms`, input);
    }
    const grown = this.#memory.grown();
    if (grown <= progress.peakBytes) return;
    progress.peakBytes =
      grown <= this.#limits.bytes ? grown : Math.max(progress.peakBytes, await this.#mostMemory(batch));
  }

  /**
   * Repeats the cases of a batch, by halves until only those remain that need too much memory by themselves.
   * @returns the greatest growth of the memory that is not the sum of several cases [bytes].
   */
  async #mostMemory(batch: readonly Uint8Array[]): Promise<number> {
    let grown = 0;
    for (let i = 0; i < MEMORY_ATTEMPTS && grown <= this.#limits.bytes; i++) {
      collectGarbage();
      this.#memory.reset();
      for (const input of batch) await this.#attempt(input);
      grown = Math.max(grown, this.#memory.grown());
    }
    const [first, ...others] = batch;
    if (grown <= this.#limits.bytes || first === undefined) return grown;
    if (others.length > 0) {
      const half = batch.length >> 1;
      const most = await this.#mostMemory(batch.slice(0, half));
      return Math.max(most, await this.#mostMemory(batch.slice(half)));
    }
    this.#report('memory', `the process grows by ${Math.round(grown / 2 ** 20)} MiB`, first);
    return grown;
  }

  /**
   * Finds and keeps the inputs of a batch that reached new code, by halves: reading the coverage takes as long as many
   * cases.
   */
  async #keep(batch: readonly Uint8Array[]): Promise<void> {
    const { guide, onKept } = this.#options;
    for (const input of batch) await this.#attempt(input);
    const [first, ...others] = batch;
    if (first === undefined || !guide.reachedNew()) return;
    if (others.length > 0) {
      guide.forget();
      const half = batch.length >> 1;
      await this.#keep(batch.slice(0, half));
      return this.#keep(batch.slice(half));
    }
    const id = idOf(first);
    if (this.#known.has(id)) return;
    this.#known.add(id);
    this.#corpus.push(first);
    onKept?.(first);
  }

  async #attempt(input: Uint8Array): Promise<void> {
    this.#options.onCase?.(input, this.progress.cases);
    const failure = await this.#failureOf(input);
    if (failure === undefined) return;
    Error.stackTraceLimit = TRACE_LINES;
    const traced = (await this.#failureOf(input)) ?? failure;
    Error.stackTraceLimit = 0;
    this.#report('error', causeOf(traced.error), input);
  }

  /** Runs a case. @returns the error that it throws; undefined if it throws none, or one that the target lists. */
  async #failureOf(input: Uint8Array): Promise<{ readonly error: unknown } | undefined> {
    try {
      // A copy: a parser may keep or change its input.
      const result = this.#parser.run(input.slice());
      if (result instanceof Promise) {
        await result;
        // What it leaves behind runs before the next case.
        await yieldToEventLoop();
      }
      return undefined;
    } catch (error) {
      return this.#target.errors.some((one) => error instanceof one) ? undefined : { error };
    }
  }

  /** Repeats a case that took longer than all before. @returns its shortest processor time [ms]. */
  async #leastMs(input: Uint8Array): Promise<number> {
    let least = Infinity;
    for (let i = 0; i < SLOW_ATTEMPTS && least > this.progress.slowestMs; i++) {
      const start = cpuMs();
      await this.#attempt(input);
      least = Math.min(least, cpuMs() - start);
    }
    return least;
  }

  #report(kind: FindingKind, text: string, input: Uint8Array): void {
    const cause = kind === 'error' ? text.replaceAll(/\d+/g, '#') : kind;
    const times = (this.#causes.get(cause) ?? 0) + 1;
    this.#causes.set(cause, times);
    if (times <= SAME_FINDINGS) this.#options.onFinding({ target: this.#target.name, kind, text, input });
  }
}

/** Formats a finding with its input in hex. */
export const findingText = ({ target, kind, text, input }: Finding): string =>
  `${target}: ${kind}: ${text}\n  ${toHex(input)}`;
