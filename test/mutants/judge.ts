import { dirname } from 'node:path';
import type { KnownVerdicts } from './known-verdicts.js';
import type { Mutant } from './mutants.js';
import type { Reach, Reaches } from './reach.js';
import { isBroken, type Job, type Reached, type TestProcess, type Watch } from './test-process.js';
import type { UnitTest } from './unit-tests.js';

/** End of a mutant. Mutants that no test reaches survive, too. */
export type Verdict = 'killed' | 'timeout' | 'crash' | 'survived' | 'unreached';

export interface Judgement {
  readonly verdict: Verdict;
  /** Test file and test that noticed the mutant. */
  readonly by?: string;
  /** Digest of the test file that noticed the mutant: the verdict holds while it stays. */
  readonly digest?: string;
}

/** Rounds of one test file that a mutant may spoil before its mutants run alone. */
const MOST_SPOILT = 20;

/** Mutants that one round tries. */
const ROUND_SIZE = 200;

/** Time of the process that a test may take beyond a multiple of its ordinary duration [ms]. */
const SPARE_MS = 1500;

/** Longest duration of a test that runs with all mutants before the slower tests of its file do [ms]. */
const QUICK_MS = 150;

/** Mutant that has no verdict yet. */
interface Open {
  readonly mutant: Mutant;
  /** Test files with which it runs alone, after all rounds. */
  readonly alone: UnitTest[];
}

/** End of a round. */
interface RoundEnd {
  /** True if the process ended, or reached its time limit. */
  readonly isBroken: boolean;
  /** Mutants that ended the round, none if it ended for another reason; undefined if it ran to its end. */
  readonly culprits: readonly string[] | undefined;
}

/** Reactions of the caller to the progress of a step. */
interface StepWatch extends Watch {
  /** Called for a mutant that ended the process of the round, or kept it from its end. */
  onBreak(mutant: Mutant): Promise<void>;
}

/** Run of a test file with some of the mutants. */
interface Step {
  readonly test: UnitTest;
  /** Its tests to run: all, or those with a duration up to {@link QUICK_MS} before the others in a later step. */
  readonly tests: 'all' | 'quick' | 'slow';
  concerns(mutant: Mutant): boolean;
}

/**
 * Decides which mutants the tests notice. Tests run in rounds: a test file is loaded once, and each of its tests runs with
 * each mutant that it reaches. Mutants that a file reaches while it is loaded or prepared run alone with it.
 */
export class Judge {
  readonly #runner: Pick<TestProcess, 'run'>;
  readonly #tests: readonly UnitTest[];
  readonly #reaches: Pick<Reaches, 'of' | 'lastMs'>;
  readonly #known: Pick<KnownVerdicts, 'pass' | 'hasPassed'>;
  /** Reach of the test files that were asked. */
  readonly #reach = new Map<UnitTest, Reach>();
  /** Outcomes of tests with the original code. */
  readonly #controls = new Map<string, boolean>();

  constructor(
    runner: Pick<TestProcess, 'run'>,
    tests: readonly UnitTest[],
    reaches: Pick<Reaches, 'of' | 'lastMs'>,
    known: Pick<KnownVerdicts, 'pass' | 'hasPassed'>,
  ) {
    this.#runner = runner;
    this.#tests = tests;
    this.#reaches = reaches;
    this.#known = known;
  }

  /** Judges mutants. @param isOver true when no further run may start; mutants without a verdict stay open. */
  async judge(
    mutants: readonly Mutant[],
    onVerdict: (mutant: Mutant, judgement: Judgement) => void,
    isOver: () => boolean,
  ): Promise<void> {
    const open = new Map(mutants.map((mutant): [string, Open] => [mutant.id, { mutant, alone: [] }]));
    const decide = (id: string, judgement: Judgement): void => {
      const one = open.get(id);
      if (one === undefined) return;
      open.delete(id);
      onVerdict(one.mutant, judgement);
    };
    const notice = (id: string, verdict: Verdict, test: UnitTest, by: string): void =>
      decide(id, { verdict, by: `${test.name}: ${by}`, digest: test.digest });
    const judgeAlone = async (test: UnitTest, mutant: Mutant, brokeRound: boolean): Promise<void> => {
      const end = await this.#alone(test, mutant, brokeRound);
      if (end === undefined) this.#known.pass([mutant], test.digest);
      else notice(mutant.id, end.verdict, test, end.by);
    };
    for await (const { test, tests, concerns } of this.#steps(mutants)) {
      if (isOver()) return;
      const ofStep = [...open].filter(([, { mutant }]) => concerns(mutant));
      if (ofStep.length === 0 || !(await this.#isUsable(test))) continue;
      await this.#rounds(test, tests, new Map(ofStep), open, {
        onKill: (failure) => notice(failure.mutant, 'killed', test, failure.test),
        // It would break a round of each further test file.
        onBreak: (mutant) => judgeAlone(test, mutant, true),
        isOver,
      });
    }
    if (isOver()) return;
    for (const [id, { mutant, alone }] of open) {
      for (const test of alone) {
        if (isOver()) return;
        await judgeAlone(test, mutant, false);
        if (!open.has(id)) break;
      }
      decide(id, { verdict: this.#isReached(id) ? 'survived' : 'unreached' });
    }
  }

  /**
   * True if the grounds of an earlier verdict still hold: the test file that noticed the mutant is the same, or has a test of
   * that name which reaches the mutant. Survivors are judged again, by tests that they have not passed.
   */
  async holds({ id }: Pick<Mutant, 'id'>, { digest, by = '' }: Judgement): Promise<boolean> {
    if (digest === undefined) return false;
    const file = this.#tests.find(({ name }) => by.startsWith(`${name}: `));
    if (file === undefined) return false;
    if (file.digest === digest) return true;
    if (!(await this.#isUsable(file))) return false;
    const title = by.slice(file.name.length + 2);
    const { reached = [] } = this.#reach.get(file) ?? {};
    return reached.some(({ test, mutants }) => test === title && mutants.includes(id));
  }

  #isReached(id: string): boolean {
    return [...this.#reach.values()].some(({ reached }) =>
      reached.some(({ mutants }) => mutants.includes(id)),
    );
  }

  /** Finds what a test file reaches. @returns false if it fails without a mutant. */
  async #isUsable(test: UnitTest): Promise<boolean> {
    const reach = await this.#reaches.of(test);
    if (reach.failure === undefined) this.#reach.set(test, reach);
    return reach.failure === undefined;
  }

  /**
   * Lists test files with the mutants to run: first each file that is named like a source, with the mutants of that source,
   * since it notices most of them; then all files with all mutants, those in the folders of the sources first. Quick tests
   * come first.
   */
  async *#steps(mutants: readonly Mutant[]): AsyncGenerator<Step> {
    const files = [...new Set(mutants.map(({ file }) => file))];
    const own = this.#tests.filter(({ name }) => files.some((file) => name.startsWith(file)));
    for (const test of own) await this.#isUsable(test);
    const ms = (test: UnitTest): number => this.#reaches.lastMs(test) ?? 0;
    for (const test of own.toSorted((a, b) => ms(a) - ms(b)))
      yield { test, tests: 'all', concerns: ({ file }) => test.name.startsWith(file) };
    const isFar = ({ name }: UnitTest): boolean => files.every((file) => dirname(file) !== dirname(name));
    const near = this.#tests.filter((test) => !isFar(test));
    for (const some of [near, this.#tests.filter(isFar)])
      for (const tests of ['quick', 'slow'] as const)
        for (const test of some.toSorted((a, b) => ms(a) - ms(b)))
          yield { test, tests, concerns: ({ file }) => test.targets.has(file) };
  }

  /** Runs the tests of a file with the mutants of a step that they reach; repeats it without a mutant that breaks it. */
  async #rounds(
    test: UnitTest,
    some: Step['tests'],
    ofStep: ReadonlyMap<string, Open>,
    open: ReadonlyMap<string, Open>,
    watch: StepWatch,
  ): Promise<void> {
    const { reached = [] } = this.#reach.get(test) ?? {};
    const { digest } = test;
    const around = new Set(reached.flatMap((one) => (one.test === '' ? one.mutants : [])));
    const inTests = new Set(reached.flatMap((one) => one.mutants));
    const undecided = [...inTests].filter((id) => {
      const one = ofStep.get(id);
      return one !== undefined && !one.alone.includes(test) && !this.#known.hasPassed(one.mutant, digest);
    });
    const runsAlone = undecided.filter((id) => around.has(id));
    let inRounds = undecided.filter((id) => !around.has(id));
    const isQuick = ({ ms }: Reached): boolean => ms <= QUICK_MS;
    const quick = some === 'slow' ? [] : reached.filter(isQuick);
    const slow = some === 'quick' ? [] : reached.filter((one) => !isQuick(one));
    for (const tests of [quick, slow]) {
      const spoiling = await this.#someRounds(test, tests, inRounds, open, watch);
      runsAlone.push(...spoiling);
      inRounds = inRounds.filter((id) => open.has(id) && !spoiling.includes(id));
    }
    for (const id of new Set(runsAlone)) open.get(id)?.alone.push(test);
    if (watch.isOver() || some === 'quick') return;
    this.#known.pass(
      inRounds.flatMap((id) => open.get(id)?.mutant ?? []),
      digest,
    );
  }

  /** Runs some tests of a file with mutants. @returns mutants that must run alone. */
  async #someRounds(
    test: UnitTest,
    tests: readonly Reached[],
    mutants: readonly string[],
    open: ReadonlyMap<string, Open>,
    watch: StepWatch,
  ): Promise<string[]> {
    let waiting = mutants.filter((id) => tests.some((one) => one.mutants.includes(id)));
    const runAlone: string[] = [];
    for (let spoilt = 0; !watch.isOver();) {
      const part = waiting.filter((id) => open.has(id)).slice(0, ROUND_SIZE);
      if (part.length === 0) break;
      const { isBroken: broke, culprits } = await this.#round(test, tests, part, watch);
      if (watch.isOver()) break;
      let done: readonly string[] = part;
      if (broke && culprits !== undefined && culprits.length > 0) {
        done = culprits;
        for (const { mutant } of culprits.flatMap((id) => open.get(id) ?? [])) await watch.onBreak(mutant);
      } else if (culprits !== undefined) {
        spoilt++;
        done = spoilt < MOST_SPOILT && culprits.length > 0 ? culprits : waiting;
        runAlone.push(...done);
      }
      waiting = waiting.filter((id) => !done.includes(id));
    }
    return runAlone;
  }

  /** Runs some tests of a file with some of the mutants that they reach. */
  async #round(
    test: UnitTest,
    reached: readonly Reached[],
    mutants: readonly string[],
    watch: Watch,
  ): Promise<RoundEnd> {
    const plan = reached
      .map((one) => [one.test, mutants.filter((id) => one.mutants.includes(id))] as const)
      .filter(([, some]) => some.length > 0);
    const limits = reached.map((one) => [one.test, SPARE_MS + 10 * one.ms] as const);
    const { ms = 0 } = this.#reach.get(test) ?? {};
    const limit = 2 * SPARE_MS + 5 * ms;
    const end = await this.#runner.run({ path: test.path, round: { plan, limits } }, limit, watch);
    if (isBroken(end)) return { isBroken: true, culprits: end.mutant === undefined ? [] : [end.mutant] };
    return { isBroken: false, culprits: end.spoilt ?? (end.failure === undefined ? undefined : []) };
  }

  /**
   * Runs the tests of a file that reach a mutant, alone.
   * @param brokeRound true if the mutant ended a process of the file, or kept it from its end, before.
   * @returns undefined if they pass.
   */
  async #alone(
    test: UnitTest,
    { id }: Mutant,
    brokeRound: boolean,
  ): Promise<{ readonly verdict: Verdict; readonly by: string } | undefined> {
    const { reached = [], ms = 0 } = this.#reach.get(test) ?? {};
    const names = reached.flatMap((one) => (one.mutants.includes(id) ? [one.test] : []));
    const choices: (readonly string[] | undefined)[] = names.includes('') ? [undefined] : [names, undefined];
    for (const only of choices) {
      const job: Job = { path: test.path, mutant: id, ...(only === undefined ? {} : { only }) };
      const limit = 2 * (SPARE_MS + ms);
      let end = await this.#runner.run(job, limit);
      if (isBroken(end)) {
        if (!(await this.#passes(test, only))) continue;
        // An earlier mutant may have left work behind that failed only now; now the process is a new one.
        if (!brokeRound) end = await this.#runner.run(job, limit);
        if (isBroken(end)) {
          const verdict = end.broken === 'crash' ? 'crash' : 'timeout';
          return { verdict, by: verdict };
        }
      }
      if (end.failure === undefined) return undefined;
      // Some tests depend on other ones of their file.
      if (await this.#passes(test, only)) return { verdict: 'killed', by: end.failure };
    }
    return undefined;
  }

  /** True if tests pass with the original code. @param only names of some tests, which run without the others. */
  async #passes(test: UnitTest, only: readonly string[] | undefined): Promise<boolean> {
    const key = JSON.stringify([test.name, only]);
    const known = this.#controls.get(key);
    if (known !== undefined) return known;
    const { ms = 0 } = this.#reach.get(test) ?? {};
    const job: Job = { path: test.path, ...(only === undefined ? {} : { only }) };
    const end = await this.#runner.run(job, 4 * SPARE_MS + 10 * ms);
    const passes = !isBroken(end) && end.failure === undefined;
    this.#controls.set(key, passes);
    return passes;
  }
}
