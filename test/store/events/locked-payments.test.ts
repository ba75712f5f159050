import { beforeEach, describe, expect, it, test } from '@jest/globals';
import type { KeyImage, PublicKey } from '../../../src/monero/crypto/types.js';
import type { SubaddressIndex } from '../../../src/monero/cryptonote/types.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { bytes, output, page, received } from '../fixtures.js';

/* Payments at height 5 with a lock of their own: neither none nor that of a miner transaction. */

let file: WalletStore;
let last: number;

const HOME: SubaddressIndex = { major: 0, minor: 0 };

beforeEach(() => {
  last = 0;
  file = WalletStore.create(':memory:', new Uint8Array(32), (w) => w.applyPage(page(0, 5)));
});

/** Stores a page that begins with the block of a payment. @param amounts paid to each address. */
function pay(
  blocks: number,
  unlockTime: bigint,
  amounts: readonly (readonly [SubaddressIndex, bigint])[] = [[HOME, 50n]],
): void {
  const outputs = amounts.map(([subaddress, value], i) =>
    output(1, 5, value, {
      ...{ unlockTime, subaddress, outputIndex: i },
      ...{ publicKey: bytes<PublicKey>(150 + i), keyImage: bytes<KeyImage>(150 + i) },
    }),
  );
  file.write((w) => w.applyPage(page(5, blocks, { received: [{ ...received(1, 5), unlockTime }], outputs })));
}

/** Stores further blocks. @param tip height of the last one. */
const mineTo = (tip: number): void => {
  const next = file.height();
  file.write((w) => w.applyPage(page(next, tip + 1 - next)));
};

/** Events since the last call: their types, with a number of confirmations or an amount. */
function summary(): string[] {
  const events = file.read((r) => r.events.after(last, 1000));
  last = events.at(-1)?.id ?? last;
  return events.map(({ type, data }) =>
    'confirmations' in data
      ? `${type} ${data.confirmations}`
      : 'amount' in data
        ? `${type} ${data.amount}`
        : type,
  );
}

const [MINED, FIRST, TENTH] = ['payment.mined 50', 'payment.confirmed 1', 'payment.confirmed 10'];
const UNLOCKED = 'payment.unlocked 50';

describe('a payment with an unlock height', () => {
  it('is unlocked by the block below that height, and once', () => {
    pay(1, 30n);
    expect(summary()).toEqual([MINED, FIRST]);
    mineTo(28);
    expect(summary()).toEqual([TENTH]);
    mineTo(29);
    expect(summary()).toEqual([UNLOCKED]);
    mineTo(60);
    expect(summary()).toEqual([]);
  });

  test.each([
    ['one block before it is unlocked', 24, [MINED, FIRST, TENTH], [UNLOCKED]],
    ['with the block that unlocks it', 25, [MINED, FIRST, TENTH, UNLOCKED], []],
    ['later', 26, [MINED, FIRST, TENTH, UNLOCKED], []],
  ])('that is found %s has all stages up to then', (_, blocks, found, next) => {
    pay(blocks, 30n);
    expect(summary()).toEqual(found);
    mineTo(file.height());
    expect(summary()).toEqual(next);
    mineTo(60);
    expect(summary()).toEqual([]);
  });

  it('waits for its age where that height is reached earlier', () => {
    pay(1, 7n);
    mineTo(13);
    expect(summary()).toEqual([MINED, FIRST]);
    mineTo(14);
    expect(summary()).toEqual([TENTH, UNLOCKED]);
    mineTo(60);
    expect(summary()).toEqual([]);
  });

  it('is unlocked at each of its addresses, with the amount of that address', () => {
    const places: SubaddressIndex[] = [
      { major: 0, minor: 1 },
      { major: 0, minor: 2 },
      { major: 1, minor: 1 },
    ];
    pay(
      1,
      30n,
      places.map((place, i) => [place, BigInt(i + 1)]),
    );
    mineTo(29);
    const unlocked = file
      .read((r) => r.events.after(0, 1000))
      .flatMap((event) => (event.type === 'payment.unlocked' ? [event.data] : []));
    expect(unlocked.map(({ subaddress, amount }) => [subaddress, amount])).toEqual(
      places.map((place, i) => [place, BigInt(i + 1)]),
    );
  });

  it('is unlocked no more once a reorganisation has removed it', () => {
    pay(1, 30n);
    mineTo(20);
    summary();
    file.write((w) => w.applyPage(page(4, 40)));
    expect(summary()).toEqual(['wallet.reorganised', 'payment.reversed 50']);
    mineTo(80);
    expect(summary()).toEqual([]);
  });
});

describe('a payment with an unlock time', () => {
  const PAST = 1_600_000_000n;
  const FUTURE = 4_000_000_000n;

  test.each([
    ['that has passed is unlocked with its age', PAST, [UNLOCKED]],
    ['to come is not unlocked with its age', FUTURE, []],
  ])('%s', (_, unlockTime, then) => {
    pay(1, unlockTime);
    mineTo(13);
    expect(summary()).toEqual([MINED, FIRST]);
    mineTo(14);
    expect(summary()).toEqual([TENTH, ...then]);
    mineTo(60);
    expect(summary()).toEqual([]);
  });

  test.each([
    ['that has passed is unlocked when it is found with its age', PAST, 10, [TENTH, UNLOCKED], []],
    ['that has passed is not unlocked before its age', PAST, 9, [], [TENTH, UNLOCKED]],
    ['to come is not unlocked when it is found', FUTURE, 10, [TENTH], []],
  ])('%s', (_, unlockTime, blocks, found, next) => {
    pay(blocks, unlockTime);
    expect(summary()).toEqual([MINED, FIRST, ...found]);
    mineTo(file.height());
    expect(summary()).toEqual(next);
  });
});
