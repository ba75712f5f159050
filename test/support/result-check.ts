import type { Call } from '../../src/http/dispatcher.js';
import { INTERNAL_ERROR, RpcError } from '../../src/http/errors.js';
import { StreamedJson } from '../../src/http/json-rows.js';
import { resultSchema, type ApiVersion } from '../../src/rpc/api-version.js';
import { registry } from '../../src/rpc/registry.js';
import { parseJson } from '../../src/util/json.js';
import { JsonWriter } from '../../src/util/json-writer.js';
import { WRONG_RESULT } from './wrong-result.js';

/** Longest result that is checked [bytes]; validation takes a second for a few megabytes. */
const MAX_CHECKED = 4 << 20;

/** Differences between a result and the schema of its method; undefined if there are none. */
export function resultProblem(method: string, version: ApiVersion, json: string): string | undefined {
  const found = registry.find(method);
  if (found === undefined) return `${method} is not in the registry`;
  const { error } = resultSchema(version, found).safeParse(parseJson(json));
  if (error === undefined) return undefined;
  const issues = error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`,
  );
  return `${method} (${version}): ${issues.slice(0, 5).join('; ')}`;
}

/** Checks every result of a call function. @param report gets the message of a wrong one, which becomes an error. */
export function checkedCall(call: Call, version: ApiVersion, report: (message: string) => void): Call {
  const check = (method: string, json: string): void => {
    const problem = resultProblem(method, version, json);
    if (problem === undefined) return;
    report(WRONG_RESULT + problem);
    throw new RpcError(INTERNAL_ERROR, WRONG_RESULT + problem);
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
    const result = await call(method, params, origin);
    if (result instanceof StreamedJson) return new StreamedJson([], copied(method, result), (error) => error);
    const json = new JsonWriter().value(result).toString();
    if (json.length <= MAX_CHECKED) check(method, json);
    return result;
  };
}
