import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ClusterSecret } from '../../src/cluster/cluster-secret.js';
import { readAddress } from '../../src/cluster/database/address.js';
import { toHex } from '../../src/util/bytes.js';
import {
  pageBaseBackup,
  pageCommand,
  pageCommands,
  pageDatabases,
  pageSetup,
  pageStatements,
  type PageValues,
} from '../support/processes/cluster-page.js';
import type { Loose } from '../support/network/json-rpc.js';
import { startPostgres, type PostgresCluster } from '../support/processes/postgres-cluster.js';
import { until } from '../support/fakes/until.js';
import {
  PASSWORD,
  startWalletCluster,
  type ClusterMember,
  type WalletCluster,
} from '../support/processes/wallet-cluster.js';
import { runWalletRpc, type WalletRpcRun } from '../support/processes/wallet-rpc-run.js';
import { startWalletProcess, type WalletRpc } from '../support/processes/wallet-rpc.js';

/* The commands of docs/cluster.md over `verify-full`, and the steps of "Changes to a cluster" there. */

const WALLETS = ['till', 'shelf'] as const;
/** Name of the database and of its user on the page. */
const database = 'wallet_rpc';
const SQL_PASSWORD = 'of-the-user';
let postgres: PostgresCluster;
let cluster: WalletCluster;
let first: ClusterMember;
let second: ClusterMember;
/** Addresses of the wallets, by name. */
const addresses = new Map<string, unknown>();

/** Commands of the page that were run. */
const ran = new Set<string>();

/** Runs a command as it stands on the page, with the values of this test. @param argument one without an option. */
const run = (name: string, argument = '', values: PageValues = {}): Promise<WalletRpcRun> => {
  ran.add(name);
  const { databaseUrl, secretFile } = cluster;
  const known = { '--cluster': databaseUrl, '--cluster-secret-file': secretFile, '': argument };
  return runWalletRpc(pageCommand(name, { ...known, ...values }));
};

const sql = (text: string) => postgres.primary().sql(text, database);

/** Runs statements of the page as the superuser, each with a transaction of its own. */
async function runStatements(text: string | undefined): Promise<void> {
  const statements = (text ?? '').split(';').filter((part) => part.trim() !== '');
  expect(statements).toHaveLength(2);
  for (const statement of statements) await postgres.primary().sql(statement);
}

/** Expects that a process has the wallets as they were created. */
async function expectWallets({ wallet }: Pick<ClusterMember, 'wallet'>, names: readonly string[] = WALLETS) {
  for (const name of names) {
    await until('the wallet', async () => {
      const { error } = await wallet(name).call('open_wallet', { password: PASSWORD });
      return error === undefined || undefined;
    });
    expect((await wallet(name).rpc('get_address')).address).toBe(addresses.get(name));
  }
}

beforeAll(async () => {
  postgres = await startPostgres();
  await runStatements(pageSetup().replace('…', SQL_PASSWORD));
  cluster = await startWalletCluster({
    postgres: {
      ...postgres,
      url: (options) => postgres.url({ ...options, user: database, password: SQL_PASSWORD }),
    },
    ...{ database, wallets: WALLETS, members: 2 },
  });
  [first, second] = cluster.members as [ClusterMember, ClusterMember];
  for (const name of WALLETS) {
    const { rpc } = second.wallet(name);
    await rpc('create_wallet', { password: PASSWORD, language: 'English' });
    addresses.set(name, (await rpc('get_address')).address);
  }
});
afterAll(async () => {
  await cluster?.stop();
  await postgres?.stop();
});

describe('wallet-rpc cluster init', () => {
  test('makes nothing anew', async () => {
    const before = readFileSync(cluster.secretFile, 'utf8');
    const { code, output } = await run('init');
    expect([code, output]).toEqual([0, expect.stringContaining('tables of the cluster are there already')]);
    expect(readFileSync(cluster.secretFile, 'utf8')).toBe(before);
  });

  test('and all others reach the database with verify-full', () => {
    expect(pageDatabases().length).toBeGreaterThan(1);
    expect(pageDatabases().filter((url) => !url.endsWith('?sslmode=verify-full'))).toEqual([]);
    expect(cluster.databaseUrl).toContain('?sslmode=verify-full&');
    for (const url of pageDatabases()) expect(readAddress(url).hosts).toHaveLength(3);
  });
});

describe('wallet-rpc cluster status', () => {
  test('prints the database, the members and the wallets', async () => {
    await second.wallet('shelf').rpc('close_wallet');
    const { code, stdout } = await run('status');
    expect(stdout.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^database 127\.0\.0\.1:\d+: 2 standbys, synchronous_standby_names 'ANY 1 /),
      ...[first.url, second.url]
        .toSorted()
        .map((url) => expect.stringMatching(new RegExp(`^member ${url}: alive, [01] of 1000 wallets$`))),
      'wallet shelf: closed',
      expect.stringMatching(/^wallet till: held by http:/),
    ]);
    expect(code).toBe(0);
  });
});

describe('wallet-rpc cluster remove-member', () => {
  test('keeps a process that lives, and refuses one that is unknown', async () => {
    const living = await run('remove-member', first.url);
    expect([living.code, living.output]).toEqual([1, expect.stringContaining(`${first.url} lives`)]);
    const unknown = await run('remove-member', 'http://127.0.0.1:1');
    expect([unknown.code, unknown.output]).toEqual([1, expect.stringContaining('has no member')]);
  });

  test('forgets a process that was killed, and its wallets go on', async () => {
    await first.stop('SIGKILL');
    await until('the end of its leases', async () => (await run('remove-member', first.url)).code === 0);
    expect((await run('status')).stdout).not.toContain(first.url);
    await expectWallets(second);
    await first.start();
  });
});

describe('one server of the database that is left', () => {
  let single: WalletRpc | undefined;
  afterAll(() => single?.stop({ keep: true }));

  const startSingle = (...args: readonly string[]) =>
    startWalletProcess({
      ...{ daemon: cluster.daemon.address, walletDir: second.walletDir, port: second.port },
      args: [
        ...['--trusted-daemon', `--cluster=${cluster.databaseUrl}`, `--cluster-url=${second.url}`],
        ...[`--cluster-secret-file=${cluster.secretFile}`, `--password-dir=${cluster.passwordDir}`, ...args],
      ],
    });

  test('serves with --cluster-single alone, once it waits for no standby', async () => {
    await Promise.all([first.stop('SIGTERM'), second.stop('SIGTERM')]);
    await Promise.all(postgres.standbys().map((server) => server.stop('SIGQUIT')));
    await runStatements(pageStatements()[0]);
    await expect(startSingle()).rejects.toThrow(/allow one machine by --cluster-single/);
    expect((await run('status')).stdout).toMatch(
      /: 0 standbys, .* is empty: processes need --cluster-single/,
    );
    single = await startSingle('--cluster-single');
    await expectWallets(second);
  });

  test('gets a standby, and processes wait for it again', async () => {
    for (const server of postgres.standbys()) {
      const connection = {
        ...{ host: '127.0.0.1', port: String(postgres.primary().port), application_name: server.name },
        sslrootcert: postgres.tls?.authorityFile ?? '',
      };
      await postgres.rebuild(server, pageBaseBackup(server.directory, connection));
      const conninfo = readFileSync(join(server.directory, 'postgresql.auto.conf'), 'utf8');
      expect(conninfo).toMatch(/primary_conninfo = .*verify-full/);
    }
    await single?.stop({ keep: true });
    single = undefined;
    const names = postgres.servers.map(({ name }) => name).join(', ');
    await runStatements(pageStatements()[1]?.replace('(b, c)', `(${names})`));
    await postgres.followed(2);
    await Promise.all([first.start(), second.start()]);
    await expectWallets(first);
    await second.wallet('till').rpc('create_address', { account_index: 0, label: 'confirmed' });
  });
});

describe('wallet-rpc cluster remove-wallet', () => {
  test('keeps a wallet that has not left', async () => {
    const { code, output } = await run('remove-wallet', 'shelf');
    expect([code, output]).toEqual([1, expect.stringContaining("no wallet 'shelf' that has left")]);
    await expectWallets(first);
  });

  test('deletes what the database has of one that has left, and its name stays taken', async () => {
    const out = { '--wallet-dir': join(first.walletDir, 'out') };
    await first.wallet('shelf').rpc('close_wallet');
    expect((await run('leave', 'shelf', out)).stdout).toMatch(/^shelf: has left, its files are .*out/);
    expect((await run('join', 'shelf', out)).stdout).toBe('shelf: is in the cluster, and closed\n');
    await expectWallets(second, ['shelf']);
    await second.wallet('shelf').rpc('close_wallet');
    expect((await run('leave', 'shelf', out)).code).toBe(0);
    const { code, stdout } = await run('remove-wallet', 'shelf');
    expect([code, stdout]).toEqual([0, 'shelf: the database has nothing of it any more but its name\n']);
    const id = toHex(ClusterSecret.read(cluster.secretFile).idOf('shelf'));
    for (const table of ['frame', 'base', 'base_part'])
      expect(await sql(`SELECT FROM wallet_rpc.${table} WHERE wallet = '\\x${id}'`)).toEqual([]);
    const { error } = await second
      .wallet('shelf')
      .call('create_wallet', { password: PASSWORD, language: 'English' });
    expect(error?.code).toBe(-21);
    expect((await run('status')).stdout).toMatch(/wallet shelf: left at 2.* to .*\/out on /);
  });
});

describe('wallet-rpc cluster rotate-secret', () => {
  const next = (): string => join(cluster.passwordDir, '..', 'next-secret');
  const rotate = (): Promise<WalletRpcRun> =>
    run('rotate-secret', '', { '--new-cluster-secret-file': next() });

  test('changes nothing while a process lives', async () => {
    const { code, output } = await rotate();
    expect([code, output]).toEqual([1, expect.stringMatching(/processes of the cluster live: stop http/)]);
    await expectWallets(first, ['till']);
  });

  test('writes everything under the other secret, once', async () => {
    const before = readFileSync(cluster.secretFile, 'utf8');
    await Promise.all([first.stop('SIGTERM'), second.stop('SIGTERM')]);
    const rotated = await rotate();
    expect([rotated.code, rotated.stdout]).toEqual([
      0,
      expect.stringMatching(/^2 wallets are under the secret of .*next-secret now: copy it/),
    ]);
    const again = await rotate();
    expect([again.code, again.stdout]).toEqual([0, expect.stringMatching(/already/)]);
    await expect(first.start()).rejects.toThrow(/made with another secret/);
    copyFileSync(next(), cluster.secretFile);
    expect(readFileSync(cluster.secretFile, 'utf8')).not.toBe(before);
    await Promise.all([first.start(), second.start()]);
    await expectWallets(first, ['till']);
    const { addresses: known } = await second.wallet('till').rpc('get_address');
    expect((known as Loose[]).map(({ label }) => label)).toContain('confirmed');
    expect((await run('status')).stdout).toMatch(/wallet shelf: left at 2.* to .*\/out on /);
  });
});

test('docs/cluster.md has no command that was not run here', () => {
  expect([...ran].sort()).toEqual(pageCommands().sort());
});
