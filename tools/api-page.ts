import { INVALID_PARAMS } from '../src/http/calls/errors.js';
import { resultSchema, type ApiVersion } from '../src/rpc/api-version.js';
import { jsonSchemaOf } from '../src/rpc/discovery/json-schema.js';
import { errorsOf, ownKinds } from '../src/rpc/discovery/method-errors.js';
import { needsPayments, type Example, type Scope, type WalletMethod } from '../src/rpc/method.js';
import { markdownTable } from './markdown-table.js';
import { schemaRows, type SchemaRow } from './schema-rows.js';

/** Method of the reference, with the releases that have it. */
export interface KnownMethod {
  readonly name: string;
  readonly in: readonly string[];
}

const SCOPE_OF_NEED = { nothing: 'server', directory: 'directory', wallet: 'wallet' } as const;

const ACTS_ON: Readonly<Record<Scope, string>> = {
  server: 'Acts on the server.',
  directory: 'Acts on the wallet directory.',
  wallet: 'Acts on the wallet of the path.',
  wallets: 'Acts on the wallet of the path; under `/json_rpc` on all open wallets.',
  named:
    'Acts on the wallet of the path; under `/json_rpc` on the open wallet `wallet`, or the current one (-13).',
};

const NEEDS = {
  nothing: '',
  directory: 'Needs `--wallet-dir` (-23).',
  wallet: 'Needs an open wallet (-13).',
} as const;

const MULTISIG = {
  absent: 'Refused on a multisig wallet (-28).',
  begun: 'Needs a multisig wallet (-31).',
  ready: 'Needs a multisig wallet with a complete key exchange (-31).',
  unready: 'Refused once the key exchange is complete (-28).',
} as const;

function conditionsOf({ meta, actsOn }: WalletMethod): string {
  return [
    ACTS_ON[actsOn ?? SCOPE_OF_NEED[meta.needs]],
    `A [credential](credentials.md) needs the family \`${meta.family}\`, or the name of the method, among its \`methods\` (-60).`,
    NEEDS[meta.needs],
    meta.restricted ? 'Refused in restricted mode (-7).' : 'Answered in restricted mode.',
    meta.account === 'legacy' ? 'Needs an account with the old keys (-74).' : '',
    needsPayments(meta) ? 'Refused on a wallet that makes addresses alone (-75).' : '',
    meta.spendKey ? 'Refused on a view-only wallet (-29).' : '',
    meta.multisig === undefined ? '' : MULTISIG[meta.multisig],
    meta.multisigEnabled ? 'Interface 1.32: a multisig wallet needs the multisig setting (-48).' : '',
    meta.foreground ? 'Refused during background sync (-52) and on a background wallet (-51).' : '',
    meta.trustedDaemon ? 'Needs a trusted daemon (-1).' : '',
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

function originOf(known: KnownMethod | undefined): string[] {
  if (known === undefined) return ['An addition to `monero-wallet-rpc`.', ''];
  return known.in.includes('0.18') ? [] : ['Not in `monero-wallet-rpc` 0.18; later releases have it.', ''];
}

const code = (text: string): string => `\`${text}\``;

function defaultOf({ initial, required, type }: SchemaRow): string {
  if (initial !== undefined) return code(initial);
  if (required) return 'required';
  return type.startsWith('list') ? code('[]') : 'optional';
}

function paramLines(method: WalletMethod): string[] {
  const rows = schemaRows(jsonSchemaOf(method.params));
  if (rows.length === 0) return ['No parameters.', ''];
  const head = ['parameter', 'type', 'default', 'meaning'];
  return [
    ...markdownTable(
      head,
      rows.map((row) => [code(row.path), row.type, defaultOf(row), row.description]),
    ),
    '',
  ];
}

/** Writes the parameters that only other methods take. */
const othersLines = ({ others = {} }: WalletMethod): string[] =>
  Object.keys(others).length === 0
    ? []
    : [
        `Refuses parameters of other methods (-32602): ${Object.entries(others)
          .map(([name, shape]) => `${Object.keys(shape).map(code).join(', ')} of \`${name}\``)
          .join('; ')}.`,
        '',
      ];

const isList = ({ type }: SchemaRow): boolean => type.startsWith('list');

function resultTable(method: WalletMethod, version: ApiVersion): string[] {
  const rows = schemaRows(jsonSchemaOf(resultSchema(version, method)));
  if (rows.length === 0) return ['Returns an empty object.'];
  return markdownTable(
    ['result', 'type', 'meaning'],
    rows.map((row) => [
      code(row.path),
      row.required || isList(row) ? row.type : `${row.type}, optional`,
      row.description,
    ]),
  );
}

/** Writes the table of the result; one table for each API version if they differ. */
function resultLines(method: WalletMethod): string[] {
  const [older, newer] = [resultTable(method, '1.3'), resultTable(method, '1.32')];
  if (older.join() === newer.join()) return [...older, ''];
  return ['Under `--api-version 1.3`:', '', ...older, '', 'Under `--api-version 1.32`:', '', ...newer, ''];
}

/** Longest message of an error on the page [characters]. */
const MAX_MESSAGE = 120;

/** Writes the errors of a method, except those of its conditions. */
function errorLine(method: WalletMethod, conditions: string): string[] {
  const errors = errorsOf(method, ownKinds(method)).filter(
    ({ code: number }) => number > INVALID_PARAMS && !conditions.includes(`(${number})`),
  );
  if (errors.length === 0) return [];
  const texts = errors.map(({ code: number, message }) => {
    const short = message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message;
    return `${number} ${short.replaceAll(/\s+/g, ' ').replace(/\.$/, '').replaceAll('_', '\\_')}`;
  });
  return [`Errors: ${texts.join('; ')}.`, ''];
}

/** Longest line of JSON [characters]. */
const WIDTH = 110;

/**
 * Writes JSON in the form that the format check demands: objects on several lines, a list of plain values on one line
 * if it fits.
 * @param column column of the first character.
 */
function jsonText(value: unknown, indent = '', column = 0): string {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const over = (open: string, parts: readonly string[], close: string): string =>
    `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${indent}${close}`;
  if (Array.isArray(value)) {
    const items = (value as readonly unknown[]).map((item) => jsonText(item, inner, inner.length));
    const line = `[${items.join(', ')}]`;
    // Leaves room for a comma after the list.
    return line.includes('\n') || column + line.length >= WIDTH ? over('[', items, ']') : line;
  }
  const members = Object.entries(value).map(([key, item]) => {
    const name = `${JSON.stringify(key)}: `;
    return name + jsonText(item, inner, inner.length + name.length);
  });
  return members.length === 0 ? '{}' : over('{', members, '}');
}

const exampleLines = (method: string, { name, params, result }: Example): string[] => [
  `Example, ${name}:`,
  '',
  ...['```json', jsonText({ method, params }), '```', '', '```json', jsonText({ result }), '```', ''],
];

function section(method: WalletMethod, known: KnownMethod | undefined): string[] {
  const { name, aliases = [], summary, examples = () => [] } = method;
  const conditions = conditionsOf(method);
  return [
    `## ${name}`,
    '',
    summary,
    '',
    ...(aliases.length === 0
      ? []
      : [`Also called ${aliases.map((alias) => `\`${alias}\``).join(', ')}.`, '']),
    ...originOf(known),
    conditions,
    '',
    ...paramLines(method),
    ...othersLines(method),
    ...resultLines(method),
    ...errorLine(method, conditions),
    ...examples().flatMap((example) => exampleLines(name, example)),
  ];
}

/**
 * Writes the reference page of all methods as Markdown, sorted by name.
 * @param known methods of the reference; all others are marked as additions.
 * @throws Error for a schema that the page cannot describe.
 */
export function apiPage(methods: readonly WalletMethod[], known: readonly KnownMethod[]): string {
  const sorted = [...methods].sort((a, b) => (a.name < b.name ? -1 : 1));
  return [
    '# Methods',
    '',
    'Written by `npm run docs` from the method registry, `src/rpc/registry.ts`: edit that.',
    '',
    'Calls are JSON-RPC 2.0 over `POST`. `/wallet/<name>/json_rpc` acts on the named wallet, `/json_rpc` on the current',
    'one. Integers keep all their digits, and may be quoted. An absent parameter, or one that is `null`, takes its',
    'default. Unknown parameters, and values in place of lists, are ignored by methods that the reference has, except members of',
    '`destinations` and `index` that are misspelt; the additions of this server refuse them with -32602, unknown ones with a',
    'suggestion. Results of methods that the reference has lack lists that are empty; those of the additions of this server have',
    'all lists. Numbers in brackets are error codes; every method may also return',
    '-32603, and one that uses files of wallets -1 where a file is damaged, cannot be read, or cannot be written. The',
    'family of a method is the group that a [credential](credentials.md) allows or denies.',
    '',
    '| code | error of every method                                                                                       | HTTP status                                                 |',
    '| ---- | ----------------------------------------------------------------------------------------------------------- | ----------------------------------------------------------- |',
    '| -60  | the credential does not allow the call                                                                      | 200; 401 and 403 if it is no longer valid, 429 for its rate |',
    '| -69  | the wallet is [being opened](many-wallets.md), or the server starts: nothing of the call has run, repeat it | 503 with `Retry-After`                                      |',
    '',
    '`rpc.discover` returns all of this as an OpenRPC document.',
    '',
    ...sorted.flatMap((method) =>
      section(
        method,
        known.find(({ name }) => name === method.name),
      ),
    ),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n');
}
