import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** TCP proxy whose network a test can cut, delay, silence, and from which it can lose single answers. */
export interface CutProxy {
  readonly port: number;
  /** Sets the port of the server for new connections. */
  target(port: number): void;
  /** Closes all connections, and refuses new ones until {@link restore}. */
  cut(): void;
  /** Accepts connections, but passes nothing on, until {@link restore}: a network that drops packets. */
  silence(): void;
  /** Passes everything on {@link ms} later in each direction. */
  delay(ms: number): void;
  /**
   * Loses the answer to a request that contains a text: the server gets the request and answers it, then the
   * connection ends.
   * @param later number of such requests before it. @returns a promise that resolves when the answer is lost.
   */
  loseAnswerTo(text: string, later?: number): Promise<void>;
  /** Ends cut, silence and delay. Connections that were silent stay silent, as after a lost route. */
  restore(): void;
  /** Number of connections that were refused. */
  refused(): number;
  close(): Promise<void>;
}

interface Loss {
  readonly text: string;
  later: number;
  readonly done: () => void;
}

/** Starts a proxy on a free port of the loopback interface. */
export async function startCutProxy(serverPort: number): Promise<CutProxy> {
  let port = serverPort;
  let state: 'open' | 'cut' | 'silent' = 'open';
  let delayMs = 0;
  let refused = 0;
  let loss: Loss | undefined;
  const clients = new Set<Socket>();
  const server = createServer((client) => {
    if (state === 'cut') {
      refused += 1;
      client.resetAndDestroy();
      return;
    }
    clients.add(client);
    client.on('error', () => client.destroy());
    let isSilent = false;
    let losing: Loss | undefined;
    let tail = '';
    const behind = connect(port, '127.0.0.1');
    behind.on('error', () => client.destroy());
    behind.once('close', () => {
      if (state !== 'silent' && !isSilent) client.destroy();
    });
    client.once('close', () => {
      clients.delete(client);
      behind.destroy();
    });
    const pass = (part: Buffer, to: Socket): void => {
      if (state === 'silent') isSilent = true;
      if (isSilent) return;
      if (delayMs === 0) return void to.write(part);
      // Timer: the delay is the behaviour under test.
      setTimeout(() => to.write(part), delayMs);
    };
    client.on('data', (part) => {
      const seen = tail + part.toString('latin1');
      // A text is counted once, in the part of the request that ends it.
      const isSeen = loss !== undefined && seen.includes(loss.text);
      if (isSeen && loss !== undefined && loss.later-- === 0) {
        losing = loss;
        loss = undefined;
      }
      tail = isSeen ? '' : seen.slice(-256);
      pass(part, behind);
    });
    behind.on('data', (part) => {
      if (losing === undefined) return pass(part, client);
      losing.done();
      losing = undefined;
      client.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    target: (next) => (port = next),
    cut() {
      state = 'cut';
      clients.forEach((client) => client.resetAndDestroy());
    },
    silence: () => (state = 'silent'),
    delay: (ms) => (delayMs = ms),
    loseAnswerTo: (text, later = 0) => new Promise((done) => (loss = { text, later, done })),
    restore() {
      state = 'open';
      delayMs = 0;
    },
    refused: () => refused,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        clients.forEach((client) => client.destroy());
      }),
  };
}
