import { describe, expect, it, test } from '@jest/globals';
import { atomic, height, listOf, params, readParams, u32 } from '../../src/jsonrpc/params.js';
import { ZERO } from '../../src/util/amount.js';
import { z } from 'zod';

const schema = params({
  amount: atomic.default(ZERO),
  height: height.default(0),
  destinations: listOf(z.object({ amount: atomic })),
  index: u32.default(0),
});

describe('parameters', () => {
  test.each([
    ['an integer', { amount: 5n }, { amount: 5n }],
    ['digits in quotes', { amount: '18446744073709551615' }, { amount: 18446744073709551615n }],
    ['null as absent', { amount: null }, { amount: 0n }],
    ['a height beyond all chains', { height: 18446744073709551615n }, { height: Number.MAX_SAFE_INTEGER }],
    ['what is no list as none', { destinations: 'x' }, { destinations: [] }],
    ['what nobody asked for', { other: 1n }, { amount: 0n, index: 0 }],
  ])('take %s', (_, given, wanted) => {
    expect(readParams(schema, given)).toMatchObject(wanted);
  });

  test.each([
    ['a fraction', { amount: 1.5 }, 'amount: expected an integer'],
    ['a fraction in quotes', { amount: '1.5' }, 'amount: expected an integer'],
    ['one in a list', { destinations: [{ amount: true }] }, 'destinations.0.amount: expected an integer'],
    ['one below zero', { amount: -1n }, 'amount: out of range'],
    ['one above 32 bits', { index: 4294967296n }, 'index: out of range'],
  ])('refuse %s, and say which', (_, given, complaint) => {
    expect(() => readParams(schema, given)).toThrow(complaint);
  });

  it('are refused without a word of what was given', () => {
    const secret = 'hunter2';
    let complaint = '';
    try {
      readParams(schema, { amount: secret, height: [secret] });
    } catch (error) {
      complaint = (error as Error).message;
    }
    expect(complaint).toContain('amount');
    expect(complaint).not.toContain(secret);
  });
});
