import { describe, expect, it, test } from '@jest/globals';
import { INVALID_PARAMS, RpcError } from '../../../src/http/calls/errors.js';
import {
  atomic,
  flag,
  height,
  keptText,
  listOf,
  params,
  readParams,
  text,
  u32,
  wholeObject,
} from '../../../src/http/methods/params.js';
import { ZERO } from '../../../src/util/amount.js';
import { parseJson, type Json } from '../../../src/util/json.js';
import { writeWholeJson } from '../../../src/util/json-writer.js';
import { z } from 'zod';

const schema = params({
  amount: atomic.default(ZERO),
  height: height.default(0),
  destinations: listOf(z.object({ amount: atomic })),
  index: u32.default(0),
  text: text.default(''),
  flag: flag.default(false),
  object: z.object({}).optional(),
  payees: listOf(z.object({ amount: atomic.default(ZERO) })),
  place: z.object({ minor: u32.default(7) }).optional(),
});

/** Reads parameters that must be refused. @throws Error for valid parameters. */
async function refusalOf(value: unknown): Promise<RpcError> {
  try {
    await readParams(schema, value);
  } catch (error) {
    if (error instanceof RpcError) return error;
    throw error;
  }
  throw new Error('they were accepted');
}

describe('the member params', () => {
  it.each([
    ['absent', undefined],
    ['null', null],
    ['an empty list', []],
    ['an empty text', ''],
    ['an empty object', {}],
  ])('has no parameters if it is %s', async (_, value) => {
    expect(await readParams(schema, value)).toEqual(await readParams(schema, {}));
  });

  it.each([
    ['a list', [1n]],
    ['a list of one object', [{ index: 1n }]],
    ['a list of an empty object', [{}]],
    ['a list of null', [null]],
    ['a list of an empty list', [[]]],
    ['a text', 'index'],
    ['white space', ' '],
    ['an object as text', '{"index":1}'],
    ['an integer', 0n],
    ['a fraction', 1.5],
    ['true', true],
    ['false', false],
  ])('is refused if it is %s, since the defaults would apply', async (_, value) => {
    expect(await refusalOf(value)).toMatchObject({
      ...{ code: INVALID_PARAMS, message: 'Invalid params' },
      data: { explanation: 'params: expected an object' },
    });
  });
});

describe('parameters', () => {
  test.each([
    ['an integer', { amount: 5n }, { amount: 5n }],
    ['digits in quotes', { amount: '18446744073709551615' }, { amount: 18446744073709551615n }],
    ['null as absent', { amount: null }, { amount: 0n }],
    ['an empty list as absent', { amount: [] }, { amount: 0n }],
    ['null as absent in an object of a list', { payees: [{ amount: null }] }, { payees: [{ amount: 0n }] }],
    ['an empty list as absent there', { payees: [{ amount: [] }] }, { payees: [{ amount: 0n }] }],
    ['null as absent in an object', { place: { minor: null } }, { place: { minor: 7 } }],
    ['a height beyond all chains', { height: 18446744073709551615n }, { height: Number.MAX_SAFE_INTEGER }],
    ['a value that is no list as absent', { destinations: 'x' }, { destinations: [] }],
    ['unknown members without effect', { other: 1n }, { amount: 0n, index: 0 }],
  ])('accept %s', async (_, value, expected) => {
    expect(await readParams(schema, value)).toMatchObject(expected);
  });

  test.each([
    ['a fraction', { amount: 1.5 }, 'amount: expected an integer'],
    ['a fraction in quotes', { amount: '1.5' }, 'amount: expected an integer'],
    ['one in a list', { destinations: [{ amount: true }] }, 'destinations.0.amount: expected an integer'],
    ['one below zero', { amount: -1n }, 'amount: out of range'],
    ['one above 32 bits', { index: 4294967296n }, 'index: out of range'],
  ])('refuse %s, and name it', async (_, value, explanation) => {
    expect(await refusalOf(value)).toMatchObject({
      ...{ code: INVALID_PARAMS, message: 'Invalid params', data: { explanation } },
    });
  });

  test.each([
    ['text', 'a string'],
    ['flag', 'a boolean'],
    ['index', 'an integer'],
    ['object', 'an object'],
  ])('of a wrong type are refused by the name of the JSON type: %s, %s', async (name, type) => {
    expect((await refusalOf({ [name]: [5n] })).data).toEqual({ explanation: `${name}: expected ${type}` });
  });

  it('are refused without quoting their value', async () => {
    const secret = 'hunter2';
    const { message, data } = await refusalOf({ amount: secret, height: [secret] });
    expect(data?.explanation).toContain('amount');
    expect(message + data?.explanation).not.toContain(secret);
  });

  it.each([3, 100_000])('name only the first invalid item of a list of %d', async (length) => {
    const destinations = Array.from({ length }, (_, i) => ({ amount: i < 2 ? 1n : 'x' }));
    expect((await refusalOf({ destinations })).data).toEqual({
      explanation: 'destinations.2.amount: expected an integer',
    });
  });

  it('accept a long list like a short one', async () => {
    const destinations = Array.from({ length: 1000 }, (_, i) => ({ amount: BigInt(i) }));
    expect((await readParams(schema, { destinations })).destinations).toEqual(destinations);
  });
});

it('keeps every member of an object that passes unchanged, whatever it is called', async () => {
  const json = '{"__proto__":{"a":null},"constructor":[],"b":{"__proto__":1}}';
  const { object } = await readParams(params({ object: wholeObject.optional() }), {
    object: parseJson(json),
  });
  expect(writeWholeJson(object as { readonly [key: string]: Json })).toBe(json);
});

describe('a text that is kept', () => {
  const kept = params({ note: keptText(8, 1) });
  const read = (note: string) => readParams(kept, { note });

  it('has a length in bytes of UTF-8 within its limits', async () => {
    for (const note of ['x', '12345678', 'äöüß', '\u{1f600}\u{1f600}', 'a\0b'])
      expect(await read(note)).toEqual({ note });
    for (const note of ['', '123456789', 'äöüßx'])
      await expect(read(note)).rejects.toMatchObject({
        code: INVALID_PARAMS,
        data: { explanation: 'note: expected 1 to 8 bytes' },
      });
  });

  it.each(['a\ud800', '\udfff', '\udc00\ud800'])(
    'is refused with half a surrogate pair: %j',
    async (note) => {
      await expect(read(note)).rejects.toMatchObject({
        code: INVALID_PARAMS,
        data: { explanation: 'note: expected a text without half a surrogate pair' },
      });
    },
  );
});
