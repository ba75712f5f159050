import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import {
  assertTlsFiles,
  Connector,
  lacksVerification,
  parseEndpoint,
  type DaemonSsl,
} from '../../src/daemon/connector.js';
import { DaemonError } from '../../src/daemon/errors.js';
import { makeCertificate } from '../support/network/certificate.js';

describe('the address of a daemon', () => {
  test.each([
    ['node.example', 'node.example', 38081],
    ['node.example:5', 'node.example', 5],
    ['placeholder', 'placeholder', 38081],
    ['http://node.example', 'node.example', 80],
    ['https://node.example/', 'node.example', 443],
    ['https://node.example:18081/json_rpc', 'node.example', 18081],
    ['[::1]', '::1', 38081],
    ['[::1]:7', '::1', 7],
  ])('%p has its own port, that of its scheme, or the default', (address, host, port) => {
    expect(parseEndpoint(address, 38081)).toEqual({ host, port, secure: address.startsWith('https') });
  });

  test.each(['node.example', 'http://node.example', '[::1]'])(
    '%p needs a port if there is no default',
    (address) => {
      expect(() => parseEndpoint(address)).toThrow(DaemonError);
    },
  );

  test.each(['', ':1', 'a:65536', 'a:x', 'a:1:2', 'a b', 'user:secret@a:1', 'ftp://a:1', '[x]:1', 'http://'])(
    '%p is none',
    (address) => {
      expect(() => parseEndpoint(address, 1)).toThrow(DaemonError);
    },
  );
});

const SSL: DaemonSsl = { mode: 'enabled', allowedFingerprints: [], allowChained: true, allowAnyCert: false };

describe('the verification of a daemon', () => {
  test.each<[string, boolean, Partial<DaemonSsl>, string | undefined]>([
    ['node.example', true, {}, undefined],
    ['node.example', true, { mode: 'autodetect' }, '9050'],
    ['node.example', true, { mode: 'disabled' }, '9050'],
    ['node.example', false, { mode: 'autodetect' }, undefined],
    ['node.example', false, { mode: 'disabled' }, undefined],
    ['x.onion.example', true, { mode: 'disabled' }, '9050'],
    ['X.Onion', false, { mode: 'disabled' }, '9050'],
    ['x.i2p', false, { mode: 'enabled' }, '9050'],
    ['node.example', false, { allowAnyCert: true }, '9050'],
    ['node.example', false, { caFile: 'ca.pem' }, '9050'],
    ['node.example', false, { allowedFingerprints: ['00'] }, undefined],
  ])('of %s is missing: %p, with %p and the proxy %p', (host, isMissing, ssl, proxy) => {
    expect(lacksVerification(host, { ...SSL, ...ssl }, proxy)).toBe(isMissing);
  });
});

describe('a TLS file of the settings that cannot be used', () => {
  let directory: string;
  let server: Server;
  let accepted = 0;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'connector-'));
    server = createServer((socket) => {
      accepted += 1;
      socket.on('error', () => undefined).resume();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    server.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const open = (): Promise<number> =>
    new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
  const file = (name: string, content: string | Buffer): string => {
    writeFileSync(join(directory, name), content);
    return join(directory, name);
  };

  function unusable(): [string, Partial<DaemonSsl>][] {
    const { certFile, keyFile } = makeCertificate(directory);
    const certificate = readFileSync(certFile, 'utf8');
    const missing = join(directory, 'missing.pem');
    const garbage = file('garbage.pem', 'garbage');
    const cut = file('cut.pem', certificate.slice(0, certificate.length / 2));
    const empty = file('empty.pem', '');
    const second = file('second.pem', `${certificate}\n${certificate.slice(0, 90)}`);
    const kinds = { missing, garbage, cut, empty, folder: directory };
    return [
      ...Object.entries({ ...kinds, second, key: keyFile }).map(
        ([name, caFile]): [string, Partial<DaemonSsl>] => [`authorities: ${name}`, { caFile }],
      ),
      ...Object.entries({ ...kinds, certificate: certFile }).flatMap(
        ([name, path]): [string, Partial<DaemonSsl>][] => [
          [`key: ${name}`, { privateKeyPath: path, certificatePath: certFile, allowAnyCert: true }],
        ],
      ),
      ...Object.entries({ ...kinds, key: keyFile }).map(([name, path]): [string, Partial<DaemonSsl>] => [
        `certificate: ${name}`,
        { privateKeyPath: keyFile, certificatePath: path, allowAnyCert: true },
      ]),
    ];
  }

  it('is refused ahead, and opens no connection', async () => {
    const { port } = server.address() as AddressInfo;
    for (const [, of] of unusable())
      for (const mode of ['enabled', 'autodetect'] as const) {
        const ssl = { ...SSL, mode, ...of };
        expect(() => assertTlsFiles(ssl)).toThrow(DaemonError);
        expect(() => assertTlsFiles({ ...ssl, mode: 'disabled' })).not.toThrow();
        const connector = new Connector({ host: '127.0.0.1', port, secure: false }, ssl, undefined);
        // An error of the files is no proof that the daemon has no TLS.
        await expect(connector.open(new AbortController().signal)).rejects.toMatchObject({ kind: 'tls' });
      }
    expect([accepted, await open()]).toEqual([0, 0]);
  });

  it('is not one that can be used', () => {
    const { certFile, keyFile } = makeCertificate(directory);
    const chain = file('chain.pem', readFileSync(certFile, 'utf8').repeat(2));
    for (const caFile of [certFile, chain])
      expect(() =>
        assertTlsFiles({ ...SSL, caFile, privateKeyPath: keyFile, certificatePath: certFile }),
      ).not.toThrow();
  });
});
