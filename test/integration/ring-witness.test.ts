import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { copyBlocks } from '../support/chain/chain-copy.js';
import { until } from '../support/fakes/until.js';
import type { Loose } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { createWallet } from '../support/wallets/create-wallet.js';

/* Servers whose serving daemon lies about the outputs for rings, while another daemon is asked for a sample of them. */

const XMR = 1_000_000_000_000;

let daemons: [Monerod, Monerod, Monerod];
let server: WalletRpc;
let address: string;

const lie = (daemon: Monerod, what: string): Promise<unknown> => daemon.plain('/misbehave', { what });

const startFor = (listed: readonly Monerod[]): Promise<WalletRpc> =>
  startWalletRpc({
    daemon: listed[0]?.address ?? '',
    args: [
      ...listed.slice(1).map((daemon) => `--daemon-address=${daemon.address}`),
      ...['--daemon-quorum=2', '--trusted-daemon', '--refresh-period=0'],
    ],
  });

const page = async (): Promise<string> =>
  (await (await fetch(`http://127.0.0.1:${server.port}/status`)).text()).replace(/<[^>]*>/g, ' ');

/** Returns the daemon that serves the server. */
async function servingDaemon(): Promise<Monerod | undefined> {
  const answer = await fetch(`http://127.0.0.1:${server.port}/readyz`);
  const { daemon } = (await answer.json()) as { daemon: { serving: number } };
  return daemons[daemon.serving - 1];
}

/** Facts that change when a payment is recorded or an output is reserved. */
async function books(of: WalletRpc): Promise<Loose> {
  const { transfers = [] } = await of.rpc('incoming_transfers', { transfer_type: 'available' });
  const { out = [], pending = [] } = await of.rpc('get_transfers', { out: true, pending: true });
  return { balance: await of.rpc('get_balance'), transfers, out, pending };
}

const pay = (of: WalletRpc) => of.call('transfer', { destinations: [{ address, amount: XMR }] });

/** Number of transactions in the pools of all daemons. */
async function pooled(): Promise<number> {
  const sizes = await Promise.all(
    daemons.map(async (daemon) => ((await daemon.rpc('get_info')) as Loose).tx_pool_size as number),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

beforeAll(async () => {
  daemons = await Promise.all([
    startRegtestDaemon(['--misbehave=none']),
    startRegtestDaemon(['--misbehave=none']),
    startRegtestDaemon(['--misbehave=none']),
  ]);
  server = await startFor(daemons);
  await createWallet(server);
  ({ address } = await server.rpc('get_address'));
  await daemons[0].generate(address, 90);
  for (const daemon of daemons.slice(1)) await copyBlocks(daemons[0], daemon);
  await server.rpc('refresh');
}, 60_000);

afterAll(async () => {
  await server?.stop();
  await Promise.all((daemons ?? []).map((daemon) => daemon.stop()));
});

describe('with two daemons', () => {
  let small: WalletRpc;

  beforeAll(async () => {
    small = await startFor([daemons[0], daemons[2]]);
    const { key: seed } = await server.rpc('query_key', { key_type: 'mnemonic' });
    await small.rpc('restore_deterministic_wallet', { filename: 'w', password: '', seed });
    await small.rpc('refresh');
  }, 60_000);
  afterAll(() => small?.stop());

  it.each(['shifted-distribution=20', 'wrong-ring-data=1', 'other-ring-keys=1', 'other-ring-commitments=1'])(
    'a difference makes no payment, and reserves nothing: %s',
    async (what) => {
      const before = await books(small);
      await lie(daemons[0], what);
      const { error } = await pay(small);
      await lie(daemons[0], '');
      expect(error?.message).toMatch(
        /^the .* for decoys of [^ ]+ differ from those of [^ ]+: a further node is needed to tell which one lies$/,
      );
      expect(error?.message).toContain(daemons[0].address);
      expect(error?.message).toContain(daemons[2].address);
      expect(small.process.output()).toContain(`its decoys cannot be compared`);
      expect(await books(small)).toEqual(before);
      expect(await pooled()).toBe(0);
    },
  );

  it('a payment is made while both agree', async () => {
    const { result } = await small.call('transfer', {
      ...{ destinations: [{ address, amount: XMR }], do_not_relay: true },
    });
    expect(result?.tx_hash).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('with three daemons', () => {
  it.each([
    [
      'the distribution',
      'shifted-distribution=20',
      /^the output distribution for decoys of .*: it is left out$/,
    ],
    ['the keys of outputs', 'other-ring-keys=1', /^the outputs for decoys of .*: it is left out$/],
  ])('a daemon that lies about %s is left out, and another one takes over', async (_, what, expected) => {
    await server.rpc('refresh');
    const before = await books(server);
    const [sent, liar] = [await pooled(), await servingDaemon()];
    if (liar === undefined) throw new Error('no daemon serves');
    await lie(liar, what);
    const { error } = await pay(server);
    expect(error?.message).toMatch(expected);
    expect(await books(server)).toEqual(before);
    expect(await pooled()).toBe(sent);
    await until('another daemon', async () => (await servingDaemon()) !== liar);
    expect(await page()).toContain('for decoys differ from those of');
    const { result } = await pay(server);
    expect(result?.tx_hash).toMatch(/^[0-9a-f]{64}$/);
    expect(await pooled()).toBe(sent + 1);
    await lie(liar, '');
  });
});
