import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CallRate, ClientRates } from '../../../src/http/server/connection-limits.js';

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

const rule = (requests: number) => ({ requests, seconds: 60 });

describe('the rate of each client', () => {
  it('is limited by the kind of its address', () => {
    let now = 0;
    const rates = new ClientRates({ public: rule(1), private: rule(2) }, () => now);
    const taken = (ip: string): number[] => [rates.take(ip), rates.take(ip), rates.take(ip)];
    expect(taken('192.0.2.1')).toEqual([0, 60_000, 60_000]);
    expect(taken('192.0.2.2')).toEqual([0, 60_000, 60_000]);
    expect(taken('10.0.0.1')).toEqual([0, 0, 60_000]);
    now = 60_000;
    expect(rates.take('192.0.2.1')).toBe(0);
  });

  it('is shared by the addresses of an IPv6 network', () => {
    const rates = new ClientRates({ public: rule(1), private: rule(1) }, () => 0);
    expect(rates.take('2001:db8::1')).toBe(0);
    expect(rates.take('2001:db8:0:0:ffff::1')).toBe(60_000);
    expect(rates.take('2001:db8:0:1::1')).toBe(0);
  });

  it('is forgotten after 10,000 others, the one that was idle for longest first', () => {
    const rates = new ClientRates({ public: rule(2), private: rule(2) }, () => 0);
    const others = Array.from({ length: 9999 }, (_, i) => `198.51.${i >> 8}.${i & 255}`);
    for (const ip of ['192.0.2.1', '192.0.2.1', ...others]) expect(rates.take(ip)).toBe(0);
    expect(rates.take('192.0.2.1')).toBe(60_000);
    expect(rates.take('192.0.2.2')).toBe(0);
    expect(rates.take('192.0.2.1')).toBe(60_000);
    for (let i = 0; i < 10_000; i++) rates.take(`203.0.${i >> 8}.${i & 255}`);
    expect(rates.take('192.0.2.1')).toBe(0);
  });
});
