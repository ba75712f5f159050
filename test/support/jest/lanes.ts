import { describe, it } from '@jest/globals';
import { RANDOM_RUNS } from '../fakes/random-runs.js';

/*
 * Tests of a file that run each night and before a release (`bin/test --all`), beside those of the lane of each commit. A
 * file of which no test belongs to that lane is named `*.nightly.test.ts`.
 */

/** True if all tests run. */
export const isNight = process.env[RANDOM_RUNS] === 'all';

type Register = (title: string, body: () => void | Promise<void>, timeoutMs?: number) => void;

const none: Register = () => undefined;

/** Defines a test that repeats through processes a rule that a cheaper test holds, or a further variant of one. */
export const itAtNight: Register = isNight ? it : none;

/** Defines a group of such tests. */
export const describeAtNight: (title: string, body: () => void) => void = isNight ? describe : none;

/** Selects the rows of a table of tests: in the lane of each commit the first ones alone. */
export function someRows<T extends readonly [unknown, ...unknown[]]>(rows: readonly T[], count?: number): T[];
export function someRows<T>(rows: readonly T[], count?: number): T[];
export function someRows<T>(rows: readonly T[], count = 1): T[] {
  return rows.slice(0, isNight ? rows.length : count);
}
