import { describe, expect, it } from '@jest/globals';
import { CountedConnections } from '../../../src/http/server/connection-limits.js';

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
