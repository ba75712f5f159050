import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { startBrowser } from '../../support/processes/browser.js';
import type { Hash } from '../../../src/monero/crypto/types.js';
import { amount } from '../../../src/util/amount.js';
import { ADDRESS, COIN, NOW, STATES, type RequestFixture } from './fixtures.js';
import { serveHttp, showSite, type ShownSite } from './shown-site.js';

/* The script of the pay page in a real browser, whose clock the tests move. */

let browser: Browser;
let site: ShownSite;
let shop: Awaited<ReturnType<typeof serveHttp>>;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  browser = await startBrowser();
  shop = await serveHttp((_, res) => void res.end('the shop'));
  site = await showSite({ request: {} });
});

afterAll(async () => {
  await browser?.close();
  await site?.close();
  await shop?.close();
});

beforeEach(async () => {
  context = await browser.newContext({ locale: 'en' });
  page = await context.newPage();
  await page.clock.install();
});

afterEach(async () => {
  await context.close();
});

/** Refund without its state. */
const REFUND = {
  ...{ kind: 'excess' as const, amount: amount(COIN), payoutId: 'r1', address: ADDRESS, created: NOW },
};

const shopUrl = (): string => `http://localhost:${shop.port}/done`;
const terms = (): RequestFixture => ({ returnUrl: shopUrl(), returnsAuto: true });

async function open(fixture: RequestFixture): Promise<void> {
  site.change('request', fixture);
  await page.goto(site.url('request'));
  await page.locator('.has-script').waitFor();
}

const untilState = (text: string): Promise<void> =>
  page.locator('#status .state', { hasText: text }).waitFor();

/** Opens a page whose request is paid while it is open. */
async function pay(): Promise<void> {
  await open({ ...STATES.confirming, ...terms() });
  await untilState('being confirmed');
  site.change('request', { ...STATES.paid, ...terms() });
  await untilState('Paid');
}

describe('the way back to the shop', () => {
  it('is taken some seconds after the payment, which is announced', async () => {
    await pay();
    await page.getByRole('status').filter({ hasText: 'You return to the shop in 20 seconds.' }).waitFor();
    expect(await page.getByRole('link', { name: 'Back to the shop' }).isVisible()).toBe(true);
    await page.clock.fastForward(20_000);
    await page.waitForURL(shopUrl());
  });

  it.each([
    ['the button', () => page.getByRole('button', { name: 'Stay on this page' }).click()],
    ['Esc', () => page.keyboard.press('Escape')],
  ])('is not taken after %s', async (_, stop) => {
    await pay();
    await stop();
    expect(await page.locator('#auto').isVisible()).toBe(false);
    await page.clock.fastForward(60_000);
    expect(page.url()).toBe(site.url('request'));
    expect(await page.locator('#receipt').innerText()).toContain('order 4711');
  });

  it('is not taken by itself when a paid page is opened again, so that its receipt can be read', async () => {
    await open({ ...STATES.paid, ...terms() });
    await untilState('Paid');
    expect(await page.locator('#auto').isVisible()).toBe(false);
    await page.clock.fastForward(60_000);
    expect(page.url()).toBe(site.url('request'));
  });

  it('is not taken by itself for a visitor who prefers less motion', async () => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await pay();
    expect(await page.locator('#auto').isVisible()).toBe(false);
  });

  it('is not taken when the payment is undone meanwhile', async () => {
    await pay();
    site.change('request', { ...STATES.seen, ...terms() });
    await untilState('Payment detected');
    expect(await page.locator('#auto').isVisible()).toBe(false);
    await page.clock.fastForward(60_000);
    expect(page.url()).toBe(site.url('request'));
  });
});

describe('the time left', () => {
  const timer = (): Promise<string> => page.getByRole('timer').innerText();

  it('is in words that a minute changes, and in seconds at the end', async () => {
    await open({ expires: NOW + 870 });
    expect(await timer()).toBe('15 minutes');
    await page.clock.runFor(31_000);
    expect(await timer()).toBe('14 minutes');
    await page.clock.runFor(780_000);
    expect(await timer()).toMatch(/^5\d seconds$/);
  });

  it('of five days is five days', async () => {
    await open({ expires: NOW + 432_000 });
    expect(await timer()).toBe('5 days');
  });

  it('is right again after the device slept', async () => {
    await open({ expires: NOW + 870 });
    // As after a closed lid: timers that were due run once.
    await page.clock.fastForward(600_000);
    expect(await timer()).toMatch(/^[45] minutes$/);
  });

  it('has the words of the server, in every language', async () => {
    for (const locale of ['de', 'ar', 'ru', 'ja']) {
      await open({ expires: NOW + 93_784, locale });
      const text = await page.evaluate(
        `fetch(location.href).then((reply) => reply.text()).then((html) => new DOMParser().parseFromString(html, 'text/html').querySelector('[role=timer]').textContent)`,
      );
      expect([locale, await timer()]).toEqual([locale, String(text).trim()]);
    }
  });
});

describe('the receipt', () => {
  it('comes with the payment, and is printed by its button', async () => {
    await pay();
    expect(await page.locator('#receipt').innerText()).toContain('order 4711');
    await page.evaluate('window.print = () => { window.printed = true; }');
    await page.getByRole('button', { name: 'Print receipt' }).click();
    expect(await page.evaluate('window.printed')).toBe(true);
    // A visitor who prints is not led away.
    expect(await page.locator('#auto').isVisible()).toBe(false);
  });
});

describe('a request that is cancelled', () => {
  it('keeps its page, which says what has arrived', async () => {
    await open({});
    await untilState('Waiting');
    site.change('request', STATES.cancelled);
    await untilState('Payment request cancelled');
    expect(await page.locator('#status').innerText()).toContain('0.5 XMR arrived before the cancellation');
    expect(await page.locator('.code').count()).toBe(0);
  });
});

describe('the form for the address of refunds', () => {
  const OWN = `4${'A'.repeat(94)}`;

  it.each([
    ['with', true],
    ['without', false],
  ])(
    'is checked, keeps what is wrong, and shows what is stored, %s JavaScript',
    async (_, javaScriptEnabled) => {
      const other = await browser.newContext({ locale: 'en', javaScriptEnabled });
      const shown = await other.newPage();
      site.change('request', { asksRefundAddress: true });
      await shown.goto(site.url('request'));
      await shown.getByText('Address for refunds').click();
      const field = shown.getByRole('textbox');
      for (const [text, fault] of [
        ['rubbish', 'This is no Monero address of the network mainnet.'],
        [ADDRESS, 'This is an address of the shop.'],
      ] as const) {
        await field.fill(text);
        await shown.getByRole('button', { name: 'Save' }).click();
        await shown.getByRole('alert').filter({ hasText: fault }).waitFor();
        expect(await field.inputValue()).toBe(text);
      }
      await field.fill(` ${OWN}\n`);
      await shown.getByRole('button', { name: 'Save' }).click();
      await shown.getByText('Refunds go to this address.').waitFor();
      expect([await field.inputValue(), shown.url()]).toEqual([OWN, site.url('request')]);
      await other.close();
    },
  );

  it('is absent unless the request asks, and once a refund was made', async () => {
    await open({});
    expect(await page.locator('form').count()).toBe(0);
    const refund = { ...REFUND, state: 'queued' } as const;
    await open({ ...STATES.overpaid, asksRefundAddress: true, refunds: [refund] });
    expect(await page.locator('form').count()).toBe(0);
    expect(await page.locator('#status').innerText()).toContain('A refund of 1 XMR is on its way.');
    const txHash = new Uint8Array(32).fill(7) as Hash;
    site.change('request', { ...STATES.overpaid, refunds: [{ ...REFUND, state: 'sent', txHash }] });
    await page.locator('#status', { hasText: 'A refund of 1 XMR was sent.' }).waitFor();
    expect(await page.locator('#status code').innerText()).toBe('07'.repeat(32));
    site.change('request', { ...STATES.overpaid, refunds: [{ ...REFUND, state: 'failed' }] });
    await page.locator('#status:not(:has-text("refund"))').waitFor();
  });

  it('is used by keyboard alone, as the other controls of a paid page are', async () => {
    await pay();
    site.change('request', { ...STATES.paid, ...terms(), asksRefundAddress: true });
    const order: unknown[] = [];
    for (let i = 0; i < 3; i++) {
      await page.keyboard.press('Tab');
      order.push(await page.evaluate('document.activeElement.id'));
    }
    expect(order).toEqual(['print', 'stay', 'back']);
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('back');
    expect(await page.locator('#auto').isVisible()).toBe(false);
    await page.reload();
    await page.locator('summary').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.type(OWN);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('Refunds go to this address.').waitFor();
  });
});
