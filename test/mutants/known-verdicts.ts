import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Judgement } from './judge.js';
import { ROOT } from './target-files.js';

const FILE = join(ROOT, 'build', '.mutants', 'verdicts.json');

/** Verdicts of earlier runs with their grounds, by mutant. */
export class KnownVerdicts {
  readonly #verdicts: Record<string, Judgement>;
  readonly #passed: Record<string, readonly string[]>;

  constructor() {
    const kept = existsSync(FILE)
      ? (JSON.parse(readFileSync(FILE, 'utf8')) as {
          readonly verdicts: Record<string, Judgement>;
          readonly passed: Record<string, readonly string[]>;
        })
      : { verdicts: {}, passed: {} };
    this.#verdicts = kept.verdicts;
    this.#passed = kept.passed;
  }

  get(id: string): Judgement | undefined {
    return this.#verdicts[id];
  }

  /** Keeps the digest of a test file that does not notice a mutant. */
  pass(ids: readonly string[], digest: string): void {
    for (const id of ids) this.#passed[id] = [...new Set([...(this.#passed[id] ?? []), digest])];
    this.#save();
  }

  hasPassed(id: string, digest: string): boolean {
    return this.#passed[id]?.includes(digest) === true;
  }

  set(id: string, verdict: Judgement): void {
    this.#verdicts[id] = verdict;
    this.#save();
  }

  #save(): void {
    mkdirSync(dirname(FILE), { recursive: true });
    writeFileSync(FILE, JSON.stringify({ verdicts: this.#verdicts, passed: this.#passed }));
  }
}
