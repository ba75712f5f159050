import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { accessibilityFaults, startBrowser, WatchedPages } from '../support/processes/browser.js';
import { startCrowd, type Crowd } from '../support/wallets/wallet-crowd.js';
import { startWalletRpc } from '../support/processes/wallet-rpc.js';
import { itAtNight, someRows } from '../support/jest/lanes.js';

/* The status page in a real browser. STATUS_PICTURES names a folder for pictures of it. */

const AMOUNT = 1_500_000_000_000;
/** Would be an element if it were not escaped. */
const MARKUP = '<i>wallet';
const NAMES = ['shop', MARKUP, 'late'];
const SIZES = {
  wide: { width: 1280, height: 900 },
  narrow: { width: 360, height: 740 },
} as const;

let browser: Browser;
let crowd: Crowd;
let origin: string;
let pages: WatchedPages;

beforeAll(async () => {
  browser = await startBrowser();
  pages = new WatchedPages(browser);
  crowd = await startCrowd(NAMES);
  origin = `http://127.0.0.1:${crowd.server.port}`;
  await crowd
    .at('shop')
    .rpc('transfer', { destinations: [{ amount: AMOUNT, address: crowd.address(MARKUP) }] });
  await crowd.at('late').rpc('auto_refresh', { enable: false });
  await crowd.mine(5);
  for (const name of ['shop', MARKUP]) await crowd.at(name).rpc('refresh');
});

afterAll(async () => {
  await browser?.close();
  await crowd?.stop();
});

beforeEach(() => {
  pages.faults = [];
});

const withPage = (
  options: BrowserContextOptions,
  task: (page: Page) => Promise<void>,
  url = `${origin}/status`,
): Promise<void> => pages.open(url, task, options);

async function takePicture(page: Page, name: string): Promise<void> {
  const folder = process.env['STATUS_PICTURES'];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}

const addressCount = async (name: string): Promise<number> =>
  (await crowd.at(name).rpc('get_address')).addresses.length as number;

describe.each(someRows(Object.entries(SIZES)))('the status page on a %s screen', (size, viewport) => {
  it.each(someRows(['light', 'dark'] as const))(
    'shows the server in %s colours without a fault',
    async (colorScheme) => {
      await withPage({ viewport, colorScheme }, async (page) => {
        expect(await page.locator('#state').innerText()).toContain('Ready');
        expect(await page.locator('#daemon').innerText()).toContain('Answers');
        const wallets = page.locator('#wallets tbody tr');
        expect(await wallets.count()).toBe(NAMES.length);
        // The page lists it first once the daemon has answered lately: until then, its last refresh counts.
        await wallets.first().filter({ hasText: '5 blocks behind' }).waitFor({ timeout: 120_000 });
        expect(await wallets.first().innerText()).toMatch(/late[^]*5 blocks behind[^]* of [^]*9\d\.\d %/);
        expect(await wallets.nth(1).innerText()).toContain(MARKUP);
        expect(await page.locator('#payments').innerText()).toContain('+1.5 XMR');
        expect(await page.locator('#events').innerText()).toContain('None of late.');
        await page.locator('#live', { hasText: 'Live' }).waitFor();
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
        await takePicture(page, `${size}-${colorScheme}`);
        expect(await accessibilityFaults(page)).toEqual([]);
      });
      expect(pages.faults).toEqual([]);
    },
  );

  itAtNight('shows an address with its QR code without a fault', async () => {
    const url = `${origin}/status?wallet=shop&address=0`;
    await withPage(
      { viewport },
      async (page) => {
        const address = crowd.address('shop');
        expect(await page.locator('#receive figcaption').innerText()).toContain(address);
        expect(await page.getByRole('img', { name: 'QR code of the address' }).isVisible()).toBe(true);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
        await takePicture(page, `${size}-address`);
        expect(await accessibilityFaults(page)).toEqual([]);
      },
      url,
    );
    expect(pages.faults).toEqual([]);
  });
});

describe('the form of the status page', () => {
  itAtNight('creates one address by keyboard, and no other when the page is read again', async () => {
    const before = await addressCount('shop');
    await withPage({}, async (page) => {
      expect(await addressCount('shop')).toBe(before);
      await page.locator('#wallet').focus();
      await page.keyboard.press('s');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/status?wallet=shop&address=*');
      await page.reload();
      expect(await addressCount('shop')).toBe(before + 1);
      const { address } = (await crowd.at('shop').rpc('get_address')).addresses[before];
      expect(await page.locator('#receive figcaption').innerText()).toContain(address);
      expect(await page.locator('#receive').innerText()).toContain('Unused');
    });
    expect(pages.faults).toEqual([]);
  });

  itAtNight('names the reason for which an address cannot be created', async () => {
    const { rpc } = crowd.at('late');
    await withPage({}, async (page) => {
      await rpc('close_wallet');
      await page.locator('#wallet').selectOption('late');
      await page.getByRole('button', { name: 'Create a receiving address' }).click();
      expect(await page.getByRole('alert').innerText()).toContain('not open');
      expect(await accessibilityFaults(page)).toEqual([]);
    });
    await rpc('open_wallet', { password: '' });
  });

  itAtNight('is refused from a page of another site', async () => {
    const before = await addressCount('shop');
    const evil = createServer((_req, res) => {
      res.setHeader('content-type', 'text/html');
      res.end(`<form method=post action="${origin}/status/address"><input name=wallet value=shop><button>x`);
    });
    await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', () => resolve()));
    try {
      const url = `http://localhost:${(evil.address() as AddressInfo).port}/`;
      await withPage(
        {},
        async (page) => {
          const reply = page.waitForResponse('**/status/address');
          await page.getByRole('button').click();
          expect((await reply).status()).toBe(403);
        },
        url,
      );
      expect(await addressCount('shop')).toBe(before);
    } finally {
      evil.close();
      evil.closeAllConnections();
    }
  });
});

describe('the table of wallets', () => {
  itAtNight('is searched, grouped and sorted without a script', async () => {
    const names = (page: Page): Promise<string[]> => page.locator('#wallets tbody th').allInnerTexts();
    await withPage({ javaScriptEnabled: false }, async (page) => {
      await page.getByLabel('Name').fill('WALL');
      await page.getByRole('button', { name: 'Filter' }).click();
      await page.waitForURL('**/status?wallets=WALL*');
      expect(await names(page)).toEqual([MARKUP]);
      await page.getByLabel('Name').fill('');
      await page.getByLabel('Show').selectOption('trouble');
      await page.getByRole('button', { name: 'Filter' }).click();
      expect(await page.locator('#wallets').innerText()).toBe('No wallet matches.');
      await page.goto(`${origin}/status`);
      await page.locator('#wallets').getByRole('link', { name: 'Wallet', exact: true }).click();
      expect(await names(page)).toEqual([...NAMES].sort());
      expect(await page.locator('th[aria-sort=ascending]').innerText()).toContain('Wallet');
    });
    expect(pages.faults).toEqual([]);
  });
});

describe('the script of the status page', () => {
  itAtNight('shows a payment without a reload, and keeps the focus', async () => {
    await withPage({}, async (page) => {
      await page.locator('#live', { hasText: 'Live' }).waitFor();
      await page.locator('#wallet').focus();
      await crowd
        .at('shop')
        .rpc('transfer', { destinations: [{ amount: AMOUNT * 2, address: crowd.address(MARKUP) }] });
      await crowd.at(MARKUP).rpc('refresh');
      await page.locator('#payments', { hasText: '+3 XMR' }).waitFor({ timeout: 120_000 });
      expect(await page.evaluate('document.activeElement.id')).toBe('wallet');
    });
    expect(pages.faults).toEqual([]);
  });

  itAtNight('is not needed', async () => {
    const before = await addressCount('shop');
    await withPage({ javaScriptEnabled: false }, async (page) => {
      expect(await page.locator('#live').innerText()).toBe('Reload the page for changes.');
      expect(await page.locator('#wallets tbody tr').count()).toBe(NAMES.length);
      await page.locator('#wallet').selectOption('shop');
      await page.getByRole('button', { name: 'Create a receiving address' }).click();
      await page.waitForURL('**/status?wallet=shop&address=*');
    });
    expect(await addressCount('shop')).toBe(before + 1);
  });
});

describe('the text of the status page', () => {
  it('has a policy that allows only files of the server, and no inline script or style', async () => {
    const reply = await fetch(`${origin}/status`);
    const text = await reply.text();
    expect(reply.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(reply.headers.get('content-security-policy')).not.toContain('unsafe');
    expect(reply.headers.get('cache-control')).toBe('no-store');
    expect(text.match(/<script[^>]*>/g)).toEqual([expect.stringContaining(' src="/status/status.js"')]);
    expect(text).not.toMatch(/<style|\sstyle=|\son[a-z]+=/i);
    expect(text).not.toContain(MARKUP);
  });
});

describe('a server with a login', () => {
  itAtNight('shows the page to browsers that have it, and updates it', async () => {
    const server = await startWalletRpc({
      daemon: crowd.daemon.address,
      args: ['--rpc-login=user:secret'],
    });
    try {
      const url = `http://127.0.0.1:${server.port}/status`;
      for (const path of ['/status', '/status/status.js', '/status/status.css', '/status/address'])
        expect((await fetch(`http://127.0.0.1:${server.port}${path}`)).status).toBe(401);
      await withPage(
        { httpCredentials: { username: 'user', password: 'secret' } },
        async (page) => {
          expect(await page.locator('#wallets').innerText()).toContain('No wallet is open.');
          const stream = page.waitForResponse('**/events?after=0');
          await page.reload();
          expect((await stream).status()).toBe(200);
          const again = page.waitForResponse((reply) => new URL(reply.url()).pathname === '/status');
          expect((await again).status()).toBe(200);
        },
        url,
      );
    } finally {
      await server.stop();
    }
  });

  it('serves no page in restricted mode', async () => {
    const server = await startWalletRpc({ args: ['--restricted-rpc'] });
    try {
      const at = (path: string): string => `http://127.0.0.1:${server.port}${path}`;
      expect((await fetch(at('/status'))).status).toBe(403);
      expect((await fetch(at('/status/address'), { method: 'POST' })).status).toBe(404);
    } finally {
      await server.stop();
    }
  });
});
