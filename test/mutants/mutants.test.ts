import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, test } from '@jest/globals';
import { EXPLAINED } from './explained.js';
import { mutantsIn, mutantsOf, withSwitches, type Mutant } from './mutants.js';
import { areaTable, score, type Judged } from './report.js';
import { SWITCHES } from './switches.js';
import { parseModule } from './syntax-tree.js';
import { TARGETS, TARGET_FILES, compiledFile } from './target-files.js';

const mutants = (code: string): Mutant[] => mutantsIn('example', code, () => 1);
const changes = (code: string): string[] => mutants(code).map(({ from, to }) => `${from} → ${to}`);

describe('mutants', () => {
  test.each([
    ['a comparison: its boundary, and its opposite', 'x = a < b;', ['a < b → a <= b', 'a < b → a >= b']],
    ['a connective', 'x = a && b;', ['a && b → a || b']],
    ['a default: either side alone', 'x = a ?? b;', ['a ?? b → a', 'a ?? b → b']],
    ['arithmetic', 'x = a + 1n;', ['a + 1n → a - 1n', '1n → 1n + 1n']],
    ['a condition', 'if (a) b;', ['a → true', 'a → false']],
    ['a statement without which nothing is kept', 'keep(a);', ['keep(a) → undefined']],
    ['a part of an object', 'x = { ...a };', ['a → {}']],
    ['an optional chain', 'x = a?.b.c;', ['a?.b.c → a.b.c']],
    ['a filter', 'x = a.filter(f);', ['a.filter(f) → a']],
    ['a short text', "x = 'paid';", ["'paid' → ''"]],
    [
      'a condition of SQL',
      "x = 'SELECT 1 FROM t WHERE a > ? AND b IS NULL';",
      [
        "'SELECT 1 FROM t WHERE a > ? AND b IS NULL' → 'SELECT 1 FROM t WHERE a >= ? AND b IS NULL'",
        "'SELECT 1 FROM t WHERE a > ? AND b IS NULL' → 'SELECT 1 FROM t WHERE a > ? OR b IS NULL'",
        "'SELECT 1 FROM t WHERE a > ? AND b IS NULL' → 'SELECT 1 FROM t WHERE a > ? AND b IS NOT NULL'",
      ],
    ],
  ])('change %s', (_, code, expected) => {
    const statement = code.startsWith('x = ') ? [`${code.slice(0, -1)} → undefined`] : [];
    expect(changes(code)).toEqual([...statement, ...expected]);
  });

  test.each([
    ['texts for people', "x: throw new Error('a text with spaces');"],
    ['names of members', "const x = { 'a-b': c };"],
    ['lines of logs', 'log.info(a);'],
    ['imports', "import a from 'b';"],
    ['methods with names that every object has', 'const x = a.toString(b);'],
  ])('leave out %s', (_, code) => {
    expect(changes(code)).toEqual([]);
  });

  it('keep their identifiers when lines are added, and have one each', () => {
    const code = 'function f() { return a < b || a < b; }';
    const ids = mutants(code).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(mutants(`const other = call();\n\n${code}`).map(({ id }) => id)).toEqual(
      expect.arrayContaining(ids),
    );
  });

  it('are off until they are chosen, one at a time', () => {
    const code = 'return (a < b ? [...c, 1] : d?.e ?? 2);';
    const inFunction = `function f(a, b, c, d) { ${code} }`;
    const all = mutants(inFunction);
    const switched = withSwitches(inFunction, all);
    const run = (active: string | undefined): unknown => {
      const result: unknown = runInNewContext(`${switched}; f(1, 1, [3], { e: 4 })`, {
        [SWITCHES]: { active },
      });
      return structuredClone(result);
    };
    expect(run(undefined)).toBe(4);
    const results = Object.fromEntries(all.map(({ id, from, to }) => [`${from} → ${to}`, run(id)]));
    expect(results).toMatchObject({
      'a < b → a <= b': [3, 1],
      'a < b → false': 4,
      'd?.e ?? 2 → 2': 2,
      'd?.e → d.e': 4,
    });
  });

  test.each(TARGET_FILES)('leave a module with the syntax of JavaScript: %s', (file) => {
    const code = withSwitches(readFileSync(compiledFile(file), 'utf8'), mutantsOf(file));
    expect(() => parseModule(code)).not.toThrow();
  });

  it('lie in files that decide about money', () => {
    expect([...TARGETS].filter(([, files]) => files.length === 0)).toEqual([]);
    expect(TARGET_FILES).toContain('services/payments/spend-guard');
  });
});

describe('explanations', () => {
  it('belong to mutants that exist, one each', () => {
    const known = new Set(TARGET_FILES.flatMap((file) => mutantsOf(file)).map(({ id }) => id));
    expect(EXPLAINED.filter(({ id }) => !known.has(id))).toEqual([]);
    expect(new Set(EXPLAINED.map(({ id }) => id)).size).toBe(EXPLAINED.length);
  });
});

describe('the score', () => {
  const judged = (verdict: Judged['verdict'], reason?: string): Judged => ({
    ...(mutants('x = a && b;')[0] as Mutant),
    verdict,
    ...(reason === undefined ? {} : { reason }),
  });

  it('counts mutants that no test reaches as survivors, and leaves out explained ones', () => {
    const all = [judged('killed'), judged('timeout'), judged('survived'), judged('unreached')];
    expect(score(all)).toBe(50);
    expect(score([...all, judged('survived', 'equivalent')])).toBe(50);
  });

  it('of an area that is not judged as a whole is the least that it can be', () => {
    const some = [judged('killed'), judged('crash'), judged('survived'), judged('unreached', 'equivalent')];
    const [, , row, sum] = areaTable([{ area: 'orders', files: 2, mutants: 10, judged: some }]);
    const cells = (line = ''): string[] => line.split('|').map((cell) => cell.trim());
    expect(cells(row)).toEqual(['', 'orders', '2', '10', '2', '1', '1', '6', 'at least 22.2', '']);
    expect(cells(sum).slice(2)).toEqual(cells(row).slice(2));
    const [, , whole] = areaTable([{ area: 'orders', files: 2, mutants: 4, judged: some }]);
    expect(cells(whole).at(-2)).toBe('66.7');
  });
});
