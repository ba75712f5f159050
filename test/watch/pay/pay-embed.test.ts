import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, FrameLocator, Page } from 'playwright-core';
import type { PayDialogOptions, WalletRpcPayApi } from '../../../pages/embed.js';
import { PACKAGE_ROOT } from '../../../src/util/own-package.js';
import { accessibilityFaults, startBrowser } from '../../support/processes/browser.js';
import { until } from '../../support/fakes/until.js';
import { COIN, STATES } from './fixtures.js';
import { serveHttp, showSite, type ShownSite } from './shown-site.js';

/* Pay pages in the dialog of a shop, in a real browser. Shop and pages have different ports, and so different origins. */

const SCRIPT = readFileSync(new URL('pages/embed.js', PACKAGE_ROOT));
const DOCS = readFileSync(new URL('docs/pay-page.md', PACKAGE_ROOT), 'utf8');
const INTEGRITY = `sha384-${createHash('sha384').update(SCRIPT).digest('base64')}`;

/** Part of the window of the shop that its page uses. */
interface ShopWindow {
  readonly WalletRpcPay: WalletRpcPayApi;
  readonly states: unknown[];
  /** Latest states of dialogs that were closed. */
  readonly ends: unknown[];
}

let browser: Browser;
let site: ShownSite;
let shop: Awaited<ReturnType<typeof serveHttp>>;
let context: BrowserContext;
let page: Page;
let faults: string[];

const shopOrigin = (host = 'localhost'): string => `http://${host}:${shop.port}`;

/** Page of a shop with a strict policy of its own. */
const shopPage = (): string => `<!doctype html><html lang="en"><title>Shop</title>
  <script src="${site.origin}/pay/embed.js" integrity="${INTEGRITY}" crossorigin></script>
  <script src="/shop.js" defer></script><main><h1>Shop</h1><button id="other">Other</button><button id="pay">Pay</button></main></html>`;
const shopScript = (): string => `
  window.states = []; window.ends = [];
  document.getElementById('pay').addEventListener('click', () => {
    window.dialog = WalletRpcPay.open('${site.url('request')}', {
      onState: (state) => window.states.push(state),
      onClose: (state) => window.ends.push(state ?? null),
      title: 'Pay your order', closeLabel: 'Close the payment',
    });
  });`;

beforeAll(async () => {
  browser = await startBrowser();
  shop = await serveHttp(({ url }, res) => {
    const policy = `default-src 'none'; script-src 'self' ${site.origin}; frame-src ${site.origin}`;
    const isScript = url === '/shop.js';
    res.setHeader('Content-Security-Policy', policy);
    res.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html; charset=utf-8');
    res.end(isScript ? shopScript() : shopPage());
  });
  site = await showSite({ request: {} }, { embedOrigins: [shopOrigin()] });
});

afterAll(async () => {
  await browser?.close();
  await site?.close();
  await shop?.close();
});

beforeEach(async () => {
  faults = [];
  site.change('request', { returnUrl: `${shopOrigin()}/done`, returnsAuto: true });
  context = await browser.newContext({ locale: 'en', viewport: { width: 1000, height: 800 } });
  page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('favicon')) faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(String(error)));
});

afterEach(async () => {
  await context.close();
});

const inShop = <T>(task: (window: ShopWindow) => T): Promise<T> =>
  page.evaluate(`(${String(task)})(window)`) as Promise<T>;
const states = (): Promise<unknown[]> => inShop((window) => window.states);
const ends = (): Promise<unknown[]> => inShop((window) => window.ends);
const frame = (): FrameLocator => page.frameLocator('dialog iframe');
const focused = (): Promise<unknown> => page.evaluate('document.activeElement.id');

/** Opens the dialog, and waits for the state of its page. */
async function openDialog(): Promise<void> {
  await page.goto(`${shopOrigin()}/`);
  await page.locator('#pay').focus();
  await page.keyboard.press('Enter');
  await frame().locator('.embedded').waitFor();
  await until('the state', async () => (await states()).length > 0);
}

describe('the script for pages of shops', () => {
  it('has at most 5 KiB, and the hash of the docs', () => {
    expect(SCRIPT.length).toBeLessThanOrEqual(5 * 1024);
    expect(DOCS).toContain(`integrity="${INTEGRITY}"`);
  });

  it('opens a page in a dialog, and reports its states to the shop', async () => {
    await openDialog();
    expect(await states()).toEqual(['waiting']);
    expect(await page.getByRole('dialog', { name: 'Pay your order' }).isVisible()).toBe(true);
    expect(await accessibilityFaults(page)).toEqual([]);
    site.change('request', STATES.seen);
    await until('the payment', async () => (await states()).includes('seen'));
    site.change('request', { ...STATES.paid, returnUrl: `${shopOrigin()}/done`, returnsAuto: true });
    await until('the end', async () => (await states()).includes('paid'));
    expect(await states()).toEqual(['waiting', 'seen', 'paid']);
    // The shop decides what follows.
    expect(await frame().locator('#auto').isVisible()).toBe(false);
    await frame().getByRole('link', { name: 'Back to the shop' }).click();
    await page.waitForURL(`${shopOrigin()}/done`);
    expect(faults).toEqual([]);
  });

  it.each([
    ['Esc in the page of the shop', () => page.keyboard.press('Escape')],
    [
      'Esc in the pay page',
      async () => {
        await frame().locator('#copy-address').focus();
        await page.keyboard.press('Escape');
      },
    ],
    ['its button', () => page.getByRole('button', { name: 'Close the payment' }).click()],
    ['the shop', () => page.evaluate('window.dialog.close()')],
  ])('is closed by %s, and the control that opened it has the focus again', async (_, close) => {
    await openDialog();
    await close();
    await until('the end', async () => (await ends()).length > 0);
    expect(await ends()).toEqual(['waiting']);
    expect(await page.locator('dialog').count()).toBe(0);
    expect(await focused()).toBe('pay');
    expect(faults).toEqual([]);
  });

  it('keeps the focus in the dialog', async () => {
    await openDialog();
    const seen: unknown[] = [];
    for (let i = 0; i < 8; i++) {
      await page.keyboard.press('Tab');
      seen.push(await focused());
    }
    expect(seen).not.toContain('other');
    expect(seen).not.toContain('pay');
  });

  it('lets the page copy the address', async () => {
    // The page in the frame has the permission of the shop's page.
    for (const origin of [site.origin, shopOrigin()])
      await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
    await openDialog();
    await frame().getByRole('button', { name: 'Copy address' }).click();
    await frame().getByRole('status').filter({ hasText: 'Copied' }).waitFor();
  });

  it('opens nothing but pay pages', async () => {
    await page.goto(`${shopOrigin()}/`);
    for (const url of ['javascript:alert(1)', 'http://shop.example/pay/', `${site.origin}/pay/x`, 'data:,x'])
      expect(
        await page.evaluate(
          `(() => { try { WalletRpcPay.open(${JSON.stringify(url)}); return ''; } catch (error) { return error.name; } })()`,
        ),
      ).toBe('TypeError');
    expect(await page.locator('dialog').count()).toBe(0);
  });
});

describe('messages between shop and pay page', () => {
  it('from other windows and origins are ignored by the shop', async () => {
    await openDialog();
    const forged = { source: 'wallet-rpc-pay', type: 'state', state: 'paid' };
    await page.evaluate(`window.postMessage(${JSON.stringify(forged)}, '*')`);
    await page.evaluate(`window.postMessage({ source: 'wallet-rpc-pay', type: 'close' }, '*')`);
    site.change('request', { paid: [[COIN / 2n]] });
    await until('the payment', async () => (await states()).length > 1);
    expect(await states()).toEqual(['waiting', 'partial']);
    expect(await ends()).toEqual([]);
  });

  it('reach no page whose origin is not listed: the browser shows no frame there', async () => {
    // The same server under another name is another origin.
    await page.goto(`${shopOrigin('127.0.0.1')}/`);
    await page.locator('#pay').click();
    await until('the refusal', () =>
      Promise.resolve(faults.some((text) => text.includes('frame-ancestors')) ? true : undefined),
    );
    expect(await states()).toEqual([]);
    expect(await frame().locator('main').count()).toBe(0);
  });

  it('are sent to nobody when no origin is listed', async () => {
    const closedSite = await showSite({ request: {} });
    try {
      await page.goto(closedSite.url('request'));
      await page.locator('.has-script').waitFor();
      expect(await page.evaluate('document.body.dataset.embed')).toBeUndefined();
    } finally {
      await closedSite.close();
    }
  });
});

/** The types of the script fit its use. */
export const typed = (api: WalletRpcPayApi, options: PayDialogOptions): void =>
  api.open('https://pay.example/pay/0', options).close();
