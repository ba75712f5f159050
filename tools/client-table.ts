import type { WalletMethod } from '../src/rpc/method.js';
import { clientMethods, HEAD } from './client-methods.js';
import type { ClientType, Member } from './client-schema.js';

/** Writes the shape of a value, by which the client converts results; undefined if the value needs no shape. */
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
    case 'either':
      return shapeOfMembers(type.variants.flatMap((one) => (one.kind === 'object' ? one.members : [])));
  }
}

/** Writes the shapes of members. @throws Error if two members with the same name have different shapes. */
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

/** Writes the module with the facts about methods that the client needs at run time. */
export function clientTable(methods: readonly WalletMethod[]): string {
  const all = clientMethods(methods);
  const key = (name: string): string => (/^\w+$/.test(name) ? name : `'${name}'`);
  return [
    HEAD,
    "import type { Shape } from './results.js';",
    '',
    '/** Rule for repetitions. `read`: a call may always be sent again; `order`: with an idempotency key; `act`: never. */',
    "export type MethodKind = 'read' | 'order' | 'act';",
    '',
    '/** Rule for repetitions of each method. */',
    'export const METHOD_KINDS = {',
    ...all.map(({ name, kind }) => `  ${key(name)}: '${kind}',`),
    '} as const satisfies Readonly<Record<string, MethodKind>>;',
    '',
    "const B = 'bigint';",
    '',
    '/** Shapes of the results that need a conversion of their own, by method. */',
    '// oxfmt-ignore',
    'export const RESULT_SHAPES = {',
    ...all.flatMap(({ name, result }) => {
      const shape = shapeOfMembers(result);
      return shape === undefined ? [] : [`  ${key(name)}: ${shape},`];
    }),
    '} as const satisfies Readonly<Record<string, Shape>>;',
    '',
  ].join('\n');
}
