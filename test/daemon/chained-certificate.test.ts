import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DaemonError } from '../../src/daemon/errors.js';
import { HttpDaemon } from '../../src/daemon/http-daemon.js';

const SSL = { mode: 'enabled', allowedFingerprints: [], allowAnyCert: false } as const;

let directory: string;
const servers: Server[] = [];

const at = (name: string): string => join(directory, name);

/** Makes `name.key` and `name.pem`, signed by `issuer` or self-signed. */
function certify(name: string, issuer?: string): void {
  const [key, request] = [at(`${name}.key`), at(`${name}.csr`)];
  const run = (args: string[]): Buffer => execFileSync('openssl', args, { stdio: 'pipe' });
  const options = ['-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-subj', `/CN=${name}`];
  if (issuer === undefined)
    return void run(['req', '-x509', ...options, '-days', '2', '-out', at(`${name}.pem`)]);
  run(['req', ...options, '-out', request]);
  const extensions = at(`${name}.ext`);
  writeFileSync(extensions, `basicConstraints=CA:${name === 'leaf' ? 'FALSE' : 'TRUE'}\n`);
  const signer = ['-CA', at(`${issuer}.pem`), '-CAkey', at(`${issuer}.key`), '-CAcreateserial'];
  const output = ['-days', '2', '-extfile', extensions, '-out', at(`${name}.pem`)];
  run(['x509', '-req', '-in', request, ...signer, ...output]);
}

/** Calls a server that sends these certificates. @returns the outcome of a call to a server with these certificates. */
async function outcome(sent: readonly string[], allowChained: boolean): Promise<string> {
  const server = createServer(
    {
      key: readFileSync(at('leaf.key')),
      cert: sent.map((name) => readFileSync(at(`${name}.pem`), 'utf8')).join(''),
    },
    (_, res) => res.writeHead(404).end(),
  );
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const daemon = new HttpDaemon({ address, ssl: { ...SSL, caFile: at('root.pem'), allowChained } });
  try {
    await daemon.getInfo();
    return 'answered';
  } catch (error) {
    return error instanceof DaemonError ? error.kind : String(error);
  } finally {
    daemon.close();
  }
}

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'chain-'));
  certify('root');
});

afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  rmSync(directory, { recursive: true, force: true });
});

describe('a certificate under a chosen authority', () => {
  it('is accepted when the authority signed it', async () => {
    certify('leaf', 'root');
    // The handshake succeeds: the server answers with a status of 404.
    expect(await outcome(['leaf'], false)).toBe('rejected');
  });

  it('is accepted through an intermediate one only if chains are allowed', async () => {
    certify('middle', 'root');
    certify('leaf', 'middle');
    expect(await outcome(['leaf', 'middle'], false)).toBe('tls');
    expect(await outcome(['leaf', 'middle'], true)).toBe('rejected');
  });
});
