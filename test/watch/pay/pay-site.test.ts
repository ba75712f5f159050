import { beforeEach, describe, expect, it } from '@jest/globals';
import type { PageAnswer } from '../../../src/http/pages/pages.js';
import { toHex } from '../../../src/util/bytes.js';
import { PAY_LIMITS, PaySite, type PayLimits } from '../../../src/watch/pay/pay-site.js';
import { PayStreams } from '../../../src/watch/pay/pay-streams.js';
import { TokenLookup, type PayWallet } from '../../../src/watch/pay/token-lookup.js';
import { NOW, requestView } from './fixtures.js';

const TOKEN = new Uint8Array(16).fill(0xab);
const CANCELLED = new Uint8Array(16).fill(0xcd);
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
          ? requestView({ token, cancelled: NOW })
          : undefined,
  },
  eventLog: { lastId: 0, after: () => [] },
};

let isOpening: boolean;
let isCutOff: boolean;

function siteWith(limits: Partial<PayLimits> = {}): PaySite {
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
    limits: { ...PAY_LIMITS, ...limits },
  });
}

let site: PaySite;

beforeEach(() => {
  isOpening = isCutOff = false;
  site = siteWith();
});

const ask = (path: string, address = CLIENT, languages?: string) => site.answer({ path, address, languages });

/** Answer that must be a page. */
async function page(path: string, address = CLIENT, languages?: string): Promise<PageAnswer> {
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
      body: expect.stringContaining('<html lang="en">'),
    });
    expect(await page(PATH, CLIENT, 'de')).toMatchObject({
      body: expect.stringContaining('<html lang="de">'),
    });
  });

  it('answers alike to unknown, malformed and cancelled tokens, also for streams, and to all other paths', async () => {
    const refused = await page(UNKNOWN);
    expect(refused.status).toBe(404);
    const cancelled = `/pay/${toHex(CANCELLED)}`;
    const paths = [
      cancelled,
      '/pay/x',
      '/pay/%00',
      `${PATH}0`,
      `${PATH}/`,
      `${PATH}/other`,
      '/pay/',
      '/',
      '*',
      '',
    ];
    const streamed = [UNKNOWN, cancelled, '/pay/x'].map((path) => `${path}/events`);
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
