import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createWallet } from '../support/wallets/create-wallet.js';
import { until } from '../support/fakes/until.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { runWalletRpc } from '../support/processes/wallet-rpc-run.js';

/* The merchant on the pay pages of a running server, and the origins that may embed them. */

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><script>alert(1)</script></svg>';
const ORIGIN = 'https://shop.example';

let folder: string;
let file: string;
let server: WalletRpc;
let payUrl: string;

const write = (merchant: object | string): void =>
  writeFileSync(file, typeof merchant === 'string' ? merchant : JSON.stringify(merchant));

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pay-merchant-'));
  file = join(folder, 'merchant.json');
  writeFileSync(join(folder, 'logo.svg'), SVG);
  write({ name: 'Lamps & Lanterns', logo: 'logo.svg', contact: 'help@shop.example' });
  server = await startWalletRpc({
    args: ['--pay-bind=0', `--pay-merchant-file=${file}`, `--pay-embed-origins=${ORIGIN}`],
    ownProcess: true,
  });
  await createWallet(server, 'shop');
  payUrl = (await server.rpc('create_payment_request', { amount: 1_000_000_000_000 })).pay_url as string;
});

afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const page = async (): Promise<string> => (await fetch(payUrl)).text();

it('shows the merchant and the logo, which runs no script', async () => {
  expect(await page()).toContain('Lamps &amp; Lanterns');
  const [, source = ''] = /<img src="(logo\?[0-9a-f]+)"/.exec(await page()) ?? [];
  const logo = await fetch(new URL(source, payUrl));
  expect([logo.status, await logo.text()]).toEqual([200, SVG]);
  expect(Object.fromEntries(logo.headers)).toMatchObject({
    'content-type': 'image/svg+xml',
    'content-security-policy': expect.stringMatching(/^default-src 'none'; .*sandbox$/),
    'x-content-type-options': 'nosniff',
    'cache-control': 'public, max-age=86400, immutable',
  });
});

it('shows another one after SIGHUP, and the former one if the file has a fault', async () => {
  write({ name: 'Tom' });
  server.process.child.kill('SIGHUP');
  await until('the new name', async () => ((await page()).includes('<p>Tom</p>') ? true : undefined));
  expect((await fetch(new URL('logo', payUrl))).status).toBe(404);
  write('{');
  server.process.child.kill('SIGHUP');
  await until('the fault', () =>
    Promise.resolve(
      server.process.output().includes('The merchant stays as it was: --pay-merchant-file: ')
        ? true
        : undefined,
    ),
  );
  expect(await page()).toContain('<p>Tom</p>');
});

it('lets listed origins embed the pages, and load the script', async () => {
  const reply = await fetch(payUrl);
  expect(reply.headers.get('content-security-policy')).toMatch(/; frame-ancestors https:\/\/shop\.example$/);
  expect(reply.headers.get('x-frame-options')).toBeNull();
  const script = await fetch(new URL('embed.js', payUrl));
  expect([script.status, script.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
});

it('does not start with a file that has a fault', async () => {
  write({ name: '' });
  const { code, stderr } = await runWalletRpc([
    ...['--offline', '--rpc-bind-port=0', '--disable-rpc-login', `--wallet-dir=${join(folder, 'wallets')}`],
    ...['--pay-bind=0', `--pay-merchant-file=${file}`],
  ]);
  expect(stderr).toContain(`--pay-merchant-file: ${file}: name `);
  expect(code).toBe(1);
});
