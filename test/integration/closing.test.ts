import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createWallet } from '../support/wallets/create-wallet.js';
import type { Reply } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { until } from '../support/fakes/until.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { DEFAULT_LOOKAHEAD_ENV } from '../support/processes/reference-preload.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';

/* Calls that wait for the daemon while their wallet is closed or rescanned. */

const NO_WALLET = -13;

let daemon: Monerod;
let gate: Server;
let wallet: WalletRpc;
/** Paths whose requests are delayed. */
let held: RegExp | undefined;
let waiting: (() => void)[] = [];
let address: string;

const letGo = (): void => {
  held = undefined;
  for (const go of waiting.splice(0)) go();
};

beforeAll(async () => {
  daemon = await startRegtestDaemon();
  gate = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url ?? '';
      const forward = (): void => {
        fetch(`http://${daemon.address}${path}`, { method: 'POST', body: Buffer.concat(chunks) })
          .then(async (reply) => response.writeHead(reply.status).end(Buffer.from(await reply.arrayBuffer())))
          .catch(() => request.socket.destroy());
      };
      if (held?.test(path) === true) waiting.push(forward);
      else forward();
    });
  });
  await new Promise<void>((resolve) => gate.listen(0, '127.0.0.1', () => resolve()));
  wallet = await startWalletRpc({
    daemon: `127.0.0.1:${(gate.address() as AddressInfo).port}`,
    env: DEFAULT_LOOKAHEAD_ENV,
  });
  await createWallet(wallet, 'other');
  await createWallet(wallet, 'shop');
  await wallet.rpc('auto_refresh', { enable: false });
  ({ address } = await wallet.rpc('get_address'));
  await daemon.generate(address, 5);
  await wallet.rpc('refresh');
});

afterAll(async () => {
  letGo();
  await wallet?.stop();
  gate?.closeAllConnections();
  gate?.close();
  await daemon?.stop();
});

beforeEach(async () => {
  waiting = [];
  await wallet.rpc('open_wallet', { filename: 'shop', password: '' });
});

const codeOf = ({ error }: Reply): number | undefined => error?.code;

describe.each([
  ['refresh', {}, /getblocks|hashes/],
  ['rescan_blockchain', {}, /getblocks|hashes/],
  ['get_transfers', { pool: true }, /pool/],
] as const)('%s', (method, params, path) => {
  it.each([
    ['close_wallet', {}],
    ['open_wallet', { filename: 'other', password: '' }],
  ])('answers that no wallet is open when it meets %s, and logs no bug', async (closing, closingParams) => {
    held = path;
    const call = wallet.call(method, params);
    await until('a request to the daemon', () => waiting.length > 0);
    const closed = wallet.call(closing, closingParams);
    expect(codeOf(await call)).toBe(NO_WALLET);
    expect(codeOf(await closed)).toBeUndefined();
    letGo();
    expect(wallet.process.output()).not.toMatch(/a bug|RefreshCancelled/);
  });
});

describe('a refresh under way', () => {
  it('restarts when a rescan begins, and both calls succeed', async () => {
    held = /getblocks|hashes/;
    const refreshed = wallet.call('refresh');
    await until('a request to the daemon', () => waiting.length > 0);
    const scanned = wallet.call('rescan_blockchain');
    await until('the request of the rescan', () => waiting.length > 1);
    letGo();
    expect([codeOf(await refreshed), codeOf(await scanned)]).toEqual([undefined, undefined]);
    expect((await wallet.rpc('get_balance')).balance).toBeGreaterThan(0);
    expect(wallet.process.output()).not.toMatch(/a bug|RefreshCancelled/);
  });
});
