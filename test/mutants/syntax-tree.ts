import { parse } from '@babel/parser';

/** Node of a syntax tree, with its range in the text. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

/** Node with the nodes around it, the innermost first. */
export interface Place {
  readonly node: SyntaxNode;
  readonly parents: readonly SyntaxNode[];
  /** Member of the parent that holds the node. */
  readonly member: string;
}

export const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && typeof (value as SyntaxNode).type === 'string';

/** Returns the node in a member. @throws TypeError if the member holds none. */
export function child(node: SyntaxNode, member: string): SyntaxNode {
  const value = node[member];
  if (!isNode(value)) throw new TypeError(`no node in ${member} of ${node.type}`);
  return value;
}

/** Visits all nodes, each before its children. */
export function* places(
  node: SyntaxNode,
  parents: readonly SyntaxNode[] = [],
  member = '',
): Generator<Place> {
  yield { node, parents, member };
  const around = [node, ...parents];
  for (const [name, value] of Object.entries(node)) {
    if (name === 'loc' || name === 'extra' || name.endsWith('Comments')) continue;
    for (const inner of Array.isArray(value) ? value : [value])
      if (isNode(inner)) yield* places(inner, around, name);
  }
}

export const parseModule = (code: string): SyntaxNode =>
  parse(code, { sourceType: 'module' }).program as unknown as SyntaxNode;

/** Returns the name that a node declares or uses; an empty text if it has none. */
function nameOf(value: unknown): string {
  if (!isNode(value)) return '';
  if (typeof value['name'] === 'string') return value['name'];
  if (value.type === 'PrivateName') return `#${nameOf(value['id'])}`;
  return '';
}

/** Names of the classes, methods, functions and variables around a node, the outermost first. */
export const scopeOf = (parents: readonly SyntaxNode[]): string =>
  parents
    .map((node) =>
      /^(?:Class|Function)|^VariableDeclarator$/.test(node.type) && isNode(node['id'])
        ? nameOf(node['id'])
        : /Method$|Property$/.test(node.type)
          ? nameOf(node['key'])
          : '',
    )
    .filter((name) => name !== '')
    .toReversed()
    .join('.');

/** Returns the outermost function or member of a class around a node; its statement if there is none. */
export const outermostFunction = ({ node, parents }: Place): SyntaxNode =>
  parents.findLast(({ type }) => /Function|Method$|^Class(?:Private)?Property$/.test(type)) ??
  parents.at(-2) ??
  node;
