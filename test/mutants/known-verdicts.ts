import { join } from 'node:path';
import { JsonLines } from './json-lines.js';
import type { Judgement } from './judge.js';
import type { Mutant } from './mutants.js';

/** Mutant and the text of its function, in one key. */
type Key = string;
const keyOf = ({ id, code }: Pick<Mutant, 'id' | 'code'>): Key => `${id} ${code}`;

type Line =
  | { readonly key: Key; readonly judgement: Judgement }
  /** Mutants that a test file, by its digest, does not notice. */
  | { readonly passed: readonly Key[]; readonly digest: string };

/** Verdicts of earlier runs with their grounds. A verdict belongs to the text of the changed function. */
export class KnownVerdicts {
  readonly #lines: JsonLines<Line>;
  readonly #verdicts = new Map<Key, Judgement>();
  readonly #passed = new Map<Key, Set<string>>();

  /** @param directory holds the results of earlier runs. */
  constructor(directory: string) {
    this.#lines = new JsonLines(join(directory, 'verdicts.jsonl'));
    for (const line of this.#lines.read()) this.#add(line);
  }

  get(mutant: Mutant): Judgement | undefined {
    return this.#verdicts.get(keyOf(mutant));
  }

  /** Keeps that a test file does not notice mutants. */
  pass(mutants: readonly Mutant[], digest: string): void {
    if (mutants.length > 0) this.#keep({ passed: mutants.map(keyOf), digest });
  }

  hasPassed(mutant: Mutant, digest: string): boolean {
    return this.#passed.get(keyOf(mutant))?.has(digest) === true;
  }

  set(mutant: Mutant, judgement: Judgement): void {
    this.#keep({ key: keyOf(mutant), judgement });
  }

  #add(line: Line): void {
    if ('key' in line) this.#verdicts.set(line.key, line.judgement);
    else
      for (const key of line.passed)
        this.#passed.set(key, (this.#passed.get(key) ?? new Set()).add(line.digest));
  }

  #keep(line: Line): void {
    this.#add(line);
    this.#lines.append(line);
  }
}
