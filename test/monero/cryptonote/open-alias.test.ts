import { describe, expect, test } from '@jest/globals';
import { addressInRecord, hostOfAlias } from '../../../src/monero/cryptonote/open-alias.js';

const ADDRESS = '4'.repeat(95);
const INTEGRATED = '4'.repeat(106);

describe('the host of an alias', () => {
  test.each([
    ['example.org', 'example.org'],
    ['donate@example.org', 'donate.example.org'],
    ['a.b.c.', 'a.b.c.'],
  ])('of %s is %s', (text, host) => {
    expect(hostOfAlias(text)).toBe(host);
  });

  test.each([
    '',
    'x',
    '@',
    '.',
    'localhost',
    'a@b@c.d',
    'a b.c',
    '.org',
    'a..b',
    ADDRESS,
    `a.${'b'.repeat(300)}`,
  ])('is none for %j', (text) => {
    expect(hostOfAlias(text)).toBeUndefined();
  });
});

describe('the address in a record', () => {
  test.each([
    [`oa1:xmr recipient_address=${ADDRESS}; recipient_name=x;`, ADDRESS],
    [`oa1:xmr recipient_name=x; recipient_address=${INTEGRATED};`, INTEGRATED],
    [`v=1 oa1:xmr recipient_address=${ADDRESS};`, ADDRESS],
  ])('%s', (record, address) => {
    expect(addressInRecord(record)).toBe(address);
  });

  test.each([
    ['', undefined],
    [`oa1:btc recipient_address=${ADDRESS};`, undefined],
    [`recipient_address=${ADDRESS}; oa1:xmr`, undefined],
    [`oa1:xmr recipient_address=${ADDRESS}`, undefined],
    [`oa1:xmr recipient_address=${ADDRESS}4;`, undefined],
    ['oa1:xmr recipient_address=;', undefined],
    ['oa1:xmr', undefined],
  ])('is none in %s', (record, nothing) => {
    expect(addressInRecord(record)).toBe(nothing);
  });
});
