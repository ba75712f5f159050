import { afterEach, describe, expect, it } from '@jest/globals';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { HttpServer } from '../../src/jsonrpc/http-server.js';

/** Long enough that a test which waits for it fails. */
const GRACE_MS = 60_000;

const servers: HttpServer[] = [];
const agents: Agent[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const agent of agents.splice(0)) agent.destroy();
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(servers.splice(0).map((server) => server.close(0)));
});

/** A server that answers when `answer` resolves. */
async function serve(answer: () => Promise<void>): Promise<{ server: HttpServer; port: number }> {
  const server = new HttpServer({
    handler: (_request, response) => void answer().then(() => response.end('done')),
    maxConnections: 10,
    maxPerPrivateIp: 10,
    maxPerPublicIp: 10,
  });
  servers.push(server);
  return { server, port: await server.listen('127.0.0.1', 0) };
}

const get = (port: number, agent: Agent): Promise<string> =>
  new Promise((resolve, reject) => {
    request({ port, host: '127.0.0.1', agent }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve(text));
    })
      .on('error', reject)
      .end();
  });

const keepAlive = (): Agent => {
  const agent = new Agent({ keepAlive: true });
  agents.push(agent);
  return agent;
};

describe('a server that stops', () => {
  it('does not wait for clients that keep an idle connection', async () => {
    const { server, port } = await serve(() => Promise.resolve());
    expect(await get(port, keepAlive())).toBe('done');
    await server.close(GRACE_MS);
  });

  it('does not wait for clients that have not said anything', async () => {
    const { server, port } = await serve(() => Promise.resolve());
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    await new Promise((resolve) => socket.once('connect', resolve));
    // Once another request is answered, the server has met the silent one too.
    await get(port, keepAlive());
    await server.close(GRACE_MS);
  });

  it('lets an answer under way finish', async () => {
    let finish = (): void => undefined;
    let asked = (): void => undefined;
    const arrived = new Promise<void>((resolve) => (asked = resolve));
    const { server, port } = await serve(() => {
      asked();
      return new Promise<void>((resolve) => (finish = resolve));
    });
    const answer = get(port, new Agent());
    await arrived;
    const closed = server.close(GRACE_MS);
    finish();
    expect(await answer).toBe('done');
    await closed;
  });

  it('cuts off what takes longer than its grace', async () => {
    const { server, port } = await serve(() => new Promise(() => undefined));
    const answer = get(port, new Agent());
    const failed = expect(answer).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 50));
    await server.close(10);
    await failed;
  });
});
