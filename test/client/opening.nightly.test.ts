import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient, type Client } from '../../src/client/client.js';
import { HOLD_MS } from '../../src/rpc/calls/hold.js';
import { post, walletCalls, walletPath } from '../support/network/json-rpc.js';
import { startShipped, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { createWallet } from '../support/wallets/create-wallet.js';

/*
 * The client and a server whose wallet takes longer to open than the server holds a call. The server is the one that ships: those
 * under test remember the hashes of passwords.
 */

const PASSWORD = 'of a shop';
const FEW_ROUNDS = 20;
/** Time that the opening of the wallet takes, about [ms]. */
const OPENING_MS = 2 * HOLD_MS;

let directory: string;
let server: WalletRpc | undefined;
let client: Client;

const start = async (rounds: number, ...args: readonly string[]): Promise<WalletRpc> => {
  const walletDir = join(directory, 'wallets');
  server = await startShipped({ walletDir, args: [`--kdf-rounds=${rounds}`, ...args] });
  return server;
};

/** Creates a wallet. @returns the time that it took [ms]. */
async function create(rounds: number, name: string): Promise<number> {
  const { port, stop } = await start(rounds);
  const began = performance.now();
  await createWallet(walletCalls(port, name), '', PASSWORD);
  const took = performance.now() - began;
  await stop({ keep: true });
  return took;
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'slow-opening-'));
  mkdirSync(join(directory, 'passwords'));
  writeFileSync(join(directory, 'passwords', 'shop'), PASSWORD);
  const rounds = Math.ceil((FEW_ROUNDS * OPENING_MS) / (await create(FEW_ROUNDS, 'few')));
  await create(rounds, 'shop');
  const { port } = await start(rounds, '--open=shop', `--password-dir=${join(directory, 'passwords')}`);
  client = createClient({ url: `http://127.0.0.1:${port}`, wallet: 'shop', retries: 0 });
});

afterAll(async () => {
  client?.close();
  await server?.stop({ keep: true });
  rmSync(directory, { recursive: true, force: true });
});

describe('a client of a wallet that is being opened', () => {
  it('waits for it with calls of any kind and with streams, beyond the time that the server holds a call', async () => {
    const reported: (number | undefined)[] = [];
    const controller = new AbortController();
    const onRetry = (error: unknown) => reported.push((error as { status?: number }).status);
    const stream = client.events({ signal: controller.signal, onRetry }).next();
    const ended = stream.catch((error: unknown) => error);
    const [refused, balance, made] = await Promise.all([
      post(server?.port ?? 0, walletPath('shop'), { jsonrpc: '2.0', id: '0', method: 'get_balance' }),
      client.get_balance(),
      client.create_address({ label: 'while it opens' }),
    ]);
    expect(refused).toMatchObject({ status: 503 });
    expect(balance.balance).toBe(0n);
    expect(made.address_index).toBe(1);
    // Nothing of the refused attempts has run.
    expect((await client.get_address()).addresses).toHaveLength(2);
    expect(reported.length).toBeGreaterThan(0);
    expect(new Set(reported)).toEqual(new Set([503]));
    controller.abort(new Error('enough'));
    expect(await ended).toMatchObject({ message: 'enough' });
  });
});
