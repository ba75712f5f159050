import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../support/fakes/until.js';
import { itAtNight } from '../support/jest/lanes.js';
import { walletCalls, type Loose, type WalletCalls } from '../support/network/json-rpc.js';
import { CredentialFile } from '../support/processes/credential-file.js';
import { ALL } from '../support/processes/credential-server.js';
import type { Monerod } from '../support/processes/monerod.js';
import { freePort, logged, start, type RunningProcess } from '../support/processes/process.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { createWallet } from '../support/wallets/create-wallet.js';

/* The shops of docs/examples, run as their comments say, with the rights that these name. */

const EXAMPLES = fileURLToPath(new URL('../../../docs/examples/', import.meta.url));
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const CLIENT = new URL('../../src/client/client.js', import.meta.url).href;
const run = promisify(execFile);
/** 19.90 EUR and 0.99 EUR, at 150 EUR for 1 XMR [atomic units]. */
const [BOOK, SONG] = [132_666_666_666, 6_600_000_000];

let daemon: Monerod;
let server: WalletRpc;
let shop: WalletCalls;
let customer: WalletCalls;
let miner: string;
let folder: string;
let credentials: CredentialFile;
/** Shops of all tests. */
const started: RunningProcess[] = [];

const addressOf = async ({ rpc }: WalletCalls): Promise<string> => String((await rpc('get_address')).address);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'shops-'));
  credentials = new CredentialFile(join(folder, 'credentials.json'));
  const rights = ['view', 'receive', 'refund_payment_request'];
  await credentials.add('root', { wallet: '*', method: ALL });
  await credentials.add('python', { wallet: 'shop', method: rights });
  await credentials.add('express', {
    wallet: 'shop',
    method: [...rights, 'add_webhook', 'list_webhooks', 'remove_webhook'],
  });
  daemon = await startRegtestDaemon();
  server = await startWalletRpc({
    daemon: daemon.address,
    args: [
      ...[`--credentials=${credentials.path}`, '--pay-bind=0', '--webhook-allow-private'],
      ...['--confirmations-by-amount=0:1', '--payout-interval=0', '--refresh-period=0', '--trusted-daemon'],
    ],
  });
  const at = (name: string) => walletCalls(server.port, name, credentials.tokens['root']);
  [shop, customer] = [at('shop'), at('customer')];
  for (const wallet of [shop, customer, at('miner')]) await createWallet(wallet);
  miner = await addressOf(at('miner'));
  for (const wallet of [shop, customer]) await daemon.generate(await addressOf(wallet), 8);
  await mine(65);
});

afterAll(async () => {
  await Promise.all(started.map(kill));
  await server?.stop();
  await daemon?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const refresh = () => Promise.all([shop.rpc('refresh'), customer.rpc('refresh')]);
async function mine(blocks: number): Promise<void> {
  await daemon.generate(miner, blocks);
  await refresh();
}
const requestOf = (reference: string): Promise<Loose> => shop.rpc('get_payment_request', { reference });
async function pay(reference: string, amount: number): Promise<void> {
  const { address } = await requestOf(reference);
  await customer.rpc('transfer', { destinations: [{ address, amount }] });
  await refresh();
}
const untilState = (reference: string, state: string) =>
  until(`${reference} to be ${state}`, async () =>
    (await requestOf(reference)).state === state ? true : undefined,
  );
/** Waits for the only refund of an order to be sent. @returns its kind and amount. */
const untilRefunded = (reference: string): Promise<Loose> =>
  until(`the refund of ${reference}`, async () => {
    const { refunds } = await requestOf(reference);
    return refunds[0]?.state === 'sent'
      ? refunds.map(({ kind, amount }: Loose) => ({ kind, amount }))
      : undefined;
  });
/** Address of the customer for refunds, and the sums that it has received in blocks. */
async function refundAddress(): Promise<{ address: string; received: () => Promise<number[]> }> {
  const { address, address_index } = await customer.rpc('create_address');
  const received = async () => {
    await mine(1);
    const { in: found } = await customer.rpc('get_transfers', { in: true, subaddr_indices: [address_index] });
    return (found as Loose[]).map(({ amount }) => Number(amount)).toSorted((a, b) => a - b);
  };
  return { address: String(address), received };
}
async function kill(program: RunningProcess): Promise<void> {
  program.child.kill('SIGKILL');
  await program.exited;
}
const deliveries = (programs: readonly RunningProcess[]): string[] =>
  programs.flatMap(({ output }) => output().match(/^deliver .*$/gm) ?? []);

describe('shop-express.ts', () => {
  it('delivers a paid order once and returns excess and late money, also after kills and with repeated webhooks', async () => {
    const home = join(folder, 'express');
    const client = join(home, 'node_modules/wallet-rpc-client');
    mkdirSync(client, { recursive: true });
    symlinkSync(join(ROOT, 'node_modules/express'), join(home, 'node_modules/express'));
    writeFileSync(join(client, 'package.json'), '{"type":"module","exports":"./index.js"}');
    writeFileSync(join(client, 'index.js'), `export * from '${CLIENT}';`);
    writeFileSync(join(home, 'package.json'), '{"type":"module"}');
    const program = join(home, 'shop.ts');
    copyFileSync(join(EXAMPLES, 'shop-express.ts'), program);
    const port = await freePort();
    const url = `http://localhost:${port}`;
    const runs: RunningProcess[] = [];
    async function startShop(seconds: number): Promise<RunningProcess> {
      const shopping = start(
        process.execPath,
        ['--disable-warning=ExperimentalWarning', program, 'shop', join(home, 'orders.db')],
        {
          ...process.env,
          ...{
            WALLET_RPC_URL: `http://127.0.0.1:${server.port}`,
            WALLET_RPC_TOKEN: credentials.tokens['express'],
          },
          ...{ SHOP_URL: url, PORT: String(port), PAY_SECONDS: String(seconds) },
        },
      );
      runs.push(shopping);
      started.push(shopping);
      await logged(shopping, 'shop at ');
      return shopping;
    }
    const back = await refundAddress();
    /** Orders something as a visitor, who also gives an address for refunds. @returns the id of the order. */
    async function order(item: string): Promise<string> {
      const { headers } = await fetch(`${url}/orders`, {
        ...{ method: 'POST', body: new URLSearchParams({ item }), redirect: 'manual' },
      });
      const path = String(headers.get('location'));
      const page = await (await fetch(`${url}${path}`)).text();
      const payUrl = String(/href="([^"]*)"/.exec(page)?.[1]);
      const body = new URLSearchParams({ refund_address: back.address });
      expect((await fetch(payUrl, { method: 'POST', body, redirect: 'manual' })).status).toBe(303);
      return path.slice('/orders/'.length);
    }

    const first = await startShop(3600);
    const book = await order('book');
    await kill(first);
    await pay(book, 2 * BOOK);
    await mine(1);
    // The shop was away: it reads what has happened.
    const second = await startShop(1);
    await logged(second, `deliver ${book}`);
    expect(await untilRefunded(book)).toEqual([{ kind: 'excess', amount: BOOK }]);
    const late = await order('book');
    await untilState(late, 'expired');
    await pay(late, SONG);
    await mine(1);
    expect(await untilRefunded(late)).toEqual([{ kind: 'all', amount: SONG }]);
    await kill(second);

    await startShop(3600);
    const song = await order('song');
    await pay(song, SONG);
    // In the mempool only: a rule of the request accepts it.
    await until('the song', () => deliveries(runs).at(-1) === `deliver ${song}` || undefined);
    const [webhook] = (await shop.rpc('list_webhooks')).webhooks as Loose[];
    const events = (await shop.rpc('get_events', { types: ['request.paid'], limit: 1000 })).events as Loose[];
    for (const { id: event_id, data } of events.filter(({ data }) => [book, song].includes(data.reference))) {
      const arrival = async (): Promise<string | undefined> => {
        const { deliveries: sent } = await shop.rpc('list_deliveries', { id: webhook.id, limit: 1000 });
        const found = (sent as Loose[]).find((one) => one.event_id === event_id);
        return found?.state === 'delivered' ? found.last_attempt : undefined;
      };
      const before = await until(`the webhook of ${data.reference}`, arrival);
      await shop.rpc('redeliver_webhook', { id: webhook.id, event_id });
      await until('the same once more', async () => ((await arrival()) ?? before) > before || undefined);
    }
    expect(deliveries(runs)).toEqual([`deliver ${book}`, `deliver ${song}`]);
    expect(await (await fetch(`${url}/orders/${book}`)).text()).toContain('paid, delivered');
    expect(await (await fetch(`${url}/orders/${late}`)).text()).toContain('<p>expired<p>');
    expect(await back.received()).toEqual([SONG, BOOK]);
  });
});

describe('shop.py', () => {
  const env = (seconds: number): NodeJS.ProcessEnv => ({
    ...process.env,
    WALLET_RPC_URL: `http://127.0.0.1:${server.port}/wallet/shop/json_rpc`,
    WALLET_RPC_TOKEN: credentials.tokens['python'],
    PAY_SECONDS: String(seconds),
  });
  const args = (...more: string[]): string[] => [
    join(EXAMPLES, 'shop.py'),
    join(folder, 'python.db'),
    ...more,
  ];
  const order = (name: string, address: string, seconds = 3600) =>
    run('python3', args('order', name, '19.90', address), { env: env(seconds) });

  it('delivers a paid order once and returns excess and late money, also after kills', async () => {
    const back = await refundAddress();
    const runs: RunningProcess[] = [];
    const startShop = (): RunningProcess => {
      const shopping = start('python3', args('work'), env(3600));
      runs.push(shopping);
      started.push(shopping);
      return shopping;
    };
    const first = startShop();
    const { stdout } = await order('book', back.address);
    expect((await order('book', back.address)).stdout).toBe(stdout);
    expect(stdout).toBe(`${(await requestOf('book')).pay_url}\n`);
    await pay('book', 2 * BOOK);
    await kill(first);
    await mine(1);
    const second = startShop();
    await logged(second, 'deliver book');
    expect(await untilRefunded('book')).toEqual([{ kind: 'excess', amount: BOOK }]);
    await order('late', back.address, 1);
    await untilState('late', 'expired');
    await pay('late', SONG);
    await kill(second);
    await mine(1);
    startShop();
    expect(await untilRefunded('late')).toEqual([{ kind: 'all', amount: SONG }]);
    expect(await back.received()).toEqual([SONG, BOOK]);
    expect(deliveries(runs)).toEqual(['deliver book']);
  });

  itAtNight('keeps no order whose terms the server refuses', async () => {
    for (let time = 0; time < 2; time++)
      await expect(order('wrong', 'no address')).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringContaining('Invalid address'),
      });
    const { address } = await refundAddress();
    expect((await order('wrong', address)).stdout).toMatch(/^http/);
  });
});
