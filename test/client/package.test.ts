import { readFileSync, writeFileSync } from 'node:fs';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import * as ownClient from '../../src/client/client.js';
import { parseSecret, signatureHeaders } from '../../src/net/webhooks/signature.js';
import { freePort, start, stop, type RunningProcess } from '../support/processes/process.js';
import { until } from '../support/fakes/until.js';
import {
  CLIENT_PROGRAM,
  installPackedClient,
  PROGRAM_FINDS,
  ROOT,
  startProgramServer,
  type PackedClient,
  type ProgramServer,
} from '../support/network/packed-client.js';
import { answerResult, startScriptedServer } from '../support/network/scripted-server.js';
import { runtime } from '../support/processes/runtimes.js';

/* The package wallet-rpc-client: packed, installed in an empty folder, and used from there. */

const execute = promisify(execFile);

/** Largest size of all files beside the types [bytes]. */
const MOST_BYTES = 60 * 1024;

let client: PackedClient;
let server: ProgramServer;
const started: RunningProcess[] = [];

beforeAll(async () => {
  [client, server] = await Promise.all([installPackedClient(), startProgramServer()]);
});

afterAll(async () => {
  await Promise.all(started.map((program) => stop(program)));
  await server?.close();
  client?.remove();
});

const read = (...path: string[]): string => readFileSync(join(...path), 'utf8');

const NODE = [process.execPath];

describe('the package of the client', () => {
  it('has at most 60 KiB beside its types, and no dependency', () => {
    const others = client.files.filter(({ path }) => !path.startsWith('types/'));
    expect(others.map(({ path }) => path).sort()).toEqual([
      ...['LICENSE', 'README.md', 'index.cjs', 'index.mjs', 'package.json'],
    ]);
    expect(others.reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(MOST_BYTES);
    const manifest = JSON.parse(read(client.folder, 'node_modules/wallet-rpc-client/package.json')) as object;
    const own = JSON.parse(read(ROOT, 'package.json')) as { readonly version: string };
    expect(manifest).toMatchObject({ version: own.version, sideEffects: false, engines: { node: '>=20' } });
    expect(Object.keys(manifest).filter((name) => /dependencies$/i.test(name))).toEqual([]);
  });

  it('exports what wallet-rpc/client exports, to import and require, with each class once', async () => {
    const both = `
      import { createRequire } from 'node:module';
      import * as imported from 'wallet-rpc-client';
      const required = createRequire(import.meta.url)('wallet-rpc-client');
      const names = Object.keys(required).sort();
      console.log(JSON.stringify({ names, same: names.every((name) => required[name] === imported[name]) }));`;
    const names = Object.keys(ownClient).sort();
    expect(JSON.parse(await client.run(NODE, 'both.mjs', both))).toEqual({ names, same: true });
  });

  it('is required by CommonJS programs', async () => {
    const program = `
      const { createClient } = require('wallet-rpc-client');
      const client = createClient({ url: process.env.PLAIN_URL });
      client.get_balance().then(({ balance }) => console.log(String(balance)));`;
    expect(await client.run(NODE, 'required.cjs', program, server.env)).toBe('18446744073709551615\n');
  });

  test.each(['this Node.js', 'node 20'] as const)(
    'calls, follows events and verifies webhooks on %s',
    async (name) => {
      const program = name === 'node 20' ? await runtime(name) : process.execPath;
      const other = await startProgramServer();
      try {
        const printed = await client.run([program], 'program.mjs', CLIENT_PROGRAM, other.env);
        expect(JSON.parse(printed)).toEqual(PROGRAM_FINDS);
      } finally {
        await other.close();
      }
      expect((await execute(program, ['--version'])).stdout).toMatch(
        name === 'node 20' ? /^v20\./ : /^v2[2-9]/,
      );
    },
  );
});

/** Program that holds the types of the client. */
const TYPES = `
const client: Client = createClient({ url: 'http://127.0.0.1', auth: { token: 'a' } });

export async function use(): Promise<void> {
  const balance: GetBalanceResult = await client.get_balance({ account_index: 0 } satisfies GetBalanceParams);
  const { unlocked_balance }: { readonly unlocked_balance: bigint } = balance;
  for await (const event of client.events({ types: ['payment.confirmed'] })) {
    const same: PaymentConfirmedEvent = event;
    const threshold: number = same.data.confirmations;
    // @ts-expect-error an event of another type
    event.data.low_water;
    console.log(threshold, unlocked_balance);
  }
  for await (const event of client.events({ types: ['output.unspent', 'request.reversed'] }))
    if (event.type === 'output.unspent') console.log(event.data.reverses satisfies number);
    else console.log(event.data.was satisfies string);
  for await (const event of client.events()) {
    const any: WalletEvent = event;
    console.log(any.id);
  }
  // @ts-expect-error no such type of events
  client.events({ types: ['payment.confirmd'] });
  // @ts-expect-error no such method
  await client.get_blance();
  const nothing: CloseWalletResult = await client.close_wallet();
  console.log(nothing);
  const verified: WalletEvent = verifyWebhook({ 'webhook-id': '1' }, '{}', ['whsec_']);
  const handler: WebhookHandler = webhookHandler({ secret: 'whsec_', onEvent: ({ id }) => console.log(id) });
  const answer: Response = await handler.fetch(new Request('http://shop'));
  console.log(verified.id, answer.status);
  const error: unknown = undefined;
  if (error instanceof WebhookError) console.log(error.reason satisfies 'headers' | 'timestamp' | 'signature' | 'body');
}
`;
const NAMES = `Client, CloseWalletResult, GetBalanceParams, GetBalanceResult, PaymentConfirmedEvent, WalletEvent, WebhookHandler`;
const IMPORT = `import { createClient, verifyWebhook, webhookHandler, WebhookError } from 'wallet-rpc-client';
import type { ${NAMES} } from 'wallet-rpc-client';`;

const page = read(ROOT, 'docs/client.md');

/** First program of the page on the client. */
const pageProgram = /^```ts\n(import[^]*?)^```/m.exec(page)?.[1] ?? '';

/** Other programs of that page. */
const pagePrograms = [...page.matchAll(/^```js\n([^]*?)^```/gm)].map(([, text = '']) => text);

describe('the types of the package', () => {
  test.each([
    ['node16', ['types.mts', 'types.cts', 'page.mts'], 'node16'],
    ['bundler', ['types.ts'], 'esnext'],
  ])(
    'serve strict TypeScript with the resolution %s in %j, without packages of types',
    async (moduleResolution, files, module) => {
      const strict = { strict: true, exactOptionalPropertyTypes: true, noEmit: true, types: [] };
      const lib = ['es2023', 'dom'];
      const compilerOptions = { ...strict, module, moduleResolution, target: 'es2023', lib };
      for (const file of files)
        writeFileSync(join(client.folder, file), file === 'page.mts' ? pageProgram : `${IMPORT}\n${TYPES}`);
      writeFileSync(join(client.folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
      const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
      const args = [tsc, '--noEmit', '-p', '.'];
      const { stdout } = await execute(process.execPath, args, { cwd: client.folder }).catch(
        (error: { stdout: string }) => error,
      );
      expect(stdout).toBe('');
    },
  );
});

/** Programs of the readme, in their order. */
const programs = [...read(ROOT, 'src/client/README.md').matchAll(/^```js\n([^]*?)^```/gm)].map(
  ([, text = '']) => text,
);

/** Starts a program of the readme. */
function startProgram(name: string, text: string | undefined, env: NodeJS.ProcessEnv): RunningProcess {
  writeFileSync(join(client.folder, name), text ?? '');
  const program = start(process.execPath, [join(client.folder, name)], {
    ...{ ...process.env, NODE_OPTIONS: '', ...server.env, ...env },
  });
  started.push(program);
  return program;
}

const PAID = {
  type: 'request.paid',
  timestamp: '2026-01-02T03:04:05.006Z',
  data: { reference: 'order 4711', received: 250_000_000_000 },
  wallet: 'shop',
};

/** Headers of a delivery now. */
const signedHeaders = (id: string, body: string): Record<string, string> => ({
  ...signatureHeaders({ id, timestamp: Math.floor(Date.now() / 1000), body }, [
    parseSecret(server.env['SECRET'] ?? ''),
  ]),
});

describe('the programs of the readme', () => {
  it('are three', () => {
    expect(programs).toHaveLength(3);
  });

  it('request a payment and wait for it', async () => {
    const wallet = await startScriptedServer(({ url, body }, res) => {
      if (url === '/wallet/shop/json_rpc') {
        expect(body).toContain('"amount":250000000000,"reference":"order 4711"');
        return answerResult(res, '{"address":"8address"}');
      }
      expect(url).toBe('/wallet/shop/events?after=0&types=request.paid');
      const event = (reference: string, id: number) =>
        `id: ${id}\ndata: ${JSON.stringify({ ...PAID, id, data: { ...PAID.data, reference } })}\n\n`;
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write(event('another order', 1) + event('order 4711', 2));
    });
    try {
      const env = { WALLET_RPC_URL: wallet.url };
      expect(await client.run(NODE, 'calls.mjs', programs[0] ?? '', env)).toBe(
        'pay to 8address\norder 4711 is paid: 250000000000\n',
      );
    } finally {
      await wallet.close();
    }
  });

  it('serve a webhook with Express', async () => {
    const port = await freePort();
    const program = startProgram('express.mjs', programs[1], {
      ...{ WEBHOOK_SECRET: server.env['SECRET'], PORT: String(port) },
    });
    const body = JSON.stringify(PAID);
    const deliver = async (headers: Record<string, string>) =>
      (await fetch(`http://127.0.0.1:${port}/webhook`, { method: 'POST', headers, body })).status;
    const headers = { ...signedHeaders('5', body), 'content-type': 'application/json' };
    await until('the server', async () => {
      try {
        return await deliver({ ...headers, 'webhook-id': '6' });
      } catch {
        return undefined;
      }
    });
    expect([await deliver(headers), await deliver(headers)]).toEqual([204, 204]);
    expect(await deliver({ ...headers, 'webhook-id': '6' })).toBe(401);
    expect(program.output()).toBe('order 4711: 250000000000\n');
  });

  it('serve a webhook with the requests of Fetch', async () => {
    const body = JSON.stringify(PAID);
    const call = `${programs[2] ?? ''}
      const options = { method: 'POST', headers: JSON.parse(process.env.HEADERS), body: process.env.BODY };
      for (const handle of [POST, webhook.fetch]) console.log((await handle(new Request('http://shop', options))).status);`;
    const env = {
      WEBHOOK_SECRET: server.env['SECRET'],
      HEADERS: JSON.stringify(signedHeaders('7', body)),
      BODY: body,
    };
    expect(await client.run(NODE, 'fetch.mjs', call, env)).toBe('request.paid 7\n204\n204\n');
  });
});

describe('the programs of the page on the client', () => {
  it('are three', () => {
    expect([pageProgram.includes('createClient'), pagePrograms.length]).toEqual([true, 2]);
  });

  it('serve a webhook before the parser of other routes', async () => {
    const [text = ''] = pagePrograms;
    const program = `${text.replace('app.listen(3000)', 'app.listen(0, () => process.exit(0))')}
      async function markAsPaid() {}`;
    expect(text).toContain('app.listen(3000)');
    const env = { WEBHOOK_SECRET: server.env['SECRET'] };
    expect(await client.run(NODE, 'page.mjs', program, env)).toBe('');
  });

  it('record processed events in a database, with their changes', async () => {
    const body = JSON.stringify(PAID);
    const program = `
      import { webhookHandler } from 'wallet-rpc-client';
      const { WEBHOOK_SECRET: secret, HEADERS, BODY: body } = process.env;
      const ids = [];
      const db = { query: async (_, [id]) => ({ rowCount: ids.filter((one) => one === id).length }) };
      const inTransaction = (task) => task({ query: async (_, [id]) => ids.push(id) });
      const applyEvent = async (_, { type }) => console.log(type);
      ${pagePrograms[1] ?? ''}
      const request = () => new Request('http://shop', { method: 'POST', headers: JSON.parse(HEADERS), body });
      for (let i = 0; i < 2; i++) console.log((await webhook.fetch(request())).status, ids.join());`;
    const env = {
      WEBHOOK_SECRET: server.env['SECRET'],
      HEADERS: JSON.stringify(signedHeaders('9', body)),
      BODY: body,
    };
    expect(await client.run(NODE, 'record.mjs', program, env)).toBe('request.paid\n204 9\n204 9\n');
  });
});
