import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseExactly } from '../../src/client/answer.js';
import { toClientValue } from '../../src/client/results.js';
import { RESULT_SHAPES } from '../../src/client/method-table.js';
import { resultSchema, type ApiVersion } from '../../src/rpc/api-version.js';
import { registry } from '../../src/rpc/registry.js';
import { parseJson, type Json } from '../../src/util/json.js';
import { writeJson } from '../../src/util/json-writer.js';
import { jsonOf } from '../support/checked/schema-json.js';

describe('a result', () => {
  it('has bigints where its shape says so, whatever their size', () => {
    const json = parseJson('{"a":1,"b":1,"c":[2,18446744073709551615],"d":{"a":3,"b":9007199254740993}}');
    expect(toClientValue(json, { a: 'bigint', c: ['bigint'], d: { a: 'bigint' } })).toEqual({
      ...{ a: 1n, b: 1, c: [2n, 2n ** 64n - 1n] },
      // Neither a number nor a part of the types: no digit is lost.
      d: { a: 3n, b: 9007199254740993n },
    });
  });

  it('has the lists that the server left out, in the items of lists too', () => {
    expect(toClientValue(parseJson('{"rows":[{}]}'), { rows: [{ sums: ['bigint'] }], more: [] })).toEqual({
      ...{ rows: [{ sums: [] }], more: [] },
    });
  });

  it('without a shape has numbers, and all that is no integer unchanged', () => {
    const json = parseJson('{"a":[1,"x",true,null,{"b":-5}],"toString":1}');
    expect(toClientValue(json, undefined)).toEqual({ a: [1, 'x', true, null, { b: -5 }], toString: 1 });
  });

  it.each(
    registry.methods.flatMap((method) =>
      (['1.3', '1.32'] as const).map((version): [string, ApiVersion] => [method.name, version]),
    ),
  )('of %s under %s is converted to the output of its schema', (name, version) => {
    const method = registry.find(name);
    if (method === undefined) throw new Error(`no method ${name}`);
    const schema = resultSchema(version, method);
    const shape = RESULT_SHAPES[name as keyof typeof RESULT_SHAPES];
    fc.assert(
      fc.property(jsonOf(schema), (json) => {
        const text = writeJson(json as Json);
        const output = schema.parse(parseJson(text));
        for (const parse of [parseJson, parseExactly])
          expect(toClientValue(parse(text), shape)).toEqual(output);
      }),
      { numRuns: 20 },
    );
  });
});
