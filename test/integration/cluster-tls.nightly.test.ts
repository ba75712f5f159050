import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { ClusterUnreachable, NotReplicated } from '../../src/cluster/errors.js';
import { utf8 } from '../../src/util/bytes.js';
import { makeIssuedCertificate } from '../support/network/certificate.js';
import { ClusterMembers, contentOf, walletName } from '../support/processes/cluster-members.js';
import { startPostgres, type PostgresCluster } from '../support/processes/postgres-cluster.js';
import { until } from '../support/fakes/until.js';
import { runWalletRpc } from '../support/processes/wallet-rpc-run.js';
import { ClusterSecret } from '../../src/cluster/cluster-secret.js';

let folder: string;
let byAddress: PostgresCluster;
let byName: PostgresCluster;
let plain: PostgresCluster;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cluster-tls-'));
  byAddress = await startPostgres({ standbys: 1, names: 'IP:127.0.0.1' });
  byName = await startPostgres({ standbys: 1, names: 'DNS:localhost' });
  plain = await startPostgres({ standbys: 1, isPlain: true });
});
let members: ClusterMembers | undefined;
afterEach(() => members?.close());
afterAll(async () => {
  await Promise.all([byAddress, byName, plain].map((database) => database?.stop()));
  rmSync(folder, { recursive: true, force: true });
});

/** Makes the tables at an address by the command. */
const init = (urls: string, name: string) =>
  runWalletRpc([...['cluster', 'init', `--cluster=${urls}`, `--cluster-secret-file=${join(folder, name)}`]]);

describe('a database with verify-full', () => {
  test.each([
    ['127.0.0.1', () => byAddress],
    ['localhost', () => byName],
  ])('is used at %s, which is in its certificate', async (host, world) => {
    const database = world();
    const urls = database.url({ host });
    expect(await init(urls, host)).toMatchObject({
      code: 0,
      output: expect.stringMatching(/tables of the cluster were made/),
    });
    members = new ClusterMembers(() => urls);
    const settings = { secret: ClusterSecret.read(join(folder, host)), timeoutMs: 5000, leaseMs: 60_000 };
    const a = await members.join(settings);
    const wallet = walletName();
    const lease = await a.leases.create(wallet, utf8('keys'));
    await a.logs.append(lease, 1, utf8('one'));
    expect((await contentOf(a, wallet)).frames).toEqual([[1, 'one']]);
    // A statement that waits is cancelled over TLS as well: no backend waits on.
    const [standby] = database.standbys();
    await standby?.stop('SIGKILL');
    await expect(a.logs.append(lease, 2, utf8('two'))).rejects.toThrow(NotReplicated);
    await until('the end of the waiting statement', async () => {
      const waiting = await database
        .primary()
        .sql(`SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep'`);
      return waiting.length === 0;
    });
    await standby?.start();
    await database.followed(1);
    await a.logs.append(lease, 2, utf8('two'));
  });

  test.each([
    ['localhost', () => byAddress],
    ['127.0.0.1', () => byName],
  ])('is refused at %s, which is not in its certificate', async (host, world) => {
    const { code, output } = await init(world().url({ host }), `not-${host}`);
    expect(output).toMatch(/--cluster: the database cannot be used: .*does not match certificate/);
    expect(output).not.toMatch(/ at .*\.js:/);
    expect(code).toBe(1);
  });

  test('is refused under another authority, and without TLS', async () => {
    const { authorityFile } = makeIssuedCertificate(folder, 'DNS:localhost');
    const security = `?sslmode=verify-full&sslrootcert=${encodeURIComponent(authorityFile)}`;
    const refused = async (database: PostgresCluster): Promise<string> => {
      members = new ClusterMembers(() => `${database.url().replace(/\?.*/, '')}${security}`);
      const error = await members.join().catch((cause: unknown) => cause);
      expect(error).toBeInstanceOf(ClusterUnreachable);
      return (error as Error).message;
    };
    expect(await refused(byAddress)).toMatch(/unable to verify|certificate/);
    expect(await refused(plain)).toMatch(/does not offer TLS/);
  });

  test('is not used without TLS if it asks for it', async () => {
    members = new ClusterMembers(() => byAddress.url().replace(/\?.*/, ''));
    await expect(members.join()).rejects.toMatchObject({ reason: 'login' });
  });
});
