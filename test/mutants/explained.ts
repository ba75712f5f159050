import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './target-files.js';

/** Mutant that no test can or need notice. */
export interface Explained {
  readonly id: string;
  /** Source, function and change, for readers. */
  readonly mutant: string;
  readonly reason: string;
}

/** Mutants with an explanation. A change of the expression, or of the name of its function, ends the explanation. */
export const EXPLAINED: readonly Explained[] = JSON.parse(
  readFileSync(join(ROOT, 'test', 'mutants', 'explained.json'), 'utf8'),
) as Explained[];
