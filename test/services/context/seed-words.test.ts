import { describe, expect, it } from '@jest/globals';
import { findLanguage } from '../../../src/monero/cryptonote/languages.js';
import { addSeedOffset, encodeMnemonic } from '../../../src/monero/cryptonote/mnemonic.js';
import { asSeed, secretsOfWords, withoutOffset } from '../../../src/services/context/seed-words.js';
import { CodecError } from '../../../src/util/codec.js';
import { SEED, spendOf, STORED, WORDS } from '../../support/wallets/polyseed-wallets.js';
import { namedKeys } from '../../support/wallets/keystores.js';
import { faultOf } from '../../support/wallets/test-wallet.js';

const { spend } = namedKeys('words');

const wordsOf = (seed: Uint8Array): string => {
  const english = findLanguage('English');
  if (english === undefined) throw new Error('no English words');
  return encodeMnemonic(seed, english);
};

describe('the words of a seed', () => {
  it('give the spend key', async () => {
    expect(await secretsOfWords(wordsOf(spend), '')).toEqual({ spendSecret: spend });
  });

  it('give the spend key that an offset passphrase was added to, with that passphrase alone', async () => {
    const words = wordsOf(await addSeedOffset(spend, 'passphrase'));
    expect(await secretsOfWords(words, 'passphrase')).toEqual({ spendSecret: spend });
    expect(await secretsOfWords(words, '')).not.toEqual({ spendSecret: spend });
  });

  it('of a Polyseed give the spend key and the seed', async () => {
    expect(await secretsOfWords(WORDS, '')).toEqual({ spendSecret: spendOf(SEED), polyseed: STORED });
  });

  it('are the seed itself without a passphrase', async () => {
    expect(await withoutOffset(spend, '')).toBe(spend);
  });

  it.each(['', 'abbey', 'not words of any language at all', `${wordsOf(spend)} abbey`])(
    'are refused where they are none: %j',
    async (words) => {
      expect(await faultOf(() => secretsOfWords(words, ''))).toMatchObject({
        kind: 'bad_seed',
        reason: expect.stringMatching(/./),
      });
    },
  );
});

describe('an error of a reader of seeds', () => {
  it('is a bad seed where the text is to blame, with the cause', () => {
    const cause = new CodecError('no such word');
    const read = (): never => {
      throw cause;
    };
    expect(() => asSeed(read)).toThrow(
      expect.objectContaining({ fault: { kind: 'bad_seed', reason: 'no such word' }, cause }),
    );
  });

  it('stays as it is where it is a bug', () => {
    const bug = new TypeError('undefined');
    expect(() =>
      asSeed(() => {
        throw bug;
      }),
    ).toThrow(bug);
  });
});
