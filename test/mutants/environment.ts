import type { Circus } from '@jest/types';
import CachedCompileEnvironment from '../support/cached-compile-environment.js';
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

/** Run of a test in a round: with a mutant, or with the original code after a failure. */
interface Attempt {
  readonly mutant: string;
  readonly isControl: boolean;
}

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
 * each test once with each of its mutants. After each failure in a round the test runs once more with the original code: if
 * that fails, the mutant has changed something that the tests of the file share, and the round ends.
 */
export default class MutantEnvironment extends CachedCompileEnvironment {
  readonly #attempts = new WeakMap<Circus.TestEntry, Attempt>();

  override async setup(): Promise<void> {
    await super.setup();
    (this.global as unknown as Record<string, unknown>)[SWITCHES] = switches;
    this.#collect('');
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
      case 'run_start':
        if (round !== undefined) this.#multiply(rootDescribeBlock, round);
        return;
      case 'test_start':
        if (round === undefined) this.#start(event.test);
        else this.#startAttempt(event.test, round);
        return;
      case 'test_done': {
        this.#finish(event.test);
        const reach = switches.byTest.get(fullName(event.test));
        if (reach !== undefined) reach.ms += event.test.duration ?? 0;
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
    const { mutant, isControl } = attempt;
    switches.active = undefined;
    if (!isControl) round.failure = hasFailed ? { mutant, test: fullName(test) } : undefined;
    else if (hasFailed) round.spoilt = mutant;
    else if (round.failure !== undefined) {
      round.killed.add(mutant);
      round.onKill(round.failure);
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
      return (plan.get(name) ?? []).flatMap((mutant) =>
        [false, true].map((isControl) => {
          const copy = copyOf(entry, limits.get(name));
          this.#attempts.set(copy, { mutant, isControl });
          return copy;
        }),
      );
    });
  }

  #startAttempt(test: Circus.TestEntry, { failure, killed, spoilt, onStart }: Round): void {
    const attempt = this.#attempts.get(test);
    const isWanted =
      attempt?.isControl === true
        ? failure?.mutant === attempt.mutant && !killed.has(attempt.mutant)
        : attempt !== undefined && !killed.has(attempt.mutant);
    if (attempt === undefined || !isWanted || spoilt !== undefined) {
      test.mode = 'skip';
      return;
    }
    switches.active = attempt.isControl ? undefined : attempt.mutant;
    onStart(attempt.mutant);
  }
}
