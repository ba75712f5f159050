import { z } from 'zod';
import type { WalletMethod } from '../src/rpc/method.js';
import { membersOf, type ClientType, type Member } from './client-schema.js';
import { commentLines, interfaceLines, nameOf, optionsLines, signatureLines, WIDTH } from './typescript-lines.js';

/** Names of objects in several results, by the first member that has them. */
const NAMES: Readonly<Record<string, string>> = {
  GetEventsEvents: 'WalletEvent',
};

/** Part of a file that declares one type. */
interface Declaration {
  readonly name: string;
  readonly lines: readonly string[];
}

/** Collects the types of all methods; equal objects become one interface. */
class TypeCollector {
  readonly declarations: Declaration[] = [];
  readonly #named = new Map<string, string>();

  /** Declares the interface of an object. @param wish name, unless an equal object has one. */
  object(wish: string, members: readonly Member[], summary = ''): string {
    const lines = members.flatMap((member) => this.#memberLines(wish, member));
    const text = lines.join('\n');
    const known = this.#named.get(text);
    if (known !== undefined && summary === '') return known;
    const name = this.#free(NAMES[wish] ?? wish);
    if (summary === '') this.#named.set(text, name);
    this.declarations.push({ name, lines: interfaceLines(name, lines, summary) });
    return name;
  }

  #free(name: string): string {
    if (this.declarations.some((declared) => declared.name === name))
      throw new Error(`two types are called ${name}`);
    return name;
  }

  #memberLines(owner: string, member: Member): string[] {
    const { name, isOptional, description, default: fallback } = member;
    const notes = [
      ...(description === '' ? [] : [description]),
      ...(fallback === undefined ? [] : [`Default: \`${fallback}\``]),
    ];
    const type = this.#typeText(`${owner.replace(/(?:Params|Result)$/, '')}${nameOf(name)}`, member.type);
    const head = `  readonly ${name}${isOptional ? '?' : ''}:`;
    const lines =
      member.type.kind === 'choice' && head.length + type.length + 2 > WIDTH
        ? optionsLines(head, member.type.options)
        : [`${head} ${type};`];
    return [...commentLines(notes.map((note) => `${note}.`).join(' '), '  '), ...lines];
  }

  #typeText(wish: string, type: ClientType): string {
    switch (type.kind) {
      case 'plain':
        return type.text;
      case 'choice':
        return type.options.map((option) => `'${option}'`).join(' | ');
      case 'list': {
        const item = this.#typeText(wish, type.item);
        return /^\w+$/.test(item) ? `readonly ${item}[]` : `readonly (${item})[]`;
      }
      case 'object':
        return this.object(wish, type.members);
      case 'union':
        return this.#union(wish, type.variants);
    }
  }

  /** Declares a union of objects, each named by the literal of its member `type`. */
  #union(wish: string, variants: readonly ClientType[]): string {
    const names = variants.map((variant) => {
      if (variant.kind !== 'object') throw new Error(`${wish}: a union of other types than objects`);
      const tag = variant.members.find(({ name }) => name === 'type')?.type;
      if (tag?.kind !== 'choice' || tag.options[0] === undefined)
        throw new Error(`${wish}: a variant without a literal type`);
      return this.object(`${nameOf(tag.options[0])}Event`, variant.members);
    });
    const name = this.#free(NAMES[wish] ?? wish);
    this.declarations.push({ name, lines: [`export type ${name} =`, ...names.map((one) => `  | ${one}`)] });
    return name;
  }
}

const isOrder = ({ members }: { readonly members: readonly Member[] }): boolean =>
  members.some(({ name }) => name === 'idempotency_key');

/** Whether a call may be sent again: always, with an idempotency key, or never. */
function kindOf({ meta }: WalletMethod, params: readonly Member[]): 'read' | 'order' | 'act' {
  if (meta.family === 'view') return 'read';
  return isOrder({ members: params }) ? 'order' : 'act';
}

/** Shape of a value for the conversion of results; undefined if it follows the rule for all integers. */
function shapeText(type: ClientType): string | undefined {
  switch (type.kind) {
    case 'plain':
      return type.text === 'bigint' ? 'B' : undefined;
    case 'choice':
      return undefined;
    case 'list':
      return `[${shapeText(type.item) ?? ''}]`;
    case 'object':
      return shapeOfMembers(type.members);
    case 'union':
      return shapeOfMembers(type.variants.flatMap((one) => (one.kind === 'object' ? one.members : [])));
  }
}

/** @throws Error if members of one name differ in their shapes. */
function shapeOfMembers(members: readonly Member[]): string | undefined {
  const shapes = new Map<string, string>();
  for (const name of new Set(members.map((member) => member.name))) {
    const variants = members.filter((member) => member.name === name);
    const objects = variants.flatMap(({ type }) => (type.kind === 'object' ? type.members : []));
    const texts = new Set(variants.map(({ type }) => shapeText(type)));
    const text = objects.length > 0 ? shapeOfMembers(objects) : [...texts][0];
    if (objects.length === 0 && texts.size > 1) throw new Error(`variants of ${name} have two shapes`);
    if (text !== undefined) shapes.set(name, text);
  }
  if (shapes.size === 0) return undefined;
  return `{ ${[...shapes].map(([name, text]) => `${name}: ${text}`).join(', ')} }`;
}

interface Described {
  readonly method: WalletMethod;
  readonly params: readonly Member[];
  readonly result: readonly Member[];
}

function describe(method: WalletMethod): Described {
  const { name, params } = method;
  const result = method.result?.();
  if (!(params instanceof z.ZodObject) || result === undefined) throw new Error(`${name}: no schemas`);
  return { method, params: membersOf(params, 'params'), result: membersOf(result, 'result') };
}

const describeAll = (methods: readonly WalletMethod[]): Described[] =>
  [...methods].sort((a, b) => (a.name < b.name ? -1 : 1)).map(describe);

const HEAD = '// Written by `npm run docs` from the method registry, `src/rpc/registry.ts`: edit that.';

/** Writes the types of all methods: parameters, results, and an interface of the methods themselves. */
export function clientTypes(methods: readonly WalletMethod[]): string {
  const types = new TypeCollector();
  const signatures = describeAll(methods).flatMap(({ method, params, result }) => {
    const { name, summary } = method;
    const type = nameOf(name);
    const kind = kindOf(method, params);
    const isRequired = params.some(({ isOptional }) => !isOptional);
    const given = params.length === 0 ? 'NoMembers' : types.object(`${type}Params`, params, `Parameters of ${name}.`);
    const returned = result.length === 0 ? 'NoMembers' : types.object(`${type}Result`, result, `Result of ${name}.`);
    const options = kind === 'order' ? 'OrderOptions' : 'CallOptions';
    return [
      ...commentLines(summary, '  '),
      ...signatureLines(
        name,
        [`params${isRequired ? '' : '?'}: ${given}`, `options?: ${options}`],
        `Promise<${returned}>`,
      ),
    ];
  });
  return [
    HEAD,
    "import type { CallOptions, OrderOptions } from './call-options.js';",
    '',
    '/** Object without members. */',
    'export type NoMembers = Readonly<Record<string, never>>;',
    '',
    ...types.declarations.flatMap(({ lines }) => [...lines, '']),
    '/** Types of events. */',
    "export type EventType = WalletEvent['type'];",
    '',
    '/** Methods of the server. */',
    'export interface WalletMethods {',
    ...signatures,
    '}',
    '',
  ].join('\n');
}

/** Writes the facts about methods that the client needs when it runs. */
export function clientTable(methods: readonly WalletMethod[]): string {
  const all = describeAll(methods);
  const key = (name: string): string => (/^\w+$/.test(name) ? name : `'${name}'`);
  return [
    HEAD,
    "import type { Shape } from './results.js';",
    '',
    '/** Whether a call may be sent again: always, with an idempotency key, or never. */',
    "export type MethodKind = 'read' | 'order' | 'act';",
    '',
    '/** All methods. */',
    'export const METHOD_KINDS = {',
    ...all.map(({ method, params }) => `  ${key(method.name)}: '${kindOf(method, params)}',`),
    '} as const satisfies Readonly<Record<string, MethodKind>>;',
    '',
    "const B = 'bigint';",
    '',
    '/** Results with bigints or lists. */',
    '// prettier-ignore',
    'export const RESULT_SHAPES = {',
    ...all.flatMap(({ method, result }) => {
      const shape = shapeOfMembers(result);
      return shape === undefined ? [] : [`  ${key(method.name)}: ${shape},`];
    }),
    '} as const satisfies Readonly<Record<string, Shape>>;',
    '',
  ].join('\n');
}
