import type { ReportedFinding, TargetReport } from './campaign.js';
import type { ModuleCoverage } from './coverage.js';

const sum = (list: readonly ModuleCoverage[], value: (one: ModuleCoverage) => number): number =>
  list.reduce((total, one) => total + value(one), 0);

const percent = (part: number, whole: number): string =>
  whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} %`;

/**
 * Share of branches that ran: of all functions in the modules, and of the functions that ran. The rest of the first
 * are functions that the parser does not call, such as writers of the same format.
 */
const branchesOf = (coverage: readonly ModuleCoverage[]) => ({
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
  ['guided', 9, ({ guidedCases }) => String(guidedCases)],
  ['CPU s', 8, ({ cpuMs }) => (cpuMs / 1000).toFixed(1)],
  ['per CPU s', 9, ({ cases, cpuMs }) => (cpuMs === 0 ? '-' : ((1000 * cases) / cpuMs).toFixed(0))],
  ['kept', 6, ({ kept }) => String(kept)],
  ['branches', 9, ({ coverage = [] }) => branchesOf(coverage).all],
  ['of entered', 11, ({ coverage = [] }) => branchesOf(coverage).entered],
  ['functions', 10, ({ coverage = [] }) => branchesOf(coverage).functions],
  ['slowest', 10, ({ slowestMs }) => `${slowestMs.toFixed(1)} ms`],
  ['memory', 8, ({ peakBytes }) => `${(peakBytes / 2 ** 20).toFixed(0)} MiB`],
  ['findings', 9, ({ findings }) => String(findings.length)],
  ['mended', 6, ({ mended }) => String(mended.length)],
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

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

const findingLine = (target: string, { kind, text, file }: ReportedFinding): string =>
  `- ${target}: ${kind}: ${(text.split('\n')[0] ?? '').replaceAll('|', '\\|')} (\`${file}\`)`;

/** Formats reports as Markdown: the table, the branches of each module, and the findings. */
export function markdownOf(reports: readonly TargetReport[], seed: string): string {
  const total = (value: (report: TargetReport) => number): number =>
    reports.reduce((all, report) => all + value(report), 0);
  const modules = reports.flatMap(({ target, coverage = [] }) =>
    coverage.map((one) => [
      target,
      `\`${one.module}\``,
      `${one.covered}/${one.branches}`,
      branchesOf([one]).all,
      branchesOf([one]).entered,
    ]),
  );
  const findings = reports.flatMap((report) =>
    report.findings.map((finding) => findingLine(report.target, finding)),
  );
  return `${[
    '# Fuzzing',
    '',
    `Seed ${seed}, Node.js ${process.version}: ${total(({ cases }) => cases)} cases of ${reports.length} targets in ${(total(({ cpuMs }) => cpuMs) / 1000).toFixed(0)} s of processor time.`,
    '',
    row(COLUMNS.map(([head]) => head)),
    row(COLUMNS.map((_, i) => (i === 0 ? '---' : '---:'))),
    ...reports.map((report) => row(COLUMNS.map(([, , cell]) => cell(report)))),
    '',
    '## Findings',
    '',
    ...(findings.length === 0 ? ['None.'] : findings),
    '',
    '## Branches by module',
    '',
    row(['target', 'module', 'branches', 'of all', 'of entered']),
    row(['---', '---', '---:', '---:', '---:']),
    ...modules.map(row),
  ].join('\n')}\n`;
}

/** Formats reports as JSON. */
export const totalsOf = (reports: readonly TargetReport[], seed: string): string =>
  `${JSON.stringify(
    {
      seed,
      node: process.version,
      targets: reports.map((report) => ({ ...report, branches: branchesOf(report.coverage ?? []) })),
    },
    undefined,
    1,
  )}\n`;
