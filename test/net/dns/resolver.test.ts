import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { DnsError, parseNameserver, Resolver } from '../../../src/net/dns/resolver.js';
import { CodecError } from '../../../src/util/codec.js';
import { systemRng } from '../../../src/util/random.js';
import { startFakeDns, type FakeDns } from '../../support/network/fake-dns.js';

const LONG = 'x'.repeat(3000);
let dns: FakeDns;
let resolver: Resolver;
/** Resolver for names that are not answered. */
let hasty: Resolver;

beforeAll(async () => {
  dns = await startFakeDns({
    'plain.example.org': { texts: ['one', 'two'] },
    'unsigned.example.org': { texts: ['one'], authenticated: false },
    'alias.example.org': { texts: ['one'], alias: 'target.example.org' },
    'empty.example.org': {},
    'long.example.org': { texts: [LONG], truncated: true },
    'bogus.example.org': { rcode: 2, authenticated: false },
    'silent.example.org': { silent: true },
    'cut.example.org': { truncated: true, silent: true, noise: (_, answer) => [answer] },
    'noisy.example.org': {
      texts: ['real'],
      noise: (query, answer) => {
        const otherId = Buffer.from(answer);
        otherId[0] = (otherId[0] ?? 0) ^ 1;
        const otherName = Buffer.from(answer);
        otherName[13] = 0x7a;
        return [Buffer.alloc(0), Buffer.from('garbage'), query, otherId, otherName];
      },
    },
  });
  const servers = [{ ip: '127.0.0.1', port: dns.port }];
  resolver = new Resolver({ servers, rng: systemRng, timeoutMs: 30_000 });
  hasty = new Resolver({ servers, rng: systemRng, timeoutMs: 300 });
});

afterAll(async () => {
  await dns?.stop();
});

describe('the texts of a name', () => {
  test.each([
    ['plain.example.org', ['one', 'two'], true],
    ['PLAIN.example.org.', ['one', 'two'], true],
    ['unsigned.example.org', ['one'], false],
    ['alias.example.org', ['one'], true],
    ['empty.example.org', [], true],
    ['missing.example.org', [], true],
    ['noisy.example.org', ['real'], true],
  ])('of %s are %j, validated: %p', async (name, texts, authenticated) => {
    expect(await resolver.texts(name)).toEqual({ texts, authenticated });
  });

  it('are requested over TCP when they are too long for a datagram', async () => {
    expect(await resolver.texts('long.example.org')).toEqual({ texts: [LONG], authenticated: true });
    expect(dns.asked.filter((line) => line.includes('long'))).toEqual([
      'udp long.example.org',
      'tcp long.example.org',
    ]);
  });

  test.each(['bogus', 'silent', 'cut'])(
    'are refused with a DnsError after two questions when the answer is %s',
    async (name) => {
      await expect(hasty.texts(`${name}.example.org`)).rejects.toThrow(DnsError);
      expect(dns.asked.filter((line) => line === `udp ${name}.example.org`)).toHaveLength(2);
    },
  );

  it('are not requested for a text that is no host name', async () => {
    const before = dns.asked.length;
    await expect(resolver.texts('no name.org')).rejects.toThrow(CodecError);
    expect(dns.asked).toHaveLength(before);
  });

  it('come from the next resolver when the first fails', async () => {
    const servers = [
      { ip: '127.0.0.1', port: 1 },
      { ip: '127.0.0.1', port: dns.port },
    ];
    const { texts } = await new Resolver({ servers, rng: systemRng }).texts('plain.example.org');
    expect(texts).toEqual(['one', 'two']);
  });

  it('are requested with random ids', async () => {
    const ids = new Set<string>();
    dns.zones.set('id.example.org', {
      texts: ['x'],
      noise: (query) => {
        ids.add(query.subarray(0, 2).toString('hex'));
        return [];
      },
    });
    for (let i = 0; i < 8; i++) await resolver.texts('id.example.org');
    expect(ids.size).toBeGreaterThan(4);
  });

  it('are refused with a DnsError without a resolver', async () => {
    await expect(new Resolver({ servers: [], rng: systemRng }).texts('example.org')).rejects.toThrow(
      DnsError,
    );
  });
});

describe("a resolver's address", () => {
  test.each([
    ['9.9.9.9', '9.9.9.9', 53],
    ['127.0.0.1:5353', '127.0.0.1', 5353],
    ['::1', '::1', 53],
    ['fe80::1%br-lan', 'fe80::1%br-lan', 53],
    ['[2620:fe::fe]:5353', '2620:fe::fe', 5353],
    ['[2620:fe::fe]', '2620:fe::fe', 53],
  ])('%s is read', (text, ip, port) => {
    expect(parseNameserver(text)).toEqual({ ip, port });
  });

  test.each(['', 'localhost', '1.2.3', '1.2.3.4:0', '1.2.3.4:70000', '[1.2.3.4', 'tcp://9.9.9.9'])(
    '%j is refused',
    (text) => {
      expect(() => parseNameserver(text)).toThrow(RangeError);
    },
  );
});
