import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { copyBlocks } from '../support/chain/chain-copy.js';
import { until } from '../support/fakes/until.js';
import { makeCertificate } from '../support/network/certificate.js';
import type { Loose } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { createWallet } from '../support/wallets/create-wallet.js';
import { itAtNight } from '../support/jest/lanes.js';

/* A server that credits blocks only once two of its three daemons name them. */

const XMR = 1_000_000_000_000;

let daemons: [Monerod, Monerod, Monerod];
let server: WalletRpc;
let address: string;

/** Mines on the first daemon; the others follow. */
async function mine(blocks: number, followers = daemons.slice(1)): Promise<void> {
  await daemons[0].generate(address, blocks);
  for (const daemon of followers) await copyBlocks(daemons[0], daemon);
}

const page = async (path: string): Promise<string> =>
  (await (await fetch(`http://127.0.0.1:${server.port}${path}`)).text()).replace(/<[^>]*>/g, ' ');

beforeAll(async () => {
  daemons = await Promise.all([
    startRegtestDaemon(['--misbehave=none']),
    startRegtestDaemon(),
    startRegtestDaemon(['--misbehave=none']),
  ]);
  const [, second, third] = daemons;
  server = await startWalletRpc({
    daemon: daemons[0].address,
    args: [
      ...[second, third].map((daemon) => `--daemon-address=${daemon.address}`),
      ...['--daemon-quorum=2', '--trusted-daemon', '--refresh-period=0'],
    ],
  });
  await createWallet(server);
  ({ address } = await server.rpc('get_address'));
  await mine(80);
  await server.rpc('refresh');
}, 60_000);

afterAll(async () => {
  await server?.stop();
  await Promise.all((daemons ?? []).map((daemon) => daemon.stop()));
});

describe('with a quorum of two', () => {
  it('blocks of which one other daemon knows count', async () => {
    await mine(1, [daemons[1]]);
    expect(await server.rpc('refresh')).toMatchObject({ blocks_fetched: 1 });
    expect(await server.rpc('get_balance')).not.toHaveProperty('waiting_for');
    await copyBlocks(daemons[0], daemons[2]);
  });

  it('a block that one daemon invents does not count, while calls are answered, and says what it waits for', async () => {
    const before = await server.rpc('get_balance');
    await daemons[0].plain('/misbehave', { what: 'forged-blocks=1', address, amount: 9 * XMR });
    const refreshed = server.call('refresh');
    await until('the wait', async () => (await server.rpc('get_balance')).waiting_for === 'nodes');
    const { transfers } = { transfers: await server.rpc('get_transfers', { in: true }) };
    expect(transfers).toMatchObject({ waiting_for: 'nodes' });
    const { error } = await refreshed;
    expect(error?.message).toMatch(/^1 of 2 needed nodes name block 82, .* lacks the block/);
    expect(await server.rpc('get_balance')).toEqual({ ...before, waiting_for: 'nodes' });
    await daemons[0].plain('/misbehave', { what: '' });
    await mine(1);
    await server.rpc('refresh');
    expect(await server.rpc('get_balance')).not.toHaveProperty('waiting_for');
  });

  it('a payment that the serving daemon hides by altered bytes is found', async () => {
    const { tx_hash } = await server.rpc('transfer', { destinations: [{ address, amount: XMR }] });
    await mine(1);
    const { height } = (await daemons[0].rpc('get_info')) as Loose;
    await daemons[0].plain('/misbehave', {
      ...{ what: 'changed-output-key=1,no-prunable-hash=1', address },
      at_height: (height as number) - 1,
    });
    await until('the payment', async () => {
      await server.call('refresh');
      const { out = [] } = await server.rpc('get_transfers', { out: true });
      return (out as Loose[]).some(({ txid }) => txid === tx_hash);
    });
    expect((await server.rpc('get_balance')).waiting_for).toBeUndefined();
  });

  it('a daemon that names another block is shown, and left out', async () => {
    await daemons[2].plain('/misbehave', { what: 'other-header-hash=1' });
    await mine(1);
    await server.call('refresh');
    await until('the page', async () => /it names [0-9a-f]{64} as block/.test(await page('/status')));
    await daemons[2].plain('/misbehave', { what: '' });
    await mine(1);
    await server.call('refresh');
    expect(await page('/status')).not.toContain('it names');
  });
});

describe('two addresses of one node', () => {
  const directory = mkdtempSync(join(tmpdir(), 'quorum-'));
  const terminators: Server[] = [];

  afterAll(() => {
    for (const terminator of terminators) terminator.close();
    rmSync(directory, { recursive: true, force: true });
  });

  /** Starts a server that speaks TLS, with the one certificate of these tests, in front of a daemon. */
  async function startTerminator(
    daemon: Monerod,
    certificate: ReturnType<typeof makeCertificate>,
  ): Promise<string> {
    const { keyFile, certFile } = certificate;
    const terminator = createServer({ key: readFileSync(keyFile), cert: readFileSync(certFile) }, (near) => {
      const far = connect(daemon.port, '127.0.0.1');
      const end = (): void => void [near, far].forEach((socket) => socket.destroy());
      for (const socket of [near, far]) socket.on('error', end).on('close', end);
      near.pipe(far).pipe(near);
    });
    terminators.push(terminator);
    await new Promise<void>((resolve) => terminator.listen(0, '127.0.0.1', () => resolve()));
    return `127.0.0.1:${(terminator.address() as AddressInfo).port}`;
  }

  /** Runs a test with a server that needs two of these addresses, and a wallet in it. */
  async function withServer(
    addresses: readonly string[],
    test: (one: WalletRpc) => Promise<void>,
  ): Promise<void> {
    const [first = '', ...others] = addresses;
    const one = await startWalletRpc({
      daemon: first,
      args: [
        ...others.map((other) => `--daemon-address=${other}`),
        ...['--daemon-quorum=2', '--trusted-daemon', '--refresh-period=0'],
      ],
    });
    try {
      await createWallet(one);
      await test(one);
    } finally {
      await one.stop();
    }
  }

  const statusOf = async ({ port }: WalletRpc): Promise<string> =>
    (await (await fetch(`http://127.0.0.1:${port}/status`)).text()).replace(/<[^>]*>/g, ' ');

  /** Tests that no block counts, and that each place of the server names the pair. */
  async function expectWaiting(one: WalletRpc, pair: string): Promise<void> {
    const { error } = await one.call('refresh');
    expect(error?.message).toMatch(/^1 of 2 needed nodes name block \d+, [0-9a-f]{64}: \S+ names it; /);
    expect(error?.message).toContain(pair);
    expect(await one.rpc('get_height')).toMatchObject({ height: 1 });
    expect(await one.rpc('get_balance')).toMatchObject({ waiting_for: 'nodes' });
    const [, first = '', reason = ''] = /^(\S+) and \S+ are one node: (.*)$/.exec(pair) ?? [];
    expect(await statusOf(one)).toContain(`blocks; one node with ${first}: ${reason}`);
    expect(one.process.output().split(`two listed daemons have one vote: ${pair}`)).toHaveLength(2);
  }

  itAtNight(
    'have one vote: two names of one host, and two ports with one certificate',
    async () => {
      const [, { port }] = daemons;
      const certificate = makeCertificate(directory);
      const [first, second] = [
        await startTerminator(daemons[1], certificate),
        await startTerminator(daemons[1], certificate),
      ];
      const names = [`127.0.0.1:${port}`, `localhost:${port}`];
      await Promise.all([
        withServer(names, (one) =>
          expectWaiting(one, `${names.join(' and ')} are one node: both are reached at ${names[0]}`),
        ),
        withServer([first, second], (one) =>
          expectWaiting(one, `${first} and ${second} are one node: both show the same TLS certificate`),
        ),
      ]);
    },
    60_000,
  );

  it('have two votes with another node beside them', async () => {
    const [, { port }, third] = daemons;
    await withServer([`127.0.0.1:${port}`, `localhost:${port}`, third.address], async (one) => {
      await one.rpc('refresh');
      expect(await one.rpc('get_balance')).not.toHaveProperty('waiting_for');
      const { height } = (await daemons[1].rpc('get_info')) as Loose;
      expect(await one.rpc('get_height')).toMatchObject({ height });
    });
  }, 60_000);
});
