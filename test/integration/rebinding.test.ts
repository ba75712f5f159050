import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { startBrowser } from '../support/processes/browser.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { itAtNight, someRows } from '../support/jest/lanes.js';

/* Pages of a site whose name resolves to this machine (DNS rebinding), in a real browser. */

const NAME = 'rebinding.example';

let browser: Browser;
let server: WalletRpc;
/** A server that records the headers of requests for `/a`. */
let recorder: Server;
const recorded: { readonly method: string; readonly headers: IncomingHttpHeaders }[] = [];

beforeAll(async () => {
  recorder = createServer((req, res) => {
    // Chromium asks for an icon too, at any time.
    if (req.url === '/a') recorded.push({ method: req.method ?? '', headers: req.headers });
    res.setHeader('content-type', 'text/html').end('<p>page');
  });
  await new Promise<void>((resolve) => recorder.listen(0, '127.0.0.1', resolve));
  [browser, server] = await Promise.all([
    startBrowser([`--host-resolver-rules=MAP ${NAME} 127.0.0.1`]),
    startWalletRpc({ args: ['--rpc-bind-ip=0.0.0.0', '--confirm-external-bind'] }),
  ]);
});

afterAll(async () => {
  await Promise.all([browser?.close(), server?.stop()]);
  recorder?.close();
  recorder?.closeAllConnections();
});

async function withPage(url: string, task: (page: Page) => Promise<void>): Promise<void> {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.goto(url);
    await task(page);
  } finally {
    await context.close();
  }
}

/** Runs `fetch` in a page. @returns the status. */
const statusOf = (page: Page, path: string, options: object = {}): Promise<number> =>
  page.evaluate(
    async ([at, init]) => (await fetch(at as string, init as RequestInit)).status,
    [path, options],
  );

const CALL = { method: 'POST', body: '{"id":1,"method":"get_version"}' };
const JSON_TYPE = { 'content-type': 'application/json' };

describe('a page of a foreign name that resolves to this server', () => {
  it('makes no call and reads nothing, whatever it sends', () =>
    withPage(`http://${NAME}:${server.port}/`, async (page) => {
      for (const headers of [{}, JSON_TYPE, { ...JSON_TYPE, 'User-Agent': 'curl/8', 'Accept-Language': '*' }])
        for (const referrerPolicy of ['', 'no-referrer', 'same-origin'])
          expect(await statusOf(page, '/json_rpc', { ...CALL, headers, referrerPolicy })).toBe(403);
      for (const path of ['/status', '/metrics', '/events', '/livez', '/readyz', '/json_rpc'])
        for (const method of ['GET', 'HEAD'])
          expect([path, await statusOf(page, path, { method, referrerPolicy: 'no-referrer' })]).toEqual([
            path,
            403,
          ]);
      const page403 = await page.goto(`http://${NAME}:${server.port}/status`);
      expect(page403?.status()).toBe(403);
    }));

  itAtNight('sends Origin with a call, and no header that marks a read', async () => {
    const { port } = recorder.address() as AddressInfo;
    await withPage(`http://${NAME}:${port}/`, async (page) => {
      await statusOf(page, '/a', { ...CALL, headers: JSON_TYPE, referrerPolicy: 'no-referrer' });
      await statusOf(page, '/a', { referrerPolicy: 'no-referrer' });
    });
    expect(recorded.map(({ method }) => method)).toEqual(['POST', 'GET']);
    expect(recorded[0]?.headers.origin).toBeDefined();
    const marks = ['origin', 'referer', 'sec-fetch-site', 'sec-fetch-dest', 'sec-fetch-mode'];
    expect(marks.filter((name) => recorded[1]?.headers[name] !== undefined)).toEqual([]);
  });
});

describe('a page of the server itself', () => {
  it.each(someRows(['127.0.0.1', 'localhost']))('makes calls and reads: %s', (host) =>
    withPage(`http://${host}:${server.port}/status`, async (page) => {
      expect(await statusOf(page, '/json_rpc', { ...CALL, headers: JSON_TYPE })).toBe(200);
      expect(await statusOf(page, '/status')).toBe(200);
    }),
  );
});
