import { afterAll, describe, expect, it, test } from '@jest/globals';
import { keepRecentKeys } from '../../src/monero/crypto/kdf.js';
import { UNGUIDED } from './coverage.js';
import { findingText, Fuzzer, type Finding } from './fuzzer.js';
import type { Parser, Target } from './target.js';
import { TARGET_NAMES, targetNamed } from './targets.js';

/* A short run of each target. Longer runs: `npm run fuzz`. */

const CASES = 200;

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
        onCase: (input) => seen.push(Buffer.from(input).toString('hex')),
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
            for (const one of marked) reached.delete(one);
            marked = [];
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

describe('a run with coverage, in a thread', () => {
  it('reports the branches of the target, and finds more than its seeds reach', async () => {
    const { fuzzTarget } = await import('./supervisor.js');
    const options = { seed: 'suite', onFinding: () => undefined };
    const unmutated = await fuzzTarget('retry-after', { ...options, cases: 0 });
    const { coverage, cases, findings, kept } = await fuzzTarget('retry-after', { ...options, cases: 300 });
    expect(coverage).toMatchObject([{ module: 'net/webhooks/schedule' }]);
    expect(coverage[0]?.covered).toBeGreaterThan(0);
    expect({ cases, findings }).toEqual({ cases: 300, findings: [] });
    expect(kept).toBeGreaterThanOrEqual(unmutated.kept);
  });
});
