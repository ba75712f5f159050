import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { BadIdempotencyKey, readIdempotencyKey } from '../../../src/http/calls/idempotency-key.js';

describe('the header Idempotency-Key', () => {
  test.each([
    ['"8e03978e-40d5-43dd-bc93-6894a57f9324"', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
    [' "a b" ', 'a b'],
    ['"say \\"hello\\" \\\\ "', 'say "hello" \\ '],
    [`"${'k'.repeat(255)}"`, 'k'.repeat(255)],
  ])('%s is the key %s', (header, key) => {
    expect(readIdempotencyKey(header)).toBe(key);
  });

  test.each([
    ['without quotes', 'abc'],
    ['empty', '""'],
    ['longer than 255 bytes', `"${'k'.repeat(256)}"`],
    ['with an open quote', '"abc'],
    ['with an unknown escape', '"a\\n"'],
    ['sent twice', '"a", "b"'],
    ['with a byte beyond ASCII', '"ä"'],
    ['with a control character', '"a\tb"'],
  ])('%s is refused', (_, header) => {
    expect(() => readIdempotencyKey(header)).toThrow(BadIdempotencyKey);
  });

  it('is absent from most requests', () => {
    expect(readIdempotencyKey(undefined)).toBeUndefined();
  });

  it('carries every printable text of 1 to 255 characters', () => {
    const printable = fc.string({
      unit: fc.integer({ min: 0x20, max: 0x7e }).map((c) => String.fromCharCode(c)),
    });
    fc.assert(
      fc.property(printable, (key) => {
        fc.pre(key.length >= 1 && key.length <= 255);
        const header = `"${key.replace(/["\\]/g, '\\$&')}"`;
        return readIdempotencyKey(header) === key;
      }),
    );
  });
});
