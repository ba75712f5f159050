import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pixelmatch from 'pixelmatch';
import type { Browser, Page } from 'playwright-core';
import { PNG } from 'pngjs';
import type { Hash } from '../../../src/monero/crypto/types.js';
import { amount } from '../../../src/util/amount.js';
import { PACKAGE_ROOT } from '../../../src/util/own-package.js';
import { payLanguages } from '../../../src/watch/pay/pay-texts.js';
import type { PayState } from '../../../src/watch/pay/pay-view.js';
import { accessibilityFaults, startBrowser } from '../../support/processes/browser.js';
import { someRows } from '../../support/jest/lanes.js';
import { ADDRESS, COIN, NOW, STATES, type RequestFixture } from './fixtures.js';
import { showSite, type ShownSite } from './shown-site.js';

/*
 * Pictures of every state of the pay pages, compared with those in the folder pictures. PAY_PICTURES=renew writes them anew:
 * look at each changed one before it is committed. A picture that differs is written to build/pictures, beside the
 * difference.
 */

const FOLDER = new URL('test/watch/pay/pictures/', PACKAGE_ROOT);
const DIFFERENT = new URL('build/pictures/', PACKAGE_ROOT);
const isRenewed = process.env['PAY_PICTURES'] === 'renew';
/** Largest part of the points of a picture that may differ: browsers smooth the edges of letters differently. */
const TOLERANCE = 0.005;
/** Difference of two colours from which a point differs: those of the states are pale. */
const THRESHOLD = 0.03;
const WIDTHS = { wide: 1280, narrow: 360 } as const;

const require = createRequire(import.meta.url);
/** Fonts of the pictures: those of machines differ. */
const FONTS = [
  ['noto-sans/files/noto-sans-latin-400-normal', 400],
  ['noto-sans/files/noto-sans-latin-700-normal', 700],
  ['noto-sans-arabic/files/noto-sans-arabic-arabic-400-normal', 400],
  ['noto-sans-arabic/files/noto-sans-arabic-arabic-700-normal', 700],
] as const;

const STYLE = `${FONTS.map(([name, weight]) => {
  const bytes = readFileSync(require.resolve(`@fontsource/${name}.woff2`));
  const family = name.includes('arabic') ? 'pictures-arabic' : 'pictures';
  return `@font-face { font-family: ${family}; font-weight: ${weight}; src: url(data:font/woff2;base64,${bytes.toString('base64')}); }`;
}).join('\n')}
body, button, textarea, code { font-family: pictures, pictures-arabic !important; }
*, *::before, *::after { animation: none !important; transition: none !important; caret-color: transparent !important; }`;

const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 40"><rect width="120" height="40" rx="8" fill="#24509b"/><circle cx="60" cy="20" r="12" fill="#fff"/></svg>';

const MERCHANT = {
  name: 'Lamps & Lanterns',
  logo: { type: 'image/svg+xml', bytes: Buffer.from(LOGO), version: '1' },
  contact: { url: 'mailto:help@shop.example', text: 'help@shop.example' },
  terms: 'https://shop.example/terms',
};

const PRICE = { currency: 'EUR', amount: '320', rate: '160', rateTime: NOW - 3600, source: 'example rates' };

/** Requests that show all parts of a page in each state, and the parts about refunds. */
const fixtures: Readonly<Record<string, RequestFixture>> = {
  'refund-form': { ...STATES.cancelled, asksRefundAddress: true, refundAddress: ADDRESS },
  refunded: {
    ...STATES.overpaid,
    refunds: [
      {
        ...{ kind: 'excess', amount: amount(COIN), payoutId: 'r1', address: ADDRESS, created: NOW },
        ...{ state: 'sent', txHash: new Uint8Array(32).fill(0x5a) as Hash },
      },
    ],
  },
  ...Object.fromEntries(
    (Object.keys(STATES) as PayState[]).map((state): [string, RequestFixture] => [
      state,
      {
        ...{ label: 'Order 4711: two lanterns', returnUrl: 'https://shop.example/', returnsAuto: true },
        ...(state === 'received' ? {} : { price: PRICE }),
        ...(['waiting', 'partial'].includes(state) ? { expires: NOW + 870 } : {}),
        ...STATES[state],
        ...(state === 'partial' ? { paid: [[COIN / 2n, 90], [COIN / 4n]] } : {}),
      },
    ]),
  ),
};
const states = Object.keys(fixtures);

let browser: Browser;
let site: ShownSite;

beforeAll(async () => {
  browser = await startBrowser([
    // As Chromium with windows draws letters on Debian.
    '--font-render-hinting=slight',
    '--disable-lcd-text',
    '--force-color-profile=srgb',
  ]);
  site = await showSite(fixtures, { merchant: MERCHANT });
});

afterAll(async () => {
  await browser?.close();
  await site?.close();
});

/** Opens a page for a task. */
async function withPage(path: string, locale: string, task: (page: Page) => Promise<void>): Promise<void> {
  // The font of the pictures is no part of the policy of the pages.
  const context = await browser.newContext({
    locale,
    bypassCSP: true,
    viewport: { width: 1280, height: 900 },
  });
  try {
    const page = await context.newPage();
    await page.route('**/pay.css', async (route) => {
      const reply = await route.fetch();
      await route.fulfill({ response: reply, body: `${await reply.text()}\n${STYLE}` });
    });
    await page.goto(path);
    await page.evaluate('document.fonts.ready');
    await task(page);
  } finally {
    await context.close();
  }
}

const write = (folder: URL, name: string, picture: Buffer): void => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL(name, folder), picture);
};

/** Compares a picture of a page with that of its name. */
async function compare(page: Page, name: string): Promise<void> {
  const shot = await page.screenshot({ fullPage: true });
  const path = new URL(`${name}.png`, FOLDER);
  if (isRenewed) return write(FOLDER, `${name}.png`, shot);
  if (!existsSync(path)) throw new Error(`${fileURLToPath(path)} is missing: PAY_PICTURES=renew writes it`);
  const stored = readFileSync(path);
  // The browser that wrote the picture writes the same bytes again.
  if (shot.equals(stored)) return;
  const [expected, actual] = [PNG.sync.read(stored), PNG.sync.read(shot)];
  const { width, height } = expected;
  if (actual.width !== width || actual.height !== height) write(DIFFERENT, `${name}.png`, shot);
  expect([actual.width, actual.height]).toEqual([width, height]);
  const difference = new PNG({ width, height });
  const count = pixelmatch(expected.data, actual.data, difference.data, width, height, {
    threshold: THRESHOLD,
  });
  if (count > TOLERANCE * width * height) {
    write(DIFFERENT, `${name}.png`, shot);
    write(DIFFERENT, `${name}-difference.png`, PNG.sync.write(difference));
  }
  expect(count / (width * height)).toBeLessThanOrEqual(TOLERANCE);
}

/** Checks that nothing is wider than the window, and that no text of a button is cut off. */
const tooWide = (page: Page): Promise<unknown> =>
  page.evaluate(`[document.documentElement, ...document.querySelectorAll('.button, .copy, dd, dt, h1')]
    .filter((node) => node.scrollWidth > node.clientWidth + 1 && node.clientWidth > 0)
    .map((node) => node.outerHTML.slice(0, 100))`);

async function picturesOf(page: Page, name: string): Promise<void> {
  for (const [size, width] of Object.entries(WIDTHS)) {
    await page.setViewportSize({ width, height: 740 });
    await compare(page, `${name}-${size}`);
  }
}

describe('a pay page', () => {
  it.each(states)('looks as before in state %s, without a fault in its accessibility', async (state) => {
    await withPage(site.url(state), 'en', async (page) => {
      await page.locator('.has-script').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await picturesOf(page, state);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await accessibilityFaults(page, 'colours')).toEqual([]);
      if (state === 'waiting' || state === 'paid') await compare(page, `${state}-dark`);
    });
  });

  // The first ones have pictures.
  const fromRightToLeft = someRows([...new Set(['partial', 'paid', ...states])], 2);

  it.each(fromRightToLeft)('is accessible from right to left in state %s', async (state) => {
    await withPage(site.url(state), 'ar', async (page) => {
      await page.locator('.has-script').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.setViewportSize({ width: WIDTHS.narrow, height: 740 });
      if (state === 'partial' || state === 'paid') await compare(page, `${state}-arabic`);
    });
  });

  it('looks as before when there is none', async () => {
    await withPage(`${site.origin}/pay/x`, 'en', async (page) => {
      expect(await accessibilityFaults(page)).toEqual([]);
      await picturesOf(page, 'not-found');
    });
  });

  it('looks as before on paper', async () => {
    await withPage(site.url('paid'), 'en', async (page) => {
      await page.locator('.has-script').waitFor();
      await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
      await page.setViewportSize({ width: 720, height: 900 });
      expect(await page.getByRole('button').count()).toBe(0);
      await compare(page, 'paid-print');
    });
  });

  it('looks as before without JavaScript', async () => {
    const context = await browser.newContext({
      javaScriptEnabled: false,
      viewport: { width: 360, height: 740 },
    });
    const page = await context.newPage();
    await page.goto(site.url('paid'));
    expect(await page.getByRole('button').count()).toBe(0);
    await page.goto(site.url('waiting'));
    expect(await page.getByRole('timer').innerText()).toBe('15 minutes');
    expect(await page.getByRole('button').count()).toBe(0);
    await context.close();
  });

  it.each(
    someRows(
      [...payLanguages().keys()].map((name): [string] => [name]),
      4,
    ),
  )('fits 320 px in %s, in every state', async (language) => {
    await withPage(site.url('waiting'), language, async (page) => {
      await page.setViewportSize({ width: 320, height: 640 });
      for (const state of states) {
        await page.goto(site.url(state));
        await page.locator('.has-script').waitFor();
        expect([state, await tooWide(page)]).toEqual([state, []]);
      }
    });
  });
});
