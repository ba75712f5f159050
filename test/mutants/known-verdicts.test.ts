import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { KnownVerdicts } from './known-verdicts.js';
import { mutantsIn, type Mutant } from './mutants.js';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'verdicts-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const first = (code: string): Mutant => mutantsIn('example', code, () => 1)[0] as Mutant;
const IN_FUNCTION = 'function f() { return a < b; }';

test('verdicts and passed tests outlive a run that is cut off while it writes', () => {
  const mutant = first(IN_FUNCTION);
  const run = new KnownVerdicts(directory);
  run.set(mutant, { verdict: 'killed', by: 'x.test.js: t', digest: 'd' });
  run.pass([mutant], 'e');
  appendFileSync(join(directory, 'verdicts.jsonl'), '\n{"key":"cut o');
  const next = new KnownVerdicts(directory);
  next.pass([mutant], 'f');
  const last = new KnownVerdicts(directory);
  expect(last.get(mutant)).toEqual({ verdict: 'killed', by: 'x.test.js: t', digest: 'd' });
  expect(['d', 'e', 'f'].filter((digest) => last.hasPassed(mutant, digest))).toEqual(['e', 'f']);
});

test('a verdict ends when its function changes, and stays when other code does', () => {
  const verdicts = new KnownVerdicts(directory);
  verdicts.set(first(IN_FUNCTION), { verdict: 'survived' });
  expect(verdicts.get(first(`${IN_FUNCTION} function g() { return 1; }`))).toEqual({ verdict: 'survived' });
  expect(verdicts.get(first('function f() { return a < b || c; }'))).toBeUndefined();
});
