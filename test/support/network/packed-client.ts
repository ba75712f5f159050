import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createSecret, formatSecret } from '../../../src/net/webhooks/signature.js';
import { makeCertificate } from './certificate.js';
import { answerResult, startScriptedServer, type Script, type ScriptedServer } from './scripted-server.js';

/* The package wallet-rpc-client, packed and installed in an empty folder, and a server for programs that use it. */

const run = promisify(execFile);

export const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** The installed package. */
export interface PackedClient {
  /** Folder whose programs can import the package. */
  readonly folder: string;
  /** Files of the package, with their sizes [bytes]. */
  readonly files: readonly { readonly path: string; readonly size: number }[];
  /** Writes a program, and runs it. @returns what it prints. */
  run(runtime: readonly string[], name: string, text: string, env?: NodeJS.ProcessEnv): Promise<string>;
  remove(): void;
}

/** Packs the client of this tree, whose declarations are compiled, and installs it. */
export async function installPackedClient(): Promise<PackedClient> {
  const folder = mkdtempSync(join(tmpdir(), 'client-package-'));
  const written = join(folder, 'written');
  const write = ['--disable-warning=ExperimentalWarning', 'bin/client-package.js', written];
  await run(process.execPath, write, { cwd: ROOT });
  const pack = ['pack', '--json', '--pack-destination', folder, written];
  const { stdout } = await run('npm', pack, { cwd: ROOT });
  const [packed] = JSON.parse(stdout) as { filename: string; files: PackedClient['files'] }[];
  if (packed === undefined) throw new Error('npm packed nothing');
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const install = ['install', '--offline', '--no-audit', '--no-fund', join(folder, packed.filename)];
  await run('npm', install, { cwd: folder });
  // For the example with Express.
  symlinkSync(join(ROOT, 'node_modules/express'), join(folder, 'node_modules/express'));
  return {
    folder,
    files: packed.files,
    async run([program = '', ...args], name, text, env = {}) {
      writeFileSync(join(folder, name), text);
      const { stdout: printed } = await run(program, [...args, name], {
        ...{ cwd: folder, env: { ...process.env, NODE_OPTIONS: '', ...env }, timeout: 120_000 },
      });
      return printed;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Server for {@link CLIENT_PROGRAM}. */
export interface ProgramServer {
  readonly env: NodeJS.ProcessEnv;
  close(): Promise<void>;
}

/** Answers a call with the number of its connection as height; keeps silent, wants a login, or sends events. */
const script: Script = ({ url, headers, connection }, res) => {
  if (url.startsWith('/silent/')) return;
  const { pathname, searchParams } = new URL(url, 'http://server');
  if (pathname === '/events') {
    // Each connection is cut after two events, the second of which is not complete.
    const after = Number(searchParams.get('after') ?? 0);
    const text = [after + 1, after + 2].map(
      (id) => `id: ${id}\ndata: {"id":${id},"type":"wallet.synced","data":{"height":${id}},"wallet":"w"}\n\n`,
    );
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    return void res.write(text.join('').slice(0, -9), () => res.end());
  }
  if (
    pathname.startsWith('/digest/') &&
    headers.authorization?.startsWith('Digest username="user"') !== true
  ) {
    const challenge = 'Digest qop="auth",algorithm=MD5,realm="monero-rpc",nonce="n",stale=false';
    return void res.writeHead(401, { 'www-authenticate': challenge }).end();
  }
  answerResult(res, `{"balance":18446744073709551615,"unlocked_balance":1,"blocks_to_unlock":${connection}}`);
};

const closed = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

/** Starts the servers that the program calls, in plain text and over TLS. */
export async function startProgramServer(): Promise<ProgramServer> {
  const plain: ScriptedServer = await startScriptedServer(script);
  const directory = mkdtempSync(join(tmpdir(), 'client-tls-'));
  const { keyFile, certFile } = makeCertificate(directory, 'IP:127.0.0.1');
  const cert = readFileSync(certFile);
  let received = 0;
  const tls = createServer({ key: readFileSync(keyFile), cert }, (_, res) =>
    answerResult(res, `{"height":${++received}}`),
  );
  await new Promise<void>((resolve) => tls.listen(0, '127.0.0.1', resolve));
  return {
    env: {
      PLAIN_URL: plain.url,
      TLS_URL: `https://127.0.0.1:${(tls.address() as AddressInfo).port}`,
      CERTIFICATE: cert.toString(),
      SECRET: formatSecret(createSecret()),
    },
    async close() {
      await Promise.all([plain.close(), closed(tls)]);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Program that uses all of the package, and prints what it has found as JSON. */
export const CLIENT_PROGRAM = `
import { createHmac, X509Certificate } from 'node:crypto';
import { createServer } from 'node:http';
import process from 'node:process';
import { createClient, verifyWebhook, WalletClientError, webhookHandler } from 'wallet-rpc-client';

const { PLAIN_URL, TLS_URL, CERTIFICATE, SECRET } = process.env;
const errorOf = (promise) => promise.then(
  () => 'none',
  (error) => [error.name, error instanceof WalletClientError, error.mayHaveBeenReceived ?? null],
);
const withClient = async (options, use) => {
  const client = createClient({ url: PLAIN_URL, retries: 0, ...options });
  try {
    return await use(client);
  } finally {
    client.close();
  }
};
const call = (options) => withClient(options, (client) => client.get_balance());
const found = {};

const { balance } = await call({});
found.balance = [typeof balance, String(balance)];
found.connections = await withClient({}, async (client) => {
  const [first, second] = [await client.get_balance(), await client.get_balance()];
  return second.blocks_to_unlock - first.blocks_to_unlock;
});
found.digest = String((await call({ url: PLAIN_URL + '/digest', auth: { username: 'user', password: 'p' } })).balance);
found.refusedLogin = await errorOf(call({ url: PLAIN_URL + '/digest', auth: { username: 'other', password: 'p' } }));
found.timeout = await errorOf(call({ url: PLAIN_URL + '/silent', timeout: 200 }));
found.noServer = await errorOf(call({ url: 'http://127.0.0.1:1' }));
const signal = AbortSignal.timeout(50);
found.abort = await withClient({ url: PLAIN_URL + '/silent' }, (client) =>
  client.get_balance({}, { signal }).catch((error) => error === signal.reason),
);
found.closed = await withClient({ url: PLAIN_URL + '/silent' }, async (client) => {
  const ended = errorOf(client.get_balance());
  // A whole call takes longer than the beginning of the one before.
  await call({});
  client.close();
  return ended;
});
found.events = await withClient({}, async (client) => {
  const ids = [];
  for await (const { id } of client.events()) if (ids.push(id) === 3) break;
  return ids;
});

const fingerprint = new X509Certificate(CERTIFICATE).fingerprint256;
const overTls = (options) => withClient({ url: TLS_URL, ...options }, (client) => client.get_height());
found.untrusted = await errorOf(overTls({}));
found.otherFingerprint = await errorOf(overTls({ fingerprint: '00'.repeat(32) }));
// The two refused calls have reached nobody.
found.tls = [(await overTls({ ca: CERTIFICATE })).height, (await overTls({ fingerprint })).height];

const body = '{"type":"payment.seen","timestamp":"2026-01-02T03:04:05.006Z","data":{"amount":18446744073709551615},"wallet":"w"}';
const time = String(Math.floor(Date.now() / 1000));
const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
const signed = (id) => ({
  'webhook-id': id,
  'webhook-timestamp': time,
  'webhook-signature': 'v1,' + createHmac('sha256', key).update([id, time, body].join('.')).digest('base64'),
});
found.verified = String(verifyWebhook(signed('5'), body, SECRET).data.amount);
const processed = [];
const webhook = webhookHandler({ secret: SECRET, onEvent: (event) => processed.push(event.id), onError: () => {} });
const request = (headers) => new Request('http://shop/webhook', { method: 'POST', headers, body });
found.fetch = [];
for (const headers of [signed('6'), signed('6'), { ...signed('6'), 'webhook-id': '7' }])
  found.fetch.push((await webhook.fetch(request(headers))).status);
const server = createServer(async (request, response) => {
  // As a parser does that is mounted before the webhook.
  if (request.url === '/parsed') for await (const part of request) part;
  await webhook.express(request, response);
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
found.node = [];
for (const headers of [signed('8'), signed('8'), { ...signed('8'), 'webhook-id': '9' }]) {
  const options = { method: 'POST', headers, body };
  found.node.push((await fetch('http://127.0.0.1:' + server.address().port, options)).status);
}
const options = { method: 'POST', headers: signed('10'), body };
found.parsed = (await fetch('http://127.0.0.1:' + server.address().port + '/parsed', options)).status;
server.close();
server.closeAllConnections?.();
found.processed = processed;
console.log(JSON.stringify(found));
`;

/** Output of the program on every runtime. */
export const PROGRAM_FINDS = {
  balance: ['bigint', '18446744073709551615'],
  connections: 0,
  digest: '18446744073709551615',
  refusedLogin: ['WalletHttpError', true, null],
  timeout: ['WalletTimeoutError', true, true],
  noServer: ['WalletConnectionError', true, false],
  abort: true,
  closed: ['WalletConnectionError', true, true],
  events: [1, 2, 3],
  untrusted: ['WalletConnectionError', true, false],
  otherFingerprint: ['WalletConnectionError', true, false],
  tls: [1, 2],
  verified: '18446744073709551615',
  fetch: [204, 204, 401],
  node: [204, 204, 401],
  parsed: 500,
  processed: [6, 8],
};
