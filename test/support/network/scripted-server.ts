import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';

/** Request as the server got it. */
export interface ScriptedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** Number of the connection, from 1 on. */
  readonly connection: number;
}

export type Script = (request: ScriptedRequest, res: ServerResponse) => void | Promise<void>;

/** HTTP server on a free port whose answers a test writes. */
export interface ScriptedServer {
  readonly url: string;
  /** Requests so far. */
  readonly requests: readonly ScriptedRequest[];
  close(): Promise<void>;
}

/** Starts a server. @param port of an earlier one that was closed; absent: any. */
export async function startScriptedServer(script: Script, port = 0): Promise<ScriptedServer> {
  const requests: ScriptedRequest[] = [];
  const numbers = new Map<Socket, number>();
  const server = createServer((req, res) => {
    const { method = '', url = '', headers, socket } = req;
    void text(req).then((body) => {
      const request = { method, url, headers, body, connection: numbers.get(socket) ?? 0 };
      requests.push(request);
      return script(request, res);
    });
  });
  server.on('connection', (socket) => numbers.set(socket, numbers.size + 1));
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Answers with JSON. */
export function answerJson(res: ServerResponse, json: string, status = 200): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(json);
}

/** Answers a call with a result. @param result JSON text. */
export const answerResult = (res: ServerResponse, result: string): void =>
  answerJson(res, `{"id":"0","jsonrpc":"2.0","result":${result}}`);
