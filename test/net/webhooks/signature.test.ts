import { inspect } from 'node:util';
import { describe, expect, it, test } from '@jest/globals';
import {
  activeSecrets,
  createSecret,
  formatSecret,
  parseSecret,
  signatureHeaders,
} from '../../../src/net/webhooks/signature.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { createHmac } from 'node:crypto';
import { Secret } from '../../../src/util/secret.js';

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

const message = { id: '1614265330000001', timestamp: 1614265330, body: '{"type":"payment.seen"}' };

describe('webhook signature', () => {
  // Source: standard-webhooks, libraries/javascript/src/webhook.test.ts, "sign function works".
  it('equals the vector of the reference library', () => {
    const headers = signatureHeaders(
      { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1614265330, body: '{"test": 2432232314}' },
      [parseSecret('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')],
    );
    expect(headers).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('is given once for each secret, in their order, separated by a space', () => {
    const secrets = [createSecret(), createSecret()];
    const content = `${message.id}.${message.timestamp}.${message.body}`;
    const expected = secrets.map(
      (secret) => `v1,${createHmac('sha256', secret.expose()).update(content).digest('base64')}`,
    );
    expect(signatureHeaders(message, secrets)['webhook-signature']).toBe(expected.join(' '));
  });

  it('covers the UTF-8 bytes of the body', () => {
    const secret = createSecret();
    const content = Buffer.from('7.1.{"note":"ä€😀"}', 'utf8');
    expect(signatureHeaders({ id: '7', timestamp: 1, body: '{"note":"ä€😀"}' }, [secret])).toMatchObject({
      'webhook-signature': `v1,${createHmac('sha256', secret.expose()).update(content).digest('base64')}`,
    });
  });

  it('is never left out', () => {
    expect(() => signatureHeaders(message, [])).toThrow(RangeError);
  });

  it('cannot be made with a wiped secret', () => {
    const secret = new Secret(new Uint8Array(32));
    secret.wipe();
    expect(() => signatureHeaders(message, [secret])).toThrow('secret used after wipe');
  });

  test.each(['', 'a.b', 'a b', 'a\r\nb', 'x'.repeat(65)])('refuses the id %j', (id) => {
    expect(() => signatureHeaders({ ...message, id }, [createSecret()])).toThrow(RangeError);
  });

  test.each([1.5, -1, NaN])('refuses the timestamp %d', (timestamp) => {
    expect(() => signatureHeaders({ ...message, timestamp }, [createSecret()])).toThrow(RangeError);
  });
});
