import { describe, expect, it } from '@jest/globals';
import { Judge, type Judgement } from './judge.js';
import type { Mutant } from './mutants.js';
import type { Reach } from './reach.js';
import type { Broken, Job, Outcome, Reached, Watch } from './test-process.js';
import type { UnitTest } from './unit-tests.js';

const mutant = (id: string): Mutant => ({
  ...{
    id,
    file: 'example',
    line: 1,
    scope: '',
    code: 'c',
    kind: 'logic',
    from: 'a && b',
    to: 'a || b',
    start: 0,
    end: 6,
  },
});

const FILE: UnitTest = {
  name: 'example.test.js',
  path: '/example.test.js',
  targets: new Set(['example']),
  digest: 'd',
  targetsDigest: 't',
};

const passed: Outcome = { ms: 1, reached: [], failure: undefined };

/** Runs jobs by a script, and keeps them. */
class ScriptedRunner {
  readonly jobs: Job[] = [];
  readonly #answer: (job: Job, watch?: Watch) => Outcome | Broken;

  constructor(answer: (job: Job, watch?: Watch) => Outcome | Broken) {
    this.#answer = answer;
  }

  run(job: Job, _limitMs: number, watch?: Watch): Promise<Outcome | Broken> {
    this.jobs.push(job);
    return Promise.resolve(this.#answer(job, watch));
  }
}

/** Judges mutants that each test file reaches. */
async function verdicts(
  ids: readonly string[],
  reached: readonly Reached[],
  answer: (job: Job, watch?: Watch) => Outcome | Broken,
  files: readonly UnitTest[] = [FILE],
): Promise<{ readonly verdicts: Record<string, Judgement['verdict']>; readonly jobs: readonly Job[] }> {
  const reach: Reach = { digest: 'd', ms: 1, reached };
  const runner = new ScriptedRunner(answer);
  const found: Record<string, Judgement['verdict']> = {};
  const passedBy = new Set<string>();
  const judge = new Judge(
    runner,
    files,
    { of: () => Promise.resolve(reach), lastMs: () => 1 },
    {
      pass: (mutants, digest) => mutants.forEach(({ id }) => passedBy.add(`${id} ${digest}`)),
      hasPassed: ({ id }, digest) => passedBy.has(`${id} ${digest}`),
    },
  );
  await judge.judge(
    ids.map(mutant),
    ({ id }, { verdict }) => void (found[id] = verdict),
    () => false,
  );
  return { verdicts: found, jobs: runner.jobs };
}

describe('a mutant', () => {
  it('that no test reaches survives without a run', async () => {
    const { verdicts: found, jobs } = await verdicts(
      ['m1'],
      [{ test: 't', ms: 1, mutants: [] }],
      () => passed,
    );
    expect(found).toEqual({ m1: 'unreached' });
    expect(jobs).toEqual([]);
  });

  it('is killed by a test that fails with it, and survives tests that pass', async () => {
    const reached = [{ test: 't', ms: 1, mutants: ['m1', 'm2'] }];
    const { verdicts: found } = await verdicts(['m1', 'm2'], reached, ({ round }, watch) => {
      if (round !== undefined) watch?.onKill({ mutant: 'm1', test: 't' });
      return passed;
    });
    expect(found).toEqual({ m1: 'killed', m2: 'survived' });
  });

  it('that a file reaches while it is loaded runs alone, with all tests of the file', async () => {
    const reached = [
      { test: '', ms: 1, mutants: ['m1'] },
      { test: 't', ms: 1, mutants: ['m1'] },
    ];
    const { verdicts: found, jobs } = await verdicts(['m1'], reached, ({ mutant: id }) =>
      id === undefined ? passed : { ...passed, failure: 't' },
    );
    expect(found).toEqual({ m1: 'killed' });
    expect(jobs).toEqual([{ path: FILE.path, mutant: 'm1' }, { path: FILE.path }]);
  });

  it('that spoils the tests for the original code does not count as killed by the round', async () => {
    const reached = [{ test: 't', ms: 1, mutants: ['m1', 'm2'] }];
    const { verdicts: found, jobs } = await verdicts(['m1', 'm2'], reached, ({ round }) =>
      round?.plan.some(([, ids]) => ids.includes('m1')) === true ? { ...passed, spoilt: ['m1'] } : passed,
    );
    expect(found).toEqual({ m1: 'survived', m2: 'survived' });
    expect(jobs.slice(1).map(({ mutant: alone, round }) => alone ?? round?.plan)).toEqual([
      [['t', ['m2']]],
      'm1',
    ]);
  });

  it('is not killed by tests that fail alone with the original code, too', async () => {
    const reached = [{ test: 'second', ms: 1, mutants: ['m1'] }];
    const { verdicts: found } = await verdicts(['m1'], reached, ({ round, only }) =>
      round === undefined ? { ...passed, failure: only && 'second' } : { ...passed, spoilt: ['m1'] },
    );
    expect(found).toEqual({ m1: 'survived' });
  });

  it('stays killed while its test file stays, or has a test of that name that reaches it', async () => {
    const reach: Reach = { digest: 'd', ms: 1, reached: [{ test: 'a › b', ms: 1, mutants: ['m1'] }] };
    const judge = new Judge(
      new ScriptedRunner(() => passed),
      [FILE],
      { of: () => Promise.resolve(reach), lastMs: () => 1 },
      { pass: () => undefined, hasPassed: () => false },
    );
    const holds = (id: string, by: string, digest: string): Promise<boolean> =>
      judge.holds({ id }, { verdict: 'killed', by: `${FILE.name}: ${by}`, digest });
    expect(await holds('m1', 'gone', 'd')).toBe(true);
    expect(await holds('m1', 'a › b', 'earlier')).toBe(true);
    expect(await holds('m2', 'a › b', 'earlier')).toBe(false);
    expect(await holds('m1', 'gone', 'earlier')).toBe(false);
    expect(await judge.holds({ id: 'm1' }, { verdict: 'survived' })).toBe(false);
  });

  it('that does not end is noticed by its time limit, in a round and alone', async () => {
    const reached = [{ test: 't', ms: 1, mutants: ['m1'] }];
    const { verdicts: found, jobs } = await verdicts(['m1'], reached, ({ round, mutant: id }) =>
      round !== undefined || id !== undefined ? { broken: 'timeout', mutant: 'm1' } : passed,
    );
    expect(found).toEqual({ m1: 'timeout' });
    // In a round and alone, while the original code passes.
    expect(jobs.map(({ round, mutant: alone }) => (round === undefined ? alone : 'round'))).toEqual([
      'round',
      'm1',
      undefined,
    ]);
  });

  it('that does not end is judged before further test files run', async () => {
    const other: UnitTest = { ...FILE, name: 'other/example.test.js', path: '/other.test.js', digest: 'e' };
    const loops = ({ round, mutant: id }: Job): boolean =>
      id === 'm1' || round?.plan.some(([, ids]) => ids.includes('m1')) === true;
    const { verdicts: found, jobs } = await verdicts(
      ['m1', 'm2'],
      [{ test: 't', ms: 1, mutants: ['m1', 'm2'] }],
      (job) => (loops(job) ? { broken: 'timeout', mutant: 'm1' } : passed),
      [FILE, other],
    );
    expect(found).toEqual({ m1: 'timeout', m2: 'survived' });
    expect(jobs.some((job) => job.path === other.path)).toBe(true);
    expect(jobs.filter((job) => job.path === other.path && loops(job))).toEqual([]);
  });
});
