import type { Circus } from '@jest/types';
import CachedCompileEnvironment from '../support/jest/cached-compile-environment.js';
import { afterOwnTime, ownMs } from './own-time.js';
import { SWITCHES, switches, type Round } from './switches.js';

function fullName(entry: Circus.TestEntry): string {
  const names = [entry.name];
  for (
    let block: Circus.DescribeBlock | undefined = entry.parent;
    block?.parent !== undefined;
    block = block.parent
  )
    names.unshift(block.name);
  return names.join(' › ');
}

/** Shortest time limit that the runner sets [ms]. */
const SHORTEST_LIMIT_MS = 1000;

/** Failures of a test after which it runs with the original code. */
const MOST_UNCONFIRMED = 8;

/** Run of a test in a round: with a mutant, or with the original code, which confirms the failures before it. */
type Attempt = { readonly mutant: string } | { readonly isControl: true };

/** Copies a test that has not run yet. */
const copyOf = (test: Circus.TestEntry, timeout: number | undefined): Circus.TestEntry => ({
  ...test,
  errors: [],
  retryReasons: [],
  unhandledRejectionErrorByPromise: new Map(),
  ...(timeout === undefined ? {} : { timeout }),
});

/**
 * Environment of tests whose code holds mutants. Runs chosen tests only, and none after the first failure; or, in a round,
 * each test once with each of its mutants. After some failures, and its last mutant, a test runs once more with the original
 * code: if that fails, a mutant has changed something that the tests of the file share, and the round ends.
 */
export default class MutantEnvironment extends CachedCompileEnvironment {
  readonly #attempts = new WeakMap<Circus.TestEntry, Attempt>();
  /** Last attempts of their tests. */
  readonly #last = new WeakSet<Circus.TestEntry>();
  #onceLoaded = (): void => undefined;
  /** Time of the process at the start of the running test [ms]. */
  #startMs = 0;

  override async setup(): Promise<void> {
    await super.setup();
    (this.global as unknown as Record<string, unknown>)[SWITCHES] = switches;
    this.#limitByOwnTime();
    this.#collect('');
  }

  /** Gives Jest, which is loaded next, a timer for its limits that depends on no other program. */
  #limitByOwnTime(): void {
    const { global } = this;
    const { setTimeout } = global;
    const startTimer = (callback: () => void, ms = 0): unknown => {
      if (ms >= SHORTEST_LIMIT_MS) return afterOwnTime(callback, ms);
      // Timer: one of Jest, which is no limit.
      return setTimeout(callback, ms);
    };
    global.setTimeout = startTimer as typeof setTimeout;
    this.#onceLoaded = () => void (global.setTimeout = setTimeout);
  }

  #collect(name: string): void {
    if (switches.reached === undefined) return;
    const reach = switches.byTest.get(name) ?? { mutants: new Set(), ms: 0 };
    switches.byTest.set(name, reach);
    switches.reached = reach.mutants;
  }

  handleTestEvent(event: Circus.Event, { rootDescribeBlock }: Circus.State): void {
    const { round } = switches;
    switch (event.name) {
      case 'setup':
        this.#onceLoaded();
        return;
      case 'run_start':
        if (round !== undefined) this.#multiply(rootDescribeBlock, round);
        return;
      case 'test_start':
        this.#startMs = ownMs();
        if (round === undefined) this.#start(event.test);
        else this.#startAttempt(event.test, round);
        return;
      case 'test_done': {
        this.#finish(event.test);
        const reach = switches.byTest.get(fullName(event.test));
        if (reach !== undefined) reach.ms += ownMs() - this.#startMs;
        this.#collect('');
        return;
      }
      case 'hook_failure':
        if (event.test === undefined) switches.failure ??= `hook ${event.hook.type}`;
        return;
      case 'error':
        switches.failure ??= 'error outside of tests';
        return;
      default:
    }
  }

  #start(test: Circus.TestEntry): void {
    const name = fullName(test);
    if (switches.failure !== undefined || switches.only?.has(name) === false) test.mode = 'skip';
    else this.#collect(name);
  }

  #finish(test: Circus.TestEntry): void {
    const { round } = switches;
    const attempt = this.#attempts.get(test);
    const hasFailed = test.errors.length > 0;
    if (round === undefined || attempt === undefined) {
      if (hasFailed) switches.failure ??= fullName(test);
      return;
    }
    switches.active = undefined;
    if ('mutant' in attempt) {
      if (hasFailed) round.failures.push({ mutant: attempt.mutant, test: fullName(test) });
    } else if (hasFailed) round.spoilt = round.failures.map(({ mutant }) => mutant);
    else
      for (const failure of round.failures.splice(0)) {
        round.killed.add(failure.mutant);
        round.onKill(failure);
      }
  }

  /** Puts a copy of each test for each of its mutants in its place. */
  #multiply(block: Circus.DescribeBlock, round: Round): void {
    const { plan, limits } = round;
    block.children = block.children.flatMap((entry): (Circus.DescribeBlock | Circus.TestEntry)[] => {
      if (entry.type === 'describeBlock') {
        this.#multiply(entry, round);
        return [entry];
      }
      const name = fullName(entry);
      const attempts = (plan.get(name) ?? []).flatMap((mutant): Attempt[] => [
        { mutant },
        { isControl: true },
      ]);
      return attempts.map((attempt, i) => {
        const copy = copyOf(entry, limits.get(name));
        this.#attempts.set(copy, attempt);
        if (i === attempts.length - 1) this.#last.add(copy);
        return copy;
      });
    });
  }

  #startAttempt(test: Circus.TestEntry, { failures, killed, spoilt, onStart }: Round): void {
    const attempt = this.#attempts.get(test);
    if (attempt === undefined || spoilt !== undefined) {
      test.mode = 'skip';
      return;
    }
    const mutant = 'mutant' in attempt ? attempt.mutant : undefined;
    const isWanted =
      mutant === undefined
        ? failures.length >= (this.#last.has(test) ? 1 : MOST_UNCONFIRMED)
        : !killed.has(mutant);
    if (!isWanted) {
      test.mode = 'skip';
      return;
    }
    switches.active = mutant;
    onStart(fullName(test), mutant);
  }
}
