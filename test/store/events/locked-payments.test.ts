import { beforeEach, describe, expect, it, test } from '@jest/globals';
import type { KeyImage, PublicKey } from '../../../src/monero/crypto/types.js';
import type { SubaddressIndex } from '../../../src/monero/cryptonote/types.js';
import type { PageFindings } from '../../../src/monero/wallet/scan/findings.js';
import { EventIds } from '../../../src/store/file/event-ids.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { clearChain } from '../../support/chain/cleared-chain.js';
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
const pay = (
  blocks: number,
  unlockTime: bigint,
  amounts?: readonly (readonly [SubaddressIndex, bigint])[],
): void => file.write((w) => w.applyPage(paid(blocks, unlockTime, amounts)));

function paid(
  blocks: number,
  unlockTime: bigint,
  amounts: readonly (readonly [SubaddressIndex, bigint])[] = [[HOME, 50n]],
): PageFindings {
  const outputs = amounts.map(([subaddress, value], i) =>
    output(1, 5, value, {
      ...{ unlockTime, subaddress, outputIndex: i },
      ...{ publicKey: bytes<PublicKey>(150 + i), keyImage: bytes<KeyImage>(150 + i) },
    }),
  );
  return page(5, blocks, { received: [{ ...received(1, 5), unlockTime }], outputs });
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

  it('is unlocked once, with the block that has it again, where that is found after its unlocking', () => {
    pay(1, 30n);
    mineTo(20);
    file.write((w) => w.applyPage(page(4, 1)));
    summary();
    pay(36, 30n);
    expect(summary()).toEqual([MINED, FIRST, TENTH, UNLOCKED]);
    mineTo(80);
    expect(summary()).toEqual([]);
  });

  it('in the first block is confirmed by that block', () => {
    file = WalletStore.create(':memory:', new Uint8Array(32));
    const unlockTime = 30n;
    const found = {
      received: [{ ...received(1, 0), unlockTime }],
      outputs: [output(1, 0, 50n, { unlockTime })],
    };
    file.write((w) => w.applyPage(page(0, 1, found)));
    expect(summary()).toEqual([MINED, FIRST]);
  });

  describe('before a rescan', () => {
    beforeEach(() => {
      pay(1, 30n);
      mineTo(13);
      expect(summary()).toEqual([MINED, FIRST]);
      file.write((w) => clearChain(w, { hard: false }));
      file.write((w) => w.applyPage(page(0, 5)));
    });

    test.each([
      ['is unlocked once by the page of its block', 26],
      ['is unlocked once by a later page', 2],
    ])('%s', (_, blocks) => {
      pay(blocks, 30n);
      mineTo(40);
      expect(summary()).toEqual([TENTH, UNLOCKED]);
      mineTo(60);
      expect(summary()).toEqual([]);
    });

    it('is reversed, and not unlocked, by a page beyond its unlock height without it', () => {
      mineTo(40);
      expect(summary()).toEqual(['payment.reversed 50']);
      mineTo(60);
      expect(summary()).toEqual([]);
    });
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

  test.each([
    ['one second before it passes is not unlocked', 1, []],
    ['in the second in which it passes is unlocked', 0, [UNLOCKED]],
  ])('that is found below the tip %s', (_, seconds, then) => {
    // Wallets and daemons allow for 120 seconds.
    const now = Number(FUTURE) - 120 - seconds;
    const ids = new EventIds({ clock: { now: () => 1000 * now } });
    file = WalletStore.create(':memory:', new Uint8Array(32), undefined, undefined, {
      ...{ ids, confirmations: [1, 10] },
    });
    file.write((w) => w.applyPage(page(0, 15)));
    file.write((w) => w.addFound(paid(1, FUTURE)));
    expect(summary()).toEqual([MINED, FIRST, TENTH, ...then]);
  });
});
