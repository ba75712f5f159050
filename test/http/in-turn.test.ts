import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { inTurn } from '../../src/http/in-turn.js';
import { turns } from '../support/event-loop-turns.js';
import { until, untilSteady } from '../support/until.js';

let server: Server | undefined;
let port = 0;
const clients: Socket[] = [];

async function serve(listener: RequestListener): Promise<void> {
  server = createServer(inTurn(listener)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
}

/** Opens a connection, of which nothing is read until the socket is resumed. */
async function open(): Promise<Socket> {
  const client = connect(port, '127.0.0.1').pause();
  client.on('error', () => undefined);
  clients.push(client);
  await once(client, 'connect');
  return client;
}

const requestOf = (path: string, body = ''): string =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

/** Reads a connection until its answers contain a text. @returns the bodies of all answers, joined. */
async function readUntil(client: Socket, end: string): Promise<string> {
  let text = '';
  client.on('data', (bytes: Buffer) => (text += bytes.toString('latin1'))).resume();
  await until(`the answer ${end}`, () => text.includes(end));
  return text.replaceAll(/HTTP\/1\.1 200 OK\r\n[^]*?\r\n\r\n/g, '');
}

afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
  server?.closeAllConnections();
  server?.close();
});

describe('requests that are sent before the answers to earlier ones are read', () => {
  it('run one after another, in their order, with their bodies', async () => {
    let running = 0;
    let most = 0;
    await serve((req, res) => {
      running += 1;
      most = Math.max(most, running);
      void (async () => {
        let body = '';
        for await (const bytes of req) body += String(bytes);
        // The earlier ones take longer.
        await turns(req.url === '/0' ? 50 : 1);
        running -= 1;
        res.end(`${req.url}${body},`);
      })();
    });
    const client = await open();
    const long = 'x'.repeat(200_000);
    client.write(requestOf('/0') + requestOf('/1', long) + requestOf('/2', 'y') + requestOf('/3'));
    expect(await readUntil(client, '/3,')).toBe(`/0,/1${long},/2y,/3,`);
    expect(most).toBe(1);
  });

  it('do not delay those of another connection', async () => {
    await serve((req, res) => {
      if (req.url !== '/held') res.end('done;');
    });
    const held = await open();
    held.write(requestOf('/held') + requestOf('/waits'));
    const other = await open();
    other.write(requestOf('/free'));
    expect(await readUntil(other, 'done;')).toBe('done;');
  });

  it('do not run when the connection ends before their turn', async () => {
    const ran: string[] = [];
    let closed = false;
    await serve((req, res) => {
      ran.push(String(req.url));
      res.once('close', () => (closed = true));
    });
    const client = await open();
    client.write(requestOf('/first') + requestOf('/second'));
    await until('the first runs', () => ran.length > 0);
    await turns(10);
    client.destroy();
    await until('the server sees the end', () => closed);
    await turns(10);
    expect(ran).toEqual(['/first']);
  });

  it('run when the client has closed its side after them', async () => {
    await serve((req, res) => void turns(5).then(() => res.end(`${req.url};`)));
    (server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
    const client = await open();
    client.end(requestOf('/a') + requestOf('/b') + requestOf('/c'));
    expect(await readUntil(client, '/c;')).toBe('/a;/b;/c;');
  });

  it('are read from the connection no faster than they are answered, however many there are', async () => {
    const COUNT = 400;
    const body = 'b'.repeat(60_000);
    let answer: () => void = () => undefined;
    const first = new Promise<void>((resolve) => (answer = resolve));
    let read = 0;
    await serve((req, res) => {
      void (async () => {
        if (req.url === '/0') await first;
        for await (const bytes of req) void bytes;
        res.end(`${req.url};`);
      })();
    });
    server?.on('connection', (socket) => {
      read = 0;
      const count = (): void => void (read = socket.bytesRead);
      const timer = setInterval(count, 1);
      socket.once('close', () => clearInterval(timer));
    });
    const client = await open();
    for (let i = 0; i < COUNT; i++) client.write(requestOf(`/${i}`, body));
    await until('the server reads', () => read > body.length);
    expect(await untilSteady('the server stops', () => read)).toBeLessThan(40 * body.length);
    answer();
    expect(await readUntil(client, `/${COUNT - 1};`)).toBe(
      Array.from({ length: COUNT }, (_, i) => `/${i};`).join(''),
    );
  });

  it('are not lost when they are short and come in thousands', async () => {
    const COUNT = 5_000;
    await serve((req, res) => void turns(1).then(() => res.end(`${req.url};`)));
    const client = await open();
    client.write(Array.from({ length: COUNT }, (_, i) => requestOf(`/${i}`)).join(''));
    expect(await readUntil(client, `/${COUNT - 1};`)).toBe(
      Array.from({ length: COUNT }, (_, i) => `/${i};`).join(''),
    );
  });
});
