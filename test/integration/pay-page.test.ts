import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { accessibilityFaults, startBrowser, WatchedPages } from '../support/processes/browser.js';
import type { Loose } from '../support/network/json-rpc.js';
import { rawRequest } from '../support/network/raw-http.js';
import { until } from '../support/fakes/until.js';
import { startCrowd, type Crowd } from '../support/wallets/wallet-crowd.js';
import { itAtNight, someRows } from '../support/jest/lanes.js';

/* Pay pages in a real browser, with payments that are made while they are open. test/watch/pay has their pictures. */

const COIN = 1_000_000_000_000;
/** Would be an element if it were not escaped. */
const LABEL = 'Order <i>4711</i>';
const RETURN_URL = 'https://shop.example/orders/4711?a=1&b=2';
const UNKNOWN = 'f'.repeat(32);
const SIZES = { wide: { width: 1280, height: 900 }, narrow: { width: 360, height: 740 } } as const;

let browser: Browser;
let crowd: Crowd;
let pages: WatchedPages;

beforeAll(async () => {
  browser = await startBrowser();
  pages = new WatchedPages(browser, { locale: 'en-GB', viewport: SIZES.narrow });
  crowd = await startCrowd(['shop', 'buyer'], { args: ['--pay-bind=0', '--confirmations-by-amount=0:1'] });
});

afterAll(async () => {
  await browser?.close();
  await crowd?.stop();
});

beforeEach(() => {
  pages.faults = [];
});

const create = (params: object = {}): Promise<Loose> =>
  crowd.at('shop').rpc('create_payment_request', { amount: 1.5 * COIN, label: LABEL, ...params });

async function pay({ address }: Loose, coins: number): Promise<void> {
  await crowd.at('buyer').rpc('transfer', { destinations: [{ amount: coins * COIN, address }] });
  await crowd.at('shop').rpc('refresh');
}

async function mine(blocks: number): Promise<void> {
  await crowd.mine(blocks);
  await crowd.at('shop').rpc('refresh');
}

const withPage = (
  url: string,
  task: (page: Page) => Promise<void>,
  options?: BrowserContextOptions,
): Promise<void> => pages.open(url, task, options);

/** Checks a page in both colour schemes, on a narrow and a wide screen. */
async function inspect(page: Page, name: string): Promise<void> {
  for (const viewport of someRows(Object.values(SIZES)))
    for (const colorScheme of someRows(['light', 'dark'] as const, name === 'waiting' ? 2 : 1)) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
      expect(await accessibilityFaults(page, colorScheme === 'light' ? 'all' : 'colours')).toEqual([]);
    }
}

const untilState = (page: Page, text: string): Promise<void> =>
  page.locator('#status .state', { hasText: text }).waitFor({ timeout: 120_000 });

describe('an open pay page', () => {
  it('follows a payment in two parts until it is paid, without a fault', async () => {
    const request = await create({ confirmations: 3, expires_in: 900, return_url: RETURN_URL });
    await withPage(request.pay_url, async (page) => {
      await untilState(page, 'Waiting for payment');
      expect(await page.locator('h1').innerText()).toBe('1.5 XMR');
      expect(await page.locator('.label').innerText()).toBe(LABEL);
      expect(await page.getByRole('timer').innerText()).toBe('15 minutes');
      expect(await page.getByRole('link', { name: 'Open in wallet' }).getAttribute('href')).toBe(request.uri);
      await inspect(page, 'waiting');

      await pay(request, 0.5);
      await untilState(page, 'Part of the amount has arrived');
      await page.locator('.value', { hasText: /^1 XMR$/ }).waitFor();
      expect(await page.getByRole('link', { name: 'Open in wallet' }).getAttribute('href')).toContain(
        'tx_amount=1.000000000000&',
      );
      await inspect(page, 'partial');

      await pay(request, 1);
      await untilState(page, 'Payment detected');
      expect(await page.getByRole('timer').isVisible()).toBe(false);
      expect(await page.locator('.code').count()).toBe(0);
      await inspect(page, 'seen');

      for (const count of [1, 2]) {
        await mine(1);
        await page.locator('.count', { hasText: `${count} of 3 confirmations` }).waitFor();
      }
      expect(await page.getByRole('progressbar').getAttribute('value')).toBe('2');
      await inspect(page, 'confirming');

      await mine(1);
      await untilState(page, 'Paid');
      expect(await page.title()).toBe('Paid – 1.5 XMR');
      expect(await page.getByRole('link', { name: 'Back to the shop' }).getAttribute('href')).toBe(
        RETURN_URL,
      );
      await inspect(page, 'paid');
    });
    expect(pages.faults).toEqual([]);
  });

  itAtNight('says by how much a payment exceeds the amount', async () => {
    const request = await create();
    await withPage(request.pay_url, async (page) => {
      await pay(request, 2);
      await mine(1);
      await untilState(page, 'Paid, more than requested');
      expect(await page.locator('#status').innerText()).toContain('exceeds the amount by 0.5 XMR');
      await inspect(page, 'overpaid');
    });
    expect(pages.faults).toEqual([]);
  });

  itAtNight('withdraws address and code when the request expires', async () => {
    const request = await create({ expires_in: 2 });
    await withPage(request.pay_url, async (page) => {
      await untilState(page, 'Payment request expired');
      expect(await page.locator('.code').count()).toBe(0);
      await inspect(page, 'expired');
    });
    expect(pages.faults).toEqual([]);
  });

  itAtNight('shows the payments to a request of any amount', async () => {
    const request = await crowd.at('shop').rpc('create_payment_request', {});
    await withPage(request.pay_url, async (page) => {
      expect(await page.locator('h1').innerText()).toBe('Payment in Monero');
      await inspect(page, 'open');
      await pay(request, 0.25);
      await untilState(page, 'Payment received');
      expect(await page.locator('#status dl').innerText()).toMatch(/Received\s+0.25 XMR/);
      await inspect(page, 'received');
    });
    expect(pages.faults).toEqual([]);
  });

  itAtNight('shows a later expiry at once', async () => {
    const request = await create({ expires_in: 600 });
    await withPage(request.pay_url, async (page) => {
      await crowd
        .at('shop')
        .rpc('extend_payment_request', { request_id: request.request_id, expires_in: 7200 });
      await page
        .getByRole('timer')
        .filter({ hasText: /^(?:2 hours|1 hour, 5\d minutes)$/ })
        .waitFor();
    });
    expect(pages.faults).toEqual([]);
  });

  itAtNight('stays when its request is cancelled, and says what has arrived', async () => {
    const request = await create();
    await withPage(request.pay_url, async (page) => {
      await untilState(page, 'Waiting');
      await pay(request, 0.5);
      await untilState(page, 'Part of the amount');
      await crowd.at('shop').rpc('cancel_payment_request', { request_id: request.request_id });
      await untilState(page, 'Payment request cancelled');
      expect(await page.locator('#status').innerText()).toContain('0.5 XMR arrived before the cancellation');
      expect(await page.locator('.code').count()).toBe(0);
      await inspect(page, 'cancelled');
    });
    expect(pages.faults).toEqual([]);
  });
});

describe('the controls of a pay page', () => {
  itAtNight('are used by keyboard, in their order, and copy amount and address', async () => {
    const request = await create({ return_url: RETURN_URL });
    await withPage(
      request.pay_url,
      async (page) => {
        await page.locator('.has-script').waitFor();
        const focused = (): Promise<unknown> => page.evaluate('document.activeElement.id');
        const copied = (): Promise<unknown> => page.evaluate('navigator.clipboard.readText()');
        const order: unknown[] = [];
        for (let i = 0; i < 4; i++) {
          await page.keyboard.press('Tab');
          order.push(await focused());
          if (String(order.at(-1)).startsWith('copy')) await page.keyboard.press('Enter');
          if (order.at(-1) === 'copy-amount')
            await until('the amount', async () => (await copied()) === '1.5');
        }
        expect(order).toEqual(['open', 'copy-amount', 'copy-address', 'back']);
        await until('the address', async () => (await copied()) === request.address);
        await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor();
      },
      { permissions: ['clipboard-read', 'clipboard-write'] },
    );
    expect(pages.faults).toEqual([]);
  });

  itAtNight('keep the focus when the payment changes', async () => {
    const request = await create();
    await withPage(request.pay_url, async (page) => {
      await page.locator('#copy-address').focus();
      await pay(request, 0.5);
      await page.locator('.value', { hasText: /^1 XMR$/ }).waitFor();
      expect(await page.evaluate('document.activeElement.id')).toBe('copy-address');
    });
    expect(pages.faults).toEqual([]);
  });
});

describe('a pay page without JavaScript', () => {
  itAtNight('shows the payment, and reloads itself', async () => {
    const request = await create();
    await withPage(
      request.pay_url,
      async (page) => {
        expect(await page.locator('code').innerText()).toBe(request.address);
        expect(await page.locator('.copy').first().isVisible()).toBe(false);
        expect(await page.locator('meta[http-equiv=refresh]').getAttribute('content')).toBe('15');
        await pay(request, 1.5);
        await page.reload();
        await untilState(page, 'Payment detected');
      },
      { javaScriptEnabled: false },
    );
  });
});

describe('a pay page for a German browser', () => {
  itAtNight('has German texts, in the page and in its changes', async () => {
    const request = await create();
    await withPage(
      request.pay_url,
      async (page) => {
        expect(await page.locator('html').getAttribute('lang')).toBe('de');
        await untilState(page, 'Warten auf die Zahlung');
        await inspect(page, 'german');
        await pay(request, 1.5);
        await untilState(page, 'Zahlung erkannt');
      },
      { locale: 'de-AT' },
    );
    expect(pages.faults).toEqual([]);
  });
});

describe('the form for the address of refunds', () => {
  const post = (url: string, address: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(url, {
      ...{ method: 'POST', redirect: 'manual', headers },
      body: new URLSearchParams({ refund_address: address }),
    });
  const known = async ({ request_id }: Loose): Promise<unknown> =>
    (await crowd.at('shop').rpc('get_payment_request', { request_id })).refund_address;

  it('stores an address of the network, and can be changed, by who has the link', async () => {
    const request = await create({ refunds: 'ask' });
    const url = request.pay_url as string;
    expect((await post(url, 'rubbish')).status).toBe(400);
    expect((await post(url, crowd.address('shop'))).status).toBe(400);
    expect(await known(request)).toBeUndefined();
    for (const address of [crowd.address('buyer'), crowd.address('miner')]) {
      const { status, headers } = await post(url, address);
      expect([status, new URL(headers.get('location') ?? '', url).href]).toEqual([303, url]);
      expect(await known(request)).toBe(address);
      expect(await (await fetch(url)).text()).toContain(address);
    }
    expect((await post(url, crowd.address('buyer'), { 'sec-fetch-site': 'cross-site' })).status).toBe(405);
    expect((await post(`${url}/events`, crowd.address('buyer'))).status).toBe(405);
    expect(await known(request)).toBe(crowd.address('miner'));
  });

  it('is refused like every other method where the request asks for none, and by unknown tokens', async () => {
    const { pay_url: url } = await create();
    expect((await post(url, crowd.address('buyer'))).status).toBe(405);
    expect((await post(String(url).replace(/[^/]*$/, UNKNOWN), crowd.address('buyer'))).status).toBe(404);
    const long = await post((await create({ refunds: 'ask' })).pay_url, 'x'.repeat(3000));
    expect(long.status).toBe(405);
  });
});

describe('the listener of the pay pages', () => {
  const read = async (url: URL | string, method = 'GET'): Promise<[number, string, string]> => {
    const reply = await fetch(url, { method });
    const headers = [...reply.headers].filter(([name]) => name !== 'date');
    return [reply.status, await reply.text(), JSON.stringify(headers)];
  };

  it('answers alike to unknown and malformed tokens, and serves nothing else', async () => {
    const url = new URL((await create()).pay_url as string);
    const at = (path: string): URL => new URL(path, url);
    const refused = await read(at(`/pay/${UNKNOWN}`));
    expect(refused[0]).toBe(404);
    const paths = ['/pay/x', '/pay/%', `/pay/${UNKNOWN}0`, `/pay/${UNKNOWN.toUpperCase()}`, '/pay/', '/pay'];
    for (const path of [
      ...paths,
      ...['/pay/logo', '/pay/embed.js', '/pay/languages/en.json'],
      '/',
      '/json_rpc',
      '/status',
      '/metrics',
      '/events',
      '/favicon.ico',
    ])
      expect([path, await read(at(path))]).toEqual([path, refused]);
    expect(await read(at(`/pay/${UNKNOWN}/events`))).toEqual(refused);
  });

  it('names no wallet and no other request in a page', async () => {
    const request = await create({ label: '', reference: 'secret-reference', metadata: { secret: 'meta' } });
    const [, text] = await read(request.pay_url);
    expect(text).not.toMatch(/shop|buyer|secret|meta\b(?! )/);
    expect(text).not.toContain(request.request_id);
  });

  it('refuses every method but GET and HEAD', async () => {
    const { pay_url: url } = await create();
    expect((await read(url, 'POST'))[0]).toBe(405);
    const [status, body] = await read(url, 'HEAD');
    expect([status, body]).toEqual([200, '']);
    expect((await read(`${url}/events`, 'HEAD'))[0]).toBe(200);
  });

  it('has a strict policy, and keeps the token from referrers, caches and search engines', async () => {
    const { pay_url: url } = await create();
    const reply = await fetch(url);
    const text = await reply.text();
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'content-security-policy': expect.stringMatching(/^default-src 'none'; .*frame-ancestors 'none'$/),
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex, nofollow',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(reply.headers.get('content-security-policy')).not.toContain('unsafe');
    expect(text).not.toMatch(/<style|\sstyle=|\son[a-z]+=|<script(?![^>]* src="pay\.js")/i);
  });

  it.each([
    ['bytes that are no request', 'rubbish\r\n\r\n', '400'],
    ['an expectation', 'GET /pay/x HTTP/1.1\r\nExpect: a\r\nConnection: close\r\n\r\n', '417'],
    ['headers that are too long', `GET /pay/x HTTP/1.1\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`, '431'],
  ])('has its policy in the answer to %s, too', async (_, bytes, status) => {
    const { pay_url: url } = await create();
    const policy = (await fetch(url)).headers.get('content-security-policy');
    const { statusLine, headers } = await rawRequest(Number(new URL(url).port), bytes);
    expect(statusLine).toContain(status);
    expect(headers).toEqual(
      expect.arrayContaining([
        ['Content-Security-Policy', policy],
        ['Cache-Control', 'no-store'],
        ['X-Content-Type-Options', 'nosniff'],
        ['Referrer-Policy', 'no-referrer'],
      ]),
    );
  });

  it('is named in created, read and listed requests', async () => {
    const request = await create({ reference: 'listed' });
    expect(request.pay_url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/pay\/[0-9a-f]{32}$/);
    const found = await crowd.at('shop').rpc('get_payment_request', { reference: 'listed' });
    const listed = await crowd.at('shop').rpc('list_payment_requests', { reference: 'listed' });
    expect([found.pay_url, listed.requests[0].pay_url]).toEqual([request.pay_url, request.pay_url]);
  });
});
