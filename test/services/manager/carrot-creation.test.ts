import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from '@jest/globals';
import { findLanguage, LANGUAGES } from '../../../src/monero/cryptonote/languages.js';
import { encodeMnemonic, isReadByPrefixes } from '../../../src/monero/cryptonote/mnemonic.js';
import {
  assertForkRules,
  carrotKeys,
  randomMasterSecret,
  walletFromMasterSeed,
} from '../../../src/services/manager/carrot-creation.js';
import { requireLanguage, type RestoreRequest } from '../../../src/services/manager/wallet-restore.js';
import { faultOf as faultIn } from '../../../src/model/wallet-error.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';
import { WORDS } from '../../support/wallets/polyseed-wallets.js';
import { SECRETS, VECTOR } from '../../support/wallets/carrot-accounts.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';

/** Returns the fault of a task; undefined if there is none. */
function faultOf(task: () => unknown): unknown {
  try {
    task();
    return undefined;
  } catch (error) {
    return faultIn(error);
  }
}

const english = requireLanguage('English');
const words = encodeMnemonic(fromHex(VECTOR.s_m), english);
const request: RestoreRequest = {
  ...{ filename: 'w', password: 'p', seed: words, restoreHeight: 5, language: '', seedOffset: '' },
};

describe('the master secret of a new account', () => {
  it('is 32 random bytes, whose words are read in their language', () => {
    const rng = seededRng('master secrets');
    const drawn = [1, 2].map(() => randomMasterSecret(rng, english));
    expect(new Set(drawn.map(toHex)).size).toBe(2);
    for (const secret of drawn)
      expect([secret.length, isReadByPrefixes(secret, english)]).toEqual([32, true]);
  });

  it('is drawn again if its words are read in another language', () => {
    const french = requireLanguage('French');
    const path = new URL('../../../../test/vectors/cryptonote/mnemonics.json', import.meta.url);
    const vectors = JSON.parse(readFileSync(path, 'utf8')) as { misread: { seed: string }[] };
    const misread = fromHex(vectors.misread[0]?.seed ?? '');
    const next = fromHex('ab'.repeat(31).padEnd(64, '0'));
    const draws = [misread, next];
    expect(randomMasterSecret(() => draws.shift() as Uint8Array, french)).toEqual(next);
  });
});

describe('a seed of an account of the fork', () => {
  it.each(LANGUAGES.map(({ name }) => name))('gives its account in %s, and the same words', (name) => {
    const language = findLanguage(name) ?? english;
    const seed = encodeMnemonic(fromHex(VECTOR.s_m), language);
    const restored = walletFromMasterSeed({ ...request, seed });
    expect(restored).toMatchObject({ seed, deprecated: false });
    expect(restored.wallet).toMatchObject({
      ...carrotKeys(SECRETS.master),
      ...{ language, password: 'p', restoreHeight: 5 },
    });
  });

  test.each<[string, Partial<RestoreRequest>, RegExp]>([
    ['a Polyseed', { seed: WORDS }, /Polyseed gives an account with the old keys/],
    ['an offset', { seedOffset: 'x' }, /has no offset/],
    ['24 words', { seed: words.split(' ').slice(0, 24).join(' ') }, /25 words with a checksum/],
    ['a wrong checksum', { seed: [...words.split(' ').slice(0, 24), 'abbey'].join(' ') }, /checksum/],
    ['no words', { seed: '' }, /expected 25 words/],
  ])('is refused with %s', (_, given, reason) => {
    expect(faultOf(() => walletFromMasterSeed({ ...request, ...given }))).toMatchObject({
      kind: 'bad_seed',
      reason: expect.stringMatching(reason) as unknown,
    });
  });
});

describe('accounts of the fork', () => {
  it('need a server with its rules', () => {
    expect(() => assertForkRules({ newestFork: 17 })).not.toThrow();
    expect(faultOf(() => assertForkRules({ newestFork: 16 }))).toMatchObject({
      kind: 'invalid',
      reason: expect.stringContaining('--fork-rules') as unknown,
    });
  });
});
