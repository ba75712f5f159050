import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
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

const FILE = join(ROOT, 'build', '.mutants', 'reach.json');
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

/** Finds the mutants that each test reaches. Takes the record of an earlier run if nothing that the file loads changed. */
export async function reachOf(
  tests: readonly UnitTest[],
  runner: TestProcess,
  say: (line: string) => void,
): Promise<Map<UnitTest, Reach>> {
  const known = existsSync(FILE)
    ? (JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, Reach>)
    : ({} as Record<string, Reach>);
  const mutators = mutatorsDigest();
  const found = new Map<UnitTest, Reach>();
  mkdirSync(dirname(FILE), { recursive: true });
  for (const [i, test] of tests.entries()) {
    const digest = `${mutators}${test.digest}`;
    let reach = known[test.name];
    if (reach?.digest !== digest) {
      const outcome = await runner.run({ path: test.path, collect: true }, MOST_MS);
      reach = isBroken(outcome)
        ? { digest, ms: MOST_MS, failure: outcome.broken, reached: [] }
        : { digest, ms: outcome.ms, failure: outcome.failure, reached: outcome.reached };
      if (reach.failure === undefined) {
        known[test.name] = reach;
        writeFileSync(FILE, JSON.stringify(known));
      }
      say(`${i + 1} of ${tests.length}: ${test.name} ${reach.ms} ms ${reach.failure ?? ''}`);
    }
    found.set(test, reach);
  }
  return found;
}
