import { Session } from 'node:inspector';

/** A range of code, as V8 counts it: a function, or a block in a function. */
interface CountedRange {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

interface CountedFunction {
  readonly functionName: string;
  readonly ranges: readonly CountedRange[];
}

interface CountedScript {
  readonly url: string;
  readonly functions: readonly CountedFunction[];
}

/** Code of a function that ran. */
interface SeenFunction {
  /** 1 for each byte of the function that ran. */
  readonly bytes: Uint8Array;
  /** Combinations of blocks that ran, whose bytes are all marked. */
  readonly patterns: Set<string>;
}

/** Share of a module's code that ran. */
export interface ModuleCoverage {
  /** Path from `src/` on, without extension. */
  readonly module: string;
  /** Number of branches: functions and the blocks in them that V8 counts apart. */
  readonly branches: number;
  readonly covered: number;
  readonly functions: number;
  /** Number of functions that ran. */
  readonly entered: number;
  /** Branches of the functions that ran, and those of them that ran. */
  readonly enteredBranches: number;
  /** Blocks that did not run, in functions that ran: function, and offsets in the compiled module. */
  readonly missed: readonly string[];
}

/** Reports whether code ran that had not run before. */
export interface Guide {
  /** Returns true if the code that ran since the last call had parts that had never run before. */
  reachedNew(): boolean;
  /**
   * Undoes the last call, so that the inputs can be run again one by one. @returns a function that takes this back: code
   * that none of them reaches again, such as that of a timer, is not new any more.
   */
  forget(): () => void;
}

/** Guide of runs without coverage: no input is kept. */
export const UNGUIDED: Guide = { reachedNew: () => false, forget: () => () => undefined };

const SOURCES = /\/build\/src\/(.*)\.js$/;

/**
 * Counts blocks of code by V8's precise coverage. Modules count from their first line if they are imported after this
 * object is made.
 */
export class Coverage implements Guide {
  readonly #session = new Session();
  readonly #functions = new Map<string, SeenFunction>();
  /** Bytes that the last call has marked, with the pattern that contains them. */
  #marked: { readonly seen: SeenFunction; readonly at: number; readonly pattern: string }[] = [];

  constructor() {
    this.#session.connect();
    this.#post('Profiler.enable');
    this.#post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  /** Calls a command of the inspector, which answers at once to its own thread. */
  #post(command: string, params: object = {}): unknown {
    let answer: unknown;
    this.#session.post(command, params, (error, result) => {
      if (error !== null) throw error;
      answer = result;
    });
    return answer;
  }

  /** Returns the counts of this program's modules since the last call. */
  #take(): CountedScript[] {
    const { result } = this.#post('Profiler.takePreciseCoverage') as { result: readonly CountedScript[] };
    return result.filter(({ url }) => SOURCES.test(url));
  }

  reachedNew(): boolean {
    this.#marked = [];
    for (const { url, functions } of this.#take())
      for (const { ranges } of functions) this.#mark(url, ranges);
    return this.#marked.length > 0;
  }

  forget(): () => void {
    const marked = this.#marked;
    for (const { seen, at, pattern } of marked) {
      seen.bytes[at] = 0;
      seen.patterns.delete(pattern);
    }
    this.#marked = [];
    return () => {
      for (const { seen, at } of marked) seen.bytes[at] = 1;
    };
  }

  /** Marks the bytes of a function that ran. */
  #mark(url: string, ranges: readonly CountedRange[]): void {
    const [whole] = ranges;
    if (whole === undefined || whole.count === 0) return;
    const { startOffset: start, endOffset: end } = whole;
    const name = `${url} ${start} ${end}`;
    let seen = this.#functions.get(name);
    if (seen === undefined)
      this.#functions.set(name, (seen = { bytes: new Uint8Array(end - start), patterns: new Set() }));
    const pattern = ranges.map(({ startOffset, count }) => (count > 0 ? startOffset : -startOffset)).join();
    if (seen.patterns.has(pattern)) return;
    seen.patterns.add(pattern);
    // Blocks come after the ranges that contain them.
    const ran = new Uint8Array(end - start).fill(1);
    for (const { startOffset, endOffset, count } of ranges)
      ran.fill(count > 0 ? 1 : 0, startOffset - start, endOffset - start);
    for (let at = 0; at < ran.length; at++) {
      if (ran[at] === 0 || seen.bytes[at] === 1) continue;
      seen.bytes[at] = 1;
      this.#marked.push({ seen, at, pattern });
    }
  }

  /** Runs work and returns the coverage of modules by this work alone. */
  async during(modules: readonly string[], work: () => Promise<void>): Promise<ModuleCoverage[]> {
    this.#take();
    await work();
    return this.#take().flatMap(({ url, functions }) => {
      const module = SOURCES.exec(url)?.[1] ?? '';
      return modules.includes(module) ? [coverageOf(module, functions)] : [];
    });
  }

  close(): void {
    this.#session.disconnect();
  }
}

function coverageOf(module: string, all: readonly CountedFunction[]): ModuleCoverage {
  // The first function is the module itself, which ran before.
  const functions = all.filter(({ ranges }) => ranges[0]?.startOffset !== 0);
  const entered = functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0);
  const ranges = functions.flatMap((one) => one.ranges);
  return {
    module,
    branches: ranges.length,
    covered: ranges.filter(({ count }) => count > 0).length,
    functions: functions.length,
    entered: entered.length,
    enteredBranches: entered.reduce((sum, one) => sum + one.ranges.length, 0),
    missed: entered.flatMap(({ functionName, ranges: blocks }) =>
      blocks
        .filter(({ count }) => count === 0)
        .map(({ startOffset, endOffset }) => `${functionName || '(anonymous)'} ${startOffset}-${endOffset}`),
    ),
  };
}
