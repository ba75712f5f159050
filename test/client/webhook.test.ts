import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { verifyWebhook, isWebhookTest, WalletClientError, WebhookError } from '../../src/client/client.js';
import {
  createSecret,
  formatSecret,
  parseSecret,
  signatureHeaders,
} from '../../src/net/webhooks/signature.js';
import { randomRuns } from '../support/fakes/random-runs.js';

const NOW = 1_700_000_000_000;
const [SECRET, OTHER, THIRD] = [0, 1, 2].map(() => formatSecret(createSecret())) as [string, string, string];
const U64_MAX = '18446744073709551615';
const BODY = `{"type":"payment.confirmed","timestamp":"2026-01-02T03:04:05.006Z","data":{"amount":${U64_MAX},"height":7},"wallet":"shop"}`;

/** Headers of a delivery, signed as the server signs it. */
const headersFor = (body = BODY, { id = '41', secrets = [SECRET], seconds = 0 } = {}) => ({
  ...signatureHeaders({ id, timestamp: NOW / 1000 + seconds, body }, secrets.map(parseSecret)),
});

const verify = (
  headers: Parameters<typeof verifyWebhook>[0],
  body: string | Uint8Array = BODY,
  secret: string | readonly string[] = SECRET,
  tolerance?: number,
) => verifyWebhook(headers, body, secret, { now: NOW, tolerance });

const EVENT = {
  ...{ id: 41, type: 'payment.confirmed', timestamp: '2026-01-02T03:04:05.006Z', wallet: 'shop' },
  data: { amount: 2n ** 64n - 1n, height: 7 },
};

/** Reason of the error with which a check ends. */
function reasonOf(check: () => unknown): string {
  try {
    check();
  } catch (error) {
    if (error instanceof WebhookError) return error.reason;
    throw error;
  }
  return 'none';
}

describe('a delivery that the server has signed', () => {
  it('is an event with the id of its header, and every digit of its amounts', () => {
    expect(verify(headersFor())).toEqual(EVENT);
  });

  it('may have its body as text or bytes', () => {
    const body = BODY.replace('shop', 'läden');
    const headers = headersFor(body);
    for (const given of [body, new TextEncoder().encode(body), Buffer.from(body)])
      expect(verify(headers, given)).toMatchObject({ wallet: 'läden' });
  });

  it('may have its headers in the form of Node.js, of Fetch, or in any case', () => {
    const headers = headersFor();
    const upper = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
    );
    const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
    for (const given of [
      headers,
      upper,
      lists,
      new Headers(headers as never),
      { get: (name: string) => headers[name as 'webhook-id'] },
    ])
      expect(verify(given)).toEqual(EVENT);
  });

  it('has several signatures while a secret is rotated, and is checked with either secret', () => {
    const headers = headersFor(BODY, { secrets: [OTHER, SECRET] });
    expect(headers['webhook-signature'].split(' ')).toHaveLength(2);
    for (const secret of [SECRET, OTHER, [THIRD, SECRET], [OTHER, THIRD]])
      expect(verify(headers, BODY, secret)).toEqual(EVENT);
    expect(reasonOf(() => verify(headers, BODY, THIRD))).toBe('signature');
  });

  it('is accepted with signatures of other schemes beside its own', () => {
    const headers = headersFor();
    const signature = `v1a,${'A'.repeat(86)}== ${headers['webhook-signature']} v2,x`;
    expect(verify({ ...headers, 'webhook-signature': signature })).toEqual(EVENT);
  });

  it('of history says so', () => {
    const body = BODY.replace('}}', '}').replace('"wallet"', '"history":true,"wallet"').replace('7,', '7},');
    expect(verify(headersFor(body), body)).toMatchObject({ history: true, id: 41 });
  });

  it('by test_webhook has the id 0, and is told by its type', () => {
    const body =
      '{"type":"webhook.test","timestamp":"2026-01-02T03:04:05.006Z","data":{"webhook":"wh_1"},"wallet":"shop"}';
    const event = verify(headersFor(body, { id: 'test_00ff' }), body);
    expect(event).toMatchObject({ id: 0, type: 'webhook.test', wallet: 'shop' });
    expect([isWebhookTest(event), isWebhookTest(verify(headersFor()))]).toEqual([true, false]);
  });
});

describe('a request that the server has not signed', () => {
  const headers = headersFor();

  test.each([
    ['headers', { ...headers, 'webhook-id': undefined }],
    ['headers', { ...headers, 'webhook-timestamp': undefined }],
    ['headers', { ...headers, 'webhook-timestamp': 'now' }],
    ['headers', { ...headers, 'webhook-timestamp': '-1700000000' }],
    ['headers', { ...headers, 'webhook-signature': undefined }],
    ['headers', {}],
    ['headers', new Headers()],
    ['signature', { ...headers, 'webhook-id': '42' }],
    ['signature', { ...headers, 'webhook-timestamp': String(NOW / 1000 + 1) }],
    ['signature', { ...headers, 'webhook-signature': 'v1,' }],
    ['signature', { ...headers, 'webhook-signature': headers['webhook-signature'].slice(3) }],
    ['signature', { ...headers, 'webhook-signature': headers['webhook-signature'].replace('v1,', 'v2,') }],
    ['signature', { ...headers, 'webhook-signature': headers['webhook-signature'].slice(0, -1) }],
  ])('is refused for its %s: %j', (reason, given) => {
    expect(reasonOf(() => verify(given))).toBe(reason);
  });

  it('is refused for its time beyond the tolerance, in the past and in the future', () => {
    for (const seconds of [-300, 300]) expect(verify(headersFor(BODY, { seconds }))).toEqual(EVENT);
    for (const seconds of [-301, 301])
      expect(reasonOf(() => verify(headersFor(BODY, { seconds })))).toBe('timestamp');
    expect(verify(headersFor(BODY, { seconds: -900 }), BODY, SECRET, 1_000)).toEqual(EVENT);
    expect(reasonOf(() => verify(headersFor(BODY, { seconds: -9 }), BODY, SECRET, 8))).toBe('timestamp');
    expect(reasonOf(() => verify(headersFor(), BODY, SECRET, NaN))).toBe('timestamp');
  });

  it('is refused with any byte of its body changed', () => {
    const bytes = Buffer.from(BODY);
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const body = Buffer.from(bytes);
        body[at] = (body[at] ?? 0) ^ change;
        expect(reasonOf(() => verify(headers, body))).toBe('signature');
      }),
      { numRuns: randomRuns(200) },
    );
  });

  test.each([
    '',
    'x',
    '[]',
    '5',
    'null',
    '{"type":"a"}',
    '{"data":{}}',
    '{"type":"a","data":[]}',
    `{"type":"a","data":${'['.repeat(300)}`,
  ])('is refused for its signed body %j, which is no event', (body) => {
    expect(reasonOf(() => verify(headersFor(body), body))).toBe('body');
  });

  it('is refused for an id that no event has', () => {
    for (const id of ['test_1', '0', '041', '99999999999999999999'])
      expect(reasonOf(() => verify(headersFor(BODY, { id })))).toBe('headers');
  });

  it('ends with an error of the client, whose message has no part of it', () => {
    let error: unknown;
    try {
      verify({ ...headers, 'webhook-signature': 'v1,hidden' });
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(WalletClientError);
    expect(error).toMatchObject({ name: 'WebhookError', method: 'webhook' });
    expect(String((error as Error).stack)).not.toContain('hidden');
  });
});

describe('a check', () => {
  it('refuses malformed secrets, and none, by an error that does not repeat them', () => {
    for (const secret of ['', SECRET.slice(6), `${SECRET}x`, 'whsec_c2hvcnQ=', [], [SECRET, 'x']])
      expect(() => verify(headersFor(), BODY, secret)).toThrow(RangeError);
    expect(() => verify(headersFor(), BODY, 'whsec_hidden')).not.toThrow('hidden');
  });

  it('refuses a body that a JSON parser has taken, and says so', () => {
    expect(() => verify(headersFor(), JSON.parse(BODY) as never)).toThrow(
      'not what a JSON parser made of it',
    );
  });
});
