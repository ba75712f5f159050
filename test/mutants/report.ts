import { markdownTable } from '../../tools/markdown-table.js';
import type { Judgement, Verdict } from './judge.js';
import type { Mutant } from './mutants.js';

/** Mutant with its end. */
export interface Judged extends Mutant, Omit<Judgement, 'digest'> {
  /** Reason why no test notices a surviving mutant. */
  readonly reason?: string;
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

/** Shows the part in which two texts differ, with some characters around it. */
export function difference(from: string, to: string): string {
  const [a, b] = [oneLine(from), oneLine(to)];
  if (Math.max(a.length, b.length) <= 80) return `${a}  →  ${b}`;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const part = (text: string): string =>
    text.slice(Math.max(0, start - 30), text.length - end + 30).slice(0, 120);
  return `…${part(a)}…  →  …${part(b)}…`;
}

/** Writes a mutant in one line. */
export const mutantLine = ({ id, file, line, scope, kind, from, to }: Mutant): string =>
  `${id}  src/${file}.ts:${line}  ${scope}  [${kind}]  ${difference(from, to)}`;

const NOTICED = new Set<Verdict>(['killed', 'timeout', 'crash']);

export const isSurvivor = ({ verdict, reason }: Judged): boolean =>
  !NOTICED.has(verdict) && reason === undefined;

/** Share of the mutants without an explanation that tests notice [%]; undefined without such mutants. */
export function score(judged: readonly Judged[]): number | undefined {
  const noticed = judged.filter(({ verdict }) => NOTICED.has(verdict)).length;
  const all = noticed + judged.filter(isSurvivor).length;
  return all === 0 ? undefined : (100 * noticed) / all;
}

/** Verdicts of an area. */
export interface AreaVerdicts {
  readonly area: string;
  readonly files: number;
  /** Number of mutants, judged or not. */
  readonly mutants: number;
  readonly judged: readonly Judged[];
}

/**
 * Writes a table with a row for each area, and one for all. The score of an area that is not judged as a whole is the least
 * that it can be: survivors are known last.
 */
export function areaTable(areas: readonly AreaVerdicts[]): string[] {
  const row = (name: string, files: number, mutants: number, judged: readonly Judged[]): string[] => {
    const noticed = judged.filter(({ verdict }) => NOTICED.has(verdict)).length;
    const survived = judged.filter(isSurvivor).length;
    const explained = judged.length - noticed - survived;
    const counts = [files, mutants, noticed, explained, survived, mutants - judged.length];
    const least = ((100 * noticed) / Math.max(1, mutants - explained)).toFixed(1);
    return [name, ...counts.map(String), judged.length < mutants ? `at least ${least}` : least];
  };
  const sum = (of: (one: AreaVerdicts) => number): number => areas.reduce((total, one) => total + of(one), 0);
  return markdownTable(
    ['area', 'files', 'mutants', 'killed', 'explained', 'survived', 'not judged', 'score [%]'],
    [
      ...areas.map(({ area, files, mutants, judged }) => row(area, files, mutants, judged)),
      row(
        'all',
        sum(({ files }) => files),
        sum(({ mutants }) => mutants),
        areas.flatMap(({ judged }) => judged),
      ),
    ],
  );
}

/** Writes a table with a row for each file, and one for all. */
export function scoreTable(judged: readonly Judged[]): string[] {
  const files = [...new Set(judged.map(({ file }) => file))].sort();
  const row = (name: string, some: readonly Judged[]): string[] => {
    const count = (...verdicts: Verdict[]): string =>
      String(some.filter(({ verdict }) => verdicts.includes(verdict)).length);
    return [
      name,
      String(some.length),
      count('killed'),
      count('timeout', 'crash'),
      String(some.filter(isSurvivor).length),
      String(some.filter((one) => one.reason !== undefined && !NOTICED.has(one.verdict)).length),
      score(some)?.toFixed(1) ?? '',
    ];
  };
  return markdownTable(
    ['file', 'mutants', 'killed', 'timeout or crash', 'survived', 'explained', 'score [%]'],
    [
      ...files.map((file) =>
        row(
          file,
          judged.filter((one) => one.file === file),
        ),
      ),
      row('all', judged),
    ],
  );
}
