import { until } from '../fakes/until.js';
import { createServer as createPlain, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecure } from 'node:https';
import { readFileSync } from 'node:fs';
import type { AddressInfo, Socket } from 'node:net';
import type { Certificate } from './certificate.js';

/** Request as the receiver got it. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Answer = (response: ServerResponse, request: Received) => void;

/** HTTP server that records the deliveries which it gets. */
export class WebhookReceiver {
  readonly received: Received[] = [];
  /** Connections that were opened. */
  connections = 0;
  answer: Answer = (response) => response.writeHead(204).end();
  readonly #server: ReturnType<typeof createPlain>;
  readonly #sockets = new Set<Socket>();
  readonly #scheme: string;

  private constructor(certificate: Certificate | undefined) {
    const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
      let body = '';
      request.setEncoding('utf8');
      request.on('data', (chunk: string) => (body += chunk));
      request.on('end', () => {
        const received = { path: request.url ?? '', headers: request.headers, body };
        this.received.push(received);
        this.answer(response, received);
      });
    };
    this.#scheme = certificate === undefined ? 'http' : 'https';
    this.#server =
      certificate === undefined
        ? createPlain(onRequest)
        : createSecure(
            { key: readFileSync(certificate.keyFile), cert: readFileSync(certificate.certFile) },
            onRequest,
          );
    this.#server.on('connection', (socket: Socket) => {
      this.connections += 1;
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  static async start(certificate?: Certificate): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver(certificate);
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `${this.#scheme}://127.0.0.1:${this.port}/hook?shop=1`;
  }

  /** Resolves once no connection is open. */
  async allClosed(): Promise<void> {
    await until('the end of all connections', () => this.#sockets.size === 0);
  }

  /** Closes the open connections. */
  dropConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    this.dropConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
