import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { shuffled } from '../../src/util/random.js';
import beginRun from '../support/jest/begin-run.js';
import { RANDOM_RUNS } from '../support/fakes/random-runs.js';
import { seededRng } from '../support/fakes/seeded-rng.js';
import { EXPLAINED } from './explained.js';
import { Judge, type Judgement } from './judge.js';
import { KnownVerdicts } from './known-verdicts.js';
import { mutantsOf, type Mutant } from './mutants.js';
import { Reaches } from './reach.js';
import { areaTable, isSurvivor, mutantLine, score, scoreTable, type Judged } from './report.js';
import { ROOT, TARGETS, TARGET_FILES } from './target-files.js';
import { TestProcess } from './test-process.js';
import { unitTests, type UnitTest } from './unit-tests.js';

const { values } = parseArgs({
  options: {
    /** Sources below `src`, or beginnings of their names. */
    file: { type: 'string', multiple: true, default: [] },
    /** Areas of `target-files.ts`. */
    area: { type: 'string', multiple: true, default: [] },
    /** Number of mutants to draw; all by default. */
    sample: { type: 'string' },
    /** Fixes the drawn mutants and their order. */
    seed: { type: 'string', default: '1' },
    /** Judges these mutants only, and prints the changed expressions in full. */
    mutant: { type: 'string', multiple: true, default: [] },
    /** Prints the mutants and judges none. */
    list: { type: 'boolean', default: false },
    /** Prints the kept verdicts by area, and judges none. */
    summary: { type: 'boolean', default: false },
    /** Lowest score that is a success [%]. */
    goal: { type: 'string', default: '95' },
    /** Runs the tests in the folders of the sources only: quick, with survivors that other tests notice. */
    near: { type: 'boolean', default: false },
    /** Runs only test files whose names, below `test`, begin so; all by default. */
    tests: { type: 'string', multiple: true, default: [] },
    /** Time after which no further mutant is judged [s]; another call goes on. */
    seconds: { type: 'string', default: 'Infinity' },
    /** Prints each run of a test file. */
    runs: { type: 'boolean', default: false },
    /** Directory of verdicts and of the report; runs of different files may use it at the same time. */
    results: { type: 'string', default: join(ROOT, 'build', '.mutants') },
  },
});
const say = (line: string): void => void process.stdout.write(`${line}\n`);
/** Ends the program once a pipe has taken all lines. */
const end = (code: number): Promise<never> =>
  new Promise(() => process.stdout.write('', () => process.exit(code)));

const inAreas = new Set(
  values.area.length === 0 ? TARGET_FILES : values.area.flatMap((area) => TARGETS.get(area) ?? []),
);
const files = TARGET_FILES.filter(
  (file) =>
    inAreas.has(file) &&
    (values.file.length === 0 ||
      values.file.some((part) => file.startsWith(part.replace(/^src\/|\.ts$/g, '')))),
);
const known = files.flatMap(mutantsOf);
const wanted = values.mutant.length === 0 ? known : known.filter(({ id }) => values.mutant.includes(id));
const drawn = shuffled(wanted, seededRng(values.seed)).slice(0, Number(values.sample ?? wanted.length));
if (drawn.length === 0) {
  process.stderr.write('there are no such mutants\n');
  process.exit(2);
}
if (values.list) {
  for (const mutant of drawn) say(mutantLine(mutant));
  await end(0);
}
const explained = new Map(EXPLAINED.map(({ id, reason }) => [id, reason]));
const verdicts = new KnownVerdicts(values.results);
/** Adds the verdict of a mutant and its explanation. */
function judgedOf(mutant: Mutant, { verdict, by }: Judgement): Judged {
  const reason = explained.get(mutant.id);
  return {
    ...mutant,
    ...{ verdict },
    ...(by === undefined ? {} : { by }),
    ...(reason === undefined ? {} : { reason }),
  };
}
if (values.summary) {
  const areas = [...TARGETS].map(([area, targets]) => {
    const mutants = targets.flatMap(mutantsOf);
    const judged = mutants.flatMap((mutant) => {
      const judgement = verdicts.get(mutant);
      return judgement === undefined ? [] : [judgedOf(mutant, judgement)];
    });
    return { area, files: targets.length, mutants: mutants.length, judged };
  });
  for (const line of areaTable(areas)) say(line);
  await end(0);
}
say(`${drawn.length} of ${known.length} mutants in ${files.length} files, seed ${values.seed}`);

// Mutants leave files behind.
const directory = mkdtempSync(join(tmpdir(), 'mutants-'));
process.env['TMPDIR'] = directory;
// A quarter of the runs of a random test finds fewer mutants.
process.env[RANDOM_RUNS] = 'all';
beginRun();
const runner = new TestProcess(values.runs ? say : undefined);
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void runner.stop().finally(() => process.exit(1)));

const isNear = ({ name }: UnitTest): boolean => drawn.some(({ file }) => dirname(name) === dirname(file));
const tests = unitTests().filter(
  (test) =>
    drawn.some(({ file }) => test.targets.has(file)) &&
    (!values.near || isNear(test)) &&
    (values.tests.length === 0 || values.tests.some((part) => test.name.startsWith(part))),
);
const judge = new Judge(runner, tests, new Reaches(values.results, runner, say), verdicts);
const judged: Judged[] = [];
const start = performance.now();
function take(mutant: Mutant, judgement: Judgement): void {
  const one = judgedOf(mutant, judgement);
  const { verdict, by, reason } = one;
  judged.push(one);
  if (values.mutant.length > 0) say(`${mutant.from}\n→\n${mutant.to}\n${verdict} ${by ?? ''}`);
  if (isSurvivor(one)) say(`${verdict}  ${mutantLine(mutant)}`);
  if (reason !== undefined && by !== undefined) say(`needs no explanation: ${mutant.id} is noticed by ${by}`);
  if (judged.length % 50 === 0)
    say(`${judged.length} of ${drawn.length}, ${Math.round((performance.now() - start) / 1000)} s`);
}
const open: Mutant[] = [];
for (const mutant of drawn) {
  const earlier = verdicts.get(mutant);
  if (earlier !== undefined && (await judge.holds(mutant, earlier))) take(mutant, earlier);
  else open.push(mutant);
}
await judge.judge(
  open,
  (mutant, judgement) => {
    verdicts.set(mutant, judgement);
    take(mutant, judgement);
  },
  () => performance.now() - start > Number(values.seconds) * 1000,
);
await runner.stop();
const seconds = Math.round((performance.now() - start) / 1000);
const total = score(judged);
const report = join(values.results, 'report.json');
writeFileSync(report, JSON.stringify({ seed: values.seed, seconds, score: total, mutants: judged }, null, 1));
for (const line of scoreTable(judged)) say(line);
say(`${seconds} s for ${judged.length} of ${drawn.length} mutants; ${report}`);
await end(judged.length === drawn.length && (total ?? 100) >= Number(values.goal) ? 0 : 1);
