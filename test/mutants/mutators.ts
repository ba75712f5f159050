import { child, isNode, type Place, type SyntaxNode } from './syntax-tree.js';
import { isSql, sqlMutations } from './sql-mutators.js';

/** Expression in place of another one. */
export interface Mutation {
  readonly kind: string;
  /** Expression that is replaced. */
  readonly node: SyntaxNode;
  /** Text of the expression in its place. */
  readonly text: string;
}

/** Makes a table without the names that every object has, such as `toString`. */
const table = (entries: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(Object.entries(entries));

const BOUNDARIES = table({ '<': '<=', '<=': '<', '>': '>=', '>=': '>' });
const NEGATIONS = table({
  '<': '>=',
  '<=': '>',
  '>': '<=',
  '>=': '<',
  '===': '!==',
  '!==': '===',
  '==': '!=',
  '!=': '==',
});
const ARITHMETIC = table({
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '<<': '>>',
  '>>': '<<',
  '&': '|',
  '|': '&',
  '^': '|',
});
const ASSIGNMENTS = table({
  '+=': '-=',
  '-=': '+=',
  '??=': '=',
  '|=': '&=',
  '&=': '|=',
});
const OTHER_METHODS = table({
  some: 'every',
  every: 'some',
  min: 'max',
  max: 'min',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
});
/** Methods whose receiver stands in the place of their result. */
const DROPPED_METHODS = new Set(['filter', 'sort', 'toSorted', 'reverse', 'toReversed']);
/** Methods of a log, whose lines no rule depends on. */
const LOGGING = new Set(['trace', 'debug', 'info', 'warn', 'error']);
const CALLS = new Set([
  'CallExpression',
  'OptionalCallExpression',
  'AwaitExpression',
  'AssignmentExpression',
  'UpdateExpression',
]);

const isText = (node: SyntaxNode): boolean =>
  node.type === 'StringLiteral' ||
  node.type === 'TemplateLiteral' ||
  (node.type === 'BinaryExpression' && (isText(child(node, 'left')) || isText(child(node, 'right'))));

/** Replaces the operator between the two operands of a node. */
function withOperator(code: string, node: SyntaxNode, operator: string): string {
  const { end } = child(node, 'left');
  const at = code.indexOf(String(node['operator']), end);
  return code.slice(node.start, at) + operator + code.slice(at + String(node['operator']).length, node.end);
}

/** Returns the name of the called method; undefined if a call has none. */
function methodName(call: SyntaxNode): string | undefined {
  const callee = call['callee'];
  if (!isNode(callee) || !/MemberExpression$/.test(callee.type) || callee['computed'] === true)
    return undefined;
  return String(child(callee, 'property')['name']);
}

/** True if a node stands where the syntax demands a literal, or where a literal is only a name. */
const isName = ({ node, parents: [parent], member }: Place): boolean =>
  parent === undefined ||
  /^(?:Import|Export)/.test(parent.type) ||
  parent.type === 'TaggedTemplateExpression' ||
  parent.type === 'Directive' ||
  (member === 'key' && parent['computed'] !== true && node.type !== 'PrivateName');

/** True if a chain goes on around one of its parts. */
const isInnerPart = ({ parents: [parent], member }: Place): boolean =>
  parent !== undefined &&
  /^(?:Optional)?(?:Member|Call)Expression$/.test(parent.type) &&
  (member === 'object' || member === 'callee');

/** Parts of an optional chain, the outermost first. */
function chain(node: SyntaxNode): SyntaxNode[] {
  const inner = node['object'] ?? node['callee'];
  return isNode(inner) && inner.type.startsWith('Optional') ? [node, ...chain(inner)] : [node];
}

function* literalMutations(code: string, place: Place): Generator<Omit<Mutation, 'node'>> {
  const { node } = place;
  if (isName(place)) return;
  const text = code.slice(node.start, node.end);
  if (node.type === 'NumericLiteral') yield { kind: 'number', text: `${text} + 1` };
  else if (node.type === 'BigIntLiteral') yield { kind: 'number', text: `${text} + 1n` };
  else if (node.type === 'BooleanLiteral') yield { kind: 'boolean', text: String(node['value'] !== true) };
  else if (isSql(text)) for (const sql of sqlMutations(text)) yield { kind: 'sql', text: sql };
  // A text with spaces is for people.
  else if (node.type === 'StringLiteral' && !/ /.test(text))
    yield { kind: 'string', text: text.length > 2 ? "''" : "'other'" };
  else if (node.type === 'TemplateLiteral' && !/ /.test(text.replaceAll(/\$\{[^}]*\}/g, '')))
    yield { kind: 'string', text: "''" };
}

function* operatorMutations(
  code: string,
  { node, parents, member }: Place,
): Generator<Omit<Mutation, 'node'>> {
  const operator = String(node['operator']);
  const swap = function* (kind: string, table: ReadonlyMap<string, string>) {
    const other = table.get(operator);
    if (other !== undefined) yield { kind, text: withOperator(code, node, other) };
  };
  const source = (member: string): string => code.slice(child(node, member).start, child(node, member).end);
  switch (node.type) {
    case 'BinaryExpression':
      yield* swap('boundary', BOUNDARIES);
      yield* swap('negation', NEGATIONS);
      if (!isText(node)) yield* swap('arithmetic', ARITHMETIC);
      if (operator === 'instanceof' || operator === 'in')
        yield { kind: 'negation', text: `!(${code.slice(node.start, node.end)})` };
      return;
    case 'AssignmentExpression':
      yield* swap('arithmetic', ASSIGNMENTS);
      return;
    case 'LogicalExpression':
      if (operator === '??') {
        yield { kind: 'default', text: source('left') };
        yield { kind: 'default', text: source('right') };
      } else yield { kind: 'logic', text: withOperator(code, node, operator === '&&' ? '||' : '&&') };
      return;
    case 'UnaryExpression':
      if (operator === '!') yield { kind: 'negation', text: source('argument') };
      if (operator === '-') yield { kind: 'arithmetic', text: source('argument') };
      return;
    case 'UpdateExpression': {
      // Such a loop does not end.
      if (parents[0]?.type === 'ForStatement' && member === 'update') return;
      const argument = source('argument');
      const other = operator === '++' ? '--' : '++';
      yield { kind: 'arithmetic', text: node['prefix'] === true ? other + argument : argument + other };
    }
  }
}

function* callMutations(code: string, place: Place): Generator<Omit<Mutation, 'node'>> {
  const { node } = place;
  const name = methodName(node);
  if (name === undefined) return;
  const callee = child(node, 'callee');
  const receiver = child(callee, 'object');
  const other = OTHER_METHODS.get(name);
  if (other !== undefined) {
    const { start, end } = child(callee, 'property');
    yield { kind: 'method', text: code.slice(node.start, start) + other + code.slice(end, node.end) };
  }
  if (DROPPED_METHODS.has(name)) yield { kind: 'method', text: code.slice(receiver.start, receiver.end) };
}

/** True for an assignment of a constructor that keeps one of its arguments: nothing works without it. */
const keepsArgument = (node: SyntaxNode, parents: readonly SyntaxNode[]): boolean =>
  node.type === 'AssignmentExpression' &&
  child(node, 'right').type === 'Identifier' &&
  parents.some((parent) => parent['kind'] === 'constructor');

/** True for the call of a log or of a superclass. */
function isLogOrSuper(node: SyntaxNode): boolean {
  if (!/CallExpression$/.test(node.type)) return false;
  return child(node, 'callee').type === 'Super' || LOGGING.has(methodName(node) ?? '');
}

/** Finds the mutations of one node. */
export function* mutationsAt(code: string, place: Place): Generator<Mutation> {
  const { node, parents, member } = place;
  const at = (mutations: Iterable<Omit<Mutation, 'node'>>): Mutation[] =>
    Array.from(mutations, (mutation) => ({ ...mutation, node }));
  switch (node.type) {
    case 'ExpressionStatement': {
      const expression = child(node, 'expression');
      if (CALLS.has(expression.type) && !isLogOrSuper(expression) && !keepsArgument(expression, parents))
        yield { kind: 'statement', node: expression, text: 'undefined' };
      return;
    }
    case 'IfStatement':
    case 'ConditionalExpression':
      for (const text of ['true', 'false']) yield { kind: 'condition', node: child(node, 'test'), text };
      return;
    case 'SpreadElement': {
      const around = parents[0]?.type;
      const text = around === 'ObjectExpression' ? '{}' : around === 'ArrayExpression' ? '[]' : undefined;
      if (text !== undefined) yield { kind: 'spread', node: child(node, 'argument'), text };
      return;
    }
    case 'OptionalMemberExpression':
    case 'OptionalCallExpression': {
      if (
        isInnerPart(place) ||
        (parents[0]?.type === 'UnaryExpression' && parents[0]['operator'] === 'delete')
      )
        return;
      yield* at(callMutations(code, place));
      for (const part of chain(node)) {
        if (part['optional'] !== true) continue;
        const inner = isNode(part['object']) ? child(part, 'object') : child(part, 'callee');
        const sign = code.indexOf('?.', inner.end);
        const isMember = part.type === 'OptionalMemberExpression' && part['computed'] !== true;
        const text = code.slice(node.start, sign) + (isMember ? '.' : '') + code.slice(sign + 2, node.end);
        yield { kind: 'optional', node, text };
      }
      return;
    }
    case 'CallExpression':
      yield* at(callMutations(code, place));
      return;
    case 'NumericLiteral':
    case 'BigIntLiteral':
    case 'BooleanLiteral':
    case 'StringLiteral':
    case 'TemplateLiteral':
      if (!(member === 'expression' && parents[0]?.type === 'ExpressionStatement'))
        yield* at(literalMutations(code, place));
      return;
    default:
      yield* at(operatorMutations(code, place));
  }
}
