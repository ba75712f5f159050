import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { JsonLines } from './json-lines.js';
import { ROOT } from './target-files.js';
import { isBroken, type Reached, type TestProcess } from './test-process.js';
import type { UnitTest } from './unit-tests.js';

/** Record of one run of a test file with the original code. */
export interface Reach {
  readonly digest: string;
  readonly ms: number;
  /** First test that failed: such a file can kill no mutant. */
  readonly failure?: string | undefined;
  /** Mutants that each test reached; under an empty name those that were reached outside of tests. */
  readonly reached: readonly Reached[];
}

interface Line {
  readonly name: string;
  readonly reach: Reach;
}

/** Time after which a test file is given up [ms]. */
const MOST_MS = 300_000;

/** Digest of the modules that choose mutants: another choice needs another record. */
function mutatorsDigest(): string {
  const folder = join(ROOT, 'build', 'test', 'mutants');
  const digest = createHash('sha256');
  for (const name of readdirSync(folder).filter((one) => /^(?:sql-)?muta(?:nts|tors)\.js$/.test(one)))
    digest.update(readFileSync(join(folder, name)));
  return digest.digest('hex');
}

/** Finds the mutants that tests reach. */
export class Reaches {
  readonly #runner: Pick<TestProcess, 'run'>;
  readonly #say: (line: string) => void;
  readonly #lines: JsonLines<Line>;
  readonly #known: Map<string, Reach>;
  readonly #mutators = mutatorsDigest();

  /** @param directory holds the records of earlier runs. */
  constructor(directory: string, runner: Pick<TestProcess, 'run'>, say: (line: string) => void) {
    this.#runner = runner;
    this.#say = say;
    this.#lines = new JsonLines(join(directory, 'reach.jsonl'));
    this.#known = new Map(this.#lines.read().map(({ name, reach }) => [name, reach]));
  }

  /** Mean time of the tests of a file when it last ran [ms]; undefined if it never ran. */
  lastMs({ name }: UnitTest): number | undefined {
    const known = this.#known.get(name);
    return known && known.ms / known.reached.length;
  }

  /** Runs a test file, unless it, what it loads of the tests, and the mutants stayed since its last run. */
  async of(test: UnitTest): Promise<Reach> {
    const digest = `${this.#mutators}${test.targetsDigest}${test.digest}`;
    const known = this.#known.get(test.name);
    if (known?.digest === digest) return known;
    const outcome = await this.#runner.run({ path: test.path, collect: true }, MOST_MS);
    const reach = isBroken(outcome)
      ? { digest, ms: MOST_MS, failure: outcome.broken, reached: [] }
      : { digest, ms: outcome.ms, failure: outcome.failure, reached: outcome.reached };
    this.#say(`${test.name}: ${reach.ms} ms`);
    if (reach.failure === undefined) {
      this.#known.set(test.name, reach);
      this.#lines.append({ name: test.name, reach });
    } else this.#say(`left out, since it fails without a mutant: ${test.name}: ${reach.failure}`);
    return reach;
  }
}
