import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient } from '../../src/client/client.js';
import { createWallet } from '../support/wallets/create-wallet.js';
import { post, walletCalls, walletPath, type Loose } from '../support/network/json-rpc.js';
import { startCrowd, type Crowd } from '../support/wallets/wallet-crowd.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';

/* Calls for the wallets of --open of a real process, from the moment at which it answers. */

const NAMES = ['shop', 'till', 'hot wallet', 'cold'] as const;
const DAMAGED = 'damaged';
const passwordOf = (name: string): string => `password of ${name}`;

let crowd: Crowd;
let server: WalletRpc | undefined;
const directory = mkdtempSync(join(tmpdir(), 'passwords-'));

beforeAll(async () => {
  crowd = await startCrowd(NAMES, { passwordOf });
  await createWallet(crowd.at(DAMAGED), '', 'another');
  await crowd.server.stop({ keep: true });
  for (const name of [...NAMES, DAMAGED]) writeFileSync(join(directory, name), passwordOf(name));
});

afterAll(async () => {
  await server?.stop();
  await crowd?.daemon.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** Starts a server that opens all wallets. */
const restart = async (...names: string[]): Promise<WalletRpc> => {
  server = await startWalletRpc({
    ...{ daemon: crowd.daemon.address, walletDir: crowd.server.walletDir },
    args: ['--trusted-daemon', `--password-dir=${directory}`, ...names.map((name) => `--open=${name}`)],
  });
  return server;
};

const stop = async (): Promise<void> => {
  await server?.stop({ keep: true });
  server = undefined;
};

describe('the first calls after a start', () => {
  it('wait for their wallets, at every door', async () => {
    const { port } = await restart(DAMAGED, ...NAMES);
    const client = createClient({ url: `http://127.0.0.1:${port}` });
    const batch = NAMES.map((_, id) => ({ jsonrpc: '2.0', id, method: 'get_address' }));
    const stream = (path: string): Promise<number> =>
      fetch(`http://127.0.0.1:${port}${path}/events`).then(async ({ status, body }) => {
        await body?.cancel();
        return status;
      });
    const [addresses, answered, listed, events, streamed, ready] = await Promise.all([
      Promise.all(NAMES.map((name) => client.wallet(name).get_address())),
      post(port, walletPath('cold'), batch),
      client.list_webhooks({ wallet: 'cold' }),
      client.get_events({ limit: 1 }),
      Promise.all([stream('/wallet/cold'), stream('')]),
      fetch(`http://127.0.0.1:${port}/readyz`).then(({ status }) => status),
    ]);
    expect(addresses.map(({ address }) => address)).toEqual(NAMES.map((name) => crowd.address(name)));
    expect((JSON.parse(answered.text) as Loose[]).map(({ result }) => result?.address)).toEqual(
      NAMES.map(() => crowd.address('cold')),
    );
    expect([listed.webhooks, events.events.length, streamed]).toEqual([[], 1, [200, 200]]);
    expect(ready).toBe(503);
    client.close();
  });

  it('for a wallet that cannot be opened have the reason, and those for others are refused as ever', async () => {
    const { port } = server ?? (await restart(DAMAGED, ...NAMES));
    const { error } = await walletCalls(port, DAMAGED).call('get_balance');
    expect(error).toMatchObject({
      code: -13,
      message: `No wallet file: the wallet '${DAMAGED}' of --open could not be opened: invalid password`,
    });
    for (const params of [{ wallet: 'none' }, {}])
      expect((await post(port, '/json_rpc', { id: 0, method: 'list_webhooks', params })).text).toContain(
        '-13',
      );
    await stop();
  });

  it('close a wallet once it is open', async () => {
    const { port } = await restart(...NAMES);
    await walletCalls(port, 'cold').rpc('close_wallet');
    expect((await walletCalls(port, 'cold').call('get_balance')).error?.code).toBe(-13);
    await stop();
  });
});
