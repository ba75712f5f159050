import { execFile } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { registry } from '../../src/rpc/registry.js';
import { walletPath, type Loose, type Reply } from '../support/json-rpc.js';
import type { Monerod } from '../support/monerod.js';
import { sleep, until } from '../support/process.js';
import { startRegtestDaemon } from '../support/regtest-daemon.js';
import { startWalletRpc, type WalletRpc } from '../support/wallet-rpc.js';

/* Clients with limited rights: a server with a file of credentials and an audit log. */

const run = promisify(execFile);
const MAIN = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));
const COIN = 1_000_000_000_000;
const DENIED = -60;
const LIMIT = -61;
const NO_WALLET = -13;
const ALL = ['view', 'receive', 'spend', 'admin'];

let folder: string;
let file: string;
let auditFile: string;
let daemon: Monerod;
let server: WalletRpc;
let payee: string;
/** Tokens by the name of their credential. */
const tokens: Record<string, string> = {};

/** Runs `wallet-rpc credential`. */
const credential = async (...args: string[]): Promise<{ stdout: string; stderr: string }> =>
  run(process.execPath, [MAIN, 'credential', ...args, '--credentials', file]);

/** Adds a credential. @returns its token or login. */
async function add(name: string, rules: Record<string, string | readonly string[] | true>): Promise<string> {
  const flags = Object.entries(rules).flatMap(([flag, value]) =>
    value === true ? [`--${flag}`] : [value].flat().map((one) => `--${flag}=${one}`),
  );
  const { stdout } = await credential('add', name, ...flags);
  tokens[name] = stdout.trim();
  return stdout.trim();
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly reply: Reply;
}

async function send(token: string | undefined, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
  });
  const text = await response.text();
  let reply: Reply = {};
  try {
    reply = JSON.parse(text) as Reply;
  } catch {
    // An answer of HTTP.
  }
  return { status: response.status, headers: response.headers, text, reply };
}

const bodyOf = (method: string, params: object) => ({ jsonrpc: '2.0', id: '0', method, params });
const as = (name: string, method: string, params: object = {}, path = '/json_rpc'): Promise<Answer> =>
  send(tokens[name], path, bodyOf(method, params));
/** A call that must succeed. */
async function ask(name: string, method: string, params: object = {}, path = '/json_rpc'): Promise<Loose> {
  const { reply, text } = await as(name, method, params, path);
  if (reply.result === undefined) throw new Error(`${method}: ${text}`);
  return reply.result;
}

const shopPath = walletPath('shop');
const pay = (coins: number, more: object = {}) => ({
  ...{ destinations: [{ amount: Math.round(coins * COIN), address: payee }] },
  ...more,
});

const audit = (): Loose[] =>
  readFileSync(auditFile, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Loose);

const start = async (walletDir?: string): Promise<void> => {
  server = await startWalletRpc({
    daemon: daemon.address,
    ...(walletDir === undefined ? {} : { walletDir }),
    args: [`--credentials=${file}`, `--audit-log=${auditFile}`, '--rpc-max-connections-per-private-ip=100'],
  });
};

/** Kills the server and starts it again, with the wallet of the shop open. */
async function restart(): Promise<void> {
  const { walletDir } = server;
  await server.stop({ signal: 'SIGKILL', keep: true });
  await start(walletDir);
  await ask('root', 'open_wallet', { password: 's' }, shopPath);
  await ask('root', 'refresh', {}, shopPath);
}

/** Has the server read its file again. */
async function reload(): Promise<void> {
  const before = server.process.output().length;
  server.process.child.kill('SIGHUP');
  await until(
    'the reload',
    () => /Credentials (were read again|stay)/.test(server.process.output().slice(before)) || undefined,
  );
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'credentials-'));
  file = join(folder, 'credentials.json');
  auditFile = join(folder, 'audit.log');
  daemon = await startRegtestDaemon();
  await add('root', { wallet: '*', method: ALL });
  await add('clerk', { wallet: 'shop', method: ['view', 'receive'] });
  await add('stranger', { wallet: 'mine', method: ALL });
  await add('late', { wallet: '*', method: ALL, expires: '2020-01-01T00:00:00Z' });
  await add('elsewhere', { wallet: '*', method: ALL, from: '10.0.0.0/8' });
  await add('slow', { wallet: '*', method: ALL, rate: '3/60' });
  await add('till', { digest: true, wallet: 'shop', method: ['get_balance'] });
  await start();
  await ask('root', 'create_wallet', { filename: 'payee', password: '', language: 'English' });
  payee = (await ask('root', 'get_address')).address as string;
  await ask('root', 'create_wallet', { password: 's', language: 'English' }, shopPath);
  const { address } = await ask('root', 'get_address', {}, shopPath);
  await daemon.generate(address as string, 140);
  await ask('root', 'refresh', {}, shopPath);
});

afterAll(async () => {
  await server?.stop({ keep: false });
  await daemon?.stop();
  rmSync(folder, { recursive: true, force: true });
});

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
  });

  it('by HTTP digest has the rules of its credential', async () => {
    const curl = async (login: string, method: string): Promise<string> => {
      const config = join(folder, 'curl');
      writeFileSync(config, `user = "${login}"\n`, { mode: 0o600 });
      const url = `http://127.0.0.1:${server.port}${shopPath}`;
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
      for (const params of [{}, { password: 's' }, { filename: 'x', wallet: 'x' }]) {
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
    expect(await ask('stranger', 'list_wallets')).toEqual({});
    expect((await ask('clerk', 'list_wallets')).wallets.map(({ name }: Loose) => name as string)).toEqual([
      'shop',
    ]);
    expect((await ask('root', 'get_events')).events.length).toBeGreaterThan(0);
    expect(await ask('stranger', 'get_events')).toEqual({ cursor: 0 });
    const streams = await Promise.all(
      ['shop', 'none'].map((name) => send(tokens['stranger'], `/wallet/${name}/events`)),
    );
    expect(streams.map(({ status, text }) => [status, text])).toEqual(
      streams.map(() => [404, 'no wallet is open: call open_wallet first\n']),
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

describe('spend limits', () => {
  const spent = async (name: string): Promise<number> => {
    const lines = audit().filter((line) => line.credential === name && line.outcome === 'ok');
    return lines.flatMap((line) => (line.transactions as string[] | undefined) ?? []).length;
  };

  it('let five of twenty payments at a time pass, and are kept by a killed server', async () => {
    // Five payments of one coin with their fees.
    await add('payer', { wallet: 'shop', method: ['view', 'spend'], 'spend-day': String(5.5 * COIN) });
    await reload();
    const first = await as('payer', 'transfer', pay(1), shopPath);
    expect(first.reply.result).toBeDefined();
    await restart();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => as('payer', 'transfer', pay(1), shopPath)),
    );
    const failed = answers.flatMap(({ reply }) => reply.error ?? []);
    expect(answers.length - failed.length).toBe(4);
    expect(new Set(failed.map(({ code }) => code))).toEqual(new Set([LIMIT]));
    expect(failed[0]?.message).toMatch(
      /^credential payer: spend\.day: 1\.0\d+ needed, 0\.4\d+ of 5\.500000000000 remains$/,
    );
    await restart();
    expect((await as('payer', 'transfer', pay(1), shopPath)).reply.error?.code).toBe(LIMIT);
    expect(await spent('payer')).toBe(5);
    const { pending } = await ask('root', 'get_transfers', { pending: true }, shopPath);
    expect(pending.length).toBe(5);
  });

  it('hold however often the server is killed amid payments', async () => {
    await add('hasty', { wallet: 'shop', method: ['view', 'spend'], 'spend-hour': String(0.35 * COIN) });
    await reload();
    const before = (await ask('root', 'get_transfers', { pending: true }, shopPath)).pending.length as number;
    const flood = () =>
      Promise.allSettled(Array.from({ length: 8 }, () => as('hasty', 'transfer', pay(0.1), shopPath)));
    for (const ms of [40, 150, 400]) {
      const payments = flood();
      await sleep(ms);
      await restart();
      await payments;
    }
    await flood();
    const { pending } = await ask('root', 'get_transfers', { pending: true }, shopPath);
    expect(pending.length - before).toBe(3);
  });

  it('count whatever a payment is made with', async () => {
    await add('maker', {
      ...{ wallet: 'shop', method: ['view', 'spend'] },
      ...{ 'spend-transaction': String(3 * COIN), 'spend-hour': String(4.5 * COIN) },
    });
    await reload();
    const own = (await ask('maker', 'get_address', {}, shopPath)).address as string;
    const many = pay(1, { destinations: [{ amount: 3 * COIN, address: payee }] });
    expect((await as('maker', 'transfer', many, shopPath)).reply.error?.message).toContain(
      'spend.transaction',
    );
    for (const method of ['sweep_all', 'sweep_single']) {
      const { incoming_transfers: none, ...found } = await ask(
        'maker',
        'incoming_transfers',
        { transfer_type: 'available' },
        shopPath,
      );
      expect(none).toBeUndefined();
      const { key_image } = (found.transfers as Loose[])[0];
      expect((await as('maker', method, { address: payee, key_image }, shopPath)).reply.error?.code).toBe(
        LIMIT,
      );
    }
    // Payments to the wallet itself cost their fee alone.
    expect(
      (await as('maker', 'transfer', { destinations: [{ amount: 4 * COIN, address: own }] }, shopPath)).reply
        .result,
    ).toBeDefined();
    // A payment counts when it is signed, and not again when it is relayed.
    const made = await ask(
      'maker',
      'transfer',
      pay(2, { do_not_relay: true, get_tx_metadata: true }),
      shopPath,
    );
    expect((await as('maker', 'transfer', pay(2.9), shopPath)).reply.error?.message).toContain('spend.hour');
    expect(await ask('maker', 'relay_tx', { hex: made.tx_metadata }, shopPath)).toEqual({
      tx_hash: made.tx_hash,
    });
    // A repeated idempotency key counts once.
    const order = pay(1, { idempotency_key: 'one' });
    const paid = await ask('maker', 'transfer', order, shopPath);
    expect((await ask('maker', 'transfer', order, shopPath)).tx_hash).toBe(paid.tx_hash);
    expect((await as('maker', 'transfer_split', pay(0.9), shopPath)).reply.result).toBeDefined();
    expect((await as('maker', 'transfer_split', pay(0.9), shopPath)).reply.error?.message).toContain(
      'spend.hour',
    );
  });

  it('hold payments to the listed addresses', async () => {
    await add('narrow', { wallet: 'shop', method: 'spend', address: payee });
    await reload();
    const other = (
      await ask('root', 'create_wallet', { filename: 'other', language: 'English' }).then(() =>
        ask('root', 'get_address'),
      )
    ).address as string;
    const to = (address: string) => ({ destinations: [{ amount: COIN, address }] });
    expect((await as('narrow', 'transfer', to(other), shopPath)).reply.error).toEqual({
      code: DENIED,
      message: `credential narrow: addresses: payments to ${other} are not allowed`,
    });
    expect((await as('narrow', 'sweep_all', { address: other }, shopPath)).reply.error?.code).toBe(DENIED);
    const { integrated_address: integrated } = await ask('root', 'make_integrated_address', {
      standard_address: payee,
    });
    expect((await as('narrow', 'transfer', to(integrated as string), shopPath)).reply.error?.code).toBe(
      DENIED,
    );
    expect((await as('narrow', 'transfer', to(payee), shopPath)).reply.result).toBeDefined();
  });
});

describe('the file', () => {
  it('is read again on SIGHUP: a removed credential is refused, and ends its streams', async () => {
    await add('brief', { wallet: 'shop', method: 'view' });
    await reload();
    const stream = await fetch(`http://127.0.0.1:${server.port}/wallet/shop/events?after=999999999`, {
      headers: { authorization: `Bearer ${tokens['brief']}` },
    });
    expect(stream.status).toBe(200);
    const ended = stream.text().then(
      () => 'ended',
      () => 'ended',
    );
    await credential('remove', 'brief');
    await reload();
    expect((await as('brief', 'get_version')).status).toBe(401);
    // The stream ends with the next event.
    await ask('root', 'transfer', pay(0.1), shopPath);
    expect(await Promise.race([ended, sleep(20_000).then(() => 'open')])).toBe('ended');
  });

  it('stays in effect as it was when the new one is invalid', async () => {
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace('"view"', '"viewing"'));
    await reload();
    expect(server.process.output()).toContain("methods: 'viewing' is neither a family nor a method");
    expect((await as('clerk', 'get_version')).status).toBe(200);
    writeFileSync(file, text);
    await reload();
  });

  it('is changed by the command only if the result is valid', async () => {
    await expect(credential('add', 'clerk')).rejects.toMatchObject({
      stderr: expect.stringContaining('already'),
    });
    await expect(credential('add', 'a b')).rejects.toMatchObject({ stderr: expect.stringContaining('name') });
    await expect(credential('add', 'odd', '--method=pay')).rejects.toMatchObject({
      stderr: expect.stringContaining("'pay' is neither a family nor a method"),
    });
    await expect(credential('remove', 'odd')).rejects.toMatchObject({
      stderr: expect.stringContaining('no credential'),
    });
  });

  it('must be readable by its owner alone when the server starts', async () => {
    const open = join(folder, 'open.json');
    writeFileSync(open, '{"credentials":[]}', { mode: 0o644 });
    await expect(startWalletRpc({ args: [`--credentials=${open}`] })).rejects.toThrow('chmod 600');
  });
});

describe('the audit log', () => {
  it('has who called what, on which wallet, with what outcome, and no parameters', () => {
    const lines = audit();
    const paid = lines.find((line) => line.credential === 'payer' && line.outcome === 'ok');
    expect(paid).toEqual({
      time: expect.stringMatching(/^20\d\d-.*Z$/),
      ...{ credential: 'payer', client: '127.0.0.1', method: 'transfer', wallet: 'shop', outcome: 'ok' },
      transactions: [expect.stringMatching(/^[0-9a-f]{64}$/)],
    });
    expect(lines).toContainEqual(
      expect.objectContaining({ credential: 'clerk', method: 'transfer', outcome: DENIED }),
    );
    expect(lines).toContainEqual(
      expect.objectContaining({ credential: 'stranger', method: 'events', outcome: 404 }),
    );
    const text = readFileSync(auditFile, 'utf8');
    expect(text).not.toContain(payee);
    for (const token of Object.values(tokens)) expect(text).not.toContain(token.slice(-20));
    expect(statSync(auditFile).mode & 0o777).toBe(0o600);
  });

  it('refuses spending and administration while it cannot be written, and nothing else', async () => {
    renameSync(auditFile, `${auditFile}.1`);
    mkdirSync(auditFile);
    await reload();
    const refused = await as('payer', 'transfer', pay(1), shopPath);
    expect([refused.status, refused.reply.error?.message]).toEqual([
      503,
      'the audit log cannot be written: spending and administration are refused',
    ]);
    expect((await as('root', 'query_key', { key_type: 'view_key' }, shopPath)).status).toBe(503);
    expect((await as('clerk', 'get_balance', {}, shopPath)).reply.result).toBeDefined();
    expect((await as('clerk', 'create_address', {}, shopPath)).reply.result).toBeDefined();
    rmdirSync(auditFile);
    expect((await as('payer', 'transfer', pay(1), shopPath)).reply.error?.code).toBe(LIMIT);
    expect(audit().map(({ method, outcome }: Loose) => [method, outcome] as unknown)).toEqual([
      ['transfer', -1],
      ['query_key', -1],
      ['get_balance', 'ok'],
      ['create_address', 'ok'],
      ['transfer', LIMIT],
    ]);
  });
});
