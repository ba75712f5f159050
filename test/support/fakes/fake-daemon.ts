import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Daemon with the answers that a test defines. */
export interface FakeDaemon {
  readonly address: string;
  stop(): Promise<void>;
}

/** Starts an HTTP server in place of a daemon. @param answer to a plain JSON request; undefined: not found. */
export async function startFakeDaemon(
  answer: (path: string, body: unknown) => object | undefined,
): Promise<FakeDaemon> {
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const path = req.url ?? '';
      let body: unknown;
      try {
        body = JSON.parse(Buffer.concat(chunks).toString('utf8'));
      } catch {
        return void res.writeHead(404).end();
      }
      const reply = answer(path, body);
      if (reply === undefined) res.writeHead(404).end();
      else res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
