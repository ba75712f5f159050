import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DaemonCallReport } from '../../src/daemon/call-report.js';
import { HttpDaemon, type DaemonConfig } from '../../src/daemon/http-daemon.js';
import type { NodeIdentity } from '../../src/daemon/node-identity.js';
import { fingerprintOf } from '../../src/util/certificates.js';
import { makeCertificate, type Certificate } from '../support/network/certificate.js';
import { SocksServer } from '../support/network/socks-server.js';

/* Identities of nodes, read from the connections on which their answers come. */

const ANY = {
  mode: 'autodetect',
  allowedFingerprints: [],
  allowChained: false,
  allowAnyCert: false,
} as const;
const MINING = { status: 'OK', active: false, threads_count: 0 };

let directory: string;
let certificate: Certificate;
let plain: Server;
let secure: Server;
let proxy: SocksServer;
/** Status of the answers of the plain server. */
let status: number;

/** Starts a server at all addresses of this machine. */
const listening = async (server: Server): Promise<Server> => {
  await new Promise<void>((resolve) => server.listen(0, () => resolve()));
  return server;
};
const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** Makes two calls. @returns their reports, which must have the same identity. */
async function reportOf(
  config: Partial<DaemonConfig> & { address: string },
): Promise<DaemonCallReport | undefined> {
  const reports: DaemonCallReport[] = [];
  const daemon = new HttpDaemon({ ssl: ANY, reportsIdentity: true, ...config }, (report) =>
    reports.push(report),
  );
  try {
    for (let call = 0; call < 2; call++) await daemon.miningStatus().catch(() => undefined);
  } finally {
    daemon.close();
  }
  expect(reports).toHaveLength(2);
  expect(reports[0]?.node).toEqual(reports[1]?.node);
  return reports[0];
}
const identityAt = async (
  address: string,
  more: Partial<DaemonConfig> = {},
): Promise<NodeIdentity | undefined> => (await reportOf({ address, ...more }))?.node;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'identity-'));
  certificate = makeCertificate(directory);
  const { keyFile, certFile } = certificate;
  plain = await listening(createServer((_, res) => res.writeHead(status).end(JSON.stringify(MINING))));
  secure = await listening(
    createTlsServer({ key: readFileSync(keyFile), cert: readFileSync(certFile) }, (_, res) =>
      res.end(JSON.stringify(MINING)),
    ),
  );
  proxy = await SocksServer.start();
  proxy.hosts.set('node.example', portOf(plain));
  proxy.hosts.set('tls.example', portOf(secure));
  status = 200;
});

afterAll(async () => {
  await proxy.stop();
  for (const server of [plain, secure]) {
    server.closeAllConnections();
    server.close();
  }
  rmSync(directory, { recursive: true, force: true });
});

const fingerprint = (): string =>
  fingerprintOf(new X509Certificate(readFileSync(certificate.certFile))) ?? '';
/** An address of this machine other than the loopback ones; undefined if it has none. */
const outer = Object.values(networkInterfaces())
  .flat()
  .find((one) => one !== undefined && !one.internal && one.family === 'IPv4')?.address;

describe('a node of this machine', () => {
  it.each([
    '127.0.0.1',
    '127.9.9.9',
    'localhost',
    'LOCALHOST',
    '[::1]',
    '[::ffff:7f00:1]',
    'http://127.0.0.1',
    ...(outer === undefined ? [] : [outer]),
  ])('has one address at %s', async (host) => {
    expect(await identityAt(`${host}:${portOf(plain)}`)).toEqual({ address: `127.0.0.1:${portOf(plain)}` });
  });

  it('has a certificate over detected and enabled TLS, whatever the rules for it', async () => {
    const expected = { address: `127.0.0.1:${portOf(secure)}`, certificate: fingerprint() };
    expect(await identityAt(`localhost:${portOf(secure)}`)).toEqual(expected);
    const ssl = { ...ANY, mode: 'enabled', allowAnyCert: true } as const;
    expect(await identityAt(`https://127.0.0.1:${portOf(secure)}`, { ssl })).toEqual(expected);
  });

  it('is reported with an answer that is an error, too', async () => {
    status = 500;
    const report = await reportOf({ address: `127.0.0.1:${portOf(plain)}` });
    status = 200;
    expect(report).toMatchObject({ failure: 'rejected', node: { address: `127.0.0.1:${portOf(plain)}` } });
  });
});

describe('a node behind a proxy', () => {
  const proxied = (): Partial<DaemonConfig> => ({ proxy: `127.0.0.1:${proxy.port}` });

  it('has no address, since the connection leads to the proxy', async () => {
    expect(await identityAt('node.example:18081', proxied())).toEqual({});
  });

  it('has its certificate', async () => {
    expect(await identityAt('tls.example:18081', proxied())).toEqual({ certificate: fingerprint() });
  });
});

describe('reports of calls', () => {
  it('have no identity if nobody asks for it', async () => {
    for (const server of [plain, secure])
      expect(
        await reportOf({ address: `127.0.0.1:${portOf(server)}`, reportsIdentity: false }),
      ).toStrictEqual({ call: '/mining_status', seconds: expect.any(Number) });
  });

  it('have no identity without an answer', async () => {
    const refused = await listening(createServer((req) => req.socket.destroy()));
    expect(await reportOf({ address: `127.0.0.1:${portOf(refused)}` })).toStrictEqual({
      ...{ call: '/mining_status', seconds: expect.any(Number), failure: 'unreachable' },
    });
    refused.close();
  });
});
