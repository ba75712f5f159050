import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runCrowd } from '../cluster/crowd.js';
import { fromHex } from '../../src/util/bytes.js';
import type { Loose, Rpc } from '../support/network/json-rpc.js';
import { newDatabase, startPostgres, type PostgresCluster } from '../support/processes/postgres-cluster.js';
import { freePort } from '../support/processes/process.js';
import { until } from '../support/fakes/until.js';
import {
  PASSWORD,
  startWalletCluster,
  type ClusterMember,
  type WalletCluster,
} from '../support/processes/wallet-cluster.js';
import { MAIN, startWalletRpc } from '../support/processes/wallet-rpc.js';
import { runWalletRpc } from '../support/processes/wallet-rpc-run.js';

let postgres: PostgresCluster;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres?.stop());

test('no call fails while a process gives its wallets away and stops, and one is added', async () => {
  const report = await runCrowd({
    ...{ postgres, database: await newDatabase(postgres, 'crowd'), wallets: 8, log: () => undefined },
  });
  expect(report.faults).toEqual([]);
  expect(report.calls).toBeGreaterThan(100);
  expect(report.shares.reduce((sum, share) => sum + share, 0)).toBe(8);
  expect(report.shares[0]).toBe(0);
});

describe('a cluster of one process', () => {
  let cluster: WalletCluster;

  beforeAll(async () => {
    cluster = await startWalletCluster({
      ...{ postgres, database: await newDatabase(postgres, 'members'), wallets: ['kramladen'], members: 1 },
    });
  });
  afterAll(() => cluster?.stop());

  test('leaves nothing readable on the disk of the database', async () => {
    const [member] = cluster.members;
    if (member === undefined) throw new Error('no process runs');
    const { rpc } = member.wallet('kramladen');
    await rpc('create_wallet', { password: PASSWORD, language: 'English' });
    const { address } = await rpc('get_address');
    const label = 'Lieferung an Frau Rosenzweig';
    await rpc('create_address', { account_index: 0, label });
    const reference = 'Rechnung 2026-4711';
    const amount = 123_456_789_012_345n;
    await rpc('create_payment_request', { amount: Number(amount), reference });
    const keys = await Promise.all(
      ['view_key', 'spend_key', 'mnemonic'].map(async (key_type) =>
        String((await rpc('query_key', { key_type })).key),
      ),
    );
    await postgres.primary().sql('CHECKPOINT');
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(amount);
    const swapped = Buffer.from(bytes).reverse();
    const secrets = new Map<string, Buffer>([
      ['name', Buffer.from('kramladen')],
      ['label', Buffer.from(label)],
      ['reference', Buffer.from(reference)],
      ['address', Buffer.from(String(address))],
      ['amount', Buffer.from(String(amount))],
      ['amount, as little-endian bytes', bytes],
      ['amount, as big-endian bytes', swapped.subarray(1)],
      ...keys.flatMap((key, i): [string, Buffer][] => [
        [`key ${i}`, Buffer.from(key)],
        ...(/^[0-9a-f]{64}$/.test(key)
          ? [[`key ${i}, as bytes`, Buffer.from(fromHex(key))] as [string, Buffer]]
          : []),
      ]),
    ]);
    const found = new Set<string>();
    // The address of a process is stored as it is: the search finds it.
    const url = Buffer.from(member.url);
    for (const content of filesOf(postgres.primary().directory)) {
      if (content.includes(url)) found.add('url');
      for (const [name, secret] of secrets) if (content.includes(secret)) found.add(name);
    }
    expect([...found]).toEqual(['url']);
  });
});

/** Reads all files below a directory, one after the other. */
function* filesOf(directory: string): Generator<Buffer> {
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) yield readFileSync(join(entry.parentPath, entry.name));
}

describe('two processes, the clock of one of which is four minutes ahead', () => {
  let cluster: WalletCluster;
  let far: ClusterMember;
  let near: ClusterMember;
  beforeAll(async () => {
    cluster = await startWalletCluster({
      ...{ postgres, database: await newDatabase(postgres, 'clocks'), wallets: ['far', 'near'] },
      ...{ members: 2, firstAheadMs: 240_000 },
    });
    [far, near] = cluster.members as [ClusterMember, ClusterMember];
  });
  afterAll(() => cluster?.stop());

  test('pass calls on in both directions', async () => {
    await far.wallet('far').rpc('create_wallet', { password: PASSWORD, language: 'English' });
    await near.wallet('near').rpc('create_wallet', { password: PASSWORD, language: 'English' });
    for (const name of ['far', 'near']) {
      const addresses = await Promise.all(
        [far, near].map(async (member) => (await member.wallet(name).rpc('get_address')).address),
      );
      expect(addresses[0]).toBe(addresses[1]);
    }
    const ahead = async ({ port }: { readonly port: number }): Promise<number> => {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      return Number(/^wallet_rpc_cluster_clock_ahead_seconds (\S+)$/m.exec(text)?.[1]);
    };
    expect((await ahead(far)) / 60).toBeCloseTo(4, 0);
    expect((await ahead(near)) / 60).toBeCloseTo(0, 0);
    expect(far.output()).toContain('the clocks of this machine and of the database differ');
    expect(near.output()).not.toContain('the clocks of this machine and of the database differ');
  });

  test('have events of a wallet that moves under its path, and pass over earlier ones with a cursor of all', async () => {
    const read = async (rpc: Rpc, after: number) => {
      const { events = [], cursor } = await rpc('get_events', { after, wait_ms: 60_000 });
      return { events: events as Loose[], cursor: Number(cursor) };
    };
    const [before, ofFar] = [await read(near.wallet('near').rpc, 0), await read(far.rpc, 0)];
    expect(new Set(ofFar.events.map(({ wallet }) => wallet))).toEqual(new Set(['far']));
    expect(ofFar.cursor).toBeGreaterThan(before.cursor);
    await near.wallet('near').rpc('move_wallet', { to: far.url });
    await until('the next holder', async () => (await cluster.holderOf('near')) === far);
    // Its first event there comes after all that the process has shown before.
    const later = await read(far.wallet('near').rpc, before.cursor);
    expect(later.events[0]?.id).toBeGreaterThan(before.cursor);
    const passed = await read(far.rpc, ofFar.cursor);
    expect(passed.events.map(({ id }) => id)).not.toContain(before.events[0]?.id);
    for (const { rpc } of [far.wallet('near'), near.wallet('near')])
      expect((await read(rpc, 0)).events.slice(0, before.events.length)).toEqual(before.events);
  });
});

describe('the client of PostgreSQL', () => {
  /** Prints the path of each module that a process loads. */
  const hook = `import { registerHooks } from 'node:module';
    registerHooks({ load(url, context, next) { process.stderr.write('loaded ' + url + '\\n'); return next(url, context); } });`;
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(hook)}`;

  /** True if one of the loaded modules contains the client. */
  const hasClient = (output: string): boolean =>
    [...output.matchAll(/^loaded (file:.*)$/gm)].some(([, url = '']) =>
      readFileSync(new URL(url), 'utf8').includes('PostgresError'),
    );

  test('is loaded by a process of a cluster only', async () => {
    const server = await startWalletRpc({ env: { NODE_OPTIONS } });
    const output = server.process.output();
    await server.stop();
    expect(output).toContain('loaded file:');
    expect(hasClient(output)).toBe(false);
    const port = await freePort();
    const member = await runWalletRpc(
      [
        ...['--offline', '--disable-rpc-login', `--rpc-bind-port=${port}`, `--wallet-dir=${tmpdir()}`],
        ...[`--cluster=postgres://x:y@127.0.0.1:${port}/z`, `--cluster-secret-file=${MAIN}`],
        `--cluster-url=http://127.0.0.1:${port}`,
      ],
      { NODE_OPTIONS },
    );
    expect(member.code).toBe(1);
    expect(hasClient(member.output)).toBe(true);
  });
});
