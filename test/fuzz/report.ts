import { toHex } from '../../src/util/bytes.js';
import type { ModuleCoverage } from './coverage.js';
import type { TargetReport } from './supervisor.js';

const sum = (list: readonly ModuleCoverage[], value: (one: ModuleCoverage) => number): number =>
  list.reduce((total, one) => total + value(one), 0);

const percent = (part: number, whole: number): string =>
  whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} %`;

/**
 * Share of branches that ran: of all functions in the modules, and of the functions that ran. The rest of the first
 * are functions that the parser does not call, such as writers of the same format.
 */
const branchesOf = ({ coverage }: TargetReport) => ({
  all: percent(
    sum(coverage, (one) => one.covered),
    sum(coverage, (one) => one.branches),
  ),
  entered: percent(
    sum(coverage, (one) => one.covered),
    sum(coverage, (one) => one.enteredBranches),
  ),
  functions: `${sum(coverage, (one) => one.entered)}/${sum(coverage, (one) => one.functions)}`,
});

const COLUMNS: readonly (readonly [string, number, (report: TargetReport) => string])[] = [
  ['target', 20, ({ target }) => target],
  ['cases', 9, ({ cases }) => String(cases)],
  ['per CPU s', 9, ({ casesPerSecond }) => String(casesPerSecond)],
  ['kept', 6, ({ kept }) => String(kept)],
  ['branches', 9, (report) => branchesOf(report).all],
  ['of entered', 11, (report) => branchesOf(report).entered],
  ['functions', 10, (report) => branchesOf(report).functions],
  ['slowest', 10, ({ slowestMs }) => `${slowestMs.toFixed(1)} ms`],
  ['memory', 10, ({ peakBytes }) => `${(peakBytes / 2 ** 20).toFixed(0)} MiB`],
  ['findings', 9, ({ findings }) => String(findings.length)],
];

/** Formats reports as lines of a table. */
export function tableOf(reports: readonly TargetReport[], withHead: boolean): string {
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => (i === 0 ? cell.padEnd(COLUMNS[i]?.[1] ?? 0) : cell.padStart(COLUMNS[i]?.[1] ?? 0)))
      .join(' ');
  const rows = reports.map((report) => line(COLUMNS.map(([, , cell]) => cell(report))));
  return [...(withHead ? [line(COLUMNS.map(([head]) => head))] : []), ...rows].join('\n');
}

/** Formats reports as JSON; inputs are hex. */
export const totalsOf = (reports: readonly TargetReport[], seed: string): string =>
  `${JSON.stringify(
    {
      seed,
      node: process.version,
      targets: reports.map((report) => ({
        ...report,
        branches: branchesOf(report),
        slowest: toHex(report.slowest.subarray(0, 4096)),
        findings: report.findings.map((finding) => ({ ...finding, input: toHex(finding.input) })),
      })),
    },
    undefined,
    1,
  )}\n`;
