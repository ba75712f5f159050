import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { startDaemonProxy, type DaemonProxy } from '../support/network/daemon-proxy.js';
import type { Loose } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { logged } from '../support/processes/process.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { createWallet } from '../support/wallets/create-wallet.js';
import { until } from '../support/fakes/until.js';

/* The next fork, as a node schedules it: servers with and without its rules. */

/** Number of blocks of the node. */
const BLOCKS = 11;

let daemon: Monerod;
let proxy: DaemonProxy;
/** Forks that the node names. */
let forks: unknown;
const servers: WalletRpc[] = [];

beforeAll(async () => {
  daemon = await startRegtestDaemon(['--misbehave=none']);
  proxy = await startDaemonProxy(daemon.address);
  proxy.rewrite = (_, request, reply) => {
    if (!request.includes('"get_version"')) return reply;
    const answer = JSON.parse(reply.toString('utf8')) as { readonly result: object };
    return Buffer.from(JSON.stringify({ ...answer, result: { ...answer.result, hard_forks: forks } }));
  };
});

afterAll(async () => {
  for (const server of servers) await server.stop();
  await proxy?.stop();
  await daemon?.stop();
});

async function start(named: unknown, ...args: readonly string[]): Promise<WalletRpc> {
  forks = named;
  const server = await startWalletRpc({ daemon: proxy.address, args, ownProcess: true });
  servers.push(server);
  return server;
}

const page = async ({ port }: WalletRpc, path: string): Promise<string> =>
  (await fetch(`http://127.0.0.1:${port}${path}`)).text();

/** Waits until a page contains a text. The forks of a node are read after its state. */
const shows = (server: WalletRpc, path: string, text: string): Promise<true> =>
  until(`${text} on ${path}`, async () => ((await page(server, path)).includes(text) ? true : undefined));

describe('a fork that a node schedules', () => {
  it.each([
    [
      'with its rules',
      ['--fork-rules=carrot-2026-07'],
      'this server goes on to receive by --fork-rules carrot-2026-07',
    ],
    ['without its rules', [], 'wallets stop at that block unless --fork-rules carrot-2026-07 is set'],
  ] as const)('is named by log, status page and metrics of a server %s', async (_, args, ability) => {
    const blocks = (await daemon.plain('/get_info', {})).height as number;
    const server = await start([{ hf_version: 17, height: blocks + 720 }], ...args);
    const notice = `hard fork to version 17 at block ${blocks + 720}, in about 1 d, on `;
    await logged(server.process, notice);
    await logged(server.process, ability);
    await shows(server, '/status', notice);
    await shows(server, '/status', '<dt>Fork 17</dt>');
    await shows(server, '/metrics', `wallet_rpc_daemon_fork_height{version="17"} ${blocks + 720}\n`);
    await shows(server, '/metrics', 'wallet_rpc_daemon_fork_blocks{version="17"} 720\n');
    const unknown = (await page(server, '/metrics')).includes(
      '\nwallet_rpc_daemon_unknown_fork_blocks 720\n',
    );
    expect(unknown).toBe(args.length === 0);
  });

  test.each<[string, unknown]>([
    ['none', undefined],
    ['an empty list', []],
    ['a text', 'x'],
    ['forks without heights', [{ hf_version: 17 }]],
    ['heights beyond 64 bits', [{ hf_version: 17, height: 1e40 }]],
    ['a height without end', [{ hf_version: 17, height: Number.MAX_SAFE_INTEGER }]],
    ['a negative version', [{ hf_version: -1, height: 1 }]],
  ])('is not named if the node names %s, which stops nothing', async (_, named) => {
    const server = await start(named, '--fork-rules=carrot-2026-07');
    expect(await page(server, '/status')).not.toContain('hard fork to version 17 at');
    expect(await page(server, '/metrics')).toMatch(/^wallet_rpc_daemon_height_blocks \d+$/m);
    // Asked again after the answer with the forks has arrived.
    expect(await page(server, '/status')).not.toContain('<dt>Fork 17</dt>');
  });
});

describe('blocks of the fork', () => {
  it.each([
    ['with its rules are read by them', ['--fork-rules=carrot-2026-07'], /cannot be read/],
    ['without its rules end the refresh', [], /Unexpected hard fork version v17 at height \d+/],
  ] as const)('%s', async (_, args, message) => {
    const server = await start([], '--refresh-period=0', ...args);
    await createWallet(server);
    const { address } = await server.rpc('get_address');
    const { height } = await daemon.plain('/get_info', {});
    // The blocks of this lie have the version of the fork, and a form that no program writes.
    await daemon.plain('/misbehave', { what: `newer-fork=${Number(height) + 2}` });
    await daemon.generate(address as string, BLOCKS);
    const { error }: Loose = await server.call('refresh');
    expect(error?.message).toMatch(message);
    await daemon.plain('/misbehave', { what: '' });
  });
});

describe('the start', () => {
  it('names the rules that are in force, and warns of those of the main network', async () => {
    const none = await start([]);
    await logged(none.process, 'Fork rules: none; blocks up to version 16 are read');
    const some = await start([], '--fork-rules=carrot-2026-07');
    await logged(some.process, 'are read. They are not final, and may change');
  });
});
