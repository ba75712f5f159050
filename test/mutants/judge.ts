import type { KnownVerdicts } from './known-verdicts.js';
import type { Mutant } from './mutants.js';
import type { Reach } from './reach.js';
import { isBroken, type Job, type TestProcess, type Watch } from './test-process.js';
import type { UnitTest } from './unit-tests.js';

/** End of a mutant. Mutants that no test reaches survive, too. */
export type Verdict = 'killed' | 'timeout' | 'crash' | 'survived' | 'unreached';

export interface Judgement {
  readonly verdict: Verdict;
  /** Test file and test that noticed the mutant. */
  readonly by?: string;
  /** Digests of the test files that decided: the verdict holds while they stay. */
  readonly digests: readonly string[];
}

/** Rounds of one test file that a mutant may spoil before its mutants run alone. */
const MOST_SPOILT = 3;

/** Mutants that one round tries. */
const ROUND_SIZE = 40;

/** Time that a test may take beyond a multiple of its ordinary duration [ms]. */
const SPARE_MS = 15_000;

/** Mutant that has no verdict yet. */
interface Open {
  readonly mutant: Mutant;
  /** Test files with which it runs alone, after all rounds. */
  readonly alone: UnitTest[];
}

/**
 * Decides which mutants the tests notice. Tests run in rounds: a test file is loaded once, and each of its tests runs with
 * each mutant that it reaches. Mutants that a file reaches while it is loaded or prepared run alone with it.
 */
export class Judge {
  readonly #runner: Pick<TestProcess, 'run'>;
  readonly #reach: ReadonlyMap<UnitTest, Reach>;
  readonly #known: Pick<KnownVerdicts, 'pass' | 'hasPassed'>;
  /** Outcomes of tests with the original code. */
  readonly #controls = new Map<string, boolean>();

  constructor(
    runner: Pick<TestProcess, 'run'>,
    reach: ReadonlyMap<UnitTest, Reach>,
    known: Pick<KnownVerdicts, 'pass' | 'hasPassed'>,
  ) {
    this.#known = known;
    this.#runner = runner;
    this.#reach = new Map([...reach].filter(([, { failure }]) => failure === undefined));
  }

  /** Judges mutants. @param isOver true when no further run may start; mutants without a verdict stay open. */
  async judge(
    mutants: readonly Mutant[],
    onVerdict: (mutant: Mutant, judgement: Judgement) => void,
    isOver: () => boolean,
  ): Promise<void> {
    const open = new Map(mutants.map((mutant): [string, Open] => [mutant.id, { mutant, alone: [] }]));
    const decide = (id: string, verdict: Verdict, by: string, tests: readonly UnitTest[]): void => {
      const one = open.get(id);
      if (one === undefined) return;
      open.delete(id);
      onVerdict(one.mutant, { verdict, digests: this.#digests(tests), ...(by === '' ? {} : { by }) });
    };
    for (const test of this.#inOrder(mutants)) {
      if (isOver()) return;
      await this.#rounds(test, open, {
        onKill: (failure) => decide(failure.mutant, 'killed', `${test.name}: ${failure.test}`, [test]),
        isOver,
      });
    }
    if (isOver()) return;
    for (const [id, { mutant, alone }] of open) {
      for (const test of alone) {
        if (isOver()) return;
        const { digest = '' } = this.#reach.get(test) ?? {};
        if (this.#known.hasPassed(id, digest)) continue;
        const end = await this.#alone(test, mutant);
        if (end === undefined) this.#known.pass([id], digest);
        else decide(id, end.verdict, `${test.name}: ${end.by}`, [test]);
        if (!open.has(id)) break;
      }
      if (!open.has(id)) continue;
      const tests = this.#reaching(id);
      decide(id, tests.length === 0 ? 'unreached' : 'survived', '', tests);
    }
  }

  /** True if the grounds of an earlier verdict still hold. */
  holds({ id }: Mutant, { verdict, digests }: Judgement): boolean {
    if (verdict === 'survived' || verdict === 'unreached')
      return this.#digests(this.#reaching(id)).join() === digests.join();
    const now = new Set([...this.#reach.values()].map(({ digest }) => digest));
    return digests.every((digest) => now.has(digest));
  }

  #digests(tests: readonly UnitTest[]): string[] {
    return tests.map((test) => this.#reach.get(test)?.digest ?? '').sort();
  }

  #reaching(id: string): UnitTest[] {
    return [...this.#reach].flatMap(([test, { reached }]) =>
      reached.some(({ mutants }) => mutants.includes(id)) ? [test] : [],
    );
  }

  /** Lists the test files: those named like a mutated source first, then quick ones. */
  #inOrder(mutants: readonly Mutant[]): UnitTest[] {
    const files = [...new Set(mutants.map(({ file }) => file))];
    const isOwn = ({ name }: UnitTest): boolean => files.some((file) => name.startsWith(file));
    const ms = (test: UnitTest): number => this.#reach.get(test)?.ms ?? 0;
    return [...this.#reach.keys()].sort((a, b) => Number(isOwn(b)) - Number(isOwn(a)) || ms(a) - ms(b));
  }

  /** Runs the tests of a file with all open mutants that they reach; repeats it without a mutant that breaks it. */
  async #rounds(test: UnitTest, open: ReadonlyMap<string, Open>, watch: Watch): Promise<void> {
    const { reached = [], digest = '' } = this.#reach.get(test) ?? {};
    const around = new Set(reached.flatMap((one) => (one.test === '' ? one.mutants : [])));
    const inTests = new Set(reached.flatMap((one) => one.mutants));
    const runsAlone = [...inTests].filter((id) => around.has(id));
    const waiting = [...inTests].filter((id) => !around.has(id) && !this.#known.hasPassed(id, digest));
    let spoilt = 0;
    while (!watch.isOver()) {
      const part = waiting.filter((id) => open.has(id)).slice(0, ROUND_SIZE);
      if (part.length === 0) break;
      const culprit = await this.#round(test, part, watch);
      if (culprit === undefined) {
        this.#known.pass(
          part.filter((id) => open.has(id)),
          digest,
        );
        waiting.splice(0, waiting.length, ...waiting.filter((id) => !part.includes(id)));
      } else {
        spoilt++;
        const alone = spoilt < MOST_SPOILT && culprit !== '' ? [culprit] : waiting;
        runsAlone.push(...alone);
        waiting.splice(0, waiting.length, ...waiting.filter((id) => !alone.includes(id)));
      }
    }
    for (const id of new Set(runsAlone)) open.get(id)?.alone.push(test);
  }

  /**
   * Runs the tests of a file with some of the mutants that they reach.
   * @returns mutant that ended the round; an empty text if it ended for another reason, undefined if it ran to its end.
   */
  async #round(test: UnitTest, mutants: readonly string[], watch: Watch): Promise<string | undefined> {
    const { reached = [] } = this.#reach.get(test) ?? {};
    const plan = reached
      .map((one) => [one.test, mutants.filter((id) => one.mutants.includes(id))] as const)
      .filter(([, some]) => some.length > 0);
    const limits = reached.map((one) => [one.test, SPARE_MS + 10 * one.ms] as const);
    const longest = Math.max(...limits.map(([, ms]) => ms)) + 2 * SPARE_MS;
    const end = await this.#runner.run({ path: test.path, round: { plan, limits } }, longest, watch);
    if (isBroken(end)) return end.mutant ?? '';
    return end.spoilt ?? (end.failure === undefined ? undefined : '');
  }

  /** Runs the tests of a file that reach a mutant, alone. @returns undefined if they pass. */
  async #alone(
    test: UnitTest,
    { id }: Mutant,
  ): Promise<{ readonly verdict: Verdict; readonly by: string } | undefined> {
    const { reached = [], ms = 0 } = this.#reach.get(test) ?? {};
    const names = reached.flatMap((one) => (one.mutants.includes(id) ? [one.test] : []));
    const choices: (readonly string[] | undefined)[] = names.includes('') ? [undefined] : [names, undefined];
    for (const only of choices) {
      const job: Job = { path: test.path, mutant: id, ...(only === undefined ? {} : { only }) };
      let limit = 2 * SPARE_MS + 5 * ms;
      let end = await this.#runner.run(job, limit);
      if (isBroken(end)) {
        // The machine may be busy, and an earlier mutant may have left work behind that failed only now.
        const { path } = test;
        const control = await this.#runner.run({ path, ...(only === undefined ? {} : { only }) }, 4 * limit);
        if (!isBroken(control)) limit = Math.max(limit, 10 * control.ms);
        end = await this.#runner.run(job, limit);
        if (isBroken(end)) {
          const verdict = end.broken === 'crash' ? 'crash' : 'timeout';
          return { verdict, by: verdict };
        }
      }
      if (end.failure === undefined) return undefined;
      // Some tests depend on other ones of their file.
      if (only === undefined || (await this.#passesWithout(test, only)))
        return { verdict: 'killed', by: end.failure };
    }
    return undefined;
  }

  /** True if tests pass with the original code without the other tests of their file. */
  async #passesWithout(test: UnitTest, only: readonly string[]): Promise<boolean> {
    const key = JSON.stringify([test.name, only]);
    const known = this.#controls.get(key);
    if (known !== undefined) return known;
    const { ms = 0 } = this.#reach.get(test) ?? {};
    const end = await this.#runner.run({ path: test.path, only }, 4 * SPARE_MS + 10 * ms);
    const passes = !isBroken(end) && end.failure === undefined;
    this.#controls.set(key, passes);
    return passes;
  }
}
