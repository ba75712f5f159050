import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { mutationsAt } from './mutators.js';
import { SWITCHES } from './switches.js';
import { outermostFunction, parseModule, places, scopeOf } from './syntax-tree.js';
import { compiledFile } from './target-files.js';

/** Change to a source that a test should notice. */
export interface Mutant {
  /** Eight hexadecimal digits that depend on the changed expression and its function, not on its line. */
  readonly id: string;
  /** Source below `src`, without an extension. */
  readonly file: string;
  /** Line of the source. */
  readonly line: number;
  /** Function or variable around the change. */
  readonly scope: string;
  /** Digest of the outermost function around the change, or of its statement. */
  readonly code: string;
  readonly kind: string;
  readonly from: string;
  readonly to: string;
  /** Range of the changed expression in the compiled file. */
  readonly start: number;
  readonly end: number;
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** Returns eight hexadecimal digits. */
const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);

/** Finds the mutants in compiled code. @param lineAt maps a position in the code to a line of the source. */
export function mutantsIn(file: string, code: string, lineAt: (position: number) => number): Mutant[] {
  const counts = new Map<string, number>();
  const mutants: Mutant[] = [];
  for (const place of places(parseModule(code)))
    for (const { kind, node, text } of mutationsAt(code, place)) {
      const { start, end } = node;
      const scope = scopeOf(place.parents);
      const around = outermostFunction(place);
      const digest = digestOf(oneLine(code.slice(around.start, around.end)));
      const facts = JSON.stringify([file, scope, kind, oneLine(code.slice(start, end)), oneLine(text)]);
      const count = counts.get(facts) ?? 0;
      counts.set(facts, count + 1);
      const id = digestOf(`${facts}${count}`);
      const range = { from: code.slice(start, end), to: text, start, end };
      mutants.push({ id, file, line: lineAt(start), scope, code: digest, kind, ...range });
    }
  return mutants;
}

/** Finds the mutants of a compiled source. */
export function mutantsOf(file: string): Mutant[] {
  const path = compiledFile(file);
  const code = readFileSync(path, 'utf8');
  const map = new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')) as SourceMapPayload);
  return mutantsIn(file, code, (position) => {
    const before = code.slice(0, position).split('\n');
    const entry = map.findEntry(before.length - 1, before.at(-1)?.length ?? 0);
    return 'originalLine' in entry ? entry.originalLine + 1 : 0;
  });
}

/** Range of the code with the mutants that replace exactly it, and the ranges inside. */
interface Range {
  readonly start: number;
  readonly end: number;
  readonly mutants: Mutant[];
  readonly inner: Range[];
}

function nested(code: string, mutants: readonly Mutant[]): Range {
  const root: Range = { start: 0, end: code.length, mutants: [], inner: [] };
  const stack = [root];
  for (const mutant of mutants.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    let top = stack.at(-1) ?? root;
    while (mutant.start >= top.end && top !== root) {
      stack.pop();
      top = stack.at(-1) ?? root;
    }
    if (top !== root && top.start === mutant.start && top.end === mutant.end) top.mutants.push(mutant);
    else {
      const range = { start: mutant.start, end: mutant.end, mutants: [mutant], inner: [] };
      top.inner.push(range);
      stack.push(range);
    }
  }
  return root;
}

function render(code: string, { start, end, mutants, inner }: Range): string {
  let text = '';
  let at = start;
  for (const range of inner) {
    text += code.slice(at, range.start) + render(code, range);
    at = range.end;
  }
  text += code.slice(at, end);
  if (mutants.length === 0) return text;
  return `(${mutants.map(({ id, to }) => `$mutant("${id}")?(${to}):`).join('')}(${text}))`;
}

/**
 * Writes code that holds all mutants at once: `a < b` becomes `($mutant("…")?(a <= b):(a < b))`. Lines stay as they are
 * up to replaced texts of several lines.
 */
export const withSwitches = (code: string, mutants: readonly Mutant[]): string =>
  `${render(code, nested(code, mutants))}
function $mutant(id) { const all = globalThis.${SWITCHES}; all.reached?.add(id); return all.active === id; }
`;
