import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Loose } from '../support/network/json-rpc.js';
import { logged } from '../support/processes/process.js';
import { until } from '../support/fakes/until.js';
import { FIRST_BLOCKS, startTwins, type TwinChain } from '../support/chain/twin-chain.js';
import { createWallet } from '../support/wallets/create-wallet.js';
import { startWalletProcess, type WalletRpc } from '../support/processes/wallet-rpc.js';

/* A daemon that swaps a payment in a block, before an honest one in the list: the real daemon with the same chain. */

const XMR = 1_000_000_000_000;

let twins: TwinChain;
let server: WalletRpc;
let address: string;

beforeAll(async () => {
  twins = await startTwins(['--misbehave=none']);
  server = await startWalletProcess({
    daemon: twins.ours.address,
    args: [`--daemon-address=${twins.theirs.address}`, '--refresh-period=0', '--trusted-daemon'],
  });
  await createWallet(server, 'w');
  ({ address } = await server.rpc('get_address'));
  await twins.mine(address, FIRST_BLOCKS);
  await server.rpc('refresh');
});

afterAll(async () => {
  await server?.stop();
  await twins?.stop();
});

const get = async (path: string): Promise<string> =>
  (await fetch(`http://127.0.0.1:${server.port}${path}`)).text();
const serving = async (): Promise<number> => (JSON.parse(await get('/readyz')) as Loose).daemon.serving;

test('a swapped payment is not credited, an honest daemon takes over, and the operator is told', async () => {
  await server.rpc('transfer', { destinations: [{ address, amount: XMR }] });
  await twins.mine(address, 1);
  const height = FIRST_BLOCKS + 1;
  const { height: before, balance } = {
    ...(await server.rpc('get_balance')),
    ...(await server.rpc('get_height')),
  } as Loose;
  await twins.ours.plain('/misbehave', {
    ...{ what: 'swapped-payment=1,no-prunable-hash=1', address, amount: 9 * XMR },
    at_height: height,
  });
  const told = logged(server.process, /the daemon has sent forged data, which is not used/);
  const switched = logged(server.process, /switched from .* to .*: forged data in \/gettransactions/);
  const refused = await server.call('refresh');
  // The refresh either fails, or continues with the daemon that has taken over meanwhile.
  if (refused.error !== undefined) expect(refused.error.message).toContain(twins.ours.address);
  await Promise.all([told, switched]);
  await until('the honest daemon to serve', async () => (await serving()) === 2 || undefined);
  await server.rpc('refresh');
  const { height: after } = await server.rpc('get_height');
  expect([before, after]).toEqual([height, height + 1]);
  const { in: received = [] } = await server.rpc('get_transfers', { in: true });
  expect((received as Loose[]).filter(({ amount }) => amount === 9 * XMR)).toEqual([]);
  expect((await server.rpc('get_balance')).balance).toBeGreaterThan(balance as number);
  expect(await get('/metrics')).toMatch(/^wallet_rpc_daemon_forgeries_total [1-9]/m);
  expect(await get('/status')).toContain(`${twins.ours.address} sent other bytes in a block`);
  await twins.ours.plain('/misbehave', { what: '' });
});
