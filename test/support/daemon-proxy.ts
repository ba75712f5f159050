import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What becomes of one request to the daemon; a number is the HTTP status of an answer in the daemon's place. */
export type Verdict = 'forward' | 'drop' | 'forward-and-drop-the-answer' | number;

export interface DaemonProxy {
  readonly address: string;
  /** Decides for every request; runs before it is passed on. */
  decide: (path: string) => Verdict;
  /** Changes what the daemon answered. */
  rewrite: (path: string, request: Buffer, reply: Buffer) => Buffer;
  /** Runs between the daemon's answer and its passing on. */
  hold: (path: string) => Promise<void>;
  stop(): Promise<void>;
}

/** Stands between a wallet and the real daemon, to lose what a network loses. */
export async function startDaemonProxy(target: string): Promise<DaemonProxy> {
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const verdict = proxy.decide(req.url ?? '');
      if (verdict === 'drop') return void req.socket.destroy();
      if (typeof verdict === 'number') return void res.writeHead(verdict).end();
      const request = Buffer.concat(chunks);
      fetch(`http://${target}${req.url ?? ''}`, { method: 'POST', body: request })
        .then(async (reply) => {
          const body = proxy.rewrite(req.url ?? '', request, Buffer.from(await reply.arrayBuffer()));
          await proxy.hold(req.url ?? '');
          if (verdict === 'forward') res.writeHead(reply.status).end(body);
          else req.socket.destroy();
        })
        .catch(() => req.socket.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const proxy: DaemonProxy = {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    decide: () => 'forward',
    rewrite: (_, __, reply) => reply,
    hold: () => Promise.resolve(),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return proxy;
}
