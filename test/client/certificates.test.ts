import { createHash, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createClient, type ClientOptions } from '../../src/client/client.js';
import { makeCertificate } from '../support/network/certificate.js';
import { answerResult } from '../support/network/scripted-server.js';

let directory: string;
let certificate: string;
let server: Server;
let url: string;
let requests = 0;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'client-tls-'));
  const { keyFile, certFile } = makeCertificate(directory, 'IP:127.0.0.1');
  certificate = readFileSync(certFile, 'utf8');
  server = createServer({ key: readFileSync(keyFile), cert: certificate }, (_, res) => {
    requests += 1;
    answerResult(res, '{"height":1}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(directory, { recursive: true, force: true });
});

beforeEach(() => {
  requests = 0;
});

/** Makes a call that carries a token. */
async function call(options: Partial<ClientOptions>): Promise<unknown> {
  const client = createClient({ url, auth: { token: 'secret' }, retries: 0, ...options });
  try {
    return await client.get_height();
  } finally {
    client.close();
  }
}

const refused = { name: 'WalletConnectionError', mayHaveBeenReceived: false };

describe('the certificate of a server', () => {
  it('is refused before anything is sent, unless it chains to a known authority', async () => {
    await expect(call({})).rejects.toMatchObject(refused);
    expect(requests).toBe(0);
    expect(await call({ ca: certificate })).toEqual({ height: 1 });
    expect(await call({ ca: [certificate] })).toEqual({ height: 1 });
  });

  it('is accepted by its fingerprint, in the form of the log or of other tools', async () => {
    const { fingerprint256 } = new X509Certificate(certificate);
    const other = createHash('sha256').update('another').digest('hex');
    for (const fingerprint of [
      fingerprint256,
      fingerprint256.replaceAll(':', '').toLowerCase(),
      [other, fingerprint256],
    ])
      expect(await call({ fingerprint })).toEqual({ height: 1 });
  });

  it('is refused before anything is sent if its fingerprint differs, even if it chains to a given authority', async () => {
    const fingerprint = createHash('sha256').update('another').digest('hex');
    for (const ca of [undefined, certificate])
      await expect(call({ fingerprint, ca })).rejects.toMatchObject({
        ...refused,
        message: 'the certificate of the server has another fingerprint',
      });
    expect(requests).toBe(0);
  });
});
