import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { CodecError } from '../../../../src/util/codec.js';
import { multisigSeed, readMultisigSeed } from '../../../../src/monero/wallet/multisig/seed.js';
import { seededRng } from '../../../support/fakes/seeded-rng.js';
import { groupOf, randomSigners } from './groups.js';

const rng = seededRng('multisig seeds');

describe('the seed of a multisig wallet', () => {
  test.each([
    [1, 2, 8 + 32 * 7],
    [2, 2, 8 + 32 * 7],
    [2, 3, 8 + 32 * 9],
    [2, 4, 8 + 32 * 11],
  ])('of %i of %i restores the account', (m, n, bytes) => {
    for (const account of groupOf(randomSigners(n, rng), m, rng)) {
      const seed = multisigSeed(account);
      expect(seed).toHaveLength(2 * bytes);
      expect(readMultisigSeed(seed)).toEqual(account);
    }
  });

  const [account] = groupOf(randomSigners(3, rng), 2, rng);
  if (account === undefined) throw new Error('an account');
  const seed = multisigSeed(account);

  test.each([
    ['nothing', ''],
    ['words', 'velvet lymph giddy'],
    ['half a byte', seed.slice(1)],
    ['a byte too few', seed.slice(2)],
    ['a byte too many', `${seed}00`],
    ['a threshold above the number of signers', `04${seed.slice(2)}`],
    ['a threshold of zero', `00${seed.slice(2)}`],
    ['another number of signers', `${seed.slice(0, 8)}04${seed.slice(10)}`],
    ['billions of signers', `02000000ffffffff${seed.slice(16)}`],
  ])('that is %s is refused', (_, text) => {
    expect(() => readMultisigSeed(text)).toThrow(CodecError);
  });

  it('is refused when its keys do not match, and the error contains no secret', () => {
    fc.assert(
      fc.property(fc.integer({ min: 8, max: 71 }), fc.integer({ min: 1, max: 255 }), (at, change) => {
        // The signer's secret, or a view key: the seed contains the other key of each pair.
        const place = at < 40 ? at : at + 32;
        const bytes = Buffer.from(seed, 'hex');
        bytes[place] = (bytes[place] ?? 0) ^ change;
        expect(() => readMultisigSeed(bytes.toString('hex'))).toThrow(
          /^it has an invalid secret key$|^its view secret and view key do not match$|^its own signer is not a member of the group$/,
        );
      }),
      { numRuns: 40 },
    );
  });
});
