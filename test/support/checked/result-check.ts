import * as z from 'zod';
import type { Call } from '../../../src/http/calls/dispatcher.js';
import { INTERNAL_ERROR, RpcError } from '../../../src/http/calls/errors.js';
import { StreamedJson } from '../../../src/http/calls/json-rows.js';
import { resultSchema, type ApiVersion } from '../../../src/rpc/api-version.js';
import { kindsOf } from '../../../src/rpc/discovery/method-errors.js';
import { ADDITION } from '../../../src/rpc/method.js';
import { registry } from '../../../src/rpc/registry.js';
import { faultOf } from '../../../src/model/wallet-error.js';
import { parseJson } from '../../../src/util/json.js';
import { JsonWriter } from '../../../src/util/json-writer.js';
import { WRONG_FAULT, WRONG_RESULT } from '../network/wrong-answer.js';

/** Longest result that is checked [bytes]; validation takes a second for a few megabytes. */
const MAX_CHECKED = 4 << 20;

/** Schemas of results by version and method: building one, and compiling its parser, takes longer than a check. */
const schemas = new Map<string, z.ZodType>();

function schemaOf(method: Parameters<typeof resultSchema>[1], version: ApiVersion): z.ZodType {
  const name = `${version} ${method.name}`;
  const known = schemas.get(name) ?? resultSchema(version, method);
  schemas.set(name, known);
  return known;
}

/** Differences between a result and the schema of its method; undefined if there are none. */
export function resultProblem(method: string, version: ApiVersion, json: string): string | undefined {
  const found = registry.find(method);
  if (found === undefined) return `${method} is not in the registry`;
  const schema = schemaOf(found, version);
  const result = parseJson(json);
  const { error } = schema.safeParse(result);
  if (error === undefined) return found.source === ADDITION ? missingList(schema, result) : undefined;
  const issues = error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`,
  );
  return `${method} (${version}): ${issues.slice(0, 5).join('; ')}`;
}

/** Path of a list that the result of our own method lacks, though it may be empty; undefined if there is none. */
function missingList(schema: z.core.$ZodType, value: unknown, path = ''): string | undefined {
  if (schema instanceof z.ZodDefault)
    return value === undefined && schema.def.innerType instanceof z.ZodArray
      ? `the list ${path} is missing`
      : missingList(schema.def.innerType, value, path);
  if (schema instanceof z.ZodOptional)
    return value === undefined ? undefined : missingList(schema.def.innerType, value, path);
  const parts: [z.core.$ZodType, unknown, string][] =
    schema instanceof z.ZodObject
      ? Object.entries(schema.shape as z.core.$ZodShape).map(([name, member]) => [
          member,
          (value as Record<string, unknown>)[name],
          `${path}.${name}`,
        ])
      : schema instanceof z.ZodArray
        ? (value as unknown[]).map((item, i) => [schema.element, item, `${path}.${i}`])
        : [];
  for (const part of parts) {
    const missing = missingList(...part);
    if (missing !== undefined) return missing;
  }
  return undefined;
}

/** Fault that ended a call although its method does not list it; undefined if there is none. */
export function faultProblem(method: string, error: unknown): string | undefined {
  const found = registry.find(method);
  const cause = error instanceof RpcError ? error.cause : undefined;
  const kind = faultOf(cause)?.kind;
  if (kind === undefined || found === undefined) return undefined;
  return kindsOf(found).includes(kind) ? undefined : `${found.name}: ${kind}`;
}

/**
 * Checks every result of a call function, and the fault of every call that fails.
 * @param report gets the message of a wrong answer, which becomes an error.
 */
export function checkedCall(call: Call, version: ApiVersion, report: (message: string) => void): Call {
  const refuse = (message: string): RpcError => {
    report(message);
    return new RpcError(INTERNAL_ERROR, message);
  };
  const check = (method: string, json: string): void => {
    const problem = resultProblem(method, version, json);
    if (problem !== undefined) throw refuse(WRONG_RESULT + problem);
  };
  const checkedFault = (method: string, error: unknown): unknown => {
    const problem = faultProblem(method, error);
    return problem === undefined ? error : refuse(WRONG_FAULT + problem);
  };
  async function* copied(method: string, result: StreamedJson): AsyncGenerator<readonly Uint8Array[], void> {
    const pieces: Uint8Array[] = [];
    let length = 0;
    for await (const page of result) {
      length = page.reduce((sum, piece) => sum + piece.length, length);
      // Copied, since the receiver may release the pieces.
      if (length <= MAX_CHECKED) pieces.push(...page.map((piece) => Uint8Array.from(piece)));
      yield page;
    }
    if (length <= MAX_CHECKED) check(method, Buffer.concat(pieces).toString());
  }
  return async (method, params, origin) => {
    const explain = (error: unknown): unknown => checkedFault(method, error);
    const result = await call(method, params, origin).catch((error: unknown) => {
      throw explain(error);
    });
    if (result instanceof StreamedJson) return new StreamedJson([], copied(method, result), explain);
    const json = new JsonWriter().value(result).toString();
    if (json.length <= MAX_CHECKED) check(method, json);
    return result;
  };
}
