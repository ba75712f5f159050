/** Name of the global variable with the switches. */
export const SWITCHES = '$mutants';

/** Failure of a test while a mutant was active. */
export interface Failure {
  readonly mutant: string;
  readonly test: string;
}

/** Run of one test file with many mutants, one after the other: each test runs once with each of its mutants. */
export interface Round {
  /** Mutants to try with each test, by its full name. */
  readonly plan: ReadonlyMap<string, readonly string[]>;
  /** Time limits of the tests [ms]. */
  readonly limits: ReadonlyMap<string, number>;
  /** Failures of the running test that the original code has not confirmed yet by passing it. */
  readonly failures: Failure[];
  readonly killed: Set<string>;
  /** Mutants after whose failures the original code failed, too; nothing runs after it. */
  spoilt: readonly string[] | undefined;
  /** Called before each test; without a mutant it runs with the original code. */
  readonly onStart: (test: string, mutant?: string) => void;
  /** Called after a failure with a mutant, once the test has passed with the original code. */
  readonly onKill: (failure: Failure) => void;
}

/** Mutants that one test reached. */
export interface TestReach {
  readonly mutants: Set<string>;
  ms: number;
}

/** Choice of a mutant, shared by the runner and the code under test. */
export interface Switches {
  /** Mutant that takes the place of the original code; undefined: none. */
  active: string | undefined;
  /** Collects the mutants that are reached; undefined: not wanted. */
  reached: Set<string> | undefined;
  /** Reach of each test; under an empty name the reach outside of tests. */
  readonly byTest: Map<string, TestReach>;
  /** Full names of the tests to run; undefined: all of the file. */
  only: ReadonlySet<string> | undefined;
  /** Full name of the first test that failed; undefined: none yet. */
  failure: string | undefined;
  round: Round | undefined;
}

export const switches: Switches = {
  active: undefined,
  reached: undefined,
  byTest: new Map(),
  only: undefined,
  failure: undefined,
  round: undefined,
};
