import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startMonerod, type Monerod } from '../support/processes/monerod.js';
import { rawRequest, type RawAnswer } from '../support/network/raw-http.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { startReference, startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';

/* The bytes of HTTP heads, which some clients compare, beside those of the reference. */

const ORIGIN = 'http://shop.example';
const CALL = '{"jsonrpc":"2.0","id":"0","method":"get_languages"}';

/** Portable storage without fields, a byte a character. */
const NO_FIELDS = '\u0001\u0011\u0001\u0001\u0001\u0001\u0002\u0001\u0001\u0000';

/** Headers of the reference that are not sent, and the reason in docs/api-versions.md. */
const LEFT_OUT = ['Server', 'Last-Modified', 'Accept-Ranges'];
/** Headers of our server alone. */
const ADDED = ['Date', 'Vary'];
/** Values that differ by their nature: our JSON is compact. */
const CHANGING = ['Content-Length'];

const asked = (line: string, headers: readonly string[] = [], body?: string): string =>
  [
    `${line} HTTP/1.1`,
    'Host: localhost',
    'Connection: close',
    ...headers,
    ...(body === undefined ? [] : [`Content-Length: ${body.length}`]),
    '',
    body ?? '',
  ].join('\r\n');

/** Name and value of each header, apart from values that differ from call to call. */
const shown = ({ headers }: RawAnswer): string[] =>
  headers
    .map(([name, value]) =>
      CHANGING.includes(name) ? name : `${name}: ${value.trim().replace(/nonce="[^"]*"/, 'nonce')}`,
    )
    .sort();

const named = (lines: readonly string[], names: readonly string[]): string[] =>
  lines.filter((line) => names.includes(line.replace(/:.*/, '')));

/** Compares the heads of two answers. */
function expectSameHead(ours: RawAnswer, theirs: RawAnswer): void {
  const mine = shown(ours);
  const reference = shown(theirs);
  expect(ours.statusLine).toBe(theirs.statusLine);
  expect(mine.filter((line) => !named(mine, ADDED).includes(line))).toEqual(
    reference.filter((line) => !named(reference, LEFT_OUT).includes(line)),
  );
}

describe('the head of an answer has the bytes of monero-wallet-rpc', () => {
  let servers: readonly { readonly ours: WalletRpc; readonly theirs: WalletRpc }[] = [];

  beforeAll(async () => {
    const pairs = [[], ['--rpc-login=user:pass', `--rpc-access-control-origins=${ORIGIN}`]];
    servers = await Promise.all(
      pairs.map(async (args) => {
        const [ours, theirs] = await Promise.all([startWalletRpc({ args }), startReference({ args })]);
        return { ours, theirs };
      }),
    );
  });
  afterAll(() => Promise.all(servers.flatMap(({ ours, theirs }) => [ours.stop(), theirs.stop()])));

  it.each([
    ['a result', 0, asked('POST /json_rpc', ['Content-Type: application/json'], CALL)],
    ['a result for a client without a content type', 0, asked('POST /json_rpc', [], CALL)],
    ['an error', 0, asked('POST /json_rpc', [], '{"id":1,"method":"nope"}')],
    ['a parse error', 0, asked('POST /json_rpc', [], '{"id":nope}')],
    [
      'a result for a client of HTTP/1.0',
      0,
      `POST /json_rpc HTTP/1.0\r\nConnection: close\r\nContent-Length: ${CALL.length}\r\n\r\n${CALL}`,
    ],
    [
      'a result for a client without Host',
      0,
      asked('POST /json_rpc', [], CALL).replace('Host: localhost\r\n', ''),
    ],
    ['an unknown path', 0, asked('POST /nope', [], CALL)],
    ['an unknown path, read', 0, asked('GET /nope')],
    ['a path of the daemon', 0, asked('POST /get_blocks.bin', [], CALL)],
    ['OPTIONS of a program', 0, asked('OPTIONS /json_rpc')],
    ['a challenge', 1, asked('POST /json_rpc', ['Content-Type: application/json'], CALL)],
    ['a challenge to a read', 1, asked('GET /json_rpc')],
    ['a challenge at an unknown path', 1, asked('POST /nope', [], CALL)],
    [
      'a refused login',
      1,
      asked(
        'POST /json_rpc',
        [
          'Authorization: Digest username="user",realm="monero-rpc",nonce="AAAA",uri="/json_rpc",response="0123456789abcdef0123456789abcdef"',
        ],
        CALL,
      ),
    ],
    ['a login of another scheme', 1, asked('POST /json_rpc', ['Authorization: Basic dXNlcjpwYXNz'], CALL)],
    ['OPTIONS of a program, without its login', 1, asked('OPTIONS /json_rpc')],
    [
      'a preflight',
      1,
      asked('OPTIONS /json_rpc', [`Origin: ${ORIGIN}`, 'Access-Control-Request-Method: POST']),
    ],
    ['a challenge to a page', 1, asked('POST /json_rpc', [`Origin: ${ORIGIN}`], CALL)],
  ])('%s', async (_, pair, request) => {
    const { ours, theirs } = servers[pair] ?? {};
    const [mine, reference] = await Promise.all(
      [ours, theirs].map((server) => rawRequest(server?.port ?? 0, request)),
    );
    if (mine === undefined || reference === undefined) throw new Error('two answers');
    expectSameHead(mine, reference);
    if (mine.statusLine.includes('401')) expect(mine.body).toBe(reference.body);
  });

  it('a challenge has the spelling that clients compare, one nonce for both algorithms, and no chunks', async () => {
    const { headers } = await rawRequest(servers[1]?.ours.port ?? 0, asked('POST /json_rpc', [], CALL));
    const challenges = headers.filter(([name]) => name === 'WWW-authenticate').map(([, value]) => value);
    expect(challenges).toEqual([
      expect.stringMatching(/^Digest qop="auth",algorithm=MD5,realm="monero-rpc",nonce="[^"]+",stale=false$/),
      expect.stringMatching(/^Digest qop="auth",algorithm=MD5-sess,/),
    ]);
    expect(new Set(challenges.map((value) => /nonce="[^"]+"/.exec(value)?.[0])).size).toBe(1);
    expect(headers).toContainEqual(['Content-Length', '98']);
  });
});

describe('the head of an answer has the bytes of monerod', () => {
  let ours: Monerod;
  let theirs: Monerod;
  beforeAll(async () => {
    [ours, theirs] = await Promise.all([startRegtestDaemon(), startMonerod()]);
  });
  afterAll(() => Promise.all([ours?.stop(), theirs?.stop()]));

  it.each([
    ['a result', asked('POST /json_rpc', [], '{"id":1,"method":"get_block_count"}')],
    ['a read', asked('GET /get_height')],
    ['a path', asked('POST /get_height', [], '{}')],
    ['a bad body', asked('POST /get_height', [], '[]')],
    ['a binary path', asked('POST /get_transaction_pool_hashes.bin', [], NO_FIELDS)],
    ['a bad body of a binary path', asked('POST /get_transaction_pool_hashes.bin', [], 'x')],
    ['an unknown path', asked('POST /nope', [], '{}')],
    ['OPTIONS', asked('OPTIONS /json_rpc')],
  ])('%s', async (_, request) => {
    const [mine, reference] = await Promise.all([ours, theirs].map(({ port }) => rawRequest(port, request)));
    if (mine === undefined || reference === undefined) throw new Error('two answers');
    expectSameHead(mine, reference);
  });
});
