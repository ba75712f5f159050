import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it, test } from '@jest/globals';
import { makeCertificate, type Certificate } from '../support/network/certificate.js';
import { createWallet } from '../support/wallets/create-wallet.js';
import type { Loose } from '../support/network/json-rpc.js';
import { freePort, start, stop, type RunningProcess } from '../support/processes/process.js';
import { until } from '../support/fakes/until.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';

/* The nginx configuration of docs/pay-page.md, run with its addresses and files replaced by those of the test. */

const PAGE = fileURLToPath(new URL('../../../docs/pay-page.md', import.meta.url));
/** Debian's path is not in the PATH of every user. */
const NGINX = existsSync('/usr/sbin/nginx') ? '/usr/sbin/nginx' : 'nginx';
const HOST = 'shop.example';

let directory: string;
let certificate: Certificate;
let server: WalletRpc;
let nginx: RunningProcess;
let publicPort: number;
let request: Loose;

/** Replaces a text that must occur. */
function replaced(text: string, before: string, after: string): string {
  expect(text).toContain(before);
  return text.replaceAll(before, after);
}

function configuration(payPort: number): string {
  let text = /```nginx\n([^]*?)```/.exec(readFileSync(PAGE, 'utf8'))?.[1] ?? '';
  text = replaced(text, 'listen 443 ssl', `listen 127.0.0.1:${publicPort} ssl`);
  text = replaced(text, '127.0.0.1:8080', `127.0.0.1:${payPort}`);
  text = replaced(text, '/var/log/nginx/pay.log', join(directory, 'pay.log'));
  text = replaced(text, '/etc/ssl/shop.example.pem', certificate.certFile);
  text = replaced(text, '/etc/ssl/shop.example.key', certificate.keyFile);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(directory, name)};`,
  );
  return `
    daemon off;
    pid ${join(directory, 'nginx.pid')};
    error_log stderr notice;
    events {}
    http {
      access_log ${join(directory, 'access.log')};
      ${temporary.join('\n')}
      ${text}
    }`;
}

/** Sends a request through the proxy. Each has a connection of its own. */
const open = (
  path: string,
  headers: Readonly<Record<string, string>> = {},
  port = publicPort,
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    get(
      {
        ...{ host: '127.0.0.1', port, path, servername: HOST },
        headers: { host: HOST, ...headers },
        ca: readFileSync(certificate.certFile),
        agent: new Agent(),
      },
      resolve,
    ).on('error', reject);
  });

async function read(path: string, headers?: Readonly<Record<string, string>>) {
  const response = await open(path, headers);
  let body = '';
  for await (const chunk of response) body += String(chunk);
  return { status: response.statusCode, headers: response.headers, body };
}

const payPath = (): string => new URL(request.pay_url as string).pathname;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'pay-proxy-'));
  certificate = makeCertificate(directory, `DNS:${HOST}`);
  const payPort = await freePort();
  publicPort = await freePort();
  server = await startWalletRpc({
    args: [`--pay-bind=${payPort}`, `--pay-url=https://${HOST}:${publicPort}/`],
  });
  await createWallet(server, 'shop');
  request = await server.rpc('create_payment_request', { amount: 5_000_000_000_000, expires_in: 600 });
  const file = join(directory, 'nginx.conf');
  writeFileSync(file, configuration(payPort));
  nginx = start(NGINX, ['-p', directory, '-e', 'stderr', '-c', file]);
  await until('nginx', async () => {
    if (nginx.child.exitCode !== null) throw new Error(nginx.output());
    return (await open('/').catch(() => undefined))?.statusCode;
  });
});

afterAll(async () => {
  if (nginx !== undefined) await stop(nginx, 'SIGQUIT');
  await server?.stop();
  rmSync(directory, { recursive: true, force: true });
});

it('serves the page over TLS as the server wrote it, and keeps its token out of the log', async () => {
  const page = await read(payPath(), { 'accept-language': 'de' });
  expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(page.body).toContain(request.address);
  expect(page.body).toContain('lang="de"');
  expect(page.headers).toMatchObject({
    ...{ 'strict-transport-security': 'max-age=31536000', 'cache-control': 'no-store' },
    ...{ 'referrer-policy': 'no-referrer', 'content-security-policy': expect.stringContaining("'none'") },
  });
  for (const file of ['pay.css', 'pay.js']) {
    expect(page.body).toContain(`"${file}"`);
    expect((await read(`/pay/${file}`)).status).toBe(200);
  }
  expect((await read(`/pay/${'0'.repeat(32)}`)).status).toBe(404);
  const log = await until('the log', () => {
    const text = readFileSync(join(directory, 'access.log'), 'utf8');
    return Promise.resolve(text.includes('"GET / ') ? text : undefined);
  });
  expect(log).not.toContain('/pay/');
});

test.each(['/', '/json_rpc', '/metrics', '/pay', '/wallet/shop/json_rpc'])(
  'forwards nothing else: %s',
  async (path) => {
    const { status, body } = await read(path);
    // With a slash at its end, `/pay` is the folder that is forwarded. nginx has no files; it may lack the right to see so.
    expect(path === '/pay' ? [301] : [403, 404]).toContain(status);
    expect(body).toContain('<center>nginx');
  },
);

it('passes each event of a page on at once, and allows a client eight streams', async () => {
  const streams = await Promise.all(Array.from({ length: 8 }, () => open(`${payPath()}/events`)));
  try {
    const texts = streams.map(() => '');
    streams.forEach((stream, i) =>
      stream.on('data', (chunk: Buffer) => {
        texts[i] += chunk.toString();
      }),
    );
    for (const { statusCode, headers } of streams)
      expect([statusCode, headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
    const eventsIn = (text: string): number =>
      text.split('\n').filter((line) => line.startsWith('data:')).length;
    const untilAll = (what: string, count: number): Promise<true> =>
      until(what, () => Promise.resolve(texts.every((text) => eventsIn(text) === count) ? true : undefined));
    await untilAll('the first state', 1);
    const { request_id } = request;
    await server.rpc('extend_payment_request', { request_id, expires_in: 1200 });
    await untilAll('the extended expiry', 2);
    expect((await read(`${payPath()}/events`)).status).toBe(503);
  } finally {
    for (const stream of streams) stream.destroy();
  }
});

it('limits the requests of a client', async () => {
  const answers = await Promise.all(Array.from({ length: 40 }, () => read(payPath())));
  const statuses = answers.map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200, 503]));
  expect(statuses.filter((status) => status === 503).length).toBeGreaterThan(10);
});

it('keeps tokens out of all logs when a client is over its limit, and when the server does not answer', async () => {
  const { pathname } = new URL(request.pay_url as string);
  const token = pathname.replace('/pay/', '');
  await server.stop();
  // The limit of the test above has passed when the proxy asks the server again.
  for (const path of [payPath(), `${payPath()}/events`])
    await until('the failure', async () => ((await read(path)).status === 502 ? true : undefined));
  const logOf = (name: string): string => readFileSync(join(directory, name), 'utf8');
  const log = await until('the log', () => {
    const text = logOf('pay.log');
    return Promise.resolve(/ 502 upstream=502 /.test(text) ? text : undefined);
  });
  expect(log).toMatch(/ 503 upstream=- time=/);
  for (const text of [log, logOf('access.log'), nginx.output()]) expect(text).not.toContain(token);
});

it('would have them in its error log without the line of the example', async () => {
  const file = join(directory, 'careless.conf');
  const text = readFileSync(join(directory, 'nginx.conf'), 'utf8');
  const port = await freePort();
  const careless = replaced(
    replaced(replaced(text, 'error_log /dev/null;', ''), `127.0.0.1:${publicPort}`, `127.0.0.1:${port}`),
    'nginx.pid',
    'careless.pid',
  );
  writeFileSync(file, careless);
  const second = start(NGINX, ['-p', directory, '-e', 'stderr', '-c', file]);
  try {
    await until('the token', async () => {
      await open(payPath(), {}, port).catch(() => undefined);
      return second.output().includes(payPath()) ? true : undefined;
    });
  } finally {
    await stop(second, 'SIGQUIT');
  }
});
