import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeEach, describe, expect, it, test } from '@jest/globals';
import { keepRecentKeys } from '../../src/monero/crypto/kdf.js';
import { until } from '../support/fakes/until.js';
import { nextPart, reportOf, runCampaign } from './campaign.js';
import { UNGUIDED } from './coverage.js';
import { findingText, Fuzzer, type Finding, type Limits } from './fuzzer.js';
import { markdownOf } from './report.js';
import { fuzzTarget, type RunOptions, type RunResult } from './supervisor.js';
import type { Parser, Target } from './target.js';
import { TARGET_NAMES, targetNamed } from './targets.js';
import { describeAtNight, isNight, itAtNight } from '../support/jest/lanes.js';

/* A short run of each target. Longer runs: `npm run fuzz`. */

const CASES = isNight ? 25 : 8;

/** Runs mutated inputs. @returns findings as texts, without those about time, which other tests take, too. */
async function findingsOf(target: Target, parser: Parser, cases: number): Promise<string[]> {
  const findings: Finding[] = [];
  const fuzzer = new Fuzzer(target, parser, {
    cases,
    seed: 'suite',
    guide: UNGUIDED,
    onFinding: (finding) => findings.push(finding),
  });
  await fuzzer.run();
  return findings.filter(({ kind }) => kind === 'error').map(findingText);
}

afterAll(() => keepRecentKeys(false));

describe('a parser of foreign bytes throws only the errors that its callers expect', () => {
  test.each(TARGET_NAMES)('%s', async (name) => {
    const target = await targetNamed(name);
    expect(await findingsOf(target, await target.prepare(), CASES)).toEqual([]);
  });
});

describe('a run', () => {
  const fragile = (fails: (input: Uint8Array) => boolean): Target => ({
    name: 'fragile',
    errors: [RangeError],
    modules: [],
    maxBytes: 64,
    prepare: () => ({
      seeds: [Uint8Array.of(1, 2, 3)],
      run(input) {
        if (input.length > 10) throw new RangeError('too long');
        if (fails(input)) throw new TypeError('a bug');
      },
    }),
  });

  it('finds an error that the target does not list, and no other', async () => {
    const target = fragile((input) => input[0] === 0xff);
    const found = await findingsOf(target, await target.prepare(), 2000);
    expect(found).toEqual([expect.stringMatching(/^fragile: error: TypeError: a bug.*\n {2}ff/)]);
    const sound = fragile(() => false);
    expect(await findingsOf(sound, await sound.prepare(), 2000)).toEqual([]);
  });

  it('has the same inputs for the same seed', async () => {
    const inputs = async (seed: string): Promise<string[]> => {
      const seen: string[] = [];
      const target = fragile(() => false);
      const fuzzer = new Fuzzer(target, await target.prepare(), {
        cases: 100,
        seed,
        guide: UNGUIDED,
        onCase(input) {
          const hex = Buffer.from(input).toString('hex');
          // A case that takes longer than all before is repeated.
          if (hex !== seen.at(-1)) seen.push(hex);
        },
        onFinding: () => undefined,
      });
      await fuzzer.run();
      return seen;
    };
    const first = await inputs('a');
    expect(await inputs('a')).toEqual(first);
    expect(await inputs('b')).not.toEqual(first);
  });

  it('keeps the inputs that reach new code, found by halves of a batch', async () => {
    const reached = new Set<number>();
    let now = new Set<number>();
    let marked: number[] = [];
    const target = fragile(() => false);
    const { seeds } = await target.prepare();
    const kept: Uint8Array[] = [];
    const fuzzer = new Fuzzer(
      target,
      { seeds, run: (input) => now.add(input[0] ?? -1) },
      {
        cases: 500,
        seed: 'kept',
        guide: {
          reachedNew() {
            marked = [...now].filter((one) => !reached.has(one));
            for (const one of marked) reached.add(one);
            now = new Set();
            return marked.length > 0;
          },
          forget() {
            const forgotten = marked;
            for (const one of forgotten) reached.delete(one);
            marked = [];
            return () => forgotten.forEach((one) => reached.add(one));
          },
        },
        onKept: (input) => kept.push(input),
        onFinding: () => undefined,
      },
    );
    await fuzzer.run();
    const firsts = kept.map((input) => input[0] ?? -1);
    expect(new Set(firsts).size).toBe(firsts.length);
    // The seed begins with 1.
    expect(new Set([1, ...firsts])).toEqual(reached);
    expect(reached.size).toBeGreaterThan(20);
  });
});

/** Limits that no case exceeds, on a slow machine either. */
const WIDE: Limits = {
  ...{ ms: 60_000, bytes: 2 ** 40, hangMs: 120_000, watchMs: 100, idleSeconds: 600, heapMib: 512 },
};

describeAtNight('a run in a process', () => {
  const run = async (target: string, options: Partial<RunOptions> = {}): Promise<[RunResult, Finding[]]> => {
    const findings: Finding[] = [];
    const result = await fuzzTarget(target, {
      ...{ cases: 400, seed: 'suite', guided: false, limits: WIDE },
      onFinding: (finding) => findings.push(finding),
      ...options,
    });
    return [result, findings];
  };

  it('reports the branches of the target, and keeps its seeds', async () => {
    const [{ coverage, cases, kept }, findings] = await run('fingerprint', { guided: true, cases: 300 });
    expect(coverage).toMatchObject([{ module: 'util/certificates' }]);
    expect(coverage?.[0]?.covered).toBeGreaterThan(0);
    expect({ cases, findings }).toEqual({ cases: 300, findings: [] });
    // The target has two seeds.
    expect(kept).toBeGreaterThanOrEqual(2);
  });

  it.each<[string, Finding['kind'], RegExp, Partial<Limits>]>([
    ['planted-error', 'error', /^TypeError: a bug/, {}],
    ['planted-rejection', 'error', /^TypeError: a bug/, {}],
    ['planted-crash', 'crash', /ended with SIGABRT/, {}],
    ['planted-throw', 'crash', /outside of the call/, {}],
    ['planted-slow', 'slow', /^takes \d+ ms$/, { ms: 100 }],
    ['planted-hang', 'hang', /^does not end within 0.6 s of processor time/, { hangMs: 600 }],
    ['planted-wait', 'hang', /^waits without an end/, { idleSeconds: 2 }],
    ['planted-memory', 'memory', /^the process grows by \d+ MiB/, { bytes: 32 * 2 ** 20 }],
    ['planted-heap', 'memory', /^objects take more than 64 MiB/, { heapMib: 64 }],
  ])('finds %s', async (target, kind, text, limits) => {
    // The run ends with the first finding.
    const found = new AbortController();
    const findings: Finding[] = [];
    await fuzzTarget(target, {
      ...{ cases: 100_000, seed: 'suite', guided: false, signal: found.signal },
      limits: { ...WIDE, ...limits },
      onFinding(finding) {
        findings.push(finding);
        found.abort();
      },
    });
    expect(findings[0]).toMatchObject({ target, kind, text: expect.stringMatching(text) });
    expect([...(findings[0]?.input.subarray(0, 3) ?? [])]).toEqual([0x42, 0x55, 0x47]);
    expect(new Set(findings.map((one) => one.kind))).toEqual(new Set([kind]));
  });

  it('goes on to the number of cases with another process when one ends', async () => {
    // One of the first 1000 cases of this seed ends the process.
    const [{ cases }, findings] = await run('planted-throw', { cases: 1000 });
    expect({ cases, kinds: findings.map(({ kind }) => kind) }).toEqual({ cases: 1000, kinds: ['crash'] });
  });
});

describe('a campaign', () => {
  let out = '';
  const inOut = { seed: 'suite', limits: WIDE };
  beforeEach(() => void (out = mkdtempSync(join(tmpdir(), 'fuzz-'))));
  afterEach(() => rmSync(out, { recursive: true }));

  it('is guided in the first fifth of each half million cases', () => {
    const parts: string[] = [];
    for (let from = 0; from < 1_000_000;) {
      const { cases, guided } = nextPart(from, 1_000_000);
      parts.push(`${cases} ${guided ? 'guided' : 'unguided'}`);
      from += cases;
    }
    const half = ['100000 guided', '400000 unguided'];
    expect(parts).toEqual([...half, ...half]);
    expect(nextPart(90_000, 95_000)).toEqual({ from: 90_000, cases: 5000, guided: true });
    expect(nextPart(130_000, 1_000_000)).toEqual({ from: 130_000, cases: 370_000, guided: false });
  });

  itAtNight('goes on in the same directory, with the inputs that it kept', async () => {
    const options = { ...inOut, out };
    const first = await runCampaign('instant', { ...options, cases: 300 });
    expect(first).toMatchObject({ cases: 300, guidedCases: 300, findings: [] });
    const second = await runCampaign('instant', { ...options, cases: 500 });
    expect(second).toMatchObject({ cases: 500, guidedCases: 500 });
    expect(second.seeds.map(({ from }) => from)).toEqual([0, 300]);
    expect(second.kept).toBeGreaterThanOrEqual(first.kept);
    expect(second.cpuMs).toBeGreaterThan(first.cpuMs);
    expect(await runCampaign('instant', { ...options, cases: 500 })).toEqual(second);
    expect(markdownOf([second], 'suite')).toContain('| instant | 500 | 500 |');
  });

  itAtNight('takes a finding as mended when the parser withstands its input', async () => {
    const options = { ...inOut, out, cases: 3000 };
    const report = await runCampaign('planted-error', options);
    expect(report).toMatchObject({ findings: [{ kind: 'error' }], mended: [] });
    expect(await runCampaign('planted-error', options)).toMatchObject({ findings: report.findings });
    const [finding] = report.findings;
    writeFileSync(join(out, String(finding?.file)), 'an input without a defect');
    expect(await runCampaign('planted-error', options)).toMatchObject({
      findings: [],
      mended: report.findings,
    });
  });

  describeAtNight('that is stopped', () => {
    const main = fileURLToPath(new URL('main.js', import.meta.url));
    const start = (cases: number): ChildProcess =>
      spawn(process.execPath, [main, '--only', 'fingerprint', '--cases', String(cases), '--out', out], {
        stdio: 'ignore',
      });
    const casesNow = (): number => reportOf(out, 'fingerprint').cases;

    it.each(['SIGTERM', 'SIGKILL'] as const)('keeps its cases after %s', async (signal) => {
      const program = start(1e9);
      await until('the first cases', () => casesNow() > 0);
      const before = casesNow();
      program.kill(signal);
      await once(program, 'exit');
      const { cases, kept } = reportOf(out, 'fingerprint');
      expect(cases).toBeGreaterThanOrEqual(before);
      if (signal !== 'SIGKILL') expect(kept).toBeGreaterThan(0);
      const [code] = (await once(start(cases + 100), 'exit')) as [number];
      expect(code).toBe(0);
      expect(casesNow()).toBe(cases + 100);
      expect(readFileSync(join(out, 'report.md'), 'utf8')).toContain(`| fingerprint | ${cases + 100} |`);
    });
  });
});
