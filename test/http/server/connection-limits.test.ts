import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CallRate, ClientRates, CountedConnections } from '../../../src/http/server/connection-limits.js';

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

const taken = (counted: CountedConnections, ...ips: readonly string[]) =>
  ips.map((ip) => {
    const result = counted.take(ip);
    return typeof result === 'function' ? 'taken' : result.of;
  });

describe('the number of connections', () => {
  it('is limited for each network, however many addresses it has', () => {
    const counted = new CountedConnections({ all: 100, each: { public: 2, private: 3 } });
    expect(taken(counted, '2001:db8::1', '2001:db8::2', '2001:db8:0:0:a::3', '2001:db8:0:1::1')).toEqual([
      ...['taken', 'taken', 'address'],
      'taken',
    ]);
    expect(taken(counted, '192.0.2.1', '::ffff:192.0.2.1', '::ffff:c000:201', '192.0.2.2')).toEqual([
      ...['taken', 'taken', 'address'],
      'taken',
    ]);
    expect(taken(counted, '10.0.0.1', '10.0.0.1', '10.0.0.1', '10.0.0.1')[3]).toBe('address');
    expect(taken(counted, '127.0.0.1', '127.0.0.2', '::1', '::ffff:127.0.0.3')[3]).toBe('address');
  });

  it('is limited for all together, and for this machine by itself', () => {
    const counted = new CountedConnections({ all: 3, each: { public: 1, private: 9 } });
    expect(taken(counted, '192.0.2.1', '192.0.2.2', '10.0.0.1', '192.0.2.3', '10.0.0.1')).toEqual([
      ...['taken', 'taken', 'taken'],
      ...['all', 'all'],
    ]);
    expect(taken(counted, '127.0.0.1', '::1', '127.0.0.1', '127.0.0.1')).toEqual([
      ...['taken', 'taken', 'taken'],
      'address',
    ]);
    expect(counted.take('192.0.2.9')).toEqual({ limit: 3, of: 'all' });
    expect(counted.take('127.0.0.1')).toEqual({ limit: 3, of: 'address' });
  });

  it('does not count the connections of this machine among those of others', () => {
    const counted = new CountedConnections({ all: 2, each: { public: 2, private: 2 } });
    expect(taken(counted, '::1', '::1', '192.0.2.1', '192.0.2.1', '192.0.2.1')).toEqual([
      ...['taken', 'taken', 'taken', 'taken'],
      'all',
    ]);
  });

  it('becomes smaller once by each end', () => {
    const counted = new CountedConnections({ all: 2, each: { public: 1, private: 1 } });
    const release = counted.take('2001:db8::1');
    if (typeof release !== 'function') throw new Error('a limit');
    expect(taken(counted, '2001:db8::2')).toEqual(['address']);
    release();
    release();
    expect(taken(counted, '2001:db8::2', '2001:db8:1::1', '2001:db8:2::1')).toEqual([
      'taken',
      'taken',
      'all',
    ]);
  });
});
