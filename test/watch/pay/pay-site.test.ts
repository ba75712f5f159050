import { beforeEach, describe, expect, it } from '@jest/globals';
import type { SiteAnswer } from '../../../src/http/pages/public-site.js';
import { toHex } from '../../../src/util/bytes.js';
import type { Merchant } from '../../../src/watch/pay/merchant.js';
import { PAY_LIMITS, PaySite, type PayLimits } from '../../../src/watch/pay/pay-site.js';
import { PayStreams } from '../../../src/watch/pay/pay-streams.js';
import { TokenLookup, type PayWallet } from '../../../src/watch/pay/token-lookup.js';
import { NO_REFUNDS, NOW, requestView } from './fixtures.js';

const TOKEN = new Uint8Array(16).fill(0xab);
/** Token of a request whose page is Polish. */
const POLISH = new Uint8Array(16).fill(0xcd);
const PATH = `/pay/${toHex(TOKEN)}`;
const UNKNOWN = `/pay/${'f'.repeat(32)}`;
const CLIENT = '192.0.2.7';

const shop: PayWallet = {
  name: 'shop',
  paymentRequests: {
    byToken: (token) =>
      token[0] === 0xab
        ? requestView({ token })
        : token[0] === 0xcd
          ? requestView({ token, locale: 'pl-PL' })
          : undefined,
  },
  refunds: NO_REFUNDS,
  eventLog: { lastId: 0, after: () => [] },
};

let isOpening: boolean;
let isCutOff: boolean;
let merchant: Merchant | undefined;

function siteWith(limits: Partial<PayLimits> = {}, embedOrigins: readonly string[] = []): PaySite {
  const clock = { now: () => NOW * 1000 };
  const wallets = () => [shop];
  return new PaySite({
    lookup: new TokenLookup(wallets, (length) => new Uint8Array(length)),
    streams: new PayStreams({
      wallets,
      network: 'mainnet',
      clock,
      isCutOff: () => isCutOff,
      onBug: () => undefined,
    }),
    ...{ network: 'mainnet', clock, isOpening: () => isOpening, isCutOff: () => isCutOff },
    ...{ merchant: () => merchant, embedOrigins },
    limits: { ...PAY_LIMITS, ...limits },
  });
}

let site: PaySite;

beforeEach(() => {
  isOpening = isCutOff = false;
  merchant = undefined;
  site = siteWith();
});

const ask = (path: string, address = CLIENT, languages?: string) => site.answer({ path, address, languages });

/** Answer that must be a page. */
async function page(path: string, address = CLIENT, languages?: string): Promise<SiteAnswer> {
  const answer = await ask(path, address, languages);
  if ('source' in answer) throw new Error('a stream');
  return answer;
}

/** Opens a stream. @returns its end; undefined if it was refused. */
async function stream(path: string, address = CLIENT): Promise<(() => void) | undefined> {
  const answer = await ask(path, address);
  return 'source' in answer ? () => answer.end() : undefined;
}

describe('the site of the pay pages', () => {
  it('shows the page of a token in the language of the browser', async () => {
    expect(await page(PATH)).toMatchObject({
      status: 200,
      body: expect.stringContaining('<html lang="en" dir="ltr">'),
    });
    expect(await page(PATH, CLIENT, 'de')).toMatchObject({
      body: expect.stringContaining('<html lang="de" dir="ltr">'),
    });
  });

  it('shows the page in the language of its request, whatever the browser prefers', async () => {
    const polish = await page(`/pay/${toHex(POLISH)}`, CLIENT, 'de');
    expect(polish.body).toContain('<html lang="pl" dir="ltr">');
    const answer = await ask(`/pay/${toHex(POLISH)}/events`, CLIENT, 'de');
    if (!('source' in answer)) throw new Error('no stream');
    expect(answer.source.next()[0]?.data).toContain('Oczekiwanie na płatność');
    answer.end();
  });

  it('answers alike to unknown and malformed tokens, also for streams, and to all other paths', async () => {
    const refused = await page(UNKNOWN);
    expect(refused.status).toBe(404);
    const paths = ['/pay/x', '/pay/%00', `${PATH}0`, `${PATH}/`, `${PATH}/other`, '/pay/', '/', '*', ''];
    const streamed = [UNKNOWN, '/pay/x'].map((path) => `${path}/events`);
    for (const path of [...paths, ...streamed]) expect([path, await page(path)]).toEqual([path, refused]);
  });

  it('asks for patience in place of 404 until the wallets of the start are open', async () => {
    isOpening = true;
    expect(await page(UNKNOWN)).toMatchObject({ status: 503, headers: { 'Retry-After': '10' } });
    expect((await page(PATH)).status).toBe(200);
  });

  it('shows no request while another process may have its wallet', async () => {
    isCutOff = true;
    for (const path of [PATH, `${PATH}/events`, UNKNOWN])
      expect(await page(path)).toMatchObject({ status: 503, headers: { 'Retry-After': '10' } });
    expect((await page('/pay/pay.css')).status).toBe(200);
  });

  it('serves style and script', async () => {
    expect(await page('/pay/pay.css')).toMatchObject({ status: 200, type: 'text/css; charset=utf-8' });
    expect(await page('/pay/pay.js')).toMatchObject({ status: 200, type: 'text/javascript; charset=utf-8' });
  });
});

describe('the logo of the merchant', () => {
  it('is a file that runs nothing, and is not found without one', async () => {
    expect((await page('/pay/logo')).status).toBe(404);
    merchant = { name: 'Tom', logo: { type: 'image/png', bytes: new Uint8Array([1]), version: 'v' } };
    expect(await page('/pay/logo')).toEqual({
      ...{ status: 200, type: 'image/png', body: new Uint8Array([1]) },
      headers: {
        'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
        'Cache-Control': 'public, max-age=86400, immutable',
      },
    });
    expect((await page(PATH)).body).toContain('src="logo?v"');
  });
});

describe('the headers of the pay pages', () => {
  it('allow no frame around a page, and serve no script for frames', async () => {
    expect(site.headers['Content-Security-Policy']).toMatch(/; frame-ancestors 'none'$/);
    expect(site.headers['X-Frame-Options']).toBe('DENY');
    expect((await page('/pay/embed.js')).status).toBe(404);
    expect((await page(PATH)).body).not.toContain('data-embed');
  });

  it('name the listed origins that may show a page in a frame', async () => {
    site = siteWith({}, ['https://a.example', 'https://b.example:8443']);
    expect(site.headers['Content-Security-Policy']).toMatch(
      /; frame-ancestors https:\/\/a\.example https:\/\/b\.example:8443$/,
    );
    expect(site.headers).not.toHaveProperty('X-Frame-Options');
    expect(site.headers['Cross-Origin-Resource-Policy']).toBe('same-origin');
    expect((await page(PATH)).body).toContain('data-embed="https://a.example https://b.example:8443"');
    expect(await page('/pay/embed.js')).toMatchObject({
      status: 200,
      headers: { 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' },
    });
  });
});

describe('the limits of the pay pages', () => {
  const rates = (requests: number) => ({
    public: { requests, seconds: 60 },
    private: { requests: 10 * requests, seconds: 60 },
  });

  it('hold for the requests of each address, and are wider for private ones', async () => {
    site = siteWith({ requests: rates(2) });
    const statuses = async (address: string): Promise<number[]> => {
      const found: number[] = [];
      for (let i = 0; i < 3; i++) found.push((await page(PATH, address)).status);
      return found;
    };
    expect(await statuses(CLIENT)).toEqual([200, 200, 429]);
    expect(await statuses('192.0.2.8')).toEqual([200, 200, 429]);
    expect(await statuses('127.0.0.1')).toEqual([200, 200, 200]);
    expect((await page(PATH)).headers?.['Retry-After']).toMatch(/^(?:60|59)$/);
  });

  it('hold for searches, not for tokens that are known', async () => {
    site = siteWith({ searches: rates(1) });
    expect((await page(PATH)).status).toBe(200);
    expect((await page(PATH)).status).toBe(200);
    expect((await page(UNKNOWN)).status).toBe(429);
    expect((await page(UNKNOWN, '192.0.2.8')).status).toBe(404);
  });

  it('hold for the streams of each address until they end', async () => {
    site = siteWith({ streams: { public: 2, private: 3 } });
    const first = await stream(`${PATH}/events`);
    expect(first).toBeDefined();
    expect(await stream(`${PATH}/events`)).toBeDefined();
    expect(await page(`${PATH}/events`)).toMatchObject({ status: 503, headers: { 'Retry-After': '10' } });
    expect(await stream(`${PATH}/events`, '192.0.2.8')).toBeDefined();
    first?.();
    expect(await stream(`${PATH}/events`)).toBeDefined();
  });

  it('hold for the streams of all addresses together', async () => {
    const most = 2000;
    site = siteWith({ requests: rates(most) });
    for (let i = 0; i < most; i++) expect(await stream(`${PATH}/events`, '10.0.0.1')).toBeDefined();
    expect(await stream(`${PATH}/events`)).toBeUndefined();
  });
});
