import { Agent, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startReference, startWalletRpc, type WalletRpc } from '../support/wallet-rpc.js';

/* Requests whose bodies have unusual forms, answered by our server and by the reference. */

interface Answered {
  readonly status: number | undefined;
  readonly body: string;
}

const post = (port: number, agent: Agent, body: string) =>
  new Promise<Answered>((resolve, reject) => {
    const sent = request(
      { port, agent, host: '127.0.0.1', method: 'POST', path: '/json_rpc' },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode,
            body: Buffer.concat(parts).toString().replaceAll(/\s/g, ''),
          }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });

let servers: readonly WalletRpc[] = [];
const agents: Agent[] = [];

beforeAll(async () => {
  servers = await Promise.all([startWalletRpc(), startReference()]);
});
afterAll(async () => {
  for (const agent of agents) agent.destroy();
  await Promise.all(servers.map((server) => server.stop()));
});

/** An agent that keeps one connection: the reference accepts a nonce on the connection on which it was issued. */
function oneConnection(): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  agents.push(agent);
  return agent;
}

describe('a body that is no call is answered as by monero-wallet-rpc', () => {
  it.each([
    '',
    ' ',
    '\r\n',
    'null',
    '"x"',
    '""',
    '1',
    '-1',
    '1.5',
    'true',
    'false',
    '[]',
    ' [ ] ',
    '{}',
    'x',
  ])('%j', async (body) => {
    const [ours, theirs] = await Promise.all(servers.map(({ port }) => post(port, oneConnection(), body)));
    expect(ours).toEqual(theirs);
    expect(ours?.body).toMatch(/"code":-32(600|700),/);
  });
});
