import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ByteQueue } from '../../src/net/byte-queue.js';

describe('a queue of bytes', () => {
  it('has the bytes that were appended and not dropped', () => {
    const step = fc.record({ chunk: fc.uint8Array({ maxLength: 600 }), drop: fc.nat(700) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const queue = new ByteQueue();
        let expected: number[] = [];
        for (const { chunk, drop } of steps) {
          queue.append(chunk);
          expected.push(...chunk);
          expect(queue.length).toBe(expected.length);
          expect([...queue.view()]).toEqual(expected);
          const count = Math.min(drop, expected.length);
          queue.drop(count);
          expected = expected.slice(count);
          expect([...queue.view()]).toEqual(expected);
        }
      }),
    );
  });
});
