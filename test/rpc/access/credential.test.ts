import { createHash } from 'node:crypto';
import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import {
  ClientList,
  Credential,
  matchesGlob,
  createPassword,
  createToken,
  digestHash,
  isTokenOf,
  readToken,
} from '../../../src/rpc/access/credential.js';
import { cpuMs } from '../../support/fakes/cpu-time.js';

describe('a pattern of wallet names', () => {
  test.each([
    ['shop', 'shop', true],
    ['shop', 'shop2', false],
    ['shop', 'Shop', false],
    ['shop-*', 'shop-', true],
    ['shop-*', 'shop-a.b', true],
    ['shop-*', 'my-shop-a', false],
    ['*', '', true],
    ['*', 'anything', true],
    ['a*b*c', 'aXbYbZc', true],
    ['a*b*c', 'aXbYbZ', false],
    ['a?c', 'abc', true],
    ['a?c', 'ac', false],
    ['a.c', 'abc', false],
    ['[ab]', 'a', false],
    ['**x', 'yyx', true],
  ])('%s and %s: %s', (pattern, name, matches) => {
    expect(matchesGlob(pattern, name)).toBe(matches);
  });

  it('agrees with a regular expression', () => {
    const letters = fc.stringMatching(/^[ab*?]{0,8}$/);
    fc.assert(
      fc.property(letters, fc.stringMatching(/^[ab]{0,10}$/), (pattern, name) => {
        const expression = new RegExp(`^${pattern.replaceAll('*', '.*').replaceAll('?', '.')}$`);
        expect(matchesGlob(pattern, name)).toBe(expression.test(name));
      }),
      { numRuns: 2000 },
    );
  });

  it('takes little time for many stars', () => {
    const start = cpuMs();
    expect(matchesGlob(`${'*a'.repeat(100)}b`, 'a'.repeat(200))).toBe(false);
    expect(cpuMs() - start).toBeLessThan(1000);
  });
});

describe('a list of clients', () => {
  const list = new ClientList(['10.1.0.0/16', '192.0.2.7', '2001:db8::/32', '192.0.2.9/32', 'fe80::1/128']);

  test.each([
    ['10.1.255.255', true],
    ['10.2.0.0', false],
    ['192.0.2.7', true],
    ['::ffff:192.0.2.7', true],
    ['192.0.2.8', false],
    ['192.0.2.9', true],
    ['fe80::1', true],
    ['fe80::2', false],
    ['host', false],
    ['2001:db8::1', true],
    ['2001:db9::1', false],
    ['', false],
  ])('has %s: %s', (ip, isListed) => {
    expect(list.includes(ip)).toBe(isListed);
  });

  test.each(['10.1', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '::/129', 'localhost', '', '10.0.0.0/-1'])(
    'refuses %p',
    (entry) => {
      expect(() => new ClientList([entry])).toThrow(RangeError);
    },
  );
});

describe('a bearer token', () => {
  it('is recognised by its hash alone, and names its credential', () => {
    const { text, hash } = createToken('shop');
    const token = readToken(text);
    expect(token?.name).toBe('shop');
    expect(isTokenOf(hash, token?.secret ?? new Uint8Array())).toBe(true);
    expect(isTokenOf(createToken('shop').hash, token?.secret ?? new Uint8Array())).toBe(false);
    expect(isTokenOf(undefined, token?.secret ?? new Uint8Array())).toBe(false);
    expect(JSON.stringify(hash)).not.toContain(text.slice(-43));
  });

  it('is hashed by SHA-256, after the salt of its credential', () => {
    const { text, hash } = createToken('shop');
    const secret = Buffer.from(text.slice(-43), 'base64url');
    const salted = Buffer.concat([Buffer.from(hash.salt, 'hex'), secret]);
    expect(hash.sha256).toBe(createHash('sha256').update(salted).digest('hex'));
  });

  test.each([
    '',
    'wrpc_shop',
    'wrpc_shop.',
    'shop.AAAA',
    `wrpc_.${'A'.repeat(43)}`,
    `wrpc_a.${'A'.repeat(44)}`,
  ])('has another form than %p', (text) => {
    expect(readToken(text)).toBeUndefined();
  });
});

describe('a digest login', () => {
  // Source: RFC 7616, 3.9.1.
  it('has a new password of 256 bits', () => {
    expect(createPassword()).toMatch(/^[\w-]{43}$/);
    expect(createPassword()).not.toBe(createPassword());
  });

  it('has the HA1 of the standard', () => {
    expect(digestHash('Mufasa', 'http-auth@example.org', 'Circle of Life')).toBe(
      '3d78807defe7de2157e2b0b6573a855f',
    );
  });
});

describe('a credential', () => {
  const base = { name: 'shop', wallets: ['shop-*'], methods: ['view', 'create_address'] };

  it('allows the families and methods that it lists, and no others', () => {
    const credential = new Credential(base);
    expect(credential.allowsMethod('get_balance', 'view')).toBe(true);
    expect(credential.allowsMethod('create_address', 'receive')).toBe(true);
    expect(credential.allowsMethod('label_address', 'receive')).toBe(false);
    expect(credential.allowsMethod('transfer', 'spend')).toBe(false);
    // A method that has the name of a family is no family.
    expect(credential.allowsMethod('view', 'admin')).toBe(false);
  });

  it('allows nothing without lists', () => {
    const nothing = new Credential({ name: 'a', wallets: [], methods: [] });
    expect([nothing.allowsWallet(''), nothing.allowsWallet('a')]).toEqual([false, false]);
    expect(nothing.allowsMethod('get_version', 'view')).toBe(false);
  });

  it('is refused from its expiry on, and names the time', () => {
    const credential = new Credential({ ...base, expires: 1_800_000_000_000 });
    expect(credential.refusal(1_799_999_999_999)).toBeUndefined();
    expect(credential.refusal(1_800_000_000_000)).toEqual({
      status: 401,
      reason: 'credential shop: expired at 2027-01-15T08:00:00.000Z',
    });
  });

  it('has the time until its expiry left, and then none', () => {
    expect(new Credential(base).timeLeft).toBe(Infinity);
    expect(new Credential({ ...base, expires: 1 }).timeLeft).toBe(0);
    const { timeLeft } = new Credential({ ...base, expires: Date.now() + 3_600_000 });
    expect([timeLeft > 3_000_000, timeLeft <= 3_600_000]).toEqual([true, true]);
  });

  it('limits its rate only by a rule', () => {
    expect(new Credential(base).rate).toBeUndefined();
    expect(new Credential({ ...base, rate: { requests: 1, seconds: 60 } }).rate).toBeDefined();
  });

  it('may lock money by a rule, or where it may read keys', () => {
    const mayLock = (rules: object): boolean => new Credential({ ...base, ...rules }).mayLock;
    expect([mayLock({ lock: true }), mayLock({ methods: ['admin'] }), mayLock({})]).toEqual([
      ...[true, true, false],
    ]);
  });

  it('is not bound by its limits where it may read keys', () => {
    const limits = { spend: { day: 1n } };
    const isUnbound = (methods: string[], rules: object): boolean =>
      new Credential({ ...base, methods, ...rules }).isUnbound;
    expect(isUnbound(['view', 'admin'], limits)).toBe(true);
    expect(isUnbound(['query_key'], { addresses: new Set(['x']) })).toBe(true);
    expect(isUnbound(['view', 'spend'], limits)).toBe(false);
    expect(isUnbound(['admin'], {})).toBe(false);
  });

  it('is refused to clients outside its list', () => {
    const credential = new Credential({ ...base, from: new ClientList(['10.0.0.0/8']) });
    expect(credential.refusalFrom('10.2.3.4')).toBeUndefined();
    expect(new Credential(base).refusalFrom('127.0.0.1')).toBeUndefined();
    expect(credential.refusalFrom('127.0.0.1')).toMatchObject({
      status: 403,
      reason: "credential shop: its rule 'from' does not allow 127.0.0.1",
    });
  });
});

describe('a network of all clients', () => {
  test.each([
    ['0.0.0.0/0', '203.0.113.9', true],
    ['::/0', '2001:db8::1', true],
    ['0.0.0.0/0', '2001:db8::1', false],
  ])('%s has %s: %s', (network, ip, isListed) => {
    expect(new ClientList([network]).includes(ip)).toBe(isListed);
  });
});

/** The same pattern as a regular expression. */
const regExpOf = (pattern: string): RegExp =>
  new RegExp(`^${[...pattern].map((one) => (one === '*' ? '.*' : one === '?' ? '.' : one)).join('')}$`);

const textOf = (...letters: string[]): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...letters), maxLength: 12 });

describe('a pattern', () => {
  it('matches the names that the same regular expression matches', () => {
    fc.assert(
      fc.property(textOf('a', 'b', '*', '?'), textOf('a', 'b', 'A'), (pattern, name) => {
        expect(matchesGlob(pattern, name)).toBe(regExpOf(pattern).test(name));
      }),
      { numRuns: 3000 },
    );
  });

  it('matches names that were made from it', () => {
    fc.assert(
      fc.property(
        fc.array(textOf('a', 'b'), { minLength: 2, maxLength: 5 }),
        textOf('a', 'b'),
        (parts, filling) => {
          expect(matchesGlob(parts.join('*'), parts.join(filling))).toBe(true);
        },
      ),
    );
  });

  it('with many stars does not take long for a name that it nearly matches', () => {
    expect(matchesGlob(`${'*a'.repeat(60)}b`, 'a'.repeat(200))).toBe(false);
    expect(matchesGlob(`${'*a'.repeat(60)}b`, `${'a'.repeat(199)}b`)).toBe(true);
  });
});
