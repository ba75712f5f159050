import { beforeEach, describe, expect, it } from '@jest/globals';
import { systemRng } from '../../../src/util/random.js';
import { FormTokens } from '../../../src/watch/desk/form-tokens.js';

const FIELDS = { do: 'cancel_payout', wallet: 'shop', id: 'p-1' };
const HOUR = 3_600_000;

describe('the token of a form', () => {
  let now: number;
  let tokens: FormTokens;

  beforeEach(() => {
    now = 1_000_000;
    tokens = new FormTokens(systemRng, { now: () => now });
  });

  it('is valid once', () => {
    const token = tokens.issue('desk', FIELDS);
    expect(tokens.use(token, 'desk', FIELDS)).toBe(true);
    expect(tokens.use(token, 'desk', FIELDS)).toBe(false);
  });

  it('is valid in any order of the fields, and for no other login, field or value', () => {
    const token = tokens.issue('desk', FIELDS);
    for (const [login, fields] of [
      ['night', FIELDS],
      ['desk', { ...FIELDS, id: 'p-2' }],
      ['desk', { ...FIELDS, more: '' }],
      ['desk', { do: 'cancel_payout', wallet: 'shop' }],
    ] as const)
      expect(tokens.use(token, login, fields)).toBe(false);
    expect(tokens.use(token, 'desk', { id: 'p-1', wallet: 'shop', do: 'cancel_payout' })).toBe(true);
  });

  it('is valid for an hour', () => {
    const [early, late] = [tokens.issue('desk', FIELDS), tokens.issue('desk', FIELDS)];
    now += HOUR - 1;
    expect(tokens.use(early, 'desk', FIELDS)).toBe(true);
    now += 1;
    expect(tokens.use(late, 'desk', FIELDS)).toBe(false);
  });

  it('is of this server alone, and cannot be made longer', () => {
    const token = tokens.issue('desk', FIELDS);
    const other = new FormTokens(systemRng, { now: () => now });
    expect(other.use(token, 'desk', FIELDS)).toBe(false);
    const [end = '', nonce = '', mac = ''] = token.split('.');
    for (const text of [
      '',
      'x',
      `${Number(end) + 1}.${nonce}.${mac}`,
      `${end}.${nonce}x.${mac}`,
      `${end}.${nonce}.`,
    ])
      expect(tokens.use(text, 'desk', FIELDS)).toBe(false);
  });

  it('stays used once, also when more are used than are remembered', () => {
    const first = tokens.issue('desk', FIELDS);
    expect(tokens.use(first, 'desk', FIELDS)).toBe(true);
    now += 1;
    for (let i = 0; i < 10_001; i++) tokens.use(tokens.issue('desk', FIELDS), 'desk', FIELDS);
    expect(tokens.use(first, 'desk', FIELDS)).toBe(false);
    now += 1;
    expect(tokens.use(tokens.issue('desk', FIELDS), 'desk', FIELDS)).toBe(true);
  });
});
