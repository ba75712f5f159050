import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import express from 'express';
import { memberActions } from '../../../src/http/forward/member-calls.js';

let server: Server;
let bugs: unknown[];

beforeEach(async () => {
  bugs = [];
  const app = express();
  app.use(
    memberActions({
      actions: { 'say it': (body) => Promise.resolve(body) },
      isOfMember: () => true,
      onBug: (error) => bugs.push(error),
    }),
  );
  server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(() => void server.close());

/** Calls an action by its encoded name. @returns status and body of the answer. */
async function call(name: string): Promise<readonly [number, unknown]> {
  const { port } = server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}/cluster/${name}`, { method: 'POST', body: '[1]' });
  return [answer.status, await answer.json()];
}

describe('the actions for other processes of a cluster', () => {
  it('are called by their encoded names', async () => {
    expect(await call('say%20it')).toEqual([200, { result: [1] }]);
    expect(bugs).toEqual([]);
  });

  it.each(['other', '%zz', '%', '%ff', 'say%20it%'])('are unknown by the name %s', async (name) => {
    expect(await call(name)).toEqual([404, { error: { code: -32601, message: 'no such action' } }]);
    expect(bugs).toEqual([]);
  });
});
