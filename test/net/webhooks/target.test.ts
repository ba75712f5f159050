import { describe, expect, it, test, afterAll, beforeAll, jest } from '@jest/globals';
import { parseTarget, TargetError, directConnect, proxiedConnect } from '../../../src/net/webhooks/target.js';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect as connectSocket, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HttpSender } from '../../../src/net/webhooks/sender.js';
import type { ResolveHost } from '../../../src/util/outbound/public-address.js';
import { makeCertificate } from '../../support/network/certificate.js';
import { WebhookReceiver } from '../../support/network/webhook-receiver.js';
import { deliveryOf, WebhookSenders } from '../../support/network/webhook-senders.js';

describe('webhook URL', () => {
  it('is divided into the parts of a request', () => {
    expect(parseTarget('https://Shop.Example.org/hook?a=1#part', false)).toEqual({
      secure: true,
      host: 'shop.example.org',
      port: 443,
      path: '/hook?a=1',
      authority: 'shop.example.org',
    });
    expect(parseTarget('http://[2606:4700::1]:8080', false)).toEqual({
      secure: false,
      host: '2606:4700::1',
      port: 8080,
      path: '/',
      authority: '[2606:4700::1]:8080',
    });
  });

  test.each([
    ['another scheme', 'ftp://shop.example.org/'],
    ['no scheme', 'shop.example.org'],
    ['file', 'file:///etc/passwd'],
    ['a user', 'https://user@shop.example.org/'],
    ['a password', 'https://:secret@shop.example.org/'],
    ['port 0', 'https://shop.example.org:0/'],
    ['too long', `https://shop.example.org/${'a'.repeat(2048)}`],
    ['no host', 'https://'],
  ])('is refused even where private hosts are allowed: %s', (_, url) => {
    expect(() => parseTarget(url, true)).toThrow(TargetError);
  });

  test.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://127.1/',
    'http://①②⑦.⓪.⓪.①/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://0/',
    'https://localhost/',
    'https://LOCALHOST./',
    'https://a.localhost/',
    'https://printer.local/',
    'https://db.internal/',
    'https://redis/',
    'https://router.home.arpa/',
  ])('of a private host is refused unless allowed: %s', (url) => {
    expect(() => parseTarget(url, false)).toThrow(TargetError);
    expect(parseTarget(url, true).path).toBe('/');
  });

  it('is not quoted in an error', () => {
    expect(() => parseTarget('https://user:hunter2@shop.example.org/', false)).toThrow(
      /^a webhook URL must not contain credentials$/,
    );
  });
});

const body = '{"type":"payment.seen"}';
const delivery = deliveryOf(body);
const never = new AbortController().signal;

const senders = new WebhookSenders();

describe('the address of the target', () => {
  const resolving = (...answers: string[][]): jest.Mock<ResolveHost> => {
    const resolve = jest.fn<ResolveHost>();
    for (const addresses of answers)
      resolve.mockResolvedValueOnce(
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    return resolve;
  };
  const named = (): string => `http://shop.example.org:${senders.receiver.port}/`;

  it('is the one that was resolved and checked', async () => {
    const resolve = resolving(['127.0.0.1']);
    const sender = senders.sender({ url: named(), connect: directConnect(true, resolve) });
    expect(await sender.send(delivery, never)).toMatchObject({ kind: 'delivered' });
    expect(resolve).toHaveBeenCalledTimes(1);
    expect(senders.receiver.received[0]?.headers.host).toBe(`shop.example.org:${senders.receiver.port}`);
  });

  it('must be public in every attempt', async () => {
    // 2d00::/8 is global unicast, but assigned to no registry.
    const resolve = resolving(['2d00::1'], ['127.0.0.1'], ['::ffff:127.0.0.1'], ['10.0.0.1', '::1']);
    const options = { url: named(), allowPrivate: false, connect: directConnect(false, resolve) };
    const first = await senders.sender({ ...options, timeoutMs: 200 }).send(delivery, never);
    expect(['connect', 'timeout']).toContain(first.kind === 'failed' && first.reason);
    const sender = senders.sender(options);
    for (let i = 0; i < 3; i++)
      expect(await sender.send(delivery, never)).toEqual({ kind: 'failed', reason: 'target' });
    expect(resolve).toHaveBeenCalledTimes(4);
    expect(senders.receiver.connections).toBe(0);
  });

  it('is never a private one, even next to a public one', async () => {
    const resolve = resolving(['127.0.0.1', '2d00::1']);
    const sender = senders.sender({
      url: named(),
      allowPrivate: false,
      connect: directConnect(false, resolve),
      timeoutMs: 200,
    });
    expect(await sender.send(delivery, never)).toMatchObject({ kind: 'failed' });
    expect(senders.receiver.connections).toBe(0);
  });

  it('is checked where the URL has an address, which is never looked up', async () => {
    const resolve = resolving();
    const sender = senders.sender({ allowPrivate: false, connect: directConnect(false, resolve) });
    expect(await sender.send(delivery, never)).toEqual({ kind: 'failed', reason: 'target' });
    const signal = AbortSignal.timeout(1000);
    await expect(directConnect(false, resolve)('127.0.0.1', senders.receiver.port, signal)).rejects.toThrow(
      'not public',
    );
    expect(senders.receiver.connections).toBe(0);
    expect(resolve).not.toHaveBeenCalled();
  });

  it('that cannot be resolved is a failure of DNS', async () => {
    const missing = Object.assign(new Error('not found'), { code: 'ENOTFOUND', syscall: 'getaddrinfo' });
    const connect = directConnect(true, () => Promise.reject(missing));
    expect(await senders.sender({ url: named(), connect }).send(delivery, never)).toEqual({
      kind: 'failed',
      reason: 'dns',
    });
  });

  it('is resolved by the proxy if there is one', async () => {
    const asked: [string, number][] = [];
    const connect = proxiedConnect(false, (host, port) => {
      asked.push([host, port]);
      return Promise.resolve(connectSocket(senders.receiver.port, '127.0.0.1'));
    });
    const sender = senders.sender({ url: 'http://shop.onion/', allowPrivate: false, connect });
    expect(await sender.send(delivery, never)).toMatchObject({ kind: 'delivered' });
    expect(asked).toEqual([['shop.onion', 80]]);
    const local = senders.sender({ url: 'http://192.168.1.1/', allowPrivate: false, connect });
    expect(await local.send(delivery, never)).toEqual({ kind: 'failed', reason: 'target' });
    await expect(connect('127.0.0.1', 80, never)).rejects.toThrow('not public');
    expect(asked).toHaveLength(1);
  });
});

describe('TLS', () => {
  let folder: string;
  let secure: WebhookReceiver;
  let ca: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'webhooks-'));
    const certificate = makeCertificate(folder, 'IP:127.0.0.1,DNS:shop.example.org');
    ca = readFileSync(certificate.certFile, 'utf8');
    secure = await WebhookReceiver.start(certificate);
  });

  afterAll(async () => {
    await secure.stop();
    rmSync(folder, { recursive: true });
  });

  it('is used with a trusted certificate, and the connection is kept', async () => {
    const sender = senders.sender({ url: secure.url, tls: { ca } });
    expect(await sender.send(delivery, never)).toEqual({ kind: 'delivered', status: 204 });
    expect(await sender.send(delivery, never)).toEqual({ kind: 'delivered', status: 204 });
    expect(secure.connections).toBe(1);
  });

  it('fails with a certificate that is not trusted, and nothing is sent', async () => {
    const before = secure.received.length;
    expect(await senders.sender({ url: secure.url }).send(delivery, never)).toEqual({
      kind: 'failed',
      reason: 'tls',
    });
    expect(secure.received).toHaveLength(before);
  });

  it('fails with a certificate of another name', async () => {
    const resolve: ResolveHost = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
    const of = (host: string): HttpSender =>
      senders.sender({
        url: `https://${host}:${secure.port}/`,
        tls: { ca },
        connect: directConnect(true, resolve),
      });
    expect(await of('bank.example.org').send(delivery, never)).toEqual({ kind: 'failed', reason: 'tls' });
    expect(await of('shop.example.org').send(delivery, never)).toMatchObject({ kind: 'delivered' });
  });

  it('that is never negotiated costs the time limit, and the connection is closed', async () => {
    let closed: () => void = () => undefined;
    const end = new Promise<void>((resolve) => (closed = resolve));
    const silent = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('close', () => closed());
      socket.resume();
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const url = `https://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
    const result = await senders.sender({ url, timeoutMs: 200 }).send(delivery, never);
    expect(result).toMatchObject({ kind: 'failed', reason: expect.stringMatching(/^(timeout|tls)$/) });
    await end;
    silent.close();
  });

  it('fails with a receiver that does not speak it', async () => {
    const url = senders.receiver.url.replace('http:', 'https:');
    expect(await senders.sender({ url }).send(delivery, never)).toEqual({ kind: 'failed', reason: 'tls' });
  });
});
