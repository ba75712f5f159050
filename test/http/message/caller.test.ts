import { describe, expect, it } from '@jest/globals';
import { isPrivateAddress, networkOf, peerAddress } from '../../../src/http/message/caller.js';

describe('the address of a client', () => {
  it.each([
    ['127.0.0.1', true],
    ['10.1.2.3', true],
    ['172.16.0.1', true],
    ['172.32.0.1', false],
    ['192.168.1.1', true],
    ['169.254.0.1', true],
    ['::1', true],
    ['fd00::1', true],
    ['fc00::1', true],
    ['fe80::1', true],
    ['fe80::1%eth0', true],
    ['febf::1', true],
    ['fec0::1', false],
    ['fd::1', false],
    ['::ffff:10.0.0.1', true],
    ['::ffff:7f00:1', true],
    ['::ffff:192.0.2.1', false],
    ['192.0.2.1', false],
    ['2001:db8::fc', false],
    ['', false],
  ])('%p: private %p', (ip, isPrivate) => {
    expect(isPrivateAddress(ip)).toBe(isPrivate);
  });

  it('is the IPv4 address of a mapped one', () => {
    for (const mapped of [
      '::ffff:192.0.2.1',
      '::FFFF:192.0.2.1',
      '::ffff:c000:201',
      '0:0:0:0:0:ffff:c000:0201',
    ])
      expect(peerAddress({ remoteAddress: mapped })).toBe('192.0.2.1');
    expect(peerAddress({ remoteAddress: '64:ff9b::c000:201' })).toBe('64:ff9b::c000:201');
    expect(peerAddress({ remoteAddress: '2001:db8::1' })).toBe('2001:db8::1');
    expect(peerAddress({})).toBe('');
  });

  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8::1', '2001:db8:0:0::/64'],
    ['2001:db8::192.0.2.1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::1', 'loopback'],
    ['0:0:0:0:0:0:0:1', 'loopback'],
    ['127.0.0.1', 'loopback'],
    ['127.9.9.9', 'loopback'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['', ''],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['::', '0:0:0:0::/64'],
  ])('%s belongs to the network %s', (ip, network) => {
    expect(networkOf(ip)).toBe(network);
  });
});
