import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromHex, toHex } from '../../src/util/bytes.js';
import type { ModuleCoverage } from './coverage.js';
import { idOf, type Finding, type Progress } from './fuzzer.js';
import { fuzzTarget, type RunOptions } from './supervisor.js';

/*
 * A campaign fuzzes a target in parts, and its results are in files: when it ends early, by a signal or by `kill -9`, the
 * next one goes on. The first fifth of each half million cases is guided by coverage; the others are mutations of the
 * inputs that it kept, without counters in the code, and up to four times as fast.
 */
const PERIOD_CASES = 500_000;
const GUIDED_CASES = 100_000;
/** Longest input in a report [bytes]; the files of findings have all of it. */
const MOST_REPORTED_BYTES = 4096;
const ID_DIGITS = 12;

/** A part of a campaign. */
interface Part {
  /** Number of cases before it. */
  readonly from: number;
  readonly cases: number;
  readonly guided: boolean;
}

/** Returns the next part of a campaign that has a number of cases behind it. */
export function nextPart(from: number, goal: number): Part {
  const place = from % PERIOD_CASES;
  const guided = place < GUIDED_CASES;
  const end = from - place + (guided ? GUIDED_CASES : PERIOD_CASES);
  return { from, cases: Math.min(end, goal) - from, guided };
}

/** A finding in a report. */
export interface ReportedFinding {
  readonly kind: Finding['kind'];
  readonly text: string;
  /** File with the input, beside the report. */
  readonly file: string;
}

/** Results of a target, of all runs into the same directory. */
export interface TargetReport {
  readonly target: string;
  readonly cases: number;
  /** Number of cases that were guided by coverage. */
  readonly guidedCases: number;
  /** Processor time [ms]. */
  readonly cpuMs: number;
  readonly slowestMs: number;
  /** Slowest input, in hex, up to {@link MOST_REPORTED_BYTES}. */
  readonly slowest: string;
  readonly peakBytes: number;
  /** Number of inputs that reached new code, with the seeds. */
  readonly kept: number;
  /** Absent before the first run that was guided to its end. */
  readonly coverage?: readonly ModuleCoverage[];
  readonly findings: readonly ReportedFinding[];
  /** Findings of earlier runs that the parser withstands now. */
  readonly mended: readonly ReportedFinding[];
  /** Seeds of the parts, with the number of cases before each. */
  readonly seeds: readonly { readonly seed: string; readonly from: number }[];
}

export interface CampaignOptions extends Pick<RunOptions, 'forMs' | 'limits' | 'signal'> {
  readonly out: string;
  readonly seed: string;
  /** Number of cases, with those of earlier runs. */
  readonly cases: number;
  readonly onFinding?: (finding: Finding, path: string) => void;
}

/** Names an input in a file name. */
const shortIdOf = (input: Uint8Array): string => idOf(input).slice(0, ID_DIGITS);

/** Replaces a file, so that it is whole at any time. */
function replaceFile(path: string, text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

/** Files of a target: its report, and the inputs that reached new code. */
class TargetFiles {
  readonly #out: string;
  readonly #folder: string;
  readonly #target: string;

  constructor(out: string, target: string) {
    this.#out = out;
    this.#target = target;
    this.#folder = join(out, 'targets', target);
    mkdirSync(join(this.#folder, 'corpus'), { recursive: true });
  }

  read(): TargetReport {
    const empty: TargetReport = {
      target: this.#target,
      ...{ cases: 0, guidedCases: 0, cpuMs: 0, slowestMs: 0, slowest: '', peakBytes: 0, kept: 0 },
      ...{ findings: [], mended: [], seeds: [] },
    };
    try {
      return JSON.parse(readFileSync(join(this.#folder, 'report.json'), 'utf8')) as TargetReport;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return empty;
      throw error;
    }
  }

  write(report: TargetReport): void {
    replaceFile(join(this.#folder, 'report.json'), `${JSON.stringify(report)}\n`);
  }

  /** Inputs that reached new code, in the order in which they were found. */
  corpus(): Uint8Array[] {
    const folder = join(this.#folder, 'corpus');
    return readdirSync(folder)
      .toSorted()
      .map((name) => fromHex(readFileSync(join(folder, name), 'latin1')));
  }

  keep(input: Uint8Array, number: number): void {
    const name = `${String(number).padStart(6, '0')}-${shortIdOf(input)}.hex`;
    replaceFile(join(this.#folder, 'corpus', name), toHex(input));
  }

  readFinding({ file }: ReportedFinding): Uint8Array {
    return Uint8Array.from(readFileSync(join(this.#out, file)));
  }

  /** Writes the input of a finding. @returns the name of its file in the directory of the campaign. */
  saveFinding({ kind, input }: Finding): string {
    const name = `${this.#target}-${kind}-${shortIdOf(input)}`;
    writeFileSync(join(this.#out, name), input);
    return name;
  }
}

/** Reads the results of a target. */
export const reportOf = (out: string, target: string): TargetReport => new TargetFiles(out, target).read();

/** Runs the inputs of a report's findings again. @returns the report with those that the parser withstands as mended. */
async function withMended(
  report: TargetReport,
  files: TargetFiles,
  { limits }: CampaignOptions,
): Promise<TargetReport> {
  const found = new Set<ReportedFinding>();
  for (const finding of report.findings)
    await fuzzTarget(report.target, {
      ...{ seed: '', cases: 0, guided: false, corpus: [files.readFinding(finding)] },
      ...(limits === undefined ? {} : { limits }),
      onFinding: () => found.add(finding),
    });
  return {
    ...report,
    findings: report.findings.filter((one) => found.has(one)),
    mended: [...report.mended, ...report.findings.filter((one) => !found.has(one))],
  };
}

/** Fuzzes a target until it has a number of cases, with those of earlier runs into the same directory. */
export async function runCampaign(target: string, options: CampaignOptions): Promise<TargetReport> {
  const { out, seed, cases: goal, forMs, signal, onFinding } = options;
  const files = new TargetFiles(out, target);
  let report = await withMended(files.read(), files, options);
  const end = performance.now() + (forMs ?? Infinity);
  const isOver = (): boolean => signal?.aborted === true || performance.now() >= end;
  // A run without new cases reports the coverage, too.
  while ((report.cases < goal || report.coverage === undefined) && !isOver()) {
    const before = report;
    const part =
      before.cases < goal ? nextPart(before.cases, goal) : { from: before.cases, cases: 0, guided: true };
    const corpus = files.corpus();
    let kept = corpus.length;
    const partSeed = `${seed}/${part.from}`;
    report = { ...before, seeds: [...before.seeds, { seed: partSeed, from: part.from }] };
    const add = (progress: Progress): void => {
      const { cases, cpuMs, slowestMs, slowest, peakBytes } = progress;
      report = {
        ...report,
        cases: before.cases + cases,
        guidedCases: before.guidedCases + (part.guided ? cases : 0),
        cpuMs: before.cpuMs + cpuMs,
        ...(slowestMs <= before.slowestMs
          ? {}
          : { slowestMs, slowest: toHex(slowest.subarray(0, MOST_REPORTED_BYTES)) }),
        peakBytes: Math.max(before.peakBytes, peakBytes),
      };
    };
    const result = await fuzzTarget(target, {
      ...{ seed: partSeed, cases: part.cases, guided: part.guided, corpus },
      ...(forMs === undefined ? {} : { forMs: Math.max(0, end - performance.now()) }),
      ...(options.limits === undefined ? {} : { limits: options.limits }),
      ...(signal === undefined ? {} : { signal }),
      onKept: (input) => files.keep(input, kept++),
      onProgress(progress) {
        add(progress);
        files.write(report);
      },
      onFinding(finding) {
        const file = files.saveFinding(finding);
        const { kind, text } = finding;
        report = {
          ...report,
          findings: [...report.findings.filter((one) => one.file !== file), { kind, text, file }],
        };
        files.write(report);
        onFinding?.(finding, join(out, file));
      },
    });
    add(result);
    if (result.coverage !== undefined) report = { ...report, kept: result.kept, coverage: result.coverage };
    files.write(report);
    // A target whose processes end again and again.
    if (result.cases < part.cases) break;
  }
  return report;
}
