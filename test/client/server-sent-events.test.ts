import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { EventStreamParser } from '../../src/client/events.js';

const parse = (...parts: string[]) => {
  const parser = new EventStreamParser();
  return parts.flatMap((part) => parser.write(part));
};
const TEXT = 'retry: 2000\n\nid: 1\nevent: a\ndata: {"x":1}\n\n:\n\nid: 2\nevent: b\ndata: y\ndata: z\n\n';
const MESSAGES = [
  { id: '1', type: 'a', data: '{"x":1}' },
  { id: '2', type: 'b', data: 'y\nz' },
];

describe('the parser of event streams', () => {
  it('reads messages, and skips comments and messages without data', () => {
    expect(parse(TEXT)).toEqual(MESSAGES);
  });

  test.each(['\r', '\r\n', '\n'])('reads lines that end with %j, in parts of any length', (end) => {
    const text = TEXT.replaceAll('\n', end);
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 8 }), (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), text.length];
        const parts = at.slice(1).map((to, i) => text.slice(at[i], to));
        // A carriage return at the end may be half of a line end.
        expect(parse(...parts, ...(end === '\r' ? [':'] : []))).toEqual(MESSAGES);
      }),
    );
  });

  it('reads a carriage return at the end of a part as half of a line end only if a line feed follows', () => {
    expect(parse('data: x\r', '', '\n\r', '\n')).toEqual([{ id: '', type: '', data: 'x' }]);
    expect(parse('data: x\r', '\r', 'data: y')).toEqual([{ id: '', type: '', data: 'x' }]);
    expect(parse('data: x\r', 'data: y\r\r', '\n')).toEqual([{ id: '', type: '', data: 'x\ny' }]);
  });

  // A parser that joins the line with each part copies some 10^12 characters and exceeds the time limit of the test.
  it('joins the parts of a long line once', () => {
    const parser = new EventStreamParser();
    const part = 'x'.repeat(16);
    parser.write('data: ');
    for (let i = 0; i < 1 << 19; i++) parser.write(part);
    const [message] = parser.write('\n\n');
    expect(message?.data).toHaveLength(16 << 19);
  });

  it('reports no message that is cut off', () => {
    expect(parse('id: 1\ndata: x\n')).toEqual([]);
    expect(parse('id: 1\ndata: x\n', '\n')).toEqual([{ id: '1', type: '', data: 'x' }]);
  });
});
