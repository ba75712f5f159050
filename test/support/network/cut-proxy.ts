import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { connect as connectTls, TLSSocket } from 'node:tls';

/** TCP proxy whose network a test can cut, delay, silence, and from which it can lose single answers. */
export interface CutProxy {
  readonly port: number;
  /** Sets the port of the server for new connections. */
  target(port: number): void;
  /** Closes all connections, and refuses new ones until {@link restore}. */
  cut(): void;
  /** Accepts connections, but passes nothing on, until {@link restore}: a network that drops packets. */
  silence(): void;
  /** Passes nothing on for new connections, until {@link restore}, once an answer contained a text. */
  silenceAfter(text: string): void;
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

/** Asks a PostgreSQL server for TLS. Source: PostgreSQL, Message Formats, SSLRequest. */
const TLS_REQUEST = Buffer.from('0000000804d2162f', 'hex');

/** Certificate of a server, with its key. */
export interface ProxyTls {
  readonly key: Buffer;
  readonly cert: Buffer;
}

/** Answers the request of a PostgreSQL client for TLS. @returns the decrypted connection. */
async function decrypted(client: Socket, tls: ProxyTls): Promise<Socket> {
  await once(client, 'data');
  client.write('S');
  const socket = new TLSSocket(client, { isServer: true, ...tls });
  socket.on('error', () => client.destroy());
  return socket;
}

/** Asks a PostgreSQL server for TLS. @returns the connection to write plain bytes to. */
async function encrypted(server: Socket): Promise<Socket> {
  server.write(TLS_REQUEST);
  await once(server, 'data');
  const socket = connectTls({ socket: server, rejectUnauthorized: false });
  socket.on('error', () => server.destroy());
  return socket;
}

/**
 * Starts a proxy on a free port of the loopback interface.
 * @param tls the server is PostgreSQL with TLS and this certificate: the proxy decrypts, and encrypts again.
 */
export async function startCutProxy(serverPort: number, tls?: ProxyTls): Promise<CutProxy> {
  let port = serverPort;
  let state: 'open' | 'cut' | 'silent' = 'open';
  let delayMs = 0;
  let refused = 0;
  let loss: Loss | undefined;
  let lastAnswer: string | undefined;
  let isLastSeen = false;
  const clients = new Set<Socket>();
  const server = createServer((client) => {
    if (state === 'cut') {
      refused += 1;
      client.resetAndDestroy();
      return;
    }
    clients.add(client);
    client.on('error', () => client.destroy());
    let isSilent = isLastSeen;
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
    const join = (front: Socket, back: Socket): void => {
      front.on('data', (part: Buffer) => {
        const seen = tail + part.toString('latin1');
        // A text is counted once, in the part of the request that ends it.
        const isSeen = loss !== undefined && seen.includes(loss.text);
        if (isSeen && loss !== undefined && loss.later-- === 0) {
          losing = loss;
          loss = undefined;
        }
        tail = isSeen ? '' : seen.slice(-256);
        pass(part, back);
      });
      back.on('data', (part: Buffer) => {
        isLastSeen ||= lastAnswer !== undefined && part.includes(lastAnswer);
        if (losing === undefined) return pass(part, front);
        losing.done();
        losing = undefined;
        client.destroy();
      });
    };
    if (tls === undefined) join(client, behind);
    else
      Promise.all([decrypted(client, tls), encrypted(behind)])
        .then(([front, back]) => join(front, back))
        .catch(() => client.destroy());
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
    silenceAfter: (text) => (lastAnswer = text),
    delay: (ms) => (delayMs = ms),
    loseAnswerTo: (text, later = 0) => new Promise((done) => (loss = { text, later, done })),
    restore() {
      state = 'open';
      lastAnswer = undefined;
      isLastSeen = false;
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
