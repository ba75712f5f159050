import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeCertificate } from '../support/network/certificate.js';
import { createWallet } from '../support/wallets/create-wallet.js';
import { startWalletRpc } from '../support/processes/wallet-rpc.js';
import { someRows } from '../support/jest/lanes.js';

/* A daemon addressed by IP address, whose certificate the system trusts. */

let directory: string;
const servers: Server[] = [];

/**
 * Refreshes from a daemon whose certificate has these names.
 * @returns the error of a refresh from a daemon with such a certificate.
 */
async function refreshError(names: string): Promise<unknown> {
  const place = mkdtempSync(join(directory, 'certificate-'));
  const { keyFile, certFile } = makeCertificate(place, names);
  const server = createServer({ key: readFileSync(keyFile), cert: readFileSync(certFile) }, (_, res) =>
    res.writeHead(404).end(),
  );
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const wallet = await startWalletRpc({
    daemon: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    // Adds the certificate to the trusted certificate authorities.
    env: { NODE_EXTRA_CA_CERTS: certFile },
  });
  try {
    await createWallet(wallet);
    return (await wallet.call('refresh')).error;
  } finally {
    await wallet.stop();
  }
}

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'certificates-'));
});

afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  rmSync(directory, { recursive: true, force: true });
});

describe('a trusted certificate', () => {
  it('is accepted when it names the address', async () => {
    // The handshake succeeds; the error is the HTTP server's answer.
    expect(await refreshError('IP:127.0.0.1')).toMatchObject({
      message: 'no connection to daemon',
      data: { explanation: expect.stringContaining('HTTP status 404') },
    });
  });

  it.each(someRows(['IP:127.0.0.2', 'DNS:localhost']))('is refused when it names %s only', async (names) => {
    expect(await refreshError(names)).toMatchObject({
      code: -38,
      data: { explanation: expect.stringContaining('certificate is not trusted') },
    });
  });
});
