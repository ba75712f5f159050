import { createHmac } from 'node:crypto';
import { describe, expect, it, test } from '@jest/globals';
import { Secret } from '../../../src/util/secret.js';
import { createSecret, parseSecret, signatureHeaders } from '../../../src/net/webhooks/signature.js';

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
