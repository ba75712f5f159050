import { describe, expect, it } from '@jest/globals';
import { ClientRates } from '../../../src/http/server/client-rates.js';

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
