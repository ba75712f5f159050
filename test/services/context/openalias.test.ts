import { describe, expect, it } from '@jest/globals';
import { formatAddress } from '../../../src/monero/cryptonote/address.js';
import { DnsError, type TextRecords } from '../../../src/net/dns/resolver.js';
import { OpenAlias } from '../../../src/services/context/openalias.js';
import { CodecError } from '../../../src/util/codec.js';
import { namedKeys } from '../../support/wallets/keystores.js';
import { faultOf } from '../../support/wallets/test-wallet.js';

const keys = namedKeys('payee');
const address = formatAddress({ ...keys, kind: 'standard' });
const testnet = formatAddress({ ...keys, network: 'testnet', kind: 'standard' });
const recordOf = (text: string): string => `oa1:xmr recipient_address=${text}; recipient_name=Payee;`;

/** Resolver that answers every name alike, and the names that it was asked for. */
function answering(answer: Partial<TextRecords> | Error) {
  const asked: string[] = [];
  const alias = new OpenAlias({
    texts: (host) => {
      asked.push(host);
      if (answer instanceof Error) return Promise.reject(answer);
      return Promise.resolve({ texts: [], authenticated: true, ...answer });
    },
  });
  return { alias, asked };
}

const NAME = 'donate@example.org';
const HOST = 'donate.example.org';

describe('a text that is an address', () => {
  it('is read without a look-up, on its network or on any', async () => {
    const { alias, asked } = answering({});
    expect(formatAddress(await alias.resolve(address, 'mainnet'))).toBe(address);
    expect(formatAddress(await alias.resolve(testnet, undefined))).toBe(testnet);
    expect(asked).toEqual([]);
  });

  it('of another network is refused without a look-up', async () => {
    const { alias, asked } = answering({});
    expect(await faultOf(() => alias.resolve(testnet, 'mainnet'))).toEqual({
      kind: 'wrong_address',
      reason: 'the address belongs to testnet, not to mainnet',
      text: 'Invalid address',
      address: testnet,
    });
    expect(asked).toEqual([]);
  });
});

describe('a name', () => {
  it('stands for the address of its first record that has one', async () => {
    const other = formatAddress({ ...namedKeys('other'), kind: 'standard' });
    const { alias, asked } = answering({
      texts: ['v=spf1 -all', 'oa1:btc recipient_address=x;', recordOf(address), recordOf(other)],
    });
    expect(formatAddress(await alias.resolve(NAME, 'mainnet'))).toBe(address);
    expect(asked).toEqual([HOST]);
  });

  it.each<[string, Partial<TextRecords> | Error, object]>([
    ['has no record', {}, { text: `No Monero address found at ${HOST}` }],
    [
      'has records of other currencies alone',
      { texts: ['oa1:btc recipient_address=x;'] },
      { text: `No Monero address found at ${HOST}` },
    ],
    [
      'has a record that is not authenticated',
      { texts: [recordOf(address)], authenticated: false },
      { text: `Invalid DNSSEC for ${HOST}` },
    ],
    [
      'has an address of another network',
      { texts: [recordOf(testnet)] },
      {
        reason: `the address found at ${HOST} is not one of this network: the address belongs to testnet, not to mainnet`,
      },
    ],
    [
      'has an address with a wrong checksum',
      { texts: [recordOf(`${address.slice(0, -1)}1`)] },
      { reason: `the address found at ${HOST} is not one of this network` },
    ],
    [
      'is not one that DNS knows',
      new CodecError('a label is too long'),
      { reason: `${HOST} is neither an address nor a name` },
    ],
    [
      'cannot be looked up',
      new DnsError('no answer'),
      { reason: `${HOST} cannot be looked up, DNS is out of reach: no answer` },
    ],
  ])('is refused where it %s', async (_, answer, fault) => {
    const { alias } = answering(answer);
    expect(await faultOf(() => alias.resolve(NAME, 'mainnet'))).toMatchObject({
      kind: 'wrong_address',
      ...fault,
    });
    expect(await alias.find(NAME, 'mainnet')).toBeUndefined();
  });

  it('is refused while names are not looked up', async () => {
    expect(await faultOf(() => new OpenAlias().resolve(NAME, 'mainnet'))).toMatchObject({
      kind: 'wrong_address',
      reason: `${HOST} is not an address, and names are not looked up: DNS is off`,
    });
  });

  it('must have a dot: a mistyped address is never sent to a resolver', async () => {
    const { alias, asked } = answering({ texts: [recordOf(address)] });
    expect(await faultOf(() => alias.resolve(`${address}x`, 'mainnet'))).toMatchObject({
      kind: 'wrong_address',
    });
    expect(await alias.find('', 'mainnet')).toBeUndefined();
    expect(asked).toEqual([]);
  });
});

describe('an error of the resolver that is a bug', () => {
  it('is thrown by both calls', async () => {
    const bug = new TypeError('undefined');
    const { alias } = answering(bug);
    await expect(alias.resolve(NAME, 'mainnet')).rejects.toBe(bug);
    await expect(alias.find(NAME, 'mainnet')).rejects.toBe(bug);
  });
});
