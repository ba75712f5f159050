import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  CLIENT_PROGRAM,
  installPackedClient,
  PROGRAM_FINDS,
  startProgramServer,
  type PackedClient,
  type ProgramServer,
} from '../support/network/packed-client.js';
import { runtime } from '../support/processes/runtimes.js';

/* The packed client on runtimes other than Node.js. */

let client: PackedClient;
let server: ProgramServer;

beforeAll(async () => {
  client = await installPackedClient();
});
beforeEach(async () => {
  server = await startProgramServer();
});
afterEach(() => server.close());
afterAll(() => client?.remove());

describe('the packed client', () => {
  test.each([
    ['deno', ['run', '--allow-all']],
    ['bun', ['run']],
  ] as const)('calls, follows events and verifies webhooks on %s', async (name, args) => {
    const printed = await client.run(
      [await runtime(name), ...args],
      'program.mjs',
      CLIENT_PROGRAM,
      server.env,
    );
    expect(JSON.parse(printed)).toEqual(PROGRAM_FINDS);
  });
});
