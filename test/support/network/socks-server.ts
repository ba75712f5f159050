import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** CONNECT request of a client. */
export interface SocksRequest {
  /** Form in which the client named the host. */
  readonly kind: 'name' | 'ipv4' | 'ipv6';
  readonly host: string;
  readonly port: number;
}

const VERSION = 5;
const CONNECT = 1;
/** Codes of replies. Source: RFC 1928, section 6. */
const REPLY = { succeeded: 0, notAllowed: 2, hostUnreachable: 4 } as const;

/** SOCKS 5 proxy that knows a few hosts, all of them on this machine. Source: RFC 1928. */
export class SocksServer {
  readonly requests: SocksRequest[] = [];
  /** Ports of the hosts on this machine, by the name that clients ask for. */
  readonly hosts = new Map<string, number>();
  /** Hosts to which no connection is allowed. */
  readonly refused = new Set<string>();
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor() {
    this.#server = createServer((socket) => {
      this.#track(socket);
      this.#serve(socket).catch(() => socket.destroy());
    });
  }

  static async start(): Promise<SocksServer> {
    const proxy = new SocksServer();
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.#sockets.delete(socket));
  }

  async #serve(client: Socket): Promise<void> {
    const reader = new SocketReader(client);
    const [, methods = 0] = await reader.take(2);
    await reader.take(methods);
    client.write(Uint8Array.of(VERSION, 0));
    const [, command, , type] = await reader.take(4);
    const request = await readAddress(reader, type);
    this.requests.push(request);
    const port = this.hosts.get(request.host);
    if (command !== CONNECT || this.refused.has(request.host)) return answer(client, REPLY.notAllowed);
    if (port === undefined) return answer(client, REPLY.hostUnreachable);
    const target = connect(port, '127.0.0.1');
    this.#track(target);
    await new Promise<void>((resolve, reject) => target.once('connect', resolve).once('error', reject));
    reader.release();
    client.write(Uint8Array.of(VERSION, REPLY.succeeded, 0, 1, 127, 0, 0, 1, 0, 0));
    client.pipe(target).pipe(client);
    target.on('close', () => client.destroy());
    client.on('close', () => target.destroy());
  }
}

function answer(client: Socket, code: number): void {
  client.end(Uint8Array.of(VERSION, code, 0, 1, 0, 0, 0, 0, 0, 0));
}

async function readAddress(reader: SocketReader, type: number | undefined): Promise<SocksRequest> {
  const kinds = { 1: 'ipv4', 3: 'name', 4: 'ipv6' } as const;
  const kind = kinds[type as keyof typeof kinds];
  const length = kind === 'ipv4' ? 4 : kind === 'ipv6' ? 16 : ((await reader.take(1))[0] ?? 0);
  const address = await reader.take(length);
  const port = (await reader.take(2)).readUInt16BE();
  const host =
    kind === 'name'
      ? address.toString('latin1')
      : kind === 'ipv4'
        ? address.join('.')
        : address.toString('hex');
  return { kind, host, port };
}

/** Reads numbers of bytes from a socket. */
class SocketReader {
  readonly #socket: Socket;
  #bytes = Buffer.alloc(0);
  #wake = (): void => undefined;
  readonly #onData = (data: Buffer): void => {
    this.#bytes = Buffer.concat([this.#bytes, data]);
    this.#wake();
  };

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', this.#onData);
  }

  async take(count: number): Promise<Buffer> {
    while (this.#bytes.length < count)
      await new Promise<void>((resolve, reject) => {
        this.#wake = resolve;
        this.#socket.once('close', () => reject(new Error('closed')));
      });
    const taken = this.#bytes.subarray(0, count);
    this.#bytes = this.#bytes.subarray(count);
    return taken;
  }

  /** Leaves further data to others. */
  release(): void {
    this.#socket.off('data', this.#onData);
    if (this.#bytes.length > 0) this.#socket.unshift(this.#bytes);
  }
}
