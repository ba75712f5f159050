import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { createSecret, formatSecret, signatureHeaders } from '../../../src/net/webhooks/signature.js';

const body = '{"type":"payment.seen","note":"ä€😀"}';
const timestamp = Math.floor(Date.now() / 1000);

describe('the reference library', () => {
  it('accepts a delivery with each of its secrets', () => {
    const secrets = [createSecret(), createSecret()];
    const headers = { ...signatureHeaders({ id: '17', timestamp, body }, secrets) };
    for (const secret of secrets)
      expect(new Webhook(formatSecret(secret)).verify(body, headers)).toEqual(JSON.parse(body));
  });

  it('refuses another body, another id and another secret', () => {
    const secret = createSecret();
    const headers = { ...signatureHeaders({ id: '17', timestamp, body }, [secret]) };
    const webhook = new Webhook(formatSecret(secret));
    expect(() => webhook.verify(`${body} `, headers)).toThrow('No matching signature');
    expect(() => webhook.verify(body, { ...headers, 'webhook-id': '18' })).toThrow('No matching signature');
    expect(() => new Webhook(formatSecret(createSecret())).verify(body, headers)).toThrow(
      'No matching signature',
    );
  });
});
