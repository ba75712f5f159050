import { beforeEach, describe, expect, it, test } from '@jest/globals';
import { Bans, isBannable } from '../../src/regtest/bans.js';

const NOON = 1_718_452_800;
const ONION = `${'a'.repeat(56)}.onion`;

describe('a bannable host', () => {
  test.each(['1.2.3.4', '::1', '2001:db8::1', '10.0.0.0/8', '1.2.3.4/32', '0.0.0.0/0', ONION])(
    'may be %s',
    (host) => {
      expect(isBannable(host)).toBe(true);
    },
  );

  test.each([
    '',
    'all',
    'localhost',
    '1.2.3',
    '1.2.3.256',
    '10.0.0.0/33',
    '::/64',
    '1.2.3.4:18080',
    'a.onion',
  ])('is not %j', (host) => expect(isBannable(host)).toBe(false));
});

describe('bans', () => {
  let now: number;
  let bans: Bans;

  beforeEach(() => {
    now = NOON;
    bans = new Bans({ now: () => 1000 * now });
  });

  it('last for the given number of seconds', () => {
    bans.ban('1.2.3.4', 60);
    expect(bans.secondsLeft('1.2.3.4')).toBe(60);
    now += 59;
    expect(bans.secondsLeft('1.2.3.4')).toBe(1);
    now += 1;
    expect(bans.secondsLeft('1.2.3.4')).toBe(0);
    expect(bans.all()).toEqual([]);
  });

  it('do not affect other addresses', () => {
    bans.ban('1.2.3.4', 60);
    expect(bans.secondsLeft('1.2.3.5')).toBe(0);
  });

  it('last until the longest ban that covers an address ends', () => {
    bans.ban('10.0.0.0/8', 100);
    bans.ban('10.1.2.3', 50);
    expect(bans.secondsLeft('10.1.2.3')).toBe(100);
    expect(bans.secondsLeft('10.255.0.1')).toBe(100);
    expect(bans.secondsLeft('11.0.0.1')).toBe(0);
    expect(bans.secondsLeft('::1')).toBe(0);
  });

  it('are lifted one by one or all at once', () => {
    for (const host of ['1.1.1.1', '2.2.2.2', '3.3.3.3']) bans.ban(host, 60);
    bans.lift('2.2.2.2');
    expect(bans.all().map(({ host }) => host)).toEqual(['1.1.1.1', '3.3.3.3']);
    bans.clear();
    expect(bans.all()).toEqual([]);
  });

  it('are replaced by a later ban of the same host, and end at once with 0 seconds', () => {
    bans.ban('1.1.1.1', 60);
    bans.ban('1.1.1.1', 10);
    expect(bans.secondsLeft('1.1.1.1')).toBe(10);
    bans.ban('1.1.1.1', 0);
    expect(bans.secondsLeft('1.1.1.1')).toBe(0);
  });

  it('list hosts before subnets', () => {
    bans.ban('1.0.0.0/8', 1);
    bans.ban('9.9.9.9', 1);
    expect(bans.all()).toEqual([
      { host: '9.9.9.9', until: NOON + 1 },
      { host: '1.0.0.0/8', until: NOON + 1 },
    ]);
  });
});
