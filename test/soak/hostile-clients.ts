import { connect, type Socket } from 'node:net';
import type { Random } from '../support/fakes/seeded-random.js';
import { killMoment } from '../support/processes/kill-moment.js';

/** Server, and other matter for a hostile client. */
export interface ClientContext {
  readonly port: number;
  /** Token of a credential that may do everything. */
  readonly token: string;
  /** Name of an open wallet. */
  readonly wallet: string;
  readonly random: Random;
  readonly isOver: () => boolean;
  /** Counts a request or a connection. */
  readonly count: () => void;
}

/** Client that misuses a server. */
export interface HostileClient {
  readonly name: string;
  readonly title: string;
  /** Runs until its work is done, or its time is over; all of its connections are closed then. */
  readonly run: (context: ClientContext) => Promise<void>;
}

/**
 * Address of the hostile clients: another one of the loopback network, with limits of its own. Other systems than Linux do
 * not have it.
 */
const FROM = process.platform === 'linux' ? '127.0.0.2' : '127.0.0.1';

/** Nonces of a flood, over the whole run. */
export const NONCES = 1_000_000;
export const CONNECTIONS = 10_000;
const FLOOD_SOCKETS = 16;
/** Requests on a connection before an answer is awaited. */
const PIPELINE = 50;
const PAUSE_MS = 20;

/** Opens a connection. Its errors only close it. */
function open(port: number, sockets: Set<Socket>): Socket {
  const socket = connect({ port, host: '127.0.0.1', localAddress: FROM });
  sockets.add(socket);
  socket.on('error', () => socket.destroy());
  socket.once('close', () => sockets.delete(socket));
  return socket;
}

/** Runs a task with connections that end with it. */
async function withSockets(task: (sockets: Set<Socket>) => Promise<void>): Promise<void> {
  const sockets = new Set<Socket>();
  try {
    await task(sockets);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

const request = (path: string, body: string, headers: readonly string[] = []): string =>
  [
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers,
    '',
    body,
  ].join('\r\n');

const callOf = (method: string, params: object = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', id: '0', method, params });

const walletPathOf = ({ wallet }: ClientContext): string => `/wallet/${wallet}/json_rpc`;
const bearerOf = ({ token }: ClientContext): string => `Authorization: Bearer ${token}`;

/** Sends one request after the other on short connections until the time is over. */
const repeatedly =
  (make: (context: ClientContext) => string | Buffer) =>
  (context: ClientContext): Promise<void> =>
    withSockets(async (sockets) => {
      while (!context.isOver()) {
        const socket = open(context.port, sockets);
        socket.resume().write(make(context));
        context.count();
        await killMoment(PAUSE_MS);
        if (sockets.size > FLOOD_SOCKETS) [...sockets][0]?.destroy();
      }
    });

/** Pipelines requests over some connections until a number was sent, or the time is over. */
const flood =
  (most: number, make: (context: ClientContext, n: number) => string) =>
  (context: ClientContext): Promise<void> =>
    withSockets(async (sockets) => {
      let sent = 0;
      const one = async (): Promise<void> => {
        while (!context.isOver() && sent < most) {
          const socket = open(context.port, sockets);
          let answers = 0;
          let awaited = 0;
          const more = (): void => {
            let text = '';
            for (let i = 0; i < PIPELINE; i++) {
              text += make(context, sent++);
              context.count();
            }
            awaited += PIPELINE;
            socket.write(text);
          };
          socket.on('data', (part: Buffer) => {
            for (let at = part.indexOf('HTTP/1.1 '); at >= 0; at = part.indexOf('HTTP/1.1 ', at + 1))
              answers += 1;
            if (answers >= awaited && !context.isOver() && sent < most) more();
          });
          socket.once('connect', more);
          while (!socket.destroyed && !context.isOver() && sent < most) await killMoment(PAUSE_MS);
          socket.destroy();
        }
      };
      await Promise.all(Array.from({ length: FLOOD_SOCKETS }, one));
    });

const digits = (random: Random, length: number): string =>
  Array.from({ length }, () => random.below(16).toString(16)).join('');

const loginOf = (nonce: string, response: string): string =>
  `Authorization: Digest username="soak", realm="monero-rpc", nonce="${nonce}", uri="/json_rpc", ` +
  `algorithm=MD5, qop=auth, nc=00000001, cnonce="x", response="${response}"`;

/** Asks for a challenge. @returns its nonce. */
async function challenge({ port }: ClientContext): Promise<string> {
  const reply = await fetch(`http://127.0.0.1:${port}/json_rpc`, {
    ...{ method: 'POST', body: callOf('get_version') },
    signal: AbortSignal.timeout(5000),
  }).catch(() => undefined);
  await reply?.arrayBuffer().catch(() => undefined);
  return /nonce="([^"]*)"/.exec(reply?.headers.get('www-authenticate') ?? '')?.[1] ?? '';
}

type Body = (context: ClientContext) => string;

const HOSTILE_BODIES: readonly [Body, ...Body[]] = [
  () => '['.repeat(200_000),
  () =>
    `{"jsonrpc":"2.0","id":"0","method":"get_balance","params":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}`,
  () => `{"method":"get_address","params":{"account_index":${'9'.repeat(100_000)}}}`,
  () => '\u0000\u0001\u0002',
  () => callOf('set_attribute', { key: 'x'.repeat(5_000_000), value: '' }),
  () => `[${Array.from({ length: 20_000 }, () => callOf('get_height')).join(',')}]`,
  () => callOf('__proto__', { constructor: { prototype: { x: 1 } } }),
  ({ random }) => callOf('transfer', { destinations: [{ amount: -1, address: random.text() }] }),
  ({ random }) => callOf('relay_tx', { hex: digits(random, 20_001) }),
  ({ random }) => callOf('import_outputs', { outputs_data_hex: digits(random, 2000) }),
  ({ random }) => callOf(random.text(), { x: random.text() }),
];

/** Hostile clients, in the order of the report. */
export const CLIENTS: readonly HostileClient[] = [
  {
    name: 'bodies',
    title: 'bodies that are no calls, too long, too deep, or with absurd parameters',
    run: repeatedly((context) =>
      request(walletPathOf(context), context.random.pick(HOSTILE_BODIES)(context), [bearerOf(context)]),
    ),
  },
  {
    name: 'heads',
    title: 'requests with malformed or endless headers',
    run: repeatedly(({ random }) =>
      random.pick<string | Buffer>([
        `GET / HTTP/1.1\r\nHost: x\r\n${'X: y\r\n'.repeat(5000)}\r\n`,
        `POST /json_rpc HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
        `POST /json_rpc HTTP/9.9\r\n\r\n`,
        `POST /${'a'.repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
        Buffer.from(digits(random, 2000), 'hex'),
      ]),
    ),
  },
  {
    name: 'challenges',
    title: `requests for ${NONCES.toLocaleString('en')} nonces`,
    run: flood(NONCES, () => request('/json_rpc', callOf('get_version'))),
  },
  {
    name: 'nonces',
    title: `wrong logins with ${NONCES.toLocaleString('en')} made-up nonces`,
    run: flood(NONCES, ({ random }, n) =>
      request('/json_rpc', callOf('get_version'), [loginOf(`${n}${digits(random, 16)}`, digits(random, 32))]),
    ),
  },
  {
    name: 'replays',
    title: 'the same login again and again, with a nonce of the server',
    async run(context) {
      const nonce = await challenge(context);
      const login = loginOf(nonce, digits(context.random, 32));
      await flood(NONCES, () => request('/json_rpc', callOf('get_version'), [login]))(context);
    },
  },
  {
    name: 'slow-readers',
    title: 'clients that ask for long answers and streams, and do not read them',
    run: (context) =>
      withSockets(async (sockets) => {
        while (!context.isOver()) {
          if (sockets.size < FLOOD_SOCKETS) {
            const socket = open(context.port, sockets).pause();
            const stream = `GET /wallet/${context.wallet}/events?after=0 HTTP/1.1\r\nHost: x\r\n${bearerOf(context)}\r\n\r\n`;
            const call = request(walletPathOf(context), callOf('get_transfers', { in: true }), [
              bearerOf(context),
            ]);
            socket.write(context.random.chance(0.5) ? stream : call.repeat(PIPELINE));
            context.count();
          }
          await killMoment(PAUSE_MS);
        }
      }),
  },
  {
    name: 'slow-writers',
    title: 'clients that send their requests a byte at a time',
    run: (context) =>
      withSockets(async (sockets) => {
        const text = request('/json_rpc', callOf('get_version'), [bearerOf(context)]);
        const sent = new Map<Socket, number>();
        while (!context.isOver()) {
          if (sockets.size < FLOOD_SOCKETS) {
            sent.set(open(context.port, sockets).resume(), 0);
            context.count();
          }
          for (const socket of sockets) {
            const at = sent.get(socket) ?? 0;
            socket.write(text.charAt(at));
            sent.set(socket, (at + 1) % text.length);
          }
          await killMoment(PAUSE_MS);
        }
      }),
  },
  {
    name: 'aborted-uploads',
    title: 'uploads that end in the middle',
    run: repeatedly((context) => {
      const whole = request(
        walletPathOf(context),
        callOf('set_attribute', { key: 'k', value: 'x'.repeat(400_000) }),
        [bearerOf(context)],
      );
      return whole.slice(0, whole.length - 1 - context.random.below(300_000));
    }),
  },
  {
    name: 'connections',
    title: `${CONNECTIONS.toLocaleString('en')} connections at a time`,
    run: (context) =>
      withSockets(async (sockets) => {
        for (let opened = 0; !context.isOver();) {
          for (let i = 0; i < 100 && sockets.size < CONNECTIONS; i++) {
            open(context.port, sockets).resume();
            opened += 1;
            context.count();
          }
          // Connections above the limits are closed by the server: others take their places.
          if (opened > 10 * CONNECTIONS) return;
          await killMoment(PAUSE_MS);
        }
      }),
  },
];
