import { describe, expect, it } from '@jest/globals';
import { publicKeyOf, randomSecretKey } from '../../../src/monero/crypto/derivation.js';
import { formatAddress } from '../../../src/monero/cryptonote/address.js';
import { isPrimary, subaddressKeys } from '../../../src/monero/cryptonote/subaddress-keys.js';
import type { SubaddressIndex } from '../../../src/monero/cryptonote/types.js';
import { AddressCache, AddressTexts } from '../../../src/services/context/address-cache.js';
import { addressKeysAt } from '../../../src/monero/carrot/account.js';
import { ACCOUNT_TIERS, tierKeysOf } from '../../../src/monero/carrot/account-secrets.js';
import { carrotWalletKeys } from '../../../src/monero/wallet/keys.js';
import { SECRETS, VECTOR } from '../../support/wallets/carrot-accounts.js';
import { Secret } from '../../../src/util/secret.js';
import { EventLoopTurns, turns } from '../../support/fakes/event-loop-turns.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';

const rng = seededRng('address texts');
const viewSecret = randomSecretKey(rng);
const keys = {
  network: 'mainnet' as const,
  spendPublicKey: publicKeyOf(randomSecretKey(rng)),
  viewPublicKey: publicKeyOf(viewSecret),
  viewSecret: new Secret(viewSecret),
};
const open = { asked: 0 };
const texts = (): AddressCache =>
  new AddressCache(() => {
    open.asked += 1;
    return keys;
  });

const oneByOne = (index: SubaddressIndex): string =>
  formatAddress({
    network: 'mainnet',
    kind: isPrimary(index) ? 'standard' : 'subaddress',
    ...subaddressKeys(keys.spendPublicKey, viewSecret, index),
  });

const first = { major: 0, minor: 0 };
const indices = [
  first,
  { major: 2, minor: 7 },
  { major: 0, minor: 3 },
  { major: 2, minor: 7 },
  first,
  { major: 2 ** 32 - 1, minor: 2 ** 32 - 1 },
];

describe('texts of the addresses of an account of the fork', () => {
  it.each(ACCOUNT_TIERS)('are the same in the tier %s, also as many that turns divide', async (tier) => {
    const own = carrotWalletKeys(SECRETS[tier], 'mainnet');
    const kept = new AddressCache(() => own);
    const given = VECTOR.subaddresses.map(({ index: [major, minor] }) => ({ major, minor }));
    expect(await kept.texts([first, ...given])).toEqual([
      VECTOR.address,
      ...VECTOR.subaddresses.map(({ address }) => address),
    ]);
    const many = Array.from({ length: 70 }, (_, minor) => ({ major: 1, minor }));
    const counted = new EventLoopTurns();
    const derived = await kept.derive(many);
    counted.stop();
    expect(derived).toEqual(many.map((index) => addressKeysAt(tierKeysOf(SECRETS.master), index)));
    expect(counted.count).toBeGreaterThanOrEqual(2);
  });
});

describe('texts of own addresses', () => {
  it('are those of each, however many are asked for at once and however often', async () => {
    const expected = indices.map(oneByOne);
    expect(indices.map((index) => texts().text(index))).toEqual(expected);
    const kept = texts();
    expect(await kept.texts(indices)).toEqual(expected);
    expect(await kept.texts(indices)).toEqual(expected);
    expect(indices.map((index) => kept.text(index))).toEqual(expected);
  });

  it('are worked out ahead between other work, and not again', async () => {
    const kept = texts();
    kept.prefetch(indices);
    kept.prefetch(Array.from({ length: 40 }, (_, minor) => ({ major: 0, minor })));
    const known = indices.filter((index) => !isPrimary(index));
    await turns(8);
    open.asked = 0;
    expect(known.map((index) => kept.text(index))).toEqual(known.map(oneByOne));
    expect(kept.text({ major: 0, minor: 39 })).toBe(oneByOne({ major: 0, minor: 39 }));
    expect(open.asked).toBe(0);
  });

  it('are not prefetched, without an error, once the wallet is closed', async () => {
    let closed = false;
    const kept = new AddressCache(() => {
      if (closed) throw new Error('closed');
      return keys;
    });
    kept.prefetch(indices);
    closed = true;
    await turns(4);
    expect(() => kept.text({ major: 0, minor: 3 })).toThrow('closed');
    closed = false;
    expect(kept.text({ major: 0, minor: 3 })).toBe(oneByOne({ major: 0, minor: 3 }));
  });

  it('are worked out once', async () => {
    const kept = texts();
    await kept.texts(indices);
    open.asked = 0;
    await kept.texts(indices);
    kept.prepare(indices);
    expect(open.asked).toBe(0);
  });

  it('let other work go on while there are many, whether they are known or not', async () => {
    const many = Array.from({ length: 600 }, (_, minor) => ({ major: 1, minor }));
    const kept = texts();
    for (let round = 0; round < 2; round++) {
      const turns = new EventLoopTurns();
      const made = await kept.texts(many);
      expect(turns.stop()).toBeGreaterThanOrEqual(4);
      expect(made).toHaveLength(600);
      expect(made[599]).toBe(oneByOne({ major: 1, minor: 599 }));
    }
  });

  it('beyond the limit replace the oldest ones only', async () => {
    const kept = new AddressCache(
      () => {
        open.asked += 1;
        return keys;
      },
      3 * 256 * 95,
    );
    const many = Array.from({ length: 5 * 256 }, (_, minor) => ({ major: 1, minor }));
    await kept.texts(many);
    open.asked = 0;
    for (const minor of [512, 900, 1279])
      expect(kept.text({ major: 1, minor })).toBe(oneByOne({ major: 1, minor }));
    expect(open.asked).toBe(0);
    kept.text({ major: 1, minor: 0 });
    expect(open.asked).toBeGreaterThan(0);
  });

  it('fail with the wallet that was closed meanwhile', async () => {
    let closed = false;
    const closing = new AddressCache(() => {
      if (closed) throw new Error('closed');
      return keys;
    });
    const made = closing.texts(Array.from({ length: 600 }, (_, minor) => ({ major: 1, minor })));
    closed = true;
    await expect(made).rejects.toThrow('closed');
  });
});

const textOf = (major: number, minor: number): string => `${major}x${minor}x`.padEnd(95, '8');

describe('kept texts of addresses', () => {
  it('are all kept, however many there are below the limit', () => {
    const texts = new AddressTexts(160 << 20);
    for (let minor = 0; minor < 300_000; minor++) texts.set({ major: 0, minor }, textOf(0, minor));
    expect(texts.count).toBe(300_000);
    for (const minor of [0, 1, 255, 256, 249_999, 250_000, 299_999])
      expect(texts.get({ major: 0, minor })).toBe(textOf(0, minor));
    expect(texts.get({ major: 0, minor: 300_001 })).toBeUndefined();
    expect(texts.get({ major: 1, minor: 0 })).toBeUndefined();
  });

  it('are those of their own account and index, in any order', () => {
    const texts = new AddressTexts(1 << 20);
    const indices = [
      [7, 255],
      [7, 0],
      [2 ** 32 - 1, 2 ** 32 - 1],
      [0, 300],
      [7, 12],
      [3, 0],
    ] as const;
    for (const [major, minor] of indices) texts.set({ major, minor }, textOf(major, minor));
    for (const [major, minor] of indices) expect(texts.get({ major, minor })).toBe(textOf(major, minor));
    expect(texts.get({ major: 7, minor: 13 })).toBeUndefined();
  });

  it('give way at the limit, the oldest first', () => {
    const texts = new AddressTexts(100 * 95);
    for (let major = 0; major < 150; major++) texts.set({ major, minor: 0 }, textOf(major, 0));
    expect(texts.get({ major: 49, minor: 0 })).toBeUndefined();
    for (const major of [50, 149]) expect(texts.get({ major, minor: 0 })).toBe(textOf(major, 0));
  });
});
