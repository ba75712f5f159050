import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { until } from '../support/fakes/until.js';
import { someRows } from '../support/jest/lanes.js';
import type { Loose } from '../support/network/json-rpc.js';
import { accessibilityFaults, startBrowser, WatchedPages } from '../support/processes/browser.js';
import type { Monerod } from '../support/processes/monerod.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { createWallet } from '../support/wallets/create-wallet.js';

/* Payouts in the metrics and on the status page of a server. STATUS_PICTURES names a folder for pictures of it. */

const XMR = 1_000_000_000_000;
/** Would be an element if it were not escaped. */
const MARKUP = '<i>"order&';

let daemon: Monerod;
let server: WalletRpc;
let payee: WalletRpc;
let address: string;
let browser: Browser;
let pages: WatchedPages;

const rpc = (method: string, params?: Loose): Promise<Loose> => server.rpc(method, params);

const create = (payouts: readonly Loose[]): Promise<Loose> => rpc('create_payouts', { payouts });

const page = async (path: string): Promise<string> => {
  const reply = await fetch(`http://127.0.0.1:${server.port}${path}`);
  expect(reply.status).toBe(200);
  return reply.text();
};

/** Reads the value of a series of the wallet; undefined if there is none. */
async function metric(name: string, labels = ''): Promise<number | undefined> {
  const series = `${name}{wallet="payer"${labels}} `;
  const line = (await page('/metrics')).split('\n').find((each) => each.startsWith(series));
  return line === undefined ? undefined : Number(line.slice(series.length));
}

const blocked = (reason: string): Promise<number | undefined> =>
  metric('wallet_rpc_payouts_blocked', `,reason="${reason}"`);

const untilState = (payout_id: string, state: string): Promise<Loose | undefined> =>
  until(`the state ${state}`, async () => {
    const payout = await rpc('get_payout', { payout_id });
    return payout.state === state ? payout : undefined;
  });

async function mine(blocks: number): Promise<void> {
  await daemon.generate(address, blocks);
  await rpc('refresh');
}

beforeAll(async () => {
  browser = await startBrowser();
  pages = new WatchedPages(browser);
  daemon = await startRegtestDaemon();
  server = await startWalletRpc({
    daemon: daemon.address,
    args: ['--refresh-period=0', '--payout-interval=0', '--payout-confirmations=2', '--metrics-balances'],
  });
  payee = await startWalletRpc({ daemon: daemon.address });
  await createWallet(server, 'payer');
  await createWallet(payee, 'payee');
  address = (await rpc('get_address')).address as string;
  await daemon.generate(address, 90);
  await rpc('refresh');
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await payee?.stop();
  await daemon?.stop();
});

beforeEach(() => {
  pages.faults = [];
});

const payeeAddress = async (): Promise<string> => (await payee.rpc('get_address')).address as string;

describe('payouts in the metrics', () => {
  it('have no series before the first payout', async () => {
    expect(await metric('wallet_rpc_payouts', ',state="queued"')).toBeUndefined();
    expect(await page('/status')).toContain('<section id="payouts" data-live hidden></section>');
  });

  it('count batches, payees, fees and stages, and show the money of the paying account', async () => {
    const to = await payeeAddress();
    await rpc('pause_payouts', { reason: 'until both are there' });
    await create([
      { payout_id: 'w-1', address: to, amount: XMR },
      { payout_id: 'w-2', address: to, amount: 2 * XMR, reference: MARKUP },
    ]);
    expect(await metric('wallet_rpc_payouts', ',state="queued"')).toBe(2);
    expect(await metric('wallet_rpc_payout_account_paused', ',account="0"')).toBe(1);
    expect(await metric('wallet_rpc_payout_sent_seconds_count')).toBe(0);
    await rpc('resume_payouts');
    const payout = await untilState('w-1', 'sent');
    expect(await metric('wallet_rpc_payout_account_paused', ',account="0"')).toBe(0);
    expect(await metric('wallet_rpc_payout_batches_total')).toBe(1);
    expect(await metric('wallet_rpc_payout_batch_payees_total')).toBe(2);
    expect(await metric('wallet_rpc_payout_sent_seconds_count')).toBe(2);
    expect(await metric('wallet_rpc_payout_confirmed_seconds_count')).toBe(0);
    await mine(2);
    expect(await metric('wallet_rpc_payouts', ',state="confirmed"')).toBe(2);
    expect(await metric('wallet_rpc_payout_confirmed_seconds_count')).toBe(2);
    const { transfer } = await rpc('get_transfer_by_txid', { txid: payout?.tx_hash });
    expect(await metric('wallet_rpc_payout_fees_atomic_units_total')).toBe(transfer.fee);
    const { balance, unlocked_balance: unlocked } = await rpc('get_balance');
    expect(await metric('wallet_rpc_payout_account_unlocked_atomic_units', ',account="0"')).toBe(unlocked);
    expect(await metric('wallet_rpc_payout_account_locked_atomic_units', ',account="0"')).toBe(
      Number(balance) - Number(unlocked),
    );
  });

  it('count a payout that waits for money until it is cancelled, but not while it is paused', async () => {
    const { balance } = await rpc('get_balance');
    await create([{ payout_id: 'too much', address: await payeeAddress(), amount: Number(balance) + XMR }]);
    await until('an obstacle', async () => (await blocked('unlocked')) === 1);
    expect(await blocked('fee')).toBe(0);
    await rpc('pause_payouts', { reason: 'audit', account_index: 0 });
    expect(await blocked('unlocked')).toBe(0);
    expect(await metric('wallet_rpc_payout_oldest_wait_seconds', ',waits_for="queue"')).toBe(0);
    await rpc('resume_payouts', { account_index: 0 });
    expect(await blocked('unlocked')).toBe(1);
    await rpc('cancel_payouts', { payout_ids: ['too much'] });
    expect(await blocked('unlocked')).toBe(0);
  });
});

describe('payouts on the status page', () => {
  const withPage = (
    path: string,
    task: (shown: Page) => Promise<void>,
    options: BrowserContextOptions = {},
  ): Promise<void> => pages.open(`http://127.0.0.1:${server.port}${path}`, task, options);

  beforeAll(async () => {
    await rpc('pause_payouts', { reason: MARKUP });
    await create([{ payout_id: `${MARKUP} 3`, address: await payeeAddress(), amount: XMR }]);
  });

  it.each(someRows(['light', 'dark'] as const))(
    'stand without a fault in %s colours',
    async (colorScheme) => {
      for (const [size, width] of [
        ['wide', 1280],
        ['narrow', 360],
      ] as const)
        await withPage(
          '/status',
          async (shown) => {
            const payouts = await shown.locator('#payouts').innerText();
            expect(payouts).toMatch(/Queued\s+1\s/);
            const waiting = await shown.locator('#waiting-payouts').innerText();
            expect(waiting).toContain(`payouts are paused: ${MARKUP}`);
            expect(payouts).not.toContain(MARKUP);
            expect(await shown.evaluate('document.documentElement.scrollWidth')).toBe(width);
            const folder = process.env['STATUS_PICTURES'];
            if (folder !== undefined) {
              mkdirSync(folder, { recursive: true });
              await shown.screenshot({
                path: join(folder, `payouts-${size}-${colorScheme}.png`),
                fullPage: true,
              });
            }
            expect(await accessibilityFaults(shown)).toEqual([]);
          },
          { viewport: { width, height: 900 }, colorScheme },
        );
      expect(pages.faults).toEqual([]);
    },
  );

  it('are found by id, address and reference without a script', async () => {
    const to = await payeeAddress();
    await withPage(
      '/status',
      async (shown) => {
        const find = async (text: string): Promise<string> => {
          await shown.locator('#q').fill(text);
          await shown.getByRole('button', { name: 'Find' }).click();
          await shown.waitForURL(/\/status\/(?:find|item)\?/);
          return shown.locator('main').innerText();
        };
        const found = await find('w-2');
        const { tx_hash, height } = await rpc('get_payout', { payout_id: 'w-2' });
        for (const part of ['Confirmed', MARKUP, to, tx_hash, String(height)]) expect(found).toContain(part);
        expect(await find(MARKUP)).toContain('2 results');
        expect(await find(to.slice(20, 60))).toContain('4 results');
        expect(await find('nothing has this')).toContain('Nothing in the open wallets');
      },
      { javaScriptEnabled: false },
    );
    expect(pages.faults).toEqual([]);
  });

  it('are replaced by the script, which leaves the fields', async () => {
    await withPage('/status', async (shown) => {
      await shown.locator('#live', { hasText: 'Live' }).waitFor();
      await shown.locator('#q').fill('half a te');
      await rpc('cancel_payouts', { payout_ids: [`${MARKUP} 3`] });
      await shown.locator('#payouts', { hasText: /Cancelled\s*2/ }).waitFor({ timeout: 120_000 });
      expect(await shown.locator('#q').inputValue()).toBe('half a te');
    });
    expect(pages.faults).toEqual([]);
  });
});
