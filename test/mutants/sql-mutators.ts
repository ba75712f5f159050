/** Matches a literal that holds a statement of SQL, or a part of one. */
const SQL = /\b(?:SELECT|INSERT|UPDATE|DELETE|WHERE|JOIN|EXISTS|AND|IS NULL|IS NOT NULL)\b/;

export const isSql = (text: string): boolean => /^['"`]/.test(text) && SQL.test(text);

/** Changes to a statement: a pattern of the changed part and its replacements. */
const CHANGES: readonly (readonly [RegExp, readonly string[]])[] = [
  [/(?<= )<(?= )/g, ['<=']],
  [/(?<= )<=(?= )/g, ['<']],
  [/(?<= )>(?= )/g, ['>=']],
  [/(?<= )>=(?= )/g, ['>']],
  [/(?<=\b(?:WHERE|AND|OR|ON|WHEN)\s+\(?[\w.]+ )(?:=|IS)(?= (?!NOT|NULL))/g, ['<>']],
  [/(?<=\b(?:WHERE|AND|OR|ON|WHEN)\s+\(?[\w.]+ )(?:<>|IS NOT)(?= (?!NULL))/g, ['=']],
  [/(?<!BETWEEN \S+ )\bAND\b/g, ['OR']],
  [/(?<!\b(?:INSERT|UPDATE|REPLACE) )\bOR\b/g, ['AND']],
  [/\bIS NULL\b/g, ['IS NOT NULL']],
  [/\bIS NOT NULL\b/g, ['IS NULL']],
  [/\bNOT EXISTS\b/g, ['EXISTS']],
  [/(?<!NOT |IF )\bEXISTS\b/g, ['NOT EXISTS']],
  [/\bNOT IN\b/g, ['IN']],
  [/\bMAX\(/g, ['MIN(']],
  [/\bMIN\(/g, ['MAX(']],
  [/ DESC\b/g, ['']],
  [/(?<=[\w)?] )\+(?= [\w(?])/g, ['-']],
  [/(?<=[\w)?] )-(?= [\w(?])/g, ['+']],
];

/** Changes one comparison, connective or aggregate function of a statement at a time. */
export function* sqlMutations(text: string): Generator<string> {
  for (const [pattern, replacements] of CHANGES)
    for (const { index, 0: found } of text.matchAll(pattern))
      // Parts of a template between braces are no SQL.
      if (!/\$\{[^}]*$/.test(text.slice(0, index)))
        for (const other of replacements)
          yield text.slice(0, index) + other + text.slice(index + found.length);
}
