import { csvRecord, withoutFormulas } from '../../src/rpc/wire/csv.js';
import { describe, expect, it, test } from '@jest/globals';
import * as fc from 'fast-check';
import { csvRecords } from '../support/values/csv-records.js';

describe('a record of CSV', () => {
  it('ends with CR and LF, and quotes fields with separators, quotes and line breaks', () => {
    expect(csvRecord(['a', 'b,c', '"d"', 'e\nf', 'g;h', ''])).toBe('a,"b,c","""d""","e\nf","g;h",\r\n');
  });

  it('has the fields that it was made of', () => {
    const unit = fc.constantFrom('a', '1', ' ', ',', ';', '"', "'", '\t', '\r', '\n', 'ä', '😀');
    const records = fc.array(fc.array(fc.string({ unit }), { minLength: 2, maxLength: 5 }), { maxLength: 5 });
    fc.assert(
      fc.property(records, (given) => {
        expect(csvRecords(given.map(csvRecord).join(''))).toEqual(given);
      }),
    );
  });
});

describe('a text in a spreadsheet', () => {
  test.each([
    ['=1+1', "'=1+1"],
    ['+49 30', "'+49 30"],
    ['-5', "'-5"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['  =1', "  '=1"],
    ['\u00a0=1', "\u00a0'=1"],
    ['\t=1', "'\t'=1"],
    ['\r=1', "'\r'=1"],
    ['\n=1', "'\n'=1"],
    ['\tplain', "'\tplain"],
    ['＝1', "'＝1"],
    ['order;=1', "order;'=1"],
    ['order\n=1', "order\n'=1"],
    ['order;"=1', `order;"'=1`],
  ])('that begins a formula gets an apostrophe: %j', (text, harmless) => {
    expect(withoutFormulas(text)).toBe(harmless);
  });

  it.each(['order 4711', 'a=b', 'a-b', 'x@example.org', 'Müller, A', "'quoted'", ''])(
    'that begins none stays as it is: %j',
    (text) => {
      expect(withoutFormulas(text)).toBe(text);
    },
  );

  it('begins no cell with a formula, whichever of comma, semicolon and tab divides the cells', () => {
    const unit = fc.constantFrom('=', '+', '-', '@', ';', ',', '"', '\t', '\n', '\r', ' ', 'a', '1');
    fc.assert(
      fc.property(fc.string({ unit }), (text) => {
        const record = csvRecord(['1', withoutFormulas(text), '2']);
        for (const separator of [',', ';', '\t'])
          for (const cell of csvRecords(record, separator).flat()) expect(cell).not.toMatch(/^\s*[=+\-@]/);
      }),
      { numRuns: 1000 },
    );
  });
});
