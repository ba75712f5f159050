import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** TCP proxy whose port stays the same while the server behind it changes, and that can lose answers. */
export interface CuttingProxy {
  readonly url: string;
  /** Sets the port of the server. */
  target(port: number): void;
  /** Closes the connection of the next answer in place of passing it on. */
  cutNextAnswer(): void;
  /** Closes all connections. */
  cut(): void;
  close(): Promise<void>;
}

/** Starts a proxy on a free port. */
export async function startCuttingProxy(port: number): Promise<CuttingProxy> {
  let target = port;
  let isCutting = false;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const behind = connect(target, '127.0.0.1');
    for (const socket of [client, behind]) {
      sockets.add(socket);
      socket.once('close', () => {
        sockets.delete(socket);
        client.destroy();
        behind.destroy();
      });
      socket.on('error', () => socket.destroy());
    }
    client.pipe(behind);
    behind.on('data', (part: Buffer) => {
      if (isCutting) client.destroy();
      else client.write(part);
      isCutting = false;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = (): void => sockets.forEach((socket) => socket.destroy());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    target: (next) => (target = next),
    cutNextAnswer: () => (isCutting = true),
    cut,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        cut();
      }),
  };
}
