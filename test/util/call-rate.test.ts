import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CallRate } from '../../src/util/call-rate.js';

describe('a rate', () => {
  it('never lets more calls begin in any period than it says, and tells when one may', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 3000 }), { maxLength: 60 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), gaps, (requests, waits) => {
        let now = 0;
        const rate = new CallRate({ requests, seconds: 3 }, () => now);
        const begun: number[] = [];
        for (const wait of waits) {
          now += wait;
          const left = rate.take();
          if (left === 0) begun.push(now);
          else {
            now += left;
            expect(rate.take()).toBe(0);
            begun.push(now);
          }
        }
        for (const [i, time] of begun.entries())
          expect((begun[i + requests] ?? Infinity) - time).toBeGreaterThanOrEqual(3000);
      }),
    );
  });
});
