import { describe, expect, it, test } from '@jest/globals';
import { z } from 'zod';
import { INVALID_PARAMS, RpcError } from '../../../src/http/calls/errors.js';
import {
  atomic,
  flag,
  listOf,
  params,
  readParams,
  text,
  u32,
  wholeObject,
  type ParamRules,
} from '../../../src/http/methods/params.js';
import { ZERO } from '../../../src/util/amount.js';

const schema = params({
  amount: atomic.default(ZERO),
  expires_in: u32.optional(),
  expires_at: u32.optional(),
  label: text.default(''),
  metadata: wholeObject.optional(),
  place: z.object({ minor: u32.default(0) }).optional(),
  payees: listOf(z.object({ address: text.default('') })),
});
const OWN = { isOwn: true };

/** Message of a refusal; undefined for parameters that are accepted. */
async function messageOf(
  given: object,
  rules: ParamRules,
  of: z.ZodType = schema,
): Promise<string | undefined> {
  try {
    await readParams(of, given, rules);
    return undefined;
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    expect(error.code).toBe(INVALID_PARAMS);
    expect(error.message).toBe(`Invalid params: ${error.data?.explanation}`);
    return error.message.slice('Invalid params: '.length);
  }
}

describe('an unknown parameter', () => {
  test.each<[object, string]>([
    [{ expires: 60n }, 'expires is unknown, did you mean expires_in?'],
    [{ expires_in: 60n, expires: 60n }, 'expires is unknown, did you mean expires_at?'],
    [{ expiresIn: 60n }, 'expiresIn is unknown, did you mean expires_in?'],
    [{ amuont: 1n }, 'amuont is unknown, did you mean amount?'],
    [{ colour: 'red' }, 'colour is unknown'],
    [{ payees: [{ address: 'a' }, { adress: 'b' }] }, 'payees.1.adress is unknown, did you mean address?'],
    [
      { lable: 'x', amout: 1n },
      'lable is unknown, did you mean label?; amout is unknown, did you mean amount?',
    ],
  ])('of a method that only this server has is refused with a suggestion: %j', async (given, message) => {
    expect(await messageOf(given, OWN)).toBe(message);
    expect(await messageOf(given, {})).toBeUndefined();
  });

  it('is named in an object among the parameters', async () => {
    expect(await messageOf({ place: { minro: 1n } }, OWN)).toBe(
      'place.minro is unknown, did you mean minor?',
    );
  });

  it.each([{ expires: null }, { expires: [] }])('without a value counts as absent: %j', async (given) => {
    expect(await messageOf(given, OWN)).toBeUndefined();
  });

  it('is none inside an object with any members', async () => {
    expect(await messageOf({ metadata: { expires: 1n, place: {} } }, OWN)).toBeUndefined();
  });

  it('is not named where its name may be a secret, and many are not all named', async () => {
    expect(await messageOf({ 'abbey abbey abbey': 1n }, OWN)).toBe('a member is unknown');
    const many = Object.fromEntries(Array.from({ length: 99 }, (_, i) => [`q${i}z`, 1n]));
    expect((await messageOf(many, OWN))?.split(';')).toHaveLength(5);
  });
});

describe('a parameter that only another method takes', () => {
  const others = {
    restore: { seed: text.default(''), seed_offset: text.default(''), multisig: flag.default(false) },
  };

  it.each([{ seed: 'abbey' }, { Seed: 'abbey' }, { seed: 5n }])('is refused: %j', async (given) => {
    expect(await messageOf(given, { others })).toBe('seed is no parameter of this method, but of restore');
  });

  it('is ignored with the value that it has when it is absent', async () => {
    expect(await messageOf({ seed: '', multisig: false, seed_offset: null }, { others })).toBeUndefined();
  });
});

describe('a misspelt member of an item', () => {
  const list = params({
    to: listOf(z.object({ amount: atomic.default(ZERO), address: text.default('') }), {
      refusesMisspeltIn: 'to',
    }),
  });

  it('is named where a member is missing, also in a long list', async () => {
    const wrong = { adress: 'x', amount: 1n };
    const message = 'adress is unknown, did you mean address?';
    expect(await messageOf({ to: [{ address: 'x', amount: 1n }, wrong] }, {}, list)).toBe(`to.1: ${message}`);
    const long = Array.from({ length: 300 }, () => ({ address: 'x', amount: 1n }));
    expect(await messageOf({ to: [...long, wrong] }, {}, list)).toBe(`to.300: ${message}`);
  });

  it('is named in an object, where a member is missing', async () => {
    const place = params({ place: z.object({ major: u32.default(0), minor: u32.default(0) }).optional() });
    expect(await messageOf({ place: { major: 1n, minro: 2n } }, {}, place)).toBe(
      'place: minro is unknown, did you mean minor?',
    );
    for (const known of [{ major: 1n }, { major: 1n, minor: 2n, minro: 3n }, null])
      expect(await messageOf({ place: known }, {}, place)).toBeUndefined();
  });

  it('is ignored beside all known ones', async () => {
    expect(await messageOf({ to: [{ address: 'x', amount: 1n, note: 'n' }] }, {}, list)).toBeUndefined();
  });
});
