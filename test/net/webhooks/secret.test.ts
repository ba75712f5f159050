import { inspect } from 'node:util';
import { describe, expect, it, test } from '@jest/globals';
import {
  activeSecrets,
  createSecret,
  formatSecret,
  parseSecret,
} from '../../../src/net/webhooks/signature.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';

const text = (bytes: number): string => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`;

describe('webhook secret', () => {
  it('has 32 random bytes and returns from its text form unchanged', () => {
    const secret = createSecret();
    expect(secret.expose()).toHaveLength(32);
    expect(formatSecret(secret)).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(parseSecret(formatSecret(secret)).expose()).toEqual(secret.expose());
    expect(createSecret().expose()).not.toEqual(secret.expose());
  });

  it('comes from the random source that is passed', () => {
    const made = createSecret(seededRng('secret'));
    expect(made.expose()).toEqual(createSecret(seededRng('secret')).expose());
  });

  test.each([24, 25, 32, 64])('of %i bytes is accepted', (bytes) => {
    expect(parseSecret(text(bytes)).expose()).toHaveLength(bytes);
  });

  test.each([
    ['too short', text(23)],
    ['too long', text(65)],
    ['no prefix', text(32).slice(6)],
    ['another prefix', text(32).replace('whsec_', 'whpk_x')],
    ['a space', `${text(32)} `],
    ['the URL alphabet', `whsec_${Buffer.alloc(32, 0xff).toString('base64url')}`],
    ['no padding', text(32).replace('=', '')],
    ['unused bits set', `whsec_${'A'.repeat(42)}B=`],
    ['empty', ''],
  ])('is refused: %s', (_, refused) => {
    expect(() => parseSecret(refused)).toThrow(RangeError);
  });

  it('is quoted neither in the error of a refused text nor in logs', () => {
    const refused = text(23);
    let message = '';
    try {
      parseSecret(refused);
    } catch (error) {
      message = inspect(error);
    }
    expect(message).toContain('24 to 64 bytes');
    expect(message).not.toContain(refused.slice(6));
    expect(inspect(parseSecret(text(32)))).toBe('[secret]');
    expect(JSON.stringify({ secret: parseSecret(text(32)) })).toBe('{"secret":"[secret]"}');
  });
});

describe('secrets during a rotation', () => {
  it('sign until they expire, newest first', () => {
    const [current, previous, oldest] = [createSecret(), createSecret(), createSecret()];
    const secrets = [{ secret: current }, { secret: previous, until: 2000 }, { secret: oldest, until: 1000 }];
    expect(activeSecrets(secrets, 999)).toEqual([current, previous, oldest]);
    expect(activeSecrets(secrets, 1000)).toEqual([current, previous]);
    expect(activeSecrets(secrets, 2000)).toEqual([current]);
  });
});
