import { createSocket } from 'node:dgram';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { SocksClientError } from 'socks';
import { connectThrough } from '../../../src/daemon/connector.js';
import { askTcp, askUdp, type Nameserver, type Question } from '../../../src/net/dns/exchange.js';
import { writeQuery } from '../../../src/net/dns/message.js';
import { concatBytes } from '../../../src/util/bytes.js';
import { CodecError } from '../../../src/util/codec.js';
import { dnsAnswers, DNS_NAME } from '../dns-answers.js';
import { answersIn, chunksOf, NEXT_ANSWER } from '../peer.js';
import type { Parser, Target } from '../target.js';

/* Answers over sockets of the loopback interface, for clients that open their connections themselves. */

/** Number of turns of the event loop without a message after which a server ends a connection. */
const QUIET_TURNS = 200;
/** Number of connections to one address: each takes a port for a minute after its end. */
const PER_ADDRESS = 10_000;

/** Server that answers each message with the next part of the current input. Ends after the last one, or once none comes. */
class ScriptedPeer {
  readonly #server = createServer((socket) => this.#serve(socket));
  #input: Uint8Array = new Uint8Array();
  #connections = 0;

  async listen(): Promise<void> {
    this.#server.listen(0, '0.0.0.0');
    await once(this.#server, 'listening');
    this.#server.unref();
  }

  /** Sets the input. @returns an address of this server. */
  answerWith(input: Uint8Array): { readonly host: string; readonly port: number } {
    this.#input = input;
    const at = Math.floor(this.#connections++ / PER_ADDRESS);
    return {
      host: `127.${(at >> 8) & 0xff}.${at & 0xff}.1`,
      port: (this.#server.address() as AddressInfo).port,
    };
  }

  #serve(socket: Socket): void {
    const parts = answersIn(this.#input);
    let quietTurns = 0;
    const endWhenQuiet = (): void => {
      if (quietTurns++ >= QUIET_TURNS) socket.end();
      else if (!socket.destroyed) setImmediate(endWhenQuiet);
    };
    socket.on('error', () => undefined);
    socket.on('data', () => {
      quietTurns = 0;
      for (const chunk of chunksOf(parts.shift() ?? new Uint8Array())) socket.write(chunk);
      if (parts.length === 0) socket.end();
    });
    endWhenQuiet();
  }
}

/** Error of a connection or of its proxy, which the connection to a daemon reports as no connection. */
class NoConnection extends Error {}

const next = Buffer.from(NEXT_ANSWER);

/** Answers of a SOCKS 5 proxy: to the greeting, and to the request. */
const SOCKS_ANSWERS = [
  [5, 0],
  [5, 0, ...next, 5, 0, 0, 1, 127, 0, 0, 1, 0, 80],
  [5, 0, ...next, 5, 0, 0, 3, 1, 97, 0, 80, 1, 2, 3],
  [5, 0, ...next, 5, 0, 0, 4, ...Array<number>(16).fill(0), 0, 80],
  [5, 0, ...next, 5, 4, 0, 1, 0, 0, 0, 0, 0, 0],
  [5, 0xff],
  [5, 2, ...next, 1, 0],
  [4, 90, 0, 0, 0, 0, 0, 0],
  [],
].map((bytes) => Uint8Array.from(bytes));

/** Parser of a proxy's answers, which the package socks reads. */
async function socksParser(): Promise<Parser> {
  const peer = new ScriptedPeer();
  await peer.listen();
  return {
    seeds: SOCKS_ANSWERS,
    async run(input) {
      try {
        const socket = await connectThrough(peer.answerWith(input), 'node.example', 18081);
        socket.destroy();
      } catch (cause) {
        const { code } = cause as NodeJS.ErrnoException;
        if (!(cause instanceof SocksClientError) && code === undefined) throw cause;
        throw new NoConnection('no connection', { cause });
      }
    },
  };
}

const question: Question = {
  id: 7,
  name: DNS_NAME,
  message: writeQuery(7, DNS_NAME),
  timeoutMs: 5000,
};

/** Error of a resolver without an answer. */
class NoAnswer extends Error {}

/** Asks a resolver. Errors of the connection and of the time limit are plain errors with one of these texts. */
async function ask(answer: Promise<unknown>): Promise<void> {
  try {
    await answer;
  } catch (error) {
    if (error instanceof CodecError) throw error;
    const { name, message, code } = error as NodeJS.ErrnoException;
    if (name === 'Error' && (code !== undefined || message.startsWith('the resolver'))) throw new NoAnswer();
    throw error;
  }
}

/** Writes a message behind its length, as over TCP. */
const framed = (message: Uint8Array): Uint8Array =>
  concatBytes(Uint8Array.of(message.length >> 8, message.length & 0xff), message);

async function tcpParser(): Promise<Parser> {
  const peer = new ScriptedPeer();
  await peer.listen();
  return {
    seeds: [...dnsAnswers().map(framed), framed(new Uint8Array())],
    run(input) {
      const { host: ip, port } = peer.answerWith(input);
      return ask(askTcp({ ip, port }, question));
    },
  };
}

/** Parser of datagrams. After those of the input, the resolver sends the right answer, so that no case waits. */
async function udpParser(): Promise<Parser> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  socket.unref();
  const [right = new Uint8Array()] = dnsAnswers();
  let current: Uint8Array = new Uint8Array();
  socket.on('message', (_message, { port, address }) => {
    for (const part of [...answersIn(current), right])
      socket.send(part.subarray(0, MOST_DATAGRAM_BYTES), port, address, () => undefined);
  });
  const server: Nameserver = { ip: '127.0.0.1', port: socket.address().port };
  return {
    seeds: dnsAnswers(),
    run(input) {
      current = input;
      return ask(askUdp(server, question));
    },
  };
}

const MOST_DATAGRAM_BYTES = 60_000;

export const targets: readonly Target[] = [
  {
    name: 'socks-proxy',
    errors: [NoConnection],
    modules: ['daemon/socks'],
    words: [NEXT_ANSWER, '\x05\x00'],
    maxBytes: 1024,
    prepare: socksParser,
  },
  {
    name: 'dns-tcp',
    errors: [CodecError, NoAnswer],
    modules: ['net/dns/exchange', 'net/dns/message', 'net/byte-queue'],
    maxBytes: 65_537,
    prepare: tcpParser,
  },
  {
    name: 'dns-udp',
    errors: [CodecError, NoAnswer],
    modules: ['net/dns/exchange', 'net/dns/message'],
    words: [NEXT_ANSWER],
    maxBytes: MOST_DATAGRAM_BYTES,
    prepare: udpParser,
  },
];
