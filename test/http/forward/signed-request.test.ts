import { readFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { X509Certificate } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import { attempt, type Attempt, type Message, nextStep } from '../../../src/http/forward/attempt.js';
import { MemberCallError } from '../../../src/http/forward/member-calls.js';
import { MemberConnections, type MemberTls } from '../../../src/http/forward/member-connections.js';
import { openAnswer } from '../../../src/http/forward/sealed-answer.js';
import { SeenNonces, WINDOW_MS } from '../../../src/http/forward/forwarded-login.js';
import { hashOf, newNonce, sign, SIGNATURE } from '../../../src/http/forward/signature.js';
import { RpcError } from '../../../src/http/calls/errors.js';
import { fingerprintOf } from '../../../src/util/certificates.js';
import { makeCertificate } from '../../support/network/certificate.js';
import {
  signerOf,
  startClusterProcess,
  testLogins,
  type ClusterProcess,
} from '../../support/processes/cluster-process.js';
import { collected } from '../../support/values/collected.js';
import { post } from '../../support/network/json-rpc.js';

const PATH = '/wallet/w/json_rpc';
const BODY = '{"id":1,"method":"pay"}';
const open: { close(): Promise<void> | void }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

async function start(
  options: Partial<Parameters<typeof startClusterProcess>[0]> = {},
): Promise<ClusterProcess> {
  const started = await startClusterProcess({ name: 'holder', ...options });
  open.push(started);
  return started;
}

const bodyOf = (text: string): NonNullable<Message['body']> => {
  const chunks = [Buffer.from(text)];
  return { chunks, length: Buffer.byteLength(text), hash: hashOf(chunks) };
};

const message: Message = {
  ...{ method: 'POST', url: PATH, headers: {}, login: 'open', client: '192.0.2.7' },
  body: bodyOf(BODY),
};

/** Sends a signed request once. */
function send(
  { url }: { readonly url: string },
  {
    secret = 'secret',
    now = 0,
    tls,
    ...changes
  }: Partial<Message> & { secret?: string; now?: number; tls?: MemberTls } = {},
): Promise<Attempt> {
  const connections = new MemberConnections(tls);
  open.push({ close: () => connections.close() });
  const clock = { now: () => Date.now() + now };
  return attempt(
    { connections, signer: signerOf(secret), clock },
    url,
    { ...message, ...changes },
    new AbortController().signal,
  );
}

/** Sends a request whose header is signed for other facts. @returns status, and the refusal. */
async function forge(
  holder: ClusterProcess,
  changes: { headers?: Record<string, string>; body?: string; path?: string; to?: string } = {},
  signature = signFor(changes.to ?? holder.url),
): Promise<readonly [number, string | null]> {
  const { headers, body = BODY, path = PATH } = changes;
  const response = await fetch(`${holder.url}${path}`, {
    method: 'POST',
    headers: { ...headers, [SIGNATURE]: signature },
    body,
  });
  const outcome = response.headers.get('cluster-answer');
  if (outcome === 'sealed') {
    const opened = await openAnswer(response.body as AsyncIterable<unknown>, signerOf('secret'), signature);
    await collected(opened.body);
    return [opened.status, opened.outcome];
  }
  await response.text();
  return [response.status, outcome];
}

const signFor = (to: string): string =>
  sign(signerOf('secret'), {
    ...{ method: 'POST', url: PATH, headers: { 'content-type': 'text/plain;charset=UTF-8' } },
    envelope: {
      ...{ login: 'open', client: '192.0.2.7', time: Date.now(), nonce: newNonce() },
      ...{ bodyHash: bodyOf(BODY).hash, to },
    },
  });

describe('a signed request', () => {
  it('runs as the client of the first process', async () => {
    const holder = await start();
    expect(await forge(holder)).toEqual([200, 'served']);
    expect(holder.ran).toMatchObject([{ method: 'pay', caller: { address: '192.0.2.7' } }]);
  });

  it.each([
    ['another path', { path: '/wallet/v/json_rpc' }],
    ['another query', { path: `${PATH}?a` }],
    ['an added key', { headers: { 'idempotency-key': '"k"' } }],
    ['another body', { body: BODY.replace('pay', 'buy') }],
    ['a longer body', { body: `${BODY} ` }],
    ['another receiver', { to: 'http://127.0.0.1:1' }],
  ])('is refused with %s, and reported each time', async (_name, changes) => {
    const holder = await start();
    for (let i = 0; i < 2; i++) expect(await forge(holder, changes)).toEqual([401, 'signature']);
    expect([holder.ran, holder.bugs]).toEqual([[], []]);
    expect(holder.refused).toMatchObject([
      { refusal: 'signature', address: '127.0.0.1' },
      { refusal: 'signature', address: '127.0.0.1' },
    ]);
  });

  it.each([
    ['', 'signature'],
    ['2 a b', 'signature'],
    ['3 later', 'version'],
    ['1 earlier', 'version'],
    [signFor('http://a').replace(/.$/, ' '), 'signature'],
  ])('is refused with the header %p', async (header, refusal) => {
    const holder = await start();
    expect(await forge(holder, {}, header)).toEqual([401, refusal]);
    const wallets = await post(holder.port, '/json_rpc', BODY, { [SIGNATURE]: header });
    expect(wallets.status).toBe(401);
  });

  it('is refused under another secret', async () => {
    const holder = await start();
    expect(await send(holder, { secret: 'other' })).toMatchObject({ kind: 'refused', refusal: 'signature' });
    expect(holder.refused).toMatchObject([{ refusal: 'signature', address: '127.0.0.1' }]);
  });

  it('is refused a second time', async () => {
    const holder = await start();
    const signature = signFor(holder.url);
    expect(await forge(holder, {}, signature)).toEqual([200, 'served']);
    expect(await forge(holder, {}, signature)).toEqual([401, 'seen']);
    expect(holder.ran).toHaveLength(1);
  });

  it.each([-WINDOW_MS - 1_000, WINDOW_MS + 5_000])(
    'is refused with a clock that differs by %d ms',
    async (now) => {
      const holder = await start();
      const began = Date.now();
      expect(await send(holder, { now })).toMatchObject({ kind: 'refused', refusal: 'time' });
      expect(holder.refused).toMatchObject([{ refusal: 'time' }]);
      // The request was on its way for a part of the time.
      expect(Math.abs((holder.refused[0]?.ahead ?? 0) - now)).toBeLessThanOrEqual(Date.now() - began);
    },
  );

  it('has a login that the receiver knows', async () => {
    const holder = await start({ logins: testLogins('a b') });
    for (const login of ['open', 'credential:none'])
      expect(await send(holder, { login })).toMatchObject({ kind: 'refused', refusal: 'login' });
    expect(await send(holder, { login: 'other' })).toMatchObject({ kind: 'refused', refusal: 'version' });
    for (const login of ['full', 'credential:a%20b'])
      expect(await send(holder, { login })).toMatchObject({ kind: 'answered' });
    expect(holder.ran.map(({ caller }) => caller?.login?.name)).toEqual(['login', 'a b']);
  });
});

describe('nonces', () => {
  it('are accepted once, and forgotten when their time is over', () => {
    const clock = { now: () => now };
    let now = 1_000_000;
    const nonces = new SeenNonces(clock, 3);
    expect(nonces.use('early', now)).toBe('seen');
    now += 10;
    expect([nonces.use('a', now), nonces.use('a', now)]).toEqual(['fresh', 'seen']);
    expect([nonces.use('old', now - WINDOW_MS - 1), nonces.use('new', now + WINDOW_MS + 1)]).toEqual([
      'time',
      'time',
    ]);
    now += WINDOW_MS + 1;
    expect(nonces.use('b', now)).toBe('fresh');
    expect(nonces.size).toBe(1);
    // The clock is set back.
    now -= WINDOW_MS;
    expect(nonces.use('a', now - 1)).toBe('seen');
  });

  it('beyond their number close the time before them', () => {
    let now = 5_000;
    const nonces = new SeenNonces({ now: () => now }, 3);
    for (let i = 1; i <= 4; i++) expect(nonces.use(`n${i}`, (now += 1))).toBe('fresh');
    expect(nonces.size).toBe(3);
    expect([nonces.use('n1', 5_001), nonces.use('x', 5_001), nonces.use('y', 5_002)]).toEqual([
      'seen',
      'seen',
      'fresh',
    ]);
  });
});

describe('the next step', () => {
  const cause = new Error('reset');
  it.each([
    ['not-sent', false, false, true, 'again'],
    ['not-sent', false, false, false, 'refuse'],
    ['not-sent', true, true, false, 'unknown'],
    ['lost', false, true, true, 'unknown'],
    ['lost', true, true, true, 'again'],
    ['lost', true, true, false, 'unknown'],
    ['not-holder', false, false, true, 'again'],
    ['not-yet', false, false, true, 'again'],
    ['seen', false, false, true, 'again'],
    ['signature', false, false, true, 'refuse'],
    ['login', true, true, true, 'unknown'],
  ] as const)(
    'after %s (repeatable %p, may have run %p, in time %p): %s',
    (kind, isRepeatable, mayHaveRun, isInTime, step) => {
      const result: Attempt =
        kind === 'not-sent' || kind === 'lost' ? { kind, cause } : { kind: 'refused', refusal: kind };
      expect(nextStep(result, { isRepeatable, mayHaveRun, isInTime })).toBe(step);
    },
  );
});

describe('a call of another process itself', () => {
  const actions = {
    status: (body: unknown) => Promise.resolve({ asked: body as bigint, big: 2n ** 63n }),
    refuse: () => Promise.reject(new RpcError(-5, 'not now')),
    bug: () => Promise.reject(new Error('secret detail')),
  };

  it('runs an action', async () => {
    const holder = await start({ actions });
    const door = await start({ name: 'door' });
    expect(await door.calls.post(holder.url, 'status', 7n)).toEqual({ asked: 7n, big: 2n ** 63n });
    await expect(door.calls.post(holder.url, 'refuse', {})).rejects.toEqual(new RpcError(-5, 'not now'));
    await expect(door.calls.post(holder.url, 'none', {})).rejects.toThrow('no such action');
    await expect(door.calls.post(holder.url, 'bug', {})).rejects.toThrow('Internal error');
    expect(holder.bugs).toHaveLength(1);
  });

  it('fails without the secret, without the process, and in time', async () => {
    const holder = await start({ actions: { hang: () => new Promise(() => undefined) } });
    const stranger = await start({ name: 'stranger', secret: 'other' });
    const refused = stranger.calls.post(holder.url, 'hang', {});
    await expect(refused).rejects.toThrow(MemberCallError);
    await expect(refused).rejects.toMatchObject({
      mayHaveRun: false,
      message: expect.stringMatching(/signature/),
    });
    await expect(holder.calls.post('http://127.0.0.1:1', 'hang', {})).rejects.toMatchObject({
      mayHaveRun: false,
    });
    await expect(holder.calls.post(holder.url, 'hang', {}, 1500)).rejects.toMatchObject({ mayHaveRun: true });
  });

  it('is for members, and for actions', async () => {
    const holder = await start({ actions });
    expect((await post(holder.port, '/cluster/status', '{}')).status).toBe(404);
    expect(await send(holder, { login: 'member' })).toMatchObject({ answer: { status: 404 } });
    expect(await send(holder, { url: '/cluster/status' })).toMatchObject({
      answer: { status: 404 },
    });
    expect(holder.ran).toEqual([]);
  });
});

describe('over TLS', () => {
  it('the certificate has a known fingerprint or authority', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'cluster-tls-'));
    open.push({ close: () => rmSync(directory, { recursive: true }) });
    const { keyFile, certFile } = makeCertificate(directory);
    const cert = readFileSync(certFile);
    const certificate = { key: readFileSync(keyFile), cert };
    const holder = await start({ tls: { certificate, allowedFingerprints: [], optional: false } });
    const fingerprint = fingerprintOf(new X509Certificate(cert)) ?? '';
    const now = 100;
    expect(await send(holder, { now, tls: { fingerprints: [fingerprint] } })).toMatchObject({
      kind: 'answered',
    });
    expect(await send(holder, { now, tls: { ca: cert } })).toMatchObject({ kind: 'answered' });
    expect(await send(holder, { now, tls: { fingerprints: ['00'.repeat(32)] } })).toMatchObject({
      kind: 'not-sent',
      cause: { message: expect.stringMatching(/another fingerprint/) },
    });
    expect(await send(holder, { now })).toMatchObject({ kind: 'not-sent' });
    expect(holder.ran).toHaveLength(2);
  });
});
