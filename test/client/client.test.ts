import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it, test } from '@jest/globals';
import {
  createClient,
  WalletConnectionError,
  WalletHttpError,
  WalletRpcError,
  WalletTimeoutError,
  type Client,
  type ClientOptions,
} from '../../src/client/client.js';
import { freePort } from '../support/processes/process.js';
import { until } from '../support/fakes/until.js';
import {
  answerJson,
  answerResult,
  startScriptedServer,
  type Script,
} from '../support/network/scripted-server.js';

const U64_MAX = 2n ** 64n - 1n;

const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function clientOf(url: string, options: Partial<ClientOptions> = {}): Client {
  const client = createClient({ url, ...options });
  ends.push(() => client.close());
  return client;
}

async function serve(script: Script, options: Partial<ClientOptions> = {}) {
  const server = await startScriptedServer(script);
  ends.push(() => server.close());
  return { server, client: clientOf(server.url, options) };
}

/** Fails the first requests by closing their connections. */
const cutFirst = (count: number, result = '{}'): Script => {
  let seen = 0;
  return (_, res) => (++seen <= count ? void res.destroy() : answerResult(res, result));
};

const OPENING = '{"error":{"code":-69,"message":"the wallet is being opened"},"id":"0","jsonrpc":"2.0"}';

/** Refuses a call because its wallet is being opened. @param retryAfter value of the header `Retry-After`. */
const answerOpening = (res: ServerResponse, retryAfter: string): void => {
  res.setHeader('Retry-After', retryAfter);
  answerJson(res, OPENING, 503);
};

describe('a call', () => {
  it('sends JSON-RPC to the path of its wallet, with every digit of a bigint', async () => {
    const { server, client } = await serve((_, res) => answerResult(res, '{}'));
    await client.wallet('hot wallet/ä').transfer({ destinations: [{ amount: U64_MAX, address: 'x' }] });
    const { method, url, headers, body } = server.requests[0] ?? {};
    expect([method, url]).toEqual(['POST', '/wallet/hot%20wallet%2F%C3%A4/json_rpc']);
    expect(headers?.['content-type']).toBe('application/json');
    expect(body).toBe(
      '{"jsonrpc":"2.0","id":"0","method":"transfer","params":{"destinations":[{"amount":18446744073709551615,"address":"x"}]}}',
    );
  });

  it('without a wallet goes to the current one, below the path of the url', async () => {
    const { server } = await serve((_, res) => answerResult(res, '{}'));
    await clientOf(`${server.url}/monero/`).get_version();
    await clientOf(server.url, { wallet: 'shop' }).get_version();
    expect(server.requests.map(({ url }) => url)).toEqual(['/monero/json_rpc', '/wallet/shop/json_rpc']);
  });

  it('leaves out parameters that are undefined', async () => {
    const { server, client } = await serve((_, res) => answerResult(res, '{}'));
    await client.call('get_balance', { account_index: undefined, strict: true });
    expect(server.requests[0]?.body).toContain('"params":{"strict":true}');
  });

  test.each([
    ['a fraction', { amount: 0.1 }, RangeError],
    ['a number with lost digits', { list: [{ amount: 2 ** 53 }] }, RangeError],
    ['NaN', { amount: NaN }, RangeError],
    ['a date', { at: new Date() }, TypeError],
    ['a function', { at: () => 1 }, TypeError],
    ['a hole in a list', { at: [undefined] }, TypeError],
  ])('refuses %s before anything is sent', async (_, params, type) => {
    const { server, client } = await serve((_req, res) => answerResult(res, '{}'));
    await expect(client.call('transfer', params)).rejects.toBeInstanceOf(type);
    expect(server.requests).toEqual([]);
  });

  it('returns bigints of 2^64 - 1, safe numbers for other integers, and lists that were left out', async () => {
    const text = '{"balance":18446744073709551615,"unlocked_balance":1,"blocks_to_unlock":7,"new_member":3}';
    const { client } = await serve((_, res) => answerResult(res, text));
    expect(await client.get_balance()).toEqual({
      ...{ balance: U64_MAX, unlocked_balance: 1n, blocks_to_unlock: 7, new_member: 3, per_subaddress: [] },
    });
  });

  it('keeps connections, and uses no more than it may', async () => {
    const asked: ServerResponse[] = [];
    const answerBoth: Script = (_, res) => {
      if (asked.push(res) === 2) for (const one of asked.splice(0)) answerResult(one, '{}');
    };
    const { server, client } = await serve(answerBoth, { connections: 2 });
    await Promise.all(Array.from({ length: 10 }, () => client.get_version()));
    expect(server.requests).toHaveLength(10);
    expect(new Set(server.requests.map(({ connection }) => connection))).toEqual(new Set([1, 2]));
  });
});

describe('an error', () => {
  it('of the server has its code, message, explanation and HTTP status', async () => {
    const { server, client } = await serve((_, res) =>
      answerJson(
        res.setHeader('retry-after', '7'),
        '{"error":{"code":-60,"message":"no","data":{"explanation":"more"}},"id":"0","jsonrpc":"2.0"}',
        429,
      ),
    );
    const error = await client.get_balance().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(WalletRpcError);
    expect(error).toMatchObject({
      ...{ code: -60, message: 'no', data: { explanation: 'more' } },
      ...{ method: 'get_balance', status: 429, retryAfter: 7 },
    });
    expect(server.requests[0]?.headers['error-details']).toBe('yes');
  });

  test.each([
    ['a refused login', 401, 'text/html', '<html>', 'HTTP status 401'],
    ['a text', 403, 'text/plain', 'not from here\nmore', 'HTTP status 403: not from here'],
    ['another page', 200, 'text/html', '<html>', 'HTTP status 200'],
    ['bad JSON', 200, 'application/json', '{"result":', 'HTTP status 200: the answer is not JSON'],
    ['other JSON', 200, 'application/json', '[1]', 'HTTP status 200: the answer is not JSON-RPC'],
    [
      'a deep answer',
      ...([200, 'application/json', `{"result":${'['.repeat(50_000)}${']'.repeat(50_000)}}`] as const),
      'HTTP status 200: the answer is nested too deeply',
    ],
  ])('shows %s with its HTTP status', async (_, status, type, text, message) => {
    const { client } = await serve(
      (_req, res) => void res.writeHead(status, { 'content-type': type }).end(text),
    );
    const error = await client.get_balance().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(WalletHttpError);
    expect(error).toMatchObject({ status, message, method: 'get_balance' });
  });

  it('of a connection that was never made says that the call was not received', async () => {
    const client = clientOf(`http://127.0.0.1:${await freePort()}`);
    const error = await client.open_wallet({ filename: 'x' }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(WalletConnectionError);
    expect(error).toMatchObject({ mayHaveBeenReceived: false, method: 'open_wallet' });
  });

  it('of a connection that was cut says that the call may have been received', async () => {
    const { server, client } = await serve(cutFirst(1));
    await expect(client.open_wallet({ filename: 'x' })).rejects.toMatchObject({
      ...{ name: 'WalletConnectionError', mayHaveBeenReceived: true },
    });
    expect(server.requests).toHaveLength(1);
  });

  it('of a server that switches to another protocol is one of the connection', async () => {
    const { client } = await serve(
      (_, res) => void res.writeHead(101, { connection: 'upgrade', upgrade: 'websocket' }).end(),
    );
    await expect(client.open_wallet()).rejects.toMatchObject({ mayHaveBeenReceived: true });
  });

  it('of an answer that is cut off is an error of the connection, never a part of a result', async () => {
    const { client } = await serve((_, res) => {
      res.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      res.write('{"result":{}}', () => res.destroy());
    });
    await expect(client.open_wallet()).rejects.toMatchObject({ mayHaveBeenReceived: true });
  });
});

describe('a repetition', () => {
  it('follows a lost connection of a call that only reads', async () => {
    const { server, client } = await serve(cutFirst(2, '{"height":5}'));
    expect(await client.get_height()).toEqual({ height: 5 });
    expect(server.requests).toHaveLength(3);
  });

  it('follows a lost connection of a payment with an idempotency key, and sends the same', async () => {
    const { server, client } = await serve(cutFirst(1));
    await client.transfer({ account_index: 1 }, { idempotencyKey: 'order ä' });
    const [first, second] = server.requests;
    expect(first?.body).toContain('"params":{"account_index":1,"idempotency_key":"order ä"}');
    expect(second?.body).toBe(first?.body);
  });

  it('never follows for a payment without a key, nor for a method that changes something', async () => {
    const { server, client } = await serve(cutFirst(9));
    for (const call of [client.transfer(), client.create_address(), client.call('new_method')])
      await expect(call).rejects.toBeInstanceOf(WalletConnectionError);
    expect(server.requests).toHaveLength(3);
  });

  it('ends after as many as the client allows', async () => {
    const { server, client } = await serve(cutFirst(9), { retries: 1 });
    await expect(client.get_height()).rejects.toMatchObject({ mayHaveBeenReceived: true });
    expect(server.requests).toHaveLength(2);
  });

  it('follows the answer that the wallet is being opened, for every method, after the time that the server asks for', async () => {
    let seen = 0;
    const { server, client } = await serve((_, res) =>
      ++seen === 1 ? answerOpening(res, '0') : answerResult(res, '{}'),
    );
    await client.transfer({ account_index: 1 });
    expect(server.requests).toHaveLength(2);
    expect(server.requests[1]?.body).toBe(server.requests[0]?.body);
  });

  it('follows that answer more often than others, as long as the client allows', async () => {
    let seen = 0;
    const { server, client } = await serve(
      (_, res) => (++seen <= 3 ? answerOpening(res, '0') : answerResult(res, '{}')),
      { retries: 0 },
    );
    await client.transfer();
    expect(server.requests).toHaveLength(4);
    const patient = clientOf(server.url, { opening: 1 });
    seen = -9;
    await expect(patient.transfer()).rejects.toMatchObject({ code: -69, status: 503, retryAfter: 0 });
    expect(server.requests).toHaveLength(6);
    seen = 0;
    const impatient = clientOf(server.url, { opening: 0 });
    await expect(impatient.transfer()).rejects.toMatchObject({ code: -69 });
    expect(server.requests).toHaveLength(7);
  });

  it('of any method follows the answer that the process with its wallet was not reached, as often as the client allows', async () => {
    const elsewhere = OPENING.replace('-69', '-67');
    const { server, client } = await serve(
      (_, res) => answerJson(res.setHeader('Retry-After', '0'), elsewhere, 503),
      { retries: 1 },
    );
    await expect(client.transfer()).rejects.toMatchObject({ code: -67, status: 503 });
    expect(server.requests).toHaveLength(2);
  });

  it('never follows that code without the status 503: a call in between may have run', async () => {
    const { server, client } = await serve((_, res) => answerJson(res, OPENING));
    await expect(client.transfer()).rejects.toMatchObject({ code: -69, status: 200 });
    expect(server.requests).toHaveLength(1);
  });

  it('ends with the timeout of its call while it waits as the server asks', async () => {
    const { client } = await serve((_, res) => answerOpening(res, '60'), { timeout: 50 });
    await expect(client.transfer()).rejects.toBeInstanceOf(WalletTimeoutError);
  });

  test.each([502, 503, 504])(
    'follows HTTP status %d of a proxy or a server where it can do nothing twice, and no other status',
    async (status) => {
      let seen = 0;
      const { server, client } = await serve((_, res) =>
        ++seen % 2 === 1 ? void res.writeHead(status).end() : answerResult(res, '{}'),
      );
      await client.get_height();
      await client.transfer({}, { idempotencyKey: 'order 1' });
      expect(server.requests).toHaveLength(4);
      await expect(client.transfer()).rejects.toMatchObject({ status });
      expect(server.requests).toHaveLength(5);
    },
  );

  test.each([400, 401, 404, 413, 429, 500])('never follows HTTP status %d', async (status) => {
    const { server, client } = await serve((_, res) => void res.writeHead(status).end());
    await expect(client.get_height()).rejects.toMatchObject({ status });
    expect(server.requests).toHaveLength(1);
  });

  it('follows an error with status 503 where it can do nothing twice, after the time that the server asks for', async () => {
    let seen = 0;
    const refusal = OPENING.replace('-69', '-1');
    const { server, client } = await serve((_, res) =>
      ++seen % 2 === 1
        ? answerJson(res.setHeader('Retry-After', '0'), refusal, 503)
        : answerResult(res, '{}'),
    );
    await client.get_height();
    expect(server.requests).toHaveLength(2);
    await expect(client.transfer()).rejects.toMatchObject({ code: -1, status: 503 });
    expect(server.requests).toHaveLength(3);
  });

  it('is refused for a key on a method that takes none, and for two keys', async () => {
    const { server, client } = await serve((_, res) => answerResult(res, '{}'));
    const withKey = { idempotencyKey: 'a' } as object;
    await expect(client.create_address({}, withKey)).rejects.toBeInstanceOf(TypeError);
    await expect(client.transfer({ idempotency_key: 'b' }, withKey)).rejects.toBeInstanceOf(TypeError);
    expect(server.requests).toEqual([]);
  });
});

describe('the end of a call', () => {
  const silent: Script = () => undefined;

  it('comes with its timeout, also while it waits for a connection', async () => {
    const { client, server } = await serve(silent, { connections: 1, timeout: 60_000 });
    const first = client.open_wallet({}, { timeout: 3000 }).catch((error: unknown) => error);
    await until('the first call', () => server.requests.length === 1);
    const second = client.open_wallet({}, { timeout: 20 }).catch((error: unknown) => error);
    expect(await second).toMatchObject({ name: 'WalletTimeoutError', mayHaveBeenReceived: false });
    expect(await first).toBeInstanceOf(WalletTimeoutError);
    expect(await first).toMatchObject({ mayHaveBeenReceived: true });
  });

  it('comes with its signal, whose reason it throws', async () => {
    const controller = new AbortController();
    const { client } = await serve(() => controller.abort(new Error('enough')));
    const call = client.get_height({}, { signal: controller.signal });
    await expect(call).rejects.toThrow('enough');
    await expect(client.get_height({}, { signal: controller.signal })).rejects.toThrow('enough');
  });

  it('comes when the client is closed, as for later calls', async () => {
    const { server, client } = await serve(() => client.close());
    const call = client.open_wallet().catch((error: unknown) => error);
    expect(await call).toMatchObject({ message: 'the client was closed', mayHaveBeenReceived: true });
    await expect(client.get_height()).rejects.toMatchObject({ mayHaveBeenReceived: false });
    expect(server.requests).toHaveLength(1);
  });
});

describe('a login', () => {
  const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

  /** Server with HTTP digest whose nonces can be used so many times. */
  const digestServer = (uses: number): Script => {
    let nonce = 0;
    let left = 0;
    return ({ headers, method, url }, res) => {
      const { authorization = '' } = headers;
      const field = (name: string) => new RegExp(`\\b${name}="?([^",]*)`).exec(authorization)?.[1] ?? '';
      const ha1 = md5(`user:monero-rpc:right`);
      const of = ['nonce', 'nc', 'cnonce', 'qop'].map(field).join(':');
      const isRight = field('response') === md5(`${ha1}:${of}:${md5(`${method}:${url}`)}`);
      if (isRight && field('nonce') === `n${nonce}` && left-- > 0) return answerResult(res, '{}');
      if (!isRight || left <= 0) {
        nonce += 1;
        left = uses;
      }
      res.setHeader('www-authenticate', [
        `Digest qop="auth",algorithm=MD5,realm="monero-rpc",nonce="n${nonce}",stale=${isRight}`,
        'Bearer realm="monero-rpc"',
      ]);
      res.writeHead(401, { 'content-type': 'text/html' }).end('<html>');
    };
  };

  it('by digest takes one round trip for each call but the first', async () => {
    const { server, client } = await serve(digestServer(99), {
      auth: { username: 'user', password: 'right' },
    });
    for (let i = 0; i < 4; i++) await client.open_wallet({ filename: 'x' });
    expect(server.requests).toHaveLength(5);
    expect(server.requests.at(-1)?.headers.authorization).toContain('nc=00000004');
    expect(new Set(server.requests.map(({ connection }) => connection)).size).toBe(1);
  });

  it('by digest takes a new nonce when the old one has expired', async () => {
    const { server, client } = await serve(digestServer(2), {
      auth: { username: 'user', password: 'right' },
    });
    for (let i = 0; i < 4; i++) await client.open_wallet({ filename: 'x' });
    expect(server.requests).toHaveLength(6);
  });

  it('by digest is tried once with a wrong password', async () => {
    const { server, client } = await serve(digestServer(99), {
      auth: { username: 'user', password: 'wrong' },
    });
    await expect(client.get_height()).rejects.toMatchObject({ name: 'WalletHttpError', status: 401 });
    expect(server.requests).toHaveLength(2);
  });

  it('by a token is sent with every request', async () => {
    const { server, client } = await serve((_, res) => answerResult(res, '{}'), {
      auth: { token: 'wrpc_a.b-' },
    });
    await client.get_height();
    expect(server.requests[0]?.headers.authorization).toBe('Bearer wrpc_a.b-');
  });

  it('shows neither password nor token where the client is printed', () => {
    for (const auth of [{ username: 'user', password: 'hidden' }, { token: 'hidden' }]) {
      const client = clientOf('http://127.0.0.1:1', { auth });
      expect(inspect(client, { depth: 9, showHidden: true })).not.toContain('hidden');
    }
  });
});

describe('the options', () => {
  test.each([
    [{ url: 'ftp://host' }, 'http:'],
    [{ url: 'http://user:pass@host' }, 'auth'],
    [{ url: 'http://host?x=1' }, 'query'],
    [{ url: 'http://host', fingerprint: 'ab'.repeat(32) }, 'https:'],
    [{ url: 'https://host', fingerprint: 'ab:cd' }, 'SHA-256'],
    [{ url: 'http://host', connections: 0 }, 'connections'],
    [{ url: 'http://host', timeout: -1 }, 'timeout'],
    [{ url: 'http://host', retries: 0.5 }, 'retries'],
    [{ url: 'http://host', opening: -1 }, 'opening'],
    [{ url: 'http://host', auth: { token: 'a\nb' } }, 'token'],
  ])('%j are refused', (options, message) => {
    expect(() => createClient(options)).toThrow(message);
  });
});
