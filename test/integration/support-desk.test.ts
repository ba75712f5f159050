import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { until } from '../support/fakes/until.js';
import { isNight, someRows } from '../support/jest/lanes.js';
import { bearer, type Loose } from '../support/network/json-rpc.js';
import { WebhookReceiver } from '../support/network/webhook-receiver.js';
import { accessibilityFaults, startBrowser, WatchedPages } from '../support/processes/browser.js';
import { ALL, CredentialServer, shopPath } from '../support/processes/credential-server.js';

/*
 * The pages of the support desk with credentials, in a real browser. STATUS_PICTURES names a folder for pictures of them.
 */

const COIN = 1_000_000_000_000;
/** Would be an element if it were not escaped. */
const REFERENCE = '<i>order & "4711"';
const KEY = 'withdrawal 1';

const clients = new CredentialServer([
  '--webhook-allow-private',
  '--payout-interval=0',
  '--pay-bind=127.0.0.1:0',
]);
const { add, ask, send, tokens } = clients;

let browser: Browser;
let pages: WatchedPages;
let receiver: WebhookReceiver;
/** Passwords of digest logins. */
const passwords: Record<string, string> = {};
let request: Loose;
let paidBy = '';
let webhook = '';

/** Adds a credential with a digest login for browsers. */
async function addPerson(name: string, options: object): Promise<void> {
  const { stdout } = await clients.credential('add', name, '--digest', ...flagsOf(options));
  passwords[name] = stdout.trim().slice(name.length + 1);
}

const flagsOf = (options: object): string[] =>
  Object.entries(options).flatMap(([flag, value]) =>
    value === true ? [`--${flag}`] : [value as string | string[]].flat().flatMap((one) => [`--${flag}`, one]),
  );

const addressOf = (path: string): string => `http://127.0.0.1:${clients.server.port}${path}`;

const itemPath = (kind: string, id: string, wallet = 'shop'): string =>
  `/status/item?${new URLSearchParams({ kind, wallet, id }).toString()}`;

const open = (
  person: string,
  path: string,
  task: (page: Page) => Promise<void>,
  options: BrowserContextOptions = {},
): Promise<void> => {
  const httpCredentials = { username: person, password: passwords[person] ?? '' };
  return pages.open(addressOf(path), task, { httpCredentials, ...options });
};

async function takePicture(page: Page, name: string): Promise<void> {
  const folder = process.env['STATUS_PICTURES'];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}

beforeAll(async () => {
  browser = await startBrowser();
  pages = new WatchedPages(browser);
  receiver = await WebhookReceiver.start();
  await clients.start(async () => {
    await addPerson('night', { wallet: '*', method: ALL, balances: true });
    await addPerson('desk', { wallet: 'shop', method: ['view', 'receive', 'payout_approve'] });
    await add('clerk', {
      wallet: 'shop',
      method: ['view', 'payout_create'],
      'approve-above': '0',
      approvals: '1',
    });
    await add('desk-token', { wallet: 'shop', method: ['view', 'receive', 'payout_approve'] });
    await add('reader', { wallet: 'shop', method: ['view'] });
    await add('elsewhere', { wallet: 'mine', method: ALL });
  });
  receiver.answer = (response) => response.writeHead(500).end();
  ({ id: webhook } = await ask('root', 'add_webhook', { url: `${receiver.url}`, types: [] }, shopPath));
  // A payment from one account to another is one that its address received.
  await ask('root', 'create_account', {}, shopPath);
  request = await ask(
    'root',
    'create_payment_request',
    {
      amount: COIN,
      account_index: 1,
      reference: REFERENCE,
      label: 'tea',
      expires_in: 3600,
      metadata: { shop: 7 },
    },
    shopPath,
  );
  await ask(
    'root',
    'create_payment_request',
    { amount: 2 * COIN, reference: 'open one', expires_in: 3600 },
    shopPath,
  );
  const destinations = [{ amount: COIN / 2, address: request.address }];
  ({ tx_hash: paidBy } = await ask('root', 'transfer', { destinations, idempotency_key: KEY }, shopPath));
  await ask(
    'clerk',
    'create_payouts',
    { payouts: [{ payout_id: 'p-1', address: clients.payee, amount: COIN, reference: 'anna' }] },
    shopPath,
  );
  await clients.mine(3);
});

afterAll(async () => {
  await browser?.close();
  await clients.stop();
  await receiver?.stop();
});

beforeEach(() => {
  pages.faults = [];
});

const SIZES = {
  wide: { width: 1280, height: 900 },
  narrow: { width: 360, height: 740 },
} as const;

describe.each(Object.entries(SIZES))('the pages on a %s screen', (size, viewport) => {
  it.each(someRows(['light', 'dark'] as const))('have no fault in %s colours', async (colorScheme) => {
    for (const [name, path] of [
      ['status', '/status'],
      ['found', `/status/find?q=${COIN}`],
      ['request', itemPath('request', request.request_id)],
      ['order', itemPath('order', KEY)],
      ['payout', itemPath('payout', 'p-1')],
      ['transaction', itemPath('transaction', paidBy)],
      ['address', itemPath('address', request.address)],
      ['wallet', itemPath('wallet', '')],
      ['confirm', `/status/action?do=cancel_request&wallet=shop&id=${String(request.request_id)}`],
      ['nothing', itemPath('order', 'no such order')],
    ] as const)
      await open(
        'night',
        path,
        async (page) => {
          expect([name, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([
            name,
            viewport.width,
          ]);
          await takePicture(page, `${size}-${colorScheme}-${name}`);
          // A narrow page has the same parts in other places.
          if (isNight || size === 'wide') expect([name, await accessibilityFaults(page)]).toEqual([name, []]);
        },
        { viewport, colorScheme },
      );
    expect(pages.faults.filter((fault) => !fault.includes('404'))).toEqual([]);
  });
});

/** Reads a page under a token. */
const read = (name: string, path: string) => send(tokens[name], path);

/** Returns the address to which a search under a token leads; undefined if it lists results. */
async function found(name: string, text: string): Promise<string | undefined> {
  const response = await fetch(addressOf(`/status/find?${new URLSearchParams({ q: text }).toString()}`), {
    ...{ redirect: 'manual', headers: bearer(tokens[name]) },
  });
  return response.headers.get('location') ?? undefined;
}

/** Sends a form under a token, as a browser does from the page of the server itself. */
const post = async (
  name: string,
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
) => {
  const response = await fetch(addressOf(path), {
    ...{ method: 'POST', redirect: 'manual', body: new URLSearchParams(fields) },
    headers: { 'sec-fetch-site': 'same-origin', ...bearer(tokens[name]), ...headers },
  });
  return { status: response.status, text: await response.text(), headers: response.headers };
};

/** Reads the fields of the form that confirms an action, with its token. */
async function confirmation(name: string, query: Record<string, string>): Promise<Record<string, string>> {
  const { text, status } = await read(name, `/status/action?${new URLSearchParams(query).toString()}`);
  expect(status).toBe(200);
  const [form = ''] = /<form method="post"[^]*<\/form>/.exec(text) ?? [];
  const fields = [...form.matchAll(/name="(\w+)"\s+value="([^"]*)"/g)];
  return Object.fromEntries(fields.map(([, field = '', value = '']) => [field, value]));
}

describe('a search', () => {
  it('leads to the one thing that an id, key, hash, address, reference or link names', async () => {
    const id = String(request.request_id);
    const toRequest = itemPath('request', id);
    for (const text of [
      id,
      ` ${id.toUpperCase()} `,
      REFERENCE,
      request.address,
      request.uri,
      request.pay_url,
    ])
      expect([text, await found('desk-token', text as string)]).toEqual([text, toRequest]);
    expect(await found('desk-token', KEY)).toBe(itemPath('order', KEY));
    expect(await found('desk-token', 'p-1')).toBe(itemPath('payout', 'p-1'));
    expect(await found('desk-token', 'ann')).toBe(itemPath('payout', 'p-1'));
    expect(await found('desk-token', paidBy)).toBe(itemPath('transaction', paidBy));
    expect(await found('desk-token', 'shop')).toBe('/status/item?kind=wallet&wallet=shop');
    const { address } = await ask('root', 'get_address', {}, shopPath);
    expect(await found('desk-token', address as string)).toBe(itemPath('address', address as string));
    expect(await found('desk-token', clients.payee)).toBe(itemPath('payout', 'p-1'));
  });

  it('finds nothing in wallets that the credential does not reach, and no kinds that it may not read', async () => {
    for (const [name, text] of [
      ['elsewhere', REFERENCE],
      ['elsewhere', paidBy],
      ['reader', REFERENCE],
    ] as const) {
      expect(await found(name, text)).toBeUndefined();
      expect((await read(name, `/status/find?q=${encodeURIComponent(text)}`)).text).toContain(
        'Nothing in the open wallets',
      );
    }
    expect((await read('elsewhere', itemPath('request', String(request.request_id)))).status).toBe(404);
    expect((await read('reader', itemPath('request', String(request.request_id)))).status).toBe(404);
    expect((await read('reader', itemPath('order', KEY))).status).toBe(200);
    expect((await read('elsewhere', '/status')).text).not.toContain('shop');
  });
});

describe('balances', () => {
  it('and other amounts are on the status page only with the right to them', async () => {
    const { text } = await read('reader', '/status');
    expect(text).toContain('shop');
    expect(text).not.toContain('XMR');
    expect((await read('reader', itemPath('wallet', ''))).text).not.toContain('XMR');
    await open('night', '/status', async (page) => {
      expect(await page.locator('#wallets').innerText()).toContain('XMR');
      expect(await page.locator('#today').innerText()).toContain('XMR');
    });
  });
});

describe('the story of a thing', () => {
  it('has its events in order, what it is linked with, and its pay page', async () => {
    const { text } = await read('desk-token', itemPath('request', String(request.request_id)));
    expect(text).toContain(`href="${String(request.pay_url)}"`);
    expect(text).toContain('&lt;i&gt;order &amp; &quot;4711&quot;');
    expect(text).not.toContain(REFERENCE);
    expect(text).toContain(`id=${paidBy}`);
    const titles = [...text.matchAll(/<strong>([^<]*)<\/strong>/g)].map(([, title]) => title);
    expect(titles).toEqual(['Payment mined', 'Payment confirmed', 'Payment request paid in part']);
    expect(text).toContain('0.5 XMR of 1 XMR received');
    const order = (await read('desk-token', itemPath('order', KEY))).text;
    expect(order).toContain('Transfer mined');
    const transaction = (await read('desk-token', itemPath('transaction', paidBy))).text;
    expect(transaction).toContain(itemPath('order', KEY).replaceAll('&', '&amp;'));
    expect(transaction).toContain(`kind=request&amp;wallet=shop&amp;id=${String(request.request_id)}`);
  });

  it('shows deliveries to clients that may list them alone, and sends one again', async () => {
    const path = itemPath('order', KEY);
    expect((await read('desk-token', path)).text).not.toContain('/hook');
    expect((await read('desk-token', path)).text).not.toContain(receiver.url);
    receiver.answer = (response) => response.writeHead(204).end();
    await open('night', path, async (page) => {
      const before = receiver.received.length;
      await page.getByRole('link', { name: 'Send again' }).first().click();
      await page.getByRole('button', { name: 'Yes: send again' }).click();
      expect(await page.getByRole('status').innerText()).toContain('is being sent again');
      await until('the delivery', () => receiver.received.length > before || undefined);
    });
    expect(clients.audit().at(-1)).toMatchObject({
      credential: 'night',
      method: 'redeliver_webhook',
      wallet: 'shop',
      outcome: 'ok',
    });
    expect(webhook).toMatch(/^[0-9a-f]{32}$/);
  });
});

describe('an action', () => {
  it('is confirmed by keyboard and without a script, performed by its method, and audited', async () => {
    await open(
      'desk',
      itemPath('payout', 'p-1'),
      async (page) => {
        expect(await page.getByRole('link', { name: 'Cancel…' }).count()).toBe(0);
        await page.getByRole('link', { name: 'Approve…' }).focus();
        await page.keyboard.press('Enter');
        await page.waitForURL('**/status/action?*');
        const question = await page.locator('main').innerText();
        for (const part of ['Approve the payout p-1', 'approve_payouts', '1 XMR', clients.payee])
          expect(question).toContain(part);
        await page.getByRole('button', { name: 'Yes: approve' }).focus();
        await page.keyboard.press('Enter');
        await page.waitForURL('**/status/act');
        expect(await page.getByRole('status').innerText()).toContain('The payout p-1 has your approval.');
      },
      { javaScriptEnabled: false },
    );
    expect(clients.audit().at(-1)).toMatchObject({
      credential: 'desk',
      method: 'approve_payouts',
      wallet: 'shop',
      outcome: 'ok',
    });
    const { history } = await ask('root', 'get_payout', { payout_id: 'p-1' }, shopPath);
    expect((history as Loose[]).map(({ action, by }) => [action, by])).toContainEqual(['approved', 'desk']);
    expect(pages.faults).toEqual([]);
  });

  it('extends and cancels a request, and says in words why it cannot', async () => {
    const { request_id, expires_at } = await ask(
      'root',
      'get_payment_request',
      { reference: 'open one' },
      shopPath,
    );
    await open('desk', itemPath('request', request_id as string), async (page) => {
      await page.getByLabel('Longer by').selectOption('1 day');
      await page.getByRole('button', { name: 'Extend…' }).click();
      await page.getByRole('button', { name: 'Yes: extend' }).click();
      expect(await page.getByRole('status').innerText()).toContain('expires at');
      await page.getByRole('link', { name: 'Back to the payment request' }).click();
      await page.getByRole('link', { name: 'Cancel…' }).click();
      expect(await page.locator('main').innerText()).toContain('This cannot be taken back.');
      await page.getByRole('button', { name: 'Yes: cancel' }).click();
      expect(await page.getByRole('status').innerText()).toContain('is cancelled');
    });
    const { state, expires_at: later } = await ask('root', 'get_payment_request', { request_id }, shopPath);
    expect([state, Number(later) - Number(expires_at)]).toEqual(['cancelled', 86_400]);
    const query = {
      do: 'extend_request',
      wallet: 'shop',
      id: request_id as string,
      until: String(Number(later) + 60),
    };
    const { status, text } = await post('desk-token', '/status/act', await confirmation('desk-token', query));
    expect([status, text]).toEqual([409, expect.stringContaining('the payment request is cancelled')]);
    expect(text).toContain('role="alert"');
  });

  it('needs the right to its method, a form of this server, and a token that was not used', async () => {
    const { request_id } = request;
    const query = { do: 'cancel_request', wallet: 'shop', id: String(request_id) };
    const stays = async (): Promise<void> =>
      expect((await ask('root', 'get_payment_request', { request_id }, shopPath)).state).toBe('partial');
    expect((await read('reader', `/status/action?${new URLSearchParams(query).toString()}`)).status).toBe(
      403,
    );
    const fields = await confirmation('desk-token', query);
    expect((await post('reader', '/status/act', fields)).status).toBe(403);
    expect((await post('elsewhere', '/status/act', fields)).status).toBe(404);
    expect((await post('root', '/status/act', fields)).text).toContain('not made for you');
    expect((await post('desk-token', '/status/act', { ...fields, token: '' })).status).toBe(403);
    expect((await post('desk-token', '/status/act', { ...fields, id: 'other' })).status).toBe(403);
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
    ])
      expect((await post('desk-token', '/status/act', fields, headers)).status).toBe(403);
    await stays();
    expect((await post('desk-token', '/status/act', fields)).status).toBe(200);
    expect((await post('desk-token', '/status/act', fields)).text).toContain('sent already');
  });

  it('counts against the rate limit of the credential', async () => {
    await add('slow-desk', { wallet: 'shop', method: ['view', 'receive'], rate: '1/3600' });
    await clients.reload();
    const { request_id } = await ask(
      'root',
      'create_payment_request',
      { amount: COIN, expires_in: 60 },
      shopPath,
    );
    const query = { do: 'cancel_request', wallet: 'shop', id: request_id as string };
    const send = async () => post('slow-desk', '/status/act', await confirmation('slow-desk', query));
    expect((await send()).status).toBe(200);
    const second = await send();
    expect([second.status, second.headers.has('retry-after')]).toEqual([429, true]);
    expect(second.text).toContain('more than 1 requests in 3600 seconds');
  });
});
