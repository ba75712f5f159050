import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { initCluster, openCluster } from '../../src/cluster/cluster-database.js';
import { ClusterSecret } from '../../src/cluster/cluster-secret.js';
import { ClusterUnreachable } from '../../src/cluster/errors.js';
import { ClusterMembers } from '../support/processes/cluster-members.js';
import { startCutProxy } from '../support/network/cut-proxy.js';
import { startPostgres, type PostgresCluster } from '../support/processes/postgres-cluster.js';
import { freePort } from '../support/processes/process.js';
import { until } from '../support/fakes/until.js';
import { bundled } from '../support/processes/wallet-rpc.js';
import { itAtNight } from '../support/jest/lanes.js';

const PACKAGING = new URL('../../../packaging/cluster/', import.meta.url);

/** Settings of PostgreSQL in the configuration of Patroni. */
const patroniSettings = (): string => {
  const text = readFileSync(new URL('patroni.yml', PACKAGING), 'utf8');
  const [, settings = ''] = /^ *parameters:\n((?: {8}.*\n)+)/m.exec(text) ?? [];
  return settings.replaceAll(/^( *\w+): /gm, '$1 = ');
};

let database: PostgresCluster;
let folder: string;
const members = new ClusterMembers(() => database.url());

beforeAll(async () => {
  database = await startPostgres({ standbys: 1, settings: patroniSettings() });
  await initCluster(database.url(), members.secret);
  folder = mkdtempSync(join(tmpdir(), 'cluster-start-'));
});

afterEach(async () => {
  jest.restoreAllMocks();
  await members.close();
});

afterAll(async () => {
  await database?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Makes an empty database. @returns its address. */
async function emptyDatabase(name: string): Promise<string> {
  await database.primary().sql(`CREATE DATABASE ${name}`);
  return database.url({ database: name });
}

describe('a start is refused', () => {
  test('without tables, and with those of a newer version', async () => {
    const urls = await emptyDatabase('newer');
    await expect(members.join({ urls })).rejects.toMatchObject({
      reason: 'no_schema',
      message: expect.stringContaining('wallet-rpc cluster init'),
    });
    expect(await initCluster(urls, members.secret)).toBe(true);
    expect(await initCluster(urls, members.secret)).toBe(false);
    const other = new ClusterSecret(new Uint8Array(32));
    await expect(initCluster(urls, other)).rejects.toMatchObject({ reason: 'other_secret' });
    await (await members.join({ urls })).close();
    await setVersion(urls);
    await expect(members.join({ urls })).rejects.toMatchObject({ reason: 'newer_schema' });
    await expect(initCluster(urls, members.secret)).rejects.toMatchObject({ reason: 'newer_schema' });
  });

  test('with another secret', async () => {
    const secret = new ClusterSecret(new Uint8Array(32));
    await expect(members.join({ secret })).rejects.toMatchObject({ reason: 'other_secret' });
  });

  test('without a quorum, unless one machine is meant', async () => {
    const primary = database.primary();
    for (const [name, value] of [
      ['synchronous_commit', 'local'],
      ['synchronous_commit', 'off'],
      ['synchronous_standby_names', ''],
    ] as const) {
      const reload = async (change: string): Promise<void> => {
        const current = async (): Promise<unknown> => (await primary.sql(`SHOW ${name}`))[0]?.[name];
        const before = await current();
        await primary.sql(`ALTER SYSTEM ${change}`);
        await primary.sql('SELECT pg_reload_conf()');
        // The server reads its configuration after the answer.
        await until('the configuration', async () => (await current()) !== before);
      };
      await reload(`SET ${name} = '${value}'`);
      await expect(members.join()).rejects.toMatchObject({ reason: 'no_quorum' });
      await (await members.join({ isSingle: true })).close();
      await reload(`RESET ${name}`);
    }
    await members.join();
  });

  test('with a clock that is an hour off', async () => {
    const now = Date.now.bind(Date);
    jest.spyOn(Date, 'now').mockImplementation(() => now() + 3_600_000);
    await expect(members.join()).rejects.toMatchObject({
      reason: 'clock',
      message: expect.stringMatching(/says 2\d{3}-.*Z, that of the database 2\d{3}-.*Z/),
    });
    jest.spyOn(Date, 'now').mockImplementation(() => now() + 60_000);
    await members.join();
  });

  test('with the URL of a process that lives', async () => {
    const { url } = await members.join({ leaseMs: 3000 });
    await expect(members.join({ leaseMs: 3000, member: { url, capacity: 1 } })).rejects.toMatchObject({
      reason: 'member_taken',
      message: expect.stringContaining(url),
    });
  });

  itAtNight('through a pooler that drops the settings of sessions', async () => {
    const plain = await startPostgres({ isPlain: true, standbys: 0 });
    const pooler = createServer((near) => {
      const far = connect(plain.primary().port, '127.0.0.1');
      near.once('data', (message: Buffer) => {
        const text = message.toString('latin1').replace(/lock_timeout\0\d+\0/, '');
        const changed = Buffer.from(text, 'latin1');
        changed.writeUInt32BE(changed.length, 0);
        far.write(changed);
        near.pipe(far);
      });
      far.pipe(near);
      for (const socket of [near, far])
        socket
          .on('error', () => undefined)
          .on('close', () => {
            near.destroy();
            far.destroy();
          });
    });
    await new Promise<void>((resolve) => pooler.listen(0, '127.0.0.1', resolve));
    const { port } = pooler.address() as AddressInfo;
    const join = (ports: readonly number[]) => members.join({ urls: plain.url({ ports }), isSingle: true });
    await initCluster(plain.url(), members.secret);
    await expect(join([port])).rejects.toMatchObject({
      reason: 'pooler',
      message: expect.stringContaining('PgBouncer'),
    });
    await join([plain.primary().port]);
    await members.close();
    pooler.close();
    await plain.stop();
  });

  test('with a wrong login', async () => {
    for (const urls of [database.url({ password: 'wrong' }), database.url({ database: 'missing' })])
      await expect(members.join({ urls })).rejects.toMatchObject({
        reason: 'login',
        message: expect.not.stringContaining('wrong'),
      });
  });

  test('if no server takes writes, answers, or says anything', async () => {
    const [standby] = database.standbys();
    await expect(members.join({ urls: database.url({ ports: [standby?.port ?? 0] }) })).rejects.toThrow(
      /is a standby/,
    );
    await expect(members.join({ urls: database.url({ ports: [await freePort()] }) })).rejects.toThrow(
      ClusterUnreachable,
    );
    const silent = await startCutProxy(database.primary().port, database.tls);
    silent.silence();
    const refused = members.join({ urls: database.url({ ports: [silent.port] }) });
    await expect(refused).rejects.toThrow(ClusterUnreachable);
    await expect(refused).rejects.toThrow(/no answer within 5000 ms/);
    await silent.close();
  });

  itAtNight('with an address that is none', async () => {
    await expect(openCluster({ ...settings(), urls: 'redis://h/d' })).rejects.toMatchObject({
      reason: 'address',
    });
  });
});

const settings = () => ({
  secret: members.secret,
  member: { url: 'http://member', capacity: 1 },
  isSingle: false,
  log: { info: () => undefined, warn: () => undefined },
});

/** Says that the tables are of a version which does not exist yet. */
async function setVersion(urls: string): Promise<void> {
  const name = /\/([^/?]+)\?/.exec(urls)?.[1] ?? '';
  await database.primary().sql('UPDATE wallet_rpc.meta SET version = 99', name);
}

describe('wallet-rpc cluster init', () => {
  const run = promisify(execFile);
  const main = bundled('main');
  const init = (urls: string, file: string): Promise<{ stdout: string; stderr: string }> =>
    run(process.execPath, [main, 'cluster', 'init', '--cluster', urls, '--cluster-secret-file', file]);

  test('makes secret and tables, once', async () => {
    const urls = await emptyDatabase('by_command');
    const file = join(folder, 'secret');
    expect((await init(urls, file)).stderr).toMatch(/new secret[\s\S]*were made/);
    const content = readFileSync(file, 'utf8');
    expect((await init(urls, file)).stderr).toBe('The tables of the cluster are there already.\n');
    expect(readFileSync(file, 'utf8')).toBe(content);
    await members.join({ urls, secret: ClusterSecret.read(file) });
  });

  itAtNight(
    'makes them as the user of packaging/cluster, in a database with the settings of its Patroni',
    async () => {
      const password = "it's: ä";
      const superuser = database.url({ ports: [database.primary().port] });
      await run('sh', [fileURLToPath(new URL('post-init.sh', PACKAGING)), superuser], {
        env: { ...process.env, WALLET_RPC_DATABASE_PASSWORD: password },
      });
      const user = { user: 'wallet_rpc', password: encodeURIComponent(password) };
      const urls = database.url({ ...user, database: 'wallet_rpc' });
      const file = join(folder, 'packaged');
      expect((await init(urls, file)).stderr).toMatch(/were made/);
      await members.join({ urls, secret: ClusterSecret.read(file) });
      const [settings = {}] = await database
        .primary()
        .sql(
          `SELECT current_setting('wal_log_hints') AS hints, current_setting('wal_compression') AS compression`,
        );
      expect(settings).toEqual({ hints: 'on', compression: 'off' });
    },
  );

  itAtNight('makes no second secret for tables that have one', async () => {
    const file = join(folder, 'second');
    await expect(init(database.url(), file)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('another secret'),
    });
    expect(existsSync(file)).toBe(false);
  });

  test('refuses a file that others can read, and an address without a database', async () => {
    const file = join(folder, 'open');
    ClusterSecret.create(file);
    chmodSync(file, 0o644);
    await expect(init(database.url(), file)).rejects.toMatchObject({
      stderr: expect.stringContaining('chmod 600'),
    });
    await expect(init('postgres://u:hidden@h', join(folder, 'none'))).rejects.toMatchObject({
      stderr: expect.stringMatching(/^(?![\s\S]*hidden)[\s\S]*expected postgres:/),
    });
    await expect(init(database.url(), '/nowhere/secret')).rejects.toMatchObject({
      stderr: expect.stringContaining('ENOENT'),
    });
  });
});
