import { expect, test } from '@jest/globals';

interface Comment {
  readonly value: string;
  readonly range: readonly [number, number];
}

interface Rule {
  create(context: object): { Program(): void };
}

const { default: plugin } = (await import(
  new URL('../../../tools/plain-comments.js', import.meta.url).href
)) as { default: { rules: { 'plain-comments': Rule } } };

/** Names of the problems that the rule reports for a text with one comment. */
function problemsOf(text: string): string[] {
  const found = /\/\*(.*?)\*\//s.exec(text);
  if (found === null) throw new Error('a comment');
  const range = [found.index, found.index + found[0].length] as const;
  const comment: Comment = { value: found[1] ?? '', range };
  const problems: string[] = [];
  plugin.rules['plain-comments']
    .create({
      sourceCode: { text, getAllComments: () => [comment] },
      report: ({ messageId }: { messageId: string }) => void problems.push(messageId),
    })
    .Program();
  return problems;
}

test.each([
  ['a sentence before its tags', '/** Reads a key. @throws Error for none. */\nfunction read() {}', []],
  ['only tags before a constructor', '/** @param size [bytes]. */\n  constructor(size) {}', []],
  [
    'only tags before a private constructor',
    '/** @param size [bytes]. */\n  private constructor(size) {}',
    [],
  ],
  ['only tags on a line', '/** @returns a key. */\nfunction read() {}', ['tag']],
  [
    'only tags on several lines',
    '/**\n * @param size [bytes].\n * @throws Error\n */\nfunction read() {}',
    ['tag'],
  ],
  ['an opening in place of a noun', '/** What is read. */\nconst read = 1;', ['vague']],
])('the lint rule of comments judges %s', (_, text, problems) => {
  expect(problemsOf(text)).toEqual(problems);
});
