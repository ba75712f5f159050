import { readFileSync } from 'node:fs';
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

  it('checks a delivery, whose digits remain if it is parsed as docs/events.md says', () => {
    const page = readFileSync(new URL('../../../../docs/events.md', import.meta.url), 'utf8');
    const code = /```js\n(import \{ Webhook \}[^]*?)```/.exec(page)?.[1] ?? '';
    const secret = createSecret();
    const amounts =
      '{"type":"payment.seen","data":{"amount":18446744073709551615,"address":"8a","coinbase":false}}';
    const headers = { ...signatureHeaders({ id: '17', timestamp, body: amounts }, [secret]) };
    const text = code.replace(/^import .*$/m, '').replace('whsec_…', formatSecret(secret));
    // oxlint-disable-next-line typescript/no-implied-eval -- the text is that of the page
    const run = new Function('Webhook', 'headers', 'body', `${text}\nreturn event;`) as (
      ...values: readonly unknown[]
    ) => unknown;
    expect(run(Webhook, headers, amounts)).toEqual({
      ...{ type: 'payment.seen', data: { amount: 2n ** 64n - 1n, address: '8a', coinbase: false } },
    });
    expect(() => run(Webhook, headers, `${amounts} `)).toThrow('No matching signature');
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
