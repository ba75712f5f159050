import { Agent, request, type OutgoingHttpHeaders } from 'node:http';
import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startReference, startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';

/* Requests whose bodies or logins have unusual forms, answered by our server and by the reference. */

interface Answered {
  readonly status: number | undefined;
  readonly challenge: string;
  readonly body: string;
}

const post = (port: number, agent: Agent, body: string, headers: OutgoingHttpHeaders = {}) =>
  new Promise<Answered>((resolve, reject) => {
    const sent = request(
      { port, agent, host: '127.0.0.1', method: 'POST', path: '/json_rpc', headers },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode,
            challenge: String(response.headers['www-authenticate']),
            body: Buffer.concat(parts).toString().replaceAll(/\s/g, ''),
          }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });

let servers: readonly WalletRpc[] = [];
let locked: readonly WalletRpc[] = [];
const agents: Agent[] = [];

beforeAll(async () => {
  const args = ['--rpc-login=user:pass'];
  servers = await Promise.all([startWalletRpc(), startReference()]);
  locked = await Promise.all([startWalletRpc({ args }), startReference({ args })]);
});
afterEach(() => {
  for (const agent of agents.splice(0)) agent.destroy();
});
afterAll(async () => {
  await Promise.all([...servers, ...locked].map((server) => server.stop()));
});

/** An agent that keeps one connection: the reference accepts a nonce on the connection on which it was issued. */
function oneConnection(): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  agents.push(agent);
  return agent;
}

describe('a body that is no call is answered as by monero-wallet-rpc', () => {
  it.each([
    '',
    ' ',
    '\r\n',
    'null',
    '"x"',
    '""',
    '1',
    '-1',
    '1.5',
    'true',
    'false',
    '[]',
    ' [ ] ',
    '{}',
    'x',
  ])('%j', async (body) => {
    const [ours, theirs] = await Promise.all(servers.map(({ port }) => post(port, oneConnection(), body)));
    expect(ours).toEqual(theirs);
    expect(ours?.body).toMatch(/"code":-32(600|700),/);
  });
});

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

interface Form {
  readonly uri?: string;
  readonly algorithm?: string;
  readonly qop?: string;
  /** Changes the header, after the digest was computed. */
  readonly spell?: (header: string) => string;
}

/** Logs in with a digest of a form. @returns the status of the answer. */
async function logIn({ port }: WalletRpc, form: Form): Promise<number | undefined> {
  const { uri = '/json_rpc', algorithm = 'MD5', qop = 'auth', spell = (header) => header } = form;
  const agent = oneConnection();
  const call = '{"jsonrpc":"2.0","id":"0","method":"get_version"}';
  const { challenge } = await post(port, agent, call);
  const nonce = /nonce="([^"]+)"/.exec(challenge)?.[1] ?? '';
  const plain = md5('user:monero-rpc:pass');
  const ha1 = /-sess/i.test(algorithm) ? md5(`${plain}:${nonce}:abc`) : plain;
  const response = md5(`${ha1}:${nonce}:00000001:abc:${qop}:${md5(`POST:${uri}`)}`);
  const authorization = `Digest username="user", realm="monero-rpc", nonce="${nonce}", uri="${uri}", algorithm=${algorithm}, qop=${qop}, nc=00000001, cnonce="abc", response="${response}"`;
  return (await post(port, agent, call, { authorization: spell(authorization) })).status;
}

describe('a login by digest', () => {
  it.each<[string, Form]>([
    ['its usual form', {}],
    ['a folder that a proxy took away', { uri: '/wallet/json_rpc' }],
    ['an absolute address', { uri: 'http://127.0.0.1:18083/json_rpc' }],
    ['an absolute address with a folder', { uri: 'https://shop.example/wallet/json_rpc' }],
    ...['md5', 'Md5', '"MD5"', 'MD5-sess', 'MD5-SESS', 'md5-sess', '"md5-Sess"'].map(
      (algorithm): [string, Form] => [`the algorithm ${algorithm}`, { algorithm }],
    ),
    ['no algorithm', { spell: (header) => header.replace(' algorithm=MD5,', '') }],
    ['qop in capitals', { qop: 'AUTH' }],
    ['a quoted qop', { spell: (header) => header.replace('qop=auth', 'qop="auth"') }],
    ['names in capitals', { spell: (h) => h.replaceAll(/(?<= )\w+=/g, (name) => name.toUpperCase()) }],
    ['spaces around equals signs', { spell: (h) => h.replaceAll(/(?<= )(\w+)=("|\w)/g, '$1 = $2') }],
    ['the scheme in capitals', { spell: (header) => header.replace('Digest', 'DIGEST') }],
    ['a response in capitals', { spell: (h) => h.replace(/(?<=response=)\S+/, (x) => x.toUpperCase()) }],
    ['a parameter twice', { spell: (header) => header.replace('nc=', 'nc=0000000f, nc=') }],
  ])('is accepted with %s, as by monero-wallet-rpc', async (_, form) => {
    expect(await Promise.all(locked.map((server) => logIn(server, form)))).toEqual([200, 200]);
  });

  it.each<[string, Form]>([
    ['a wrong response', { spell: (h) => h.replace(/(?<=response=").{8}/, '00000000') }],
    ['another hash', { algorithm: 'SHA-256' }],
    ['a qop that covers the body', { qop: 'auth-int' }],
    ['text behind it', { spell: (header) => `${header} x` }],
    ['a text without its end', { spell: (header) => header.slice(0, -1) }],
  ])('is refused with %s, as by monero-wallet-rpc', async (_, form) => {
    expect(await Promise.all(locked.map((server) => logIn(server, form)))).toEqual([401, 401]);
  });

  it.each<[string, Form]>([
    ['for another path', { uri: '/other' }],
    ['for a path with a query', { uri: '/json_rpc?a=b' }],
    ['with a name that only begins with MD5', { algorithm: 'MD5-other' }],
  ])('%s is refused, unlike by monero-wallet-rpc', async (_, form) => {
    expect(await Promise.all(locked.map((server) => logIn(server, form)))).toEqual([401, 200]);
  });
});
