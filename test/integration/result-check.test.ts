import { afterAll, beforeAll, expect, describe, it } from '@jest/globals';
import { preload, startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';

/* Servers under test compare their results with the schemas of the methods. */

const corrupting = preload('corrupt-results');
const message = 'result differs from its schema: get_languages (1.3): Unrecognized key: "extra"';

describe('a server under test', () => {
  let server: WalletRpc;

  beforeAll(async () => {
    server = await startWalletRpc({ nodeFlags: [corrupting] });
  });

  afterAll(async () => {
    await expect(server.stop()).rejects.toThrow(message);
  });

  it('answers with an error in place of a result that differs from its schema, and fails its test', async () => {
    await expect(server.rpc('get_languages')).rejects.toThrow(message);
  });

  it('answers with results that follow their schemas', async () => {
    expect(await server.rpc('get_version')).toEqual({ version: 65539, release: true });
  });
});
