import { execFile } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { registry } from '../../src/rpc/registry.js';
import {
  ALL,
  bodyOf,
  CredentialServer,
  shopPath,
  type Answer,
} from '../support/processes/credential-server.js';
import { walletPath, type Loose, type Reply } from '../support/network/json-rpc.js';
import { startWalletProcess } from '../support/processes/wallet-rpc.js';
import { logged } from '../support/processes/process.js';
import { itAtNight, someRows } from '../support/jest/lanes.js';

/* Clients with limited rights: their logins, methods and wallets. */

const run = promisify(execFile);
const DENIED = -60;
const NO_WALLET = -13;

const clients = new CredentialServer();
const { add, as, ask, credential, file, folder, pay, reload, send, tokens } = clients;

beforeAll(() =>
  clients.start(async () => {
    await add('clerk', { wallet: 'shop', method: ['view', 'receive'] });
    await add('stranger', { wallet: 'mine', method: ALL });
    await add('late', { wallet: '*', method: ALL, expires: '2020-01-01T00:00:00Z' });
    await add('elsewhere', { wallet: '*', method: ALL, from: '10.0.0.0/8' });
    await add('slow', { wallet: '*', method: ALL, rate: '3/60' });
    await add('auditor', { wallet: '*', method: ['view'] });
    await add('till', { digest: true, wallet: 'shop', method: ['get_balance'] });
  }),
);

afterAll(() => clients.stop());

describe('a login', () => {
  it('is stored as a hash alone, in a file of its owner, and listed without it', async () => {
    const text = readFileSync(file, 'utf8');
    for (const token of Object.values(tokens)) expect(text).not.toContain(token.slice(-20));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { stdout } = await credential('list');
    const listed = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Loose);
    expect(listed).toContainEqual({
      name: 'clerk',
      wallets: ['shop'],
      methods: ['view', 'receive'],
      login: 'token',
    });
    expect(listed.find(({ name }) => name === 'late')).toMatchObject({ expired: true });
    expect(stdout).not.toMatch(/sha256|ha1|salt/);
  });

  it('is refused alike for a wrong secret, an unknown name, and none', async () => {
    const wrong = `${tokens['clerk']?.slice(0, -4)}AAAA`;
    const answers = await Promise.all(
      [wrong, wrong.replace('clerk', 'nobody'), 'x', undefined].map((token) =>
        send(token, '/json_rpc', bodyOf('get_version', {})),
      ),
    );
    const challenge = (one: Answer) => one.headers.get('www-authenticate')?.replace(/nonce="[^"]*"/g, '');
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(new Set(answers.map(challenge)).size).toBe(1);
    expect(challenge(answers[0] as Answer)).toContain('Bearer realm="monero-rpc"');
    await logged(clients.server.process, / W login refused client=127\.0\.0\.1$/m);
  });

  it('by HTTP digest has the rules of its credential', async () => {
    const curl = async (login: string, method: string): Promise<string> => {
      const config = join(folder, 'curl');
      writeFileSync(config, `user = "${login}"\n`, { mode: 0o600 });
      const url = `http://127.0.0.1:${clients.server.port}${shopPath}`;
      const { stdout } = await run('curl', [
        ...['-s', '--digest', '-K', config, '-w', '\n%{http_code}', url],
        ...['-H', 'content-type: application/json', '-d', JSON.stringify(bodyOf(method, {}))],
      ]);
      return stdout;
    };
    const login = tokens['till'] ?? '';
    expect(await curl(login, 'get_balance')).toMatch(/"unlocked_balance"[^]*\n200$/);
    expect(await curl(login, 'get_address')).toContain('credential till: method get_address is not allowed');
    expect(await curl('till:wrong', 'get_balance')).toMatch(/\n401$/);
    expect(await curl('clerk:wrong', 'get_balance')).toMatch(/\n401$/);
  });
});

describe('a rule', () => {
  it('refuses methods of other families, and names the method', async () => {
    expect((await as('clerk', 'get_balance', {}, shopPath)).reply.result).toBeDefined();
    expect((await as('clerk', 'create_address', {}, shopPath)).reply.result).toBeDefined();
    const { status, reply } = await as('clerk', 'transfer', pay(1), shopPath);
    expect([status, reply.error]).toEqual([
      200,
      { code: DENIED, message: 'credential clerk: method transfer is not allowed' },
    ]);
    // By an alias too, and for every method that spends or administers.
    const spending = registry.methods.filter(
      ({ meta }) => meta.family === 'spend' || meta.family === 'admin',
    );
    for (const name of spending.flatMap((method) => [method.name, ...(method.aliases ?? [])]))
      expect((await as('clerk', name, {}, shopPath)).reply.error?.code).toBe(DENIED);
  });

  it('refuses a long request before its client has sent all of it', async () => {
    const sent = request({
      ...{ port: clients.server.port, path: shopPath, method: 'POST' },
      headers: { authorization: `Bearer ${tokens['clerk']}`, 'content-length': 10_000_000 },
    });
    const answer = new Promise<string>((resolve, reject) => {
      sent.on('error', reject).on('response', (response) => resolve(text(response)));
    });
    sent.write(`{"method":"import_key_images","params":{"signed_key_images":[${'0,'.repeat(50_000)}`);
    expect(await answer).toContain('credential clerk: method import_key_images is not allowed');
    sent.destroy();
  });

  it('limits rpc.discover to the methods that it allows', async () => {
    const { methods } = await ask('auditor', 'rpc.discover');
    const allowed = registry.methods.filter(({ meta }) => meta.family === 'view').map(({ name }) => name);
    expect(methods.map(({ name }: { name: string }) => name)).toEqual(allowed.sort());
  });

  it('ends a credential at its time, and names it', async () => {
    const { status, text } = await as('late', 'get_version');
    expect([status, text]).toEqual([401, 'credential late: expired at 2020-01-01T00:00:00.000Z\n']);
  });

  it('refuses clients of other networks', async () => {
    const { status, text } = await as('elsewhere', 'get_version');
    expect([status, text]).toEqual([403, "credential elsewhere: its rule 'from' does not allow 127.0.0.1\n"]);
  });

  it('limits the rate of calls, those of a batch included', async () => {
    const batch = [1, 2].map((id) => ({ ...bodyOf('get_version', {}), id }));
    expect((await send(tokens['slow'], '/json_rpc', batch)).status).toBe(200);
    expect((await as('slow', 'get_version')).status).toBe(200);
    const { status, headers, reply } = await as('slow', 'get_version');
    expect([status, reply.error]).toEqual([
      429,
      { code: DENIED, message: 'credential slow: more than 3 requests in 60 seconds' },
    ]);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(50);
    const refused = JSON.parse((await send(tokens['slow'], '/json_rpc', batch)).text) as Reply[];
    expect(refused.map(({ error }) => error?.code)).toEqual([DENIED, DENIED]);
    const stream = await send(tokens['slow'], '/events');
    expect([stream.status, stream.headers.has('retry-after')]).toEqual([429, true]);
  });
});

describe('a wallet outside the list of a credential', () => {
  /** Answer without the name of the wallet, of which one exists and the other does not. */
  const anonymous = (text: string): string => text.replaceAll(/shop|none/g, '…');

  it('is answered as one that does not exist, by every method at its path', async () => {
    // The log is that of the server: without it, this test could not follow the rest.
    for (const { name, meta } of registry.methods.filter((method) => !method.name.startsWith('set_log')))
      for (const params of someRows([{ filename: 'x', wallet: 'x', password: 's' }, {}, { password: 's' }])) {
        const [real, missing] = await Promise.all(
          ['shop', 'none'].map((wallet) => as('stranger', name, params, walletPath(wallet))),
        );
        expect([name, real?.status, anonymous(real?.text ?? '')]).toEqual([
          name,
          missing?.status,
          anonymous(missing?.text ?? ''),
        ]);
        if (meta.needs !== 'nothing') expect([name, real?.reply.result]).toEqual([name, undefined]);
      }
  });

  it('is answered so by every method that names it on /json_rpc', async () => {
    for (const { name } of registry.methods) {
      if (['stop_wallet', 'set_daemon', 'set_log_level', 'set_log_categories', 'auto_refresh'].includes(name))
        continue;
      const [real, missing] = await Promise.all(
        ['shop', 'none'].map((wallet) =>
          as('stranger', name, {
            ...{ filename: wallet, wallet, password: 's', language: 'English' },
            ...{ url: 'https://shop.example/hook', id: 'x', event_id: 1 },
          }),
        ),
      );
      expect([name, anonymous(real?.text ?? '')]).toEqual([name, anonymous(missing?.text ?? '')]);
    }
    expect(
      (await as('stranger', 'open_wallet', { filename: 'shop', password: 's' })).reply.error,
    ).toMatchObject({
      code: -1,
      message: 'Failed to open wallet',
    });
    expect(
      (await as('stranger', 'create_wallet', { filename: 'shop', language: 'English' })).reply.error,
    ).toEqual({
      code: DENIED,
      message: "credential stranger: wallet 'shop' is not allowed",
    });
  });

  it('is not seen as the current wallet, in lists, or in events', async () => {
    expect((await ask('root', 'get_height')).height).toBeGreaterThan(0);
    expect((await as('stranger', 'get_height')).reply.error?.code).toBe(NO_WALLET);
    expect(await ask('stranger', 'list_wallets')).toEqual({ wallets: [] });
    expect((await ask('clerk', 'list_wallets')).wallets.map(({ name }: Loose) => name as string)).toEqual([
      'shop',
    ]);
    expect((await ask('root', 'get_events')).events.length).toBeGreaterThan(0);
    expect(await ask('stranger', 'get_events')).toEqual({ cursor: 0, events: [] });
    const streams = await Promise.all(
      ['shop', 'none'].map((name) => send(tokens['stranger'], `/wallet/${name}/events`)),
    );
    const notOpen = (name: string): string =>
      `the wallet '${name}' is not open under its path: call open_wallet there, also if it is open on /json_rpc\n`;
    expect(streams.map(({ status, text }) => [status, text])).toEqual(
      ['shop', 'none'].map((name) => [404, notOpen(name)]),
    );
  });

  it('does not keep a credential from its own wallet', async () => {
    const path = walletPath('mine');
    await ask('stranger', 'create_wallet', { password: '', language: 'English' }, path);
    expect((await ask('stranger', 'get_height', {}, path)).height).toBeGreaterThan(0);
    expect((await as('clerk', 'get_height', {}, path)).reply.error?.code).toBe(NO_WALLET);
    expect((await ask('stranger', 'list_wallets')).wallets.map(({ name }: Loose) => name as string)).toEqual([
      'mine',
    ]);
  });
});

/** Cursor after all events of the wallet shop. */
const newest = async (login: string): Promise<number> =>
  (await as(login, 'get_events', { limit: 1000 }, shopPath)).reply.result?.['cursor'] as number;

describe('the file', () => {
  it('is read again on SIGHUP: a removed credential is refused, and ends its streams', async () => {
    // By the program, which prints the token alone to standard output.
    const { stdout, stderr } = await credential('add', 'brief', '--wallet=shop', '--method=view');
    expect([stdout.split('\n').length, stderr]).toEqual([2, expect.stringContaining('shown once')]);
    tokens['brief'] = stdout.trim();
    await reload();
    const after = await newest('brief');
    const stream = await fetch(`http://127.0.0.1:${clients.server.port}/wallet/shop/events?after=${after}`, {
      headers: { authorization: `Bearer ${tokens['brief']}` },
    });
    expect(stream.status).toBe(200);
    const ended = stream.text().then(
      () => 'ended',
      () => 'ended',
    );
    const waiting = as('brief', 'get_events', { after, wait_ms: 60_000 }, shopPath);
    await credential('remove', 'brief');
    await reload();
    expect((await as('brief', 'get_version')).status).toBe(401);
    // Neither waits for an event.
    const { status, reply } = await waiting;
    expect([status, reply.error?.message]).toEqual([401, 'credential brief: changed or removed']);
    expect(await ended).toBe('ended');
  });

  itAtNight('ends what waits under a credential when it expires', async () => {
    const expires = new Date(Date.now() + 10_000).toISOString();
    await add('fading', { wallet: 'shop', method: 'view', expires });
    await reload();
    const { status, text } = await as(
      'fading',
      'get_events',
      { after: await newest('fading'), wait_ms: 60_000 },
      shopPath,
    );
    expect([status, text]).toEqual([
      401,
      expect.stringContaining(`credential fading: expired at ${expires}`),
    ]);
  });

  it('stays in effect as it was when the new one is invalid', async () => {
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace('"view"', '"viewing"'));
    await reload();
    await logged(clients.server.process, "methods: 'viewing' is neither a family nor a method");
    expect((await as('clerk', 'get_version')).status).toBe(200);
    writeFileSync(file, text);
    await reload();
  });

  it('is changed by the command only if the result is valid', async () => {
    await expect(add('clerk', {})).rejects.toThrow('already');
    await expect(add('a b', {})).rejects.toThrow('name');
    await expect(add('odd', { method: 'pay' })).rejects.toThrow("'pay' is neither a family nor a method");
    await expect(credential('remove', 'odd')).rejects.toMatchObject({
      stderr: expect.stringContaining('no credential'),
    });
  });

  itAtNight('must be readable by its owner alone when the server starts', async () => {
    const open = join(folder, 'open.json');
    writeFileSync(open, '{"credentials":[]}', { mode: 0o644 });
    await expect(startWalletProcess({ args: [`--credentials=${open}`] })).rejects.toThrow('chmod 600');
  });
});

describe('the page of metrics', () => {
  it('answers credentials that may view every wallet, and reveals nothing to one of some wallets', async () => {
    expect((await send(tokens['root'], '/metrics')).status).toBe(200);
    expect((await send(tokens['auditor'], '/metrics')).text).toContain('payee');
    for (const name of ['clerk', 'stranger']) {
      const { status, text } = await send(tokens[name], '/metrics');
      expect([status, text]).toEqual([403, 'This credential may not use this page.\n']);
    }
    expect((await send(undefined, '/metrics')).status).toBe(401);
  });
});

describe('the status page', () => {
  it('shows a credential the wallets that it reaches alone, and no amount without the right to it', async () => {
    expect((await send(tokens['auditor'], '/status')).text).toContain('payee');
    const { status, text } = await send(tokens['clerk'], '/status');
    expect(status).toBe(200);
    expect(text).toContain('shop');
    expect(text).not.toContain('payee');
    expect(text).not.toContain('XMR');
    expect((await send(tokens['root'], '/status')).text).toContain('XMR');
    expect((await send(tokens['stranger'], '/status')).text).not.toMatch(/shop|payee/);
    expect((await send(undefined, '/status')).status).toBe(401);
  });

  it('creates an address only for a credential that may do so in the wallet', async () => {
    const submit = async (name: string, wallet = 'shop'): Promise<number> => {
      const { text } = await send(tokens[name], '/status');
      const [, token = ''] = /name="token"\s+value="([^"]*)"/.exec(text) ?? [];
      const response = await fetch(`http://127.0.0.1:${clients.server.port}/status/address`, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams({ wallet, token }),
        headers: { authorization: `Bearer ${tokens[name] ?? ''}`, 'sec-fetch-site': 'same-origin' },
      });
      return response.status;
    };
    expect(await submit('auditor')).toBe(403);
    expect(await submit('clerk', 'payee')).toBe(409);
    expect(await submit('clerk')).toBe(303);
    expect(clients.audit().at(-1)).toMatchObject({
      credential: 'clerk',
      method: 'create_address',
      wallet: 'shop',
    });
    expect(await submit('root', 'payee')).toBe(303);
  });
});
