import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { yieldToEventLoop } from '../../src/util/event-loop.js';
import {
  currentTrace,
  inTrace,
  outsideTrace,
  readTraceparent,
  writeTraceparent,
  type RequestTrace,
} from '../../src/util/trace.js';

const ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const HEADER = `00-${ID}-${SPAN}-01`;

const traceOf = (digit: string): RequestTrace => {
  const trace = readTraceparent(`00-${digit.repeat(32)}-${SPAN}-01`);
  if (trace === undefined) throw new Error('the header is valid');
  return trace;
};

describe('the header traceparent', () => {
  test.each([
    [HEADER, true],
    [`00-${ID}-${SPAN}-00`, false],
    [`00-${ID}-${SPAN}-03`, true],
    [`00-${ID}-${SPAN}-fe`, false],
  ])('is read: %s', (header, sampled) => {
    expect(readTraceparent(header)).toEqual({ traceparent: header, traceId: ID, sampled });
  });

  test.each([
    ['absent', undefined],
    ['empty', ''],
    ['of another version', `01-${ID}-${SPAN}-01`],
    ['of the invalid version', `ff-${ID}-${SPAN}-01`],
    ['in capitals', HEADER.toUpperCase()],
    ['with a trace id of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['with a parent id of zeros', `00-${ID}-${'0'.repeat(16)}-01`],
    ['with a further field', `${HEADER}-00`],
    ['without flags', `00-${ID}-${SPAN}`],
    ['with a short trace id', `00-${ID.slice(1)}-${SPAN}-01`],
    ['with a space before it', ` ${HEADER}`],
    ['with a line end behind it', `${HEADER}\n`],
    ['with other digits', `00-${ID.replace('4', 'g')}-${SPAN}-01`],
    ['given twice', `${HEADER}, ${HEADER}`],
  ])('is ignored if it is %s', (_, header) => {
    expect(readTraceparent(header)).toBeUndefined();
  });

  it('is read only with the characters of its form, whatever it is', () => {
    const parts = fc.tuple(
      fc.constantFrom('00', '01', 'ff', '0', ''),
      fc.oneof(fc.constant(ID), fc.constant('0'.repeat(32)), fc.string({ maxLength: 40 })),
      fc.oneof(fc.constant(SPAN), fc.constant('0'.repeat(16)), fc.string({ maxLength: 20 })),
      fc.oneof(fc.constant('01'), fc.string({ maxLength: 3 })),
    );
    fc.assert(
      fc.property(parts, (fields) => {
        const header = fields.join('-');
        const valid = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(header) && !/-0+-/.test(header);
        expect(readTraceparent(header)?.traceparent).toBe(valid ? header : undefined);
      }),
    );
  });

  it('is written with the same trace, a new id that is not zero, and the known flag alone', () => {
    const draws = [new Uint8Array(8), Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 9)];
    const rng = (): Uint8Array => draws.shift() ?? new Uint8Array(8).fill(7);
    expect(writeTraceparent({ traceId: ID, sampled: true }, rng)).toBe(`00-${ID}-0000000000000009-01`);
    expect(writeTraceparent({ traceId: ID, sampled: false }, rng)).toBe(`00-${ID}-0707070707070707-00`);
    const header = writeTraceparent({ traceId: ID, sampled: true });
    expect(readTraceparent(header)).toEqual({ traceparent: header, traceId: ID, sampled: true });
  });
});

describe('the trace of a call', () => {
  it('is known to all that the call waits for, and to no other call', async () => {
    const seen = await Promise.all(
      ['a', undefined, 'b'].map((digit) =>
        inTrace(digit === undefined ? undefined : traceOf(digit), async () => {
          await yieldToEventLoop();
          return currentTrace()?.traceId.slice(0, 1);
        }),
      ),
    );
    expect(seen).toEqual(['a', undefined, 'b']);
    expect(currentTrace()).toBeUndefined();
  });

  it('ends with the call, for what it leaves running, too', async () => {
    let later: Promise<RequestTrace | undefined> | undefined;
    const failing = inTrace(traceOf('a'), async () => {
      later = yieldToEventLoop().then(async () => {
        await yieldToEventLoop();
        return currentTrace();
      });
      throw new Error('refused');
    });
    await expect(failing).rejects.toThrow('refused');
    expect(await later).toBeUndefined();
  });

  it('is not that of a task outside of it', async () => {
    const [outside, inside] = await inTrace(traceOf('a'), async () => {
      const found = await outsideTrace(async () => {
        await yieldToEventLoop();
        return currentTrace();
      });
      return [found, currentTrace()];
    });
    expect([outside, inside]).toEqual([undefined, traceOf('a')]);
    expect(outsideTrace(() => 7)).toBe(7);
  });
});
