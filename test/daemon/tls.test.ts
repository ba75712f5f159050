import { randomBytes, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DaemonError } from '../../src/daemon/errors.js';
import { HttpDaemon } from '../../src/daemon/http-daemon.js';
import type { DaemonSsl } from '../../src/daemon/connector.js';
import { Transport } from '../../src/daemon/transport.js';
import { makeCertificate, type Certificate } from '../support/network/certificate.js';
import { freePort, start, stop, type RunningProcess } from '../support/processes/process.js';
import { until } from '../support/fakes/until.js';
import { referenceEnv } from '../support/processes/reference-preload.js';
import { itAtNight } from '../support/jest/lanes.js';

describe('a daemon that speaks TLS', () => {
  let directory: string;
  let running: RunningProcess;
  let address: string;
  let fingerprint: string;
  let certificate: Certificate;

  const connect = (ssl: Partial<DaemonSsl>, at = address): HttpDaemon =>
    new HttpDaemon({
      address: at,
      ssl: { mode: 'enabled', allowedFingerprints: [], allowChained: false, allowAnyCert: false, ...ssl },
    });

  const height = async (daemon: HttpDaemon): Promise<number | string> => {
    try {
      return (await daemon.getInfo()).height;
    } catch (error) {
      return error instanceof DaemonError ? error.kind : String(error);
    } finally {
      await daemon.close();
    }
  };

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'tls-'));
    certificate = makeCertificate(directory);
    fingerprint = new X509Certificate(readFileSync(certificate.certFile)).fingerprint256
      .replaceAll(':', '')
      .toLowerCase();
    const port = await freePort();
    address = `127.0.0.1:${port}`;
    const flags = [
      '--regtest',
      '--offline',
      '--fixed-difficulty=1',
      `--data-dir=${join(directory, 'chain')}`,
      `--rpc-bind-port=${port}`,
      `--p2p-bind-port=${await freePort()}`,
      `--zmq-rpc-bind-port=${await freePort()}`,
      '--non-interactive',
      '--rpc-ssl=enabled',
      `--rpc-ssl-private-key=${certificate.keyFile}`,
      `--rpc-ssl-certificate=${certificate.certFile}`,
    ];
    running = start('monerod', flags, referenceEnv());
    await until('monerod', async () =>
      (await height(connect({ allowAnyCert: true }))) === 1 ? true : undefined,
    );
  });

  afterAll(async () => {
    if (running !== undefined) await stop(running);
    rmSync(directory, { recursive: true, force: true });
  });

  it('is accepted when its certificate is pinned, or any is allowed', async () => {
    expect(await height(connect({ allowedFingerprints: [fingerprint] }))).toBe(1);
    expect(await height(connect({ allowAnyCert: true }))).toBe(1);
    expect(await height(connect({ caFile: certificate.certFile }))).toBe(1);
  });

  it('is accepted at an address that its certificate does not name, if the authority is chosen', async () => {
    // As upstream: the host is compared only for certificates of the system's authorities.
    expect(new X509Certificate(readFileSync(certificate.certFile)).checkIP('127.0.0.1')).toBeUndefined();
    expect(await height(connect({ caFile: certificate.certFile, allowChained: true }))).toBe(1);
  });

  it('is found by autodetection', async () => {
    expect(await height(connect({ mode: 'autodetect' }))).toBe(1);
  });

  it('is refused with another certificate than the pinned one, or an untrusted one', async () => {
    const other = '00'.repeat(32);
    expect(await height(connect({ allowedFingerprints: [other] }))).toBe('tls');
    expect(await height(connect({ mode: 'autodetect', allowedFingerprints: [other] }))).toBe('tls');
    expect(await height(connect({}))).toBe('tls');
    expect(await height(connect({ mode: 'autodetect' }, `https://${address}`))).toBe('tls');
  });

  it('does not answer a client without TLS', async () => {
    expect(await height(connect({ mode: 'disabled' }))).toBe('unreachable');
  });
});

itAtNight('reads a large answer over autodetected TLS whole', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'tls-'));
  const { keyFile, certFile } = makeCertificate(directory);
  const answer = randomBytes(20 << 20);
  const server = createServer(
    { key: readFileSync(keyFile), cert: readFileSync(certFile) },
    (request, reply) => {
      request.resume().on('end', () => reply.end(answer));
    },
  );
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const transport = new Transport({
    address: `127.0.0.1:${port}`,
    ssl: { mode: 'autodetect', allowedFingerprints: [], allowChained: false, allowAnyCert: false },
  });
  try {
    const options = { limit: answer.length, contentType: 'application/octet-stream' };
    for (let call = 0; call < 3; call++)
      expect((await transport.post('/getblocks.bin', 'request', options)).equals(answer)).toBe(true);
  } finally {
    transport.close();
    server.close();
    rmSync(directory, { recursive: true, force: true });
  }
});
