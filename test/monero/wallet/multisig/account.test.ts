import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { publicKeyOf } from '../../../../src/monero/crypto/derivation.js';
import { reduce, toScalar } from '../../../../src/monero/crypto/scalar.js';
import { G } from '../../../../src/monero/crypto/curve/point.js';
import { formatAddress } from '../../../../src/monero/cryptonote/address.js';
import { toHex } from '../../../../src/util/bytes.js';
import { ProtocolError } from '../../../../src/monero/wallet/protocol-error.js';
import {
  boosterMessage,
  continueExchange,
  isExchanged,
  isReady,
  nextMessage,
  openingMessage,
  startExchange,
} from '../../../../src/monero/wallet/multisig/account.js';
import { choose } from '../../../../src/monero/wallet/multisig/combinations.js';
import { seededRng } from '../../../support/fakes/seeded-rng.js';
import { exchangeRounds, groupOf, randomSigners, readAll, signerOfSeed } from './groups.js';
import { multiplyPublic } from '../../../support/values/plain-points.js';
import { randomRuns } from '../../../support/fakes/random-runs.js';

interface Vectors {
  readonly seeds: readonly string[];
  readonly groups: readonly {
    readonly threshold: number;
    readonly total: number;
    readonly address: string;
  }[];
}

const vectors = JSON.parse(
  readFileSync(new URL('../../../../../test/vectors/wallet/multisig-groups.json', import.meta.url), 'utf8'),
) as Vectors;

const rng = seededRng('multisig accounts');
const SIZES = [
  [1, 2],
  [2, 2],
  [1, 3],
  [2, 3],
  [3, 3],
  [2, 4],
  [3, 4],
  [3, 5],
] as const;

const reasonOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof ProtocolError && error.fault.kind === 'multisig_refused') return error.fault.reason;
    throw error;
  }
  return 'nothing was refused';
};

describe('key exchange', () => {
  it.each(SIZES)(
    '%i of %i takes the messages of the others with and without the own one',
    (threshold, total) => {
      const signers = randomSigners(total, rng);
      const opening = readAll(signers.map((signer) => openingMessage(signer, rng)));
      signers.forEach((signer, own) => {
        const others = opening.filter((_, i) => i !== own);
        expect(startExchange(signer, threshold, others)).toEqual(startExchange(signer, threshold, opening));
      });
      let accounts = signers.map((signer) => startExchange(signer, threshold, opening));
      while (!accounts.every(isReady)) {
        const messages = readAll(accounts.map((account) => nextMessage(account, rng)));
        accounts = accounts.map((account, own) => {
          const others = messages.filter((_, i) => i !== own);
          const after = continueExchange(account, others);
          expect(after).toEqual(continueExchange(account, messages));
          return after;
        });
      }
    },
  );

  test.each(vectors.groups)(
    'gives $threshold of $total the address that the reference gives',
    ({ threshold, total, address }) => {
      const accounts = groupOf(vectors.seeds.slice(0, total).map(signerOfSeed), threshold, rng);
      expect(accounts).toHaveLength(total);
      for (const { spendPublicKey, commonSecret } of accounts)
        expect(
          formatAddress({
            network: 'mainnet',
            kind: 'standard',
            spendPublicKey,
            viewPublicKey: publicKeyOf(commonSecret),
          }),
        ).toBe(address);
    },
  );

  test.each(SIZES)('takes N - M + 2 rounds for %i of %i, and is ready after the last alone', (m, n) => {
    const rounds = exchangeRounds(randomSigners(n, rng), m, rng);
    expect(rounds).toHaveLength(n - m + 2);
    rounds.forEach((accounts, i) => {
      for (const account of accounts) {
        expect(account.roundsPassed).toBe(i + 1);
        expect(isExchanged(account)).toBe(i >= n - m);
        expect(isReady(account)).toBe(i === n - m + 1);
      }
    });
  });

  test.each(SIZES)('lets any %i of %i hold all shares of the spend key, and no fewer', (m, n) => {
    const accounts = groupOf(randomSigners(n, rng), m, rng);
    const sumOf = (members: readonly (typeof accounts)[number][]): string => {
      const shares = new Map(members.flatMap(({ shares: own }) => own.map((share) => [toHex(share), share])));
      const total = [...shares.values()].reduce((sum, share) => sum + toScalar(share), 0n);
      return toHex(multiplyPublic(G, reduce(total)).toBytes());
    };
    const spendKey = toHex(accounts[0]?.spendPublicKey ?? new Uint8Array());
    for (const account of accounts) expect(account.shares).toHaveLength(choose(n - 1, n - m));
    for (let first = 0; first < n; first++) {
      const members = Array.from({ length: m }, (_, i) => accounts[(first + i) % n]).flatMap(
        (account) => account ?? [],
      );
      expect(sumOf(members)).toBe(spendKey);
      if (m > 1) expect(sumOf(members.slice(1))).not.toBe(spendKey);
    }
  });

  it('does not depend on the order of messages', () => {
    const signers = randomSigners(3, rng);
    const [first, second, third] = readAll(signers.map((signer) => openingMessage(signer, rng)));
    if (!first || !second || !third || !signers[0]) throw new Error('three messages');
    expect(startExchange(signers[0], 2, [third, first, second])).toEqual(
      startExchange(signers[0], 2, [first, second, third]),
    );
  });

  it('accepts messages given twice', () => {
    const [accounts] = exchangeRounds(randomSigners(3, rng), 2, rng);
    const messages = readAll((accounts ?? []).map((account) => nextMessage(account, rng)));
    for (const account of accounts ?? [])
      expect(continueExchange(account, [...messages, ...messages])).toEqual(
        continueExchange(account, messages),
      );
  });
});

describe('a round is refused', () => {
  const signers = randomSigners(4, rng);
  const opening = readAll(signers.map((signer) => openingMessage(signer, rng)));
  const [signer] = signers;
  if (signer === undefined) throw new Error('a signer');

  it.each([
    ['without messages', 2, [], 'the threshold must be 1 to 1 for 1 participants'],
    ['with a single participant', 1, opening.slice(0, 1), 'a group has 2 to 16 participants, 1 were given'],
    ['with a threshold of zero', 0, opening, 'the threshold must be 1 to 4 for 4 participants'],
    [
      'with a threshold above the number of participants',
      5,
      opening,
      'the threshold must be 1 to 4 for 4 participants',
    ],
    ['without the own message', 5, opening.slice(1), 'the threshold must be 1 to 4 for 4 participants'],
    [
      'with a message twice',
      2,
      [...opening, ...opening.slice(1, 2)],
      'two of the messages are of the same participant',
    ],
  ] as const)('at the start %s', (_, threshold, messages, reason) => {
    expect(reasonOf(() => startExchange(signer, threshold, messages))).toBe(reason);
  });

  const rounds = exchangeRounds(signers, 2, rng);
  const [afterFirst = [], afterSecond = [], exchanged = [], ready = []] = rounds;
  const [account] = afterFirst;
  if (account === undefined) throw new Error('an account');
  const second = readAll(afterFirst.map((one) => nextMessage(one, rng)));
  const third = readAll(afterSecond.map((one) => nextMessage(one, rng)));
  const last = readAll(exchanged.map((one) => nextMessage(one, rng)));

  it.each([
    ['with messages of the round before', opening, /is of round 1 .* round 2 is due/],
    ['with messages of the round after', third, /is of round 3 .* round 2 is due/],
    ['with messages of two rounds', [...second.slice(1), ...third.slice(0, 1)], /is of round 3/],
    ['with one missing', second.slice(0, 3), /contradict each other|are needed/],
    ['with only the own message', second.slice(0, 1), /messages of 3 others are needed, 0 were given/],
  ] as const)('%s', (_, messages, reason) => {
    const before = structuredClone(account);
    expect(reasonOf(() => continueExchange(account, messages))).toMatch(reason);
    expect(account).toEqual(before);
  });

  it('with a message of a non-member', () => {
    const other = exchangeRounds(randomSigners(4, rng), 2, rng)[0]?.[0];
    if (other === undefined) throw new Error('an account');
    const foreign = readAll([nextMessage(other, rng)]);
    expect(reasonOf(() => continueExchange(account, [...second.slice(0, 3), ...foreign]))).toMatch(
      /contradict|not a member|too few|needed/,
    );
  });

  it('when a participant sends different messages to different participants', () => {
    const [, liar] = afterFirst;
    if (liar === undefined) throw new Error('a liar');
    const lie = readAll([nextMessage({ ...liar, roundKeys: liar.roundKeys.slice(1) }, rng)]);
    const heard = [...second.filter((_, i) => i !== 1), ...lie];
    const results = [0, 2, 3].map((i) => {
      const listener = afterFirst[i];
      return listener && reasonOf(() => continueExchange(listener, heard));
    });
    expect(results.filter((result) => /contradict|too few/.test(result ?? ''))).not.toHaveLength(0);
  });

  it('when confirmations are missing or of another group', () => {
    const [waiting] = exchanged;
    if (waiting === undefined) throw new Error('an account');
    expect(reasonOf(() => continueExchange(waiting, last.slice(0, 3)))).toMatch(
      /all 4 participants must confirm/,
    );
    const strangers = exchangeRounds(randomSigners(4, rng), 2, rng)[2] ?? [];
    expect(continueExchange(waiting, last).roundsPassed).toBe(4);
    expect(
      reasonOf(() => continueExchange(waiting, readAll(strangers.map((one) => nextMessage(one, rng))))),
    ).toMatch(/have not computed the same keys/);
  });

  it('once the exchange is complete', () => {
    const [done] = ready;
    if (done === undefined) throw new Error('an account');
    expect(reasonOf(() => continueExchange(done, last))).toBe('the key exchange is complete already');
  });
});

describe('with fewer messages', () => {
  it('a round completes if incomplete messages are allowed', () => {
    const [accounts = []] = exchangeRounds(randomSigners(3, rng), 2, rng);
    const messages = readAll(accounts.map((account) => nextMessage(account, rng)));
    const [first] = accounts;
    if (first === undefined) throw new Error('an account');
    const whole = continueExchange(first, messages);
    const early = continueExchange(first, messages.slice(1, 2), true);
    expect(early).toEqual(whole);
    expect(continueExchange(early, readAll([nextMessage(early, rng)]), true).roundsPassed).toBe(3);
  });

  it('a booster message lets a participant continue before all messages are there', () => {
    const signers = randomSigners(3, rng);
    const opening = readAll(signers.map((signer) => openingMessage(signer, rng)));
    const [buyer, vendor, arbiter] = signers;
    if (!buyer || !vendor || !arbiter) throw new Error('three signers');
    const boost = [vendor, arbiter].map((one, i) =>
      boosterMessage(
        { ...one, threshold: 2, total: 3 },
        opening.slice(i === 0 ? 2 : 1, i === 0 ? 3 : 2),
        rng,
      ),
    );
    const begun = startExchange(buyer, 2, opening);
    const boosted = continueExchange(begun, readAll(boost));
    const all = exchangeRounds(signers, 2, rng)[1]?.[0];
    expect(toHex(boosted.spendPublicKey)).toBe(toHex(all?.spendPublicKey ?? new Uint8Array()));
  });

  it('there is no booster for the last round', () => {
    const signers = randomSigners(2, rng);
    const opening = readAll(signers.map((signer) => openingMessage(signer, rng)));
    const [one] = signers;
    if (one === undefined) throw new Error('a signer');
    expect(reasonOf(() => boosterMessage({ ...one, threshold: 2, total: 2 }, opening, rng))).toMatch(
      /no further round/,
    );
  });
});

describe('choose', () => {
  it("satisfies Pascal's rule", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 30 }), (n, k) => {
        expect(choose(n, k)).toBe(choose(n - 1, k - 1) + choose(n - 1, k));
      }),
      { numRuns: randomRuns(100) },
    );
  });
});
