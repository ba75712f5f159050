import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Treatment of a request; a number is the HTTP status of an answer that replaces the daemon's. */
export type ProxyAction = 'forward' | 'drop' | 'forward-and-drop-the-answer' | number;

export interface DaemonProxy {
  readonly address: string;
  /** Called for every request before it is forwarded. */
  decide: (path: string) => ProxyAction;
  /** Changes the daemon's answer. */
  rewrite: (path: string, request: Buffer, reply: Buffer) => Buffer;
  /** Delays the daemon's answer until the promise resolves. */
  hold: (path: string, request: Buffer) => Promise<void>;
  stop(): Promise<void>;
}

/** Proxy between a wallet and a daemon that drops, delays or changes messages. */
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
          await proxy.hold(req.url ?? '', request);
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
