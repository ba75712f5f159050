import { createHash } from 'node:crypto';
import { toHex } from '../../src/util/bytes.js';
import { seededRandom } from '../support/seeded-random.js';
import { Mutator } from './mutator.js';
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
  /** An error outside of the call, or the end of the thread. */
  | 'crash';

/** An input that a parser does not withstand. */
export interface Finding {
  readonly target: string;
  readonly kind: FindingKind;
  readonly text: string;
  readonly input: Uint8Array;
}

/** Limits of one case. */
export const LIMITS = { ms: 1000, bytes: 256 * 1024 * 1024 } as const;

/** Largest number of cases that are run before coverage is read. Reading it takes as long as many cases. */
const MOST_BATCH = 512;
const FIRST_BATCH = 16;
/** Number of attempts to repeat a slow case, which another program may have slowed down. */
const SLOW_ATTEMPTS = 3;
/** Number of findings with the same text that are reported. */
const SAME_FINDINGS = 1;

/** Progress of a run. */
export interface Progress {
  cases: number;
  /** Duration of the slowest case [ms]. */
  slowestMs: number;
  slowest: Uint8Array;
  /** Growth of the memory of the process since the first case [bytes]. */
  peakBytes: number;
}

export interface FuzzOptions {
  readonly cases: number;
  readonly seed: string;
  /** Time after which no further batch begins [ms]. */
  readonly forMs?: number;
  readonly guide: Guide;
  /** Inputs beside the seeds. */
  readonly corpus?: readonly Uint8Array[];
  readonly onCase?: (input: Uint8Array) => void;
  readonly onKept?: (input: Uint8Array) => void;
  readonly onFinding: (finding: Finding) => void;
}

const peakMemory = (): number => process.resourceUsage().maxRSS * 1024;

/** Text by which findings with the same cause are recognised. */
const causeOf = (error: unknown): string => {
  const { name, message, stack = '' } = error instanceof Error ? error : new Error(String(error));
  const place = stack.split('\n').find((line) => line.includes('/src/')) ?? '';
  return `${name}: ${message.slice(0, 200)}${place.replace(/^\s*at/, ' at').replace(/file:\/\/\S*\/build\//, '')}`;
};

const idOf = (input: Uint8Array): string => createHash('sha256').update(input).digest('hex');

/** Runs mutated inputs of one target. */
export class Fuzzer {
  readonly #target: Target;
  readonly #parser: Parser;
  readonly #options: FuzzOptions;
  readonly #mutator: Mutator;
  readonly #corpus: Uint8Array[];
  readonly #known: Set<string>;
  readonly #causes = new Map<string, number>();
  #memory = peakMemory();
  readonly progress: Progress = { cases: 0, slowestMs: 0, slowest: new Uint8Array(), peakBytes: 0 };

  constructor(target: Target, parser: Parser, options: FuzzOptions) {
    this.#target = target;
    this.#parser = parser;
    this.#options = options;
    this.#corpus = [...parser.seeds, ...(options.corpus ?? [])];
    if (this.#corpus.length === 0) this.#corpus.push(new Uint8Array());
    this.#known = new Set(this.#corpus.map(idOf));
    const longest = Math.max(...parser.seeds.map((seed) => seed.length), 0);
    this.#mutator = new Mutator(
      seededRandom(`${options.seed}/${target.name}`),
      target.words ?? [],
      target.maxBytes ?? Math.max(4096, 2 * longest),
    );
  }

  /** Seeds, and the inputs that reached new code. */
  get corpus(): readonly Uint8Array[] {
    return this.#corpus;
  }

  /** Runs the seeds, then mutated inputs until the number of cases or the time is reached. */
  async run(): Promise<void> {
    const { cases, guide, forMs = Infinity } = this.#options;
    const end = performance.now() + forMs;
    for (const input of this.#corpus) await this.#case(input);
    guide.reachedNew();
    const memory = peakMemory();
    this.#memory = memory;
    let size = FIRST_BATCH;
    while (this.progress.cases < cases && performance.now() < end) {
      const batch = Array.from({ length: Math.min(size, cases - this.progress.cases) }, () =>
        this.#mutator.next(this.#corpus),
      );
      for (const input of batch) await this.#case(input);
      this.progress.cases += batch.length;
      if (guide.reachedNew()) {
        guide.forget();
        await this.#keep(batch);
        size = Math.max(FIRST_BATCH, size >> 1);
      } else size = Math.min(MOST_BATCH, 2 * size);
    }
  }

  /** Runs the corpus once more. */
  async replay(): Promise<void> {
    for (const input of this.#corpus) await this.#attempt(input);
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

  /** Runs one case and checks its error, its duration and its memory. */
  async #case(input: Uint8Array): Promise<void> {
    this.#options.onCase?.(input);
    const start = performance.now();
    await this.#attempt(input);
    const ms = performance.now() - start;
    const { progress } = this;
    if (ms > progress.slowestMs) {
      progress.slowestMs = ms;
      progress.slowest = input;
    }
    if (ms > LIMITS.ms) await this.#confirmSlow(input, ms);
    const grown = peakMemory() - this.#memory;
    if (grown > progress.peakBytes) progress.peakBytes = grown;
    if (grown <= LIMITS.bytes) return;
    this.#memory += grown;
    this.#report('memory', `the process grew by ${Math.round(grown / 1024 / 1024)} MiB`, input);
  }

  async #attempt(input: Uint8Array): Promise<void> {
    try {
      // A copy: a parser may keep or change its input.
      await this.#parser.run(input.slice());
    } catch (error) {
      if (!this.#target.errors.some((one) => error instanceof one))
        this.#report('error', causeOf(error), input);
    }
  }

  async #confirmSlow(input: Uint8Array, ms: number): Promise<void> {
    let least = ms;
    for (let i = 0; i < SLOW_ATTEMPTS && least > LIMITS.ms; i++) {
      const start = performance.now();
      await this.#attempt(input);
      least = Math.min(least, performance.now() - start);
    }
    if (least > LIMITS.ms) this.#report('slow', `takes ${Math.round(least)} ms`, input);
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
