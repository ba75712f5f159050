import { z } from 'zod';
import { atomic, flag, height, i8, text, u32, u64 } from '../src/jsonrpc/params.js';
import type { WalletMethod } from '../src/rpc/method.js';

/** Method of the reference, by the releases that have it. */
export interface KnownMethod {
  readonly name: string;
  readonly in: readonly string[];
}

type Scope = 'server' | 'directory' | 'wallet' | 'wallets' | 'named';

/** Methods that act on more or less than the conditions of their call say. */
const SCOPES: Readonly<Record<string, Scope>> = {
  set_daemon: 'server',
  stop_wallet: 'server',
  auto_refresh: 'wallet',
  list_wallets: 'directory',
  get_events: 'wallets',
  add_webhook: 'named',
  list_webhooks: 'named',
  remove_webhook: 'named',
  enable_webhook: 'named',
  rotate_webhook_secret: 'named',
  list_deliveries: 'named',
  redeliver_webhook: 'named',
};

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

const LEAVES = new Map<z.core.$ZodType, string>([
  [text, 'string'],
  [flag, 'boolean'],
  [u32, 'unsigned 32-bit integer'],
  [u64, 'unsigned 64-bit integer'],
  [i8, 'signed 8-bit integer'],
  [height, 'height or count'],
  [atomic, 'amount in atomic units'],
]);

/** Type of a parameter; members of an object, for which a list or an object is documented with indented items. */
interface ParamType {
  readonly name: string;
  readonly members?: z.core.$ZodShape;
}

/** @throws Error for a schema that the page cannot describe. */
function typeOf(schema: z.core.$ZodType): ParamType {
  const leaf = LEAVES.get(schema);
  if (leaf !== undefined) return { name: leaf };
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional) return typeOf(schema.def.innerType);
  if (schema instanceof z.ZodObject) return { name: 'object', members: schema.shape };
  if (schema instanceof z.ZodEnum)
    return { name: `one of ${schema.options.map((option) => `\`${option}\``).join(', ')}` };
  if (schema instanceof z.ZodArray) return { name: `list of: ${typeOf(schema.def.element).name}` };
  // A text with further conditions.
  if (schema instanceof z.ZodString) return { name: 'string' };
  const item = schema instanceof z.ZodType ? schema.meta()?.['item'] : undefined;
  if (item instanceof z.ZodType) {
    const { name, members } = typeOf(item);
    return { name: `list of: ${name}`, ...(members === undefined ? {} : { members }) };
  }
  throw new Error(`a schema without a description: ${schema._zod.def.type}`);
}

/** Default of a parameter as JSON; undefined if an absent one has a meaning of its own. */
function defaultOf(schema: z.core.$ZodType): string | undefined {
  if (!(schema instanceof z.ZodDefault)) return undefined;
  return JSON.stringify(schema.def.defaultValue, (_, value: unknown) =>
    typeof value === 'bigint' ? Number(value) : value,
  );
}

function paramLines(shape: z.core.$ZodShape, indent = ''): string[] {
  return Object.entries(shape).flatMap(([name, schema]) => {
    const { name: type, members } = typeOf(schema);
    const fallback = defaultOf(schema);
    const suffix =
      fallback !== undefined
        ? `, default \`${fallback}\``
        : schema instanceof z.ZodOptional
          ? ', optional'
          : type.startsWith('list')
            ? ', default `[]`'
            : ', required';
    return [
      `${indent}- \`${name}\`: ${type}${suffix}`,
      ...(members === undefined ? [] : paramLines(members, `${indent}  `)),
    ];
  });
}

function conditionsOf({ name, meta }: WalletMethod): string {
  const scope = SCOPES[name] ?? SCOPE_OF_NEED[meta.needs];
  return [
    ACTS_ON[scope],
    `Family \`${meta.family}\` (-60).`,
    NEEDS[meta.needs],
    meta.restricted ? 'Refused in restricted mode (-7).' : 'Answered in restricted mode.',
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

function section(method: WalletMethod, known: KnownMethod | undefined): string[] {
  const { name, aliases = [], summary, params } = method;
  if (!(params instanceof z.ZodObject)) throw new Error(`${name}: parameters are no object`);
  const lines = paramLines(params.shape as z.core.$ZodShape);
  return [
    `## ${name}`,
    '',
    summary,
    '',
    ...(aliases.length === 0
      ? []
      : [`Also called ${aliases.map((alias) => `\`${alias}\``).join(', ')}.`, '']),
    ...originOf(known),
    conditionsOf(method),
    '',
    ...(lines.length === 0 ? ['No parameters.'] : lines),
    '',
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
    'default; unknown parameters are ignored. Numbers in brackets are error codes. The family of a method is the group that',
    'a [credential](credentials.md) allows or denies.',
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
