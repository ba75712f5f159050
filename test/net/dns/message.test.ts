import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { readAnswer, textsOf, writeQuery, parseName } from '../../../src/net/dns/message.js';
import { CodecError } from '../../../src/util/codec.js';
import { answerHead, record, wireName } from '../../support/network/fake-dns.js';

const NAME = parseName('Donate.example.org');
const QUERY = Buffer.from(writeQuery(0x1234, NAME));
const OWNER = Buffer.from([0xc0, 12]);
const TXT = Buffer.from('\x05hello', 'latin1');

const answer = (records: readonly Buffer[], flags = 0x20): Buffer =>
  Buffer.concat([answerHead(QUERY, flags, records.length), ...records]);

describe('a query', () => {
  it('requests validated TXT records of a name in lower case, and accepts more than 512 bytes', () => {
    expect(QUERY.toString('hex')).toBe(
      '1234' +
        '0120' +
        '0001' +
        '0000' +
        '0000' +
        '0001' +
        '06646f6e617465' +
        '076578616d706c65' +
        '036f7267' +
        '00' +
        '0010' +
        '0001' +
        '00' +
        '0029' +
        '04d0' +
        '0000' +
        '8000' +
        '0000',
    );
  });
});

describe('a host name', () => {
  test.each([
    ['example.org.', 'example.org'],
    ['_a-b.EXAMPLE.org', '_a-b.example.org'],
    ['münchen.de', 'xn--mnchen-3ya.de'],
  ])('%s is %s', (text, ascii) => {
    expect(Buffer.from(parseName(text), 'latin1')).toEqual(wireName(ascii));
  });

  test.each([
    '',
    '.',
    'a..b',
    '-a.b',
    'a-.b',
    'a b.c',
    'a/b.c',
    'a\0.b',
    `${'a'.repeat(64)}.b`,
    'ab.'.repeat(90),
  ])('%j is none', (text) => {
    expect(() => parseName(text)).toThrow(CodecError);
  });
});

describe('an answer', () => {
  it('has the question, the records and whether DNSSEC validated them', () => {
    const other = record(wireName('else.example.org'), 16, TXT);
    const found = readAnswer(answer([record(OWNER, 16, TXT), other, record(OWNER, 1, Buffer.alloc(4))]));
    expect(found).toMatchObject({
      id: 0x1234,
      question: NAME,
      truncated: false,
      authenticated: true,
      rcode: 0,
    });
    expect(textsOf(NAME, found.records)).toEqual(['hello']);
    expect(readAnswer(answer([], 3))).toMatchObject({ authenticated: false, rcode: 3, records: [] });
  });

  it('joins the strings of one text', () => {
    const data = Buffer.concat([TXT, Buffer.from('\x00\x01!', 'latin1')]);
    expect(textsOf(NAME, readAnswer(answer([record(OWNER, 16, data)])).records)).toEqual(['hello!']);
  });

  it('follows aliases, in upper and lower case', () => {
    const found = readAnswer(
      answer([
        record(wireName('b.example.org'), 16, TXT),
        record(OWNER, 5, wireName('A.example.org')),
        record(wireName('a.EXAMPLE.org'), 5, wireName('b.example.org')),
      ]),
    );
    expect(textsOf(NAME, found.records)).toEqual(['hello']);
  });

  it('is refused when its aliases form a cycle', () => {
    const found = readAnswer(answer([record(OWNER, 5, OWNER)]));
    expect(() => textsOf(NAME, found.records)).toThrow(CodecError);
  });

  it('that is truncated has no records', () => {
    const cut = Buffer.concat([answerHead(QUERY, 0x200, 3), Buffer.from([1, 2, 3])]);
    expect(readAnswer(cut)).toMatchObject({ truncated: true, records: [] });
  });

  test.each([
    ['nothing', Buffer.alloc(0)],
    ['a query', QUERY],
    ['a name that points to itself', answer([record(Buffer.from([0xc0, answer([]).length]), 16, TXT)])],
    ['a name that points forwards', answer([record(Buffer.from([0xc0, 0xff]), 16, TXT)])],
    ['a label of an unknown kind', answer([record(Buffer.from([0x40, 0]), 16, TXT)])],
    ['a name without end', answer([record(Buffer.alloc(300, 1), 16, TXT)])],
    ['a string that runs over its record', answer([record(OWNER, 16, Buffer.from([9, 65]))])],
    ['a record that runs over the message', answer([record(OWNER, 16, TXT).subarray(0, -1)])],
    ['fewer records than it says', Buffer.concat([answerHead(QUERY, 0, 2), record(OWNER, 16, TXT)])],
  ])('that is %s is refused', (_, bytes) => {
    expect(() => readAnswer(bytes)).toThrow(CodecError);
  });

  it('of any bytes is read, or refused with a CodecError', () => {
    const whole = answer([
      record(OWNER, 5, wireName('a.example.org')),
      record(wireName('a.example.org'), 16, TXT),
    ]);
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 8 }), (changes) => {
        const bytes = Buffer.from(whole);
        for (const [at, byte] of changes) bytes[at] = byte;
        try {
          textsOf(NAME, readAnswer(bytes).records);
        } catch (error) {
          expect(error).toBeInstanceOf(CodecError);
        }
      }),
    );
  });
});
