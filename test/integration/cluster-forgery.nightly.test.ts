import { createServer, type Server } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { initCluster } from '../../src/cluster/cluster-database.js';
import { MemberGone } from '../../src/cluster/errors.js';
import { utf8 } from '../../src/util/bytes.js';
import { ClusterMembers, taken, walletName } from '../support/processes/cluster-members.js';
import type { Loose } from '../support/network/json-rpc.js';
import { newDatabase, startPostgres, type PostgresCluster } from '../support/processes/postgres-cluster.js';
import { freePort } from '../support/processes/process.js';
import {
  PASSWORD,
  startWalletCluster,
  type ClusterMember,
  type WalletCluster,
} from '../support/processes/wallet-cluster.js';

/* Somebody who may write to the database of a cluster, and has not its secret. */

const ELSEWHERE = -67;
let postgres: PostgresCluster;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres?.stop());

describe('the rows of a cluster', () => {
  const members = new ClusterMembers(() => postgres.url());
  const logged: [fields: object, message: string][] = [];
  const log = {
    info: () => undefined,
    warn: (...line: [object, string]) => void logged.push(line),
  };
  const sql = (text: string) => postgres.primary().sql(text);

  beforeAll(() => initCluster(postgres.url(), members.secret));
  afterEach(async () => {
    logged.length = 0;
    await members.close();
  });

  /** Adds a living member, with the proof of another one. */
  const forgeMember = (url: string) =>
    sql(`INSERT INTO wallet_rpc.member (url, process, capacity, lease_ms, expires, timeline, proof)
         SELECT '${url}', gen_random_uuid(), 1000, 3500, now() + interval '1 hour', timeline, proof
         FROM wallet_rpc.member WHERE proof IS NOT NULL LIMIT 1 RETURNING process`);

  test('list no member that was written without the secret, and none gets a wallet', async () => {
    const a = await members.join({ log });
    await forgeMember('http://127.0.0.1:9');
    expect((await a.members.list()).map(({ url }) => url)).not.toContain('http://127.0.0.1:9');
    await a.members.list();
    const lines = logged.filter(([, message]) => message.startsWith('a member'));
    expect(lines).toEqual([[{ url: 'http://127.0.0.1:9' }, expect.stringMatching(/ignored.*secret/)]]);
    const lease = await a.leases.create(walletName(), utf8('keys'));
    await expect(a.leases.handOver(lease, 'http://127.0.0.1:9')).rejects.toThrow(MemberGone);
    expect(lease.isValid()).toBe(true);
  });

  test.each([
    ['another holder', (url: string) => `holder = '${url}'`],
    ['the holder of another wallet', (url: string) => `holder = '${url}', holder_proof = other.holder_proof`],
    ['the holder of another epoch', (url: string) => `holder = '${url}', epoch = wallet.epoch + 1`],
  ])('give a wallet no holder that was written without the secret: %s', async (_name, change) => {
    const [a, b] = [await members.join(), await members.join({ log })];
    const [wallet, other] = [walletName(), walletName()];
    const lease = await a.leases.create(wallet, utf8('keys'));
    await b.leases.create(other, utf8('keys'));
    const [row] = await sql(`SELECT process::text AS process FROM wallet_rpc.member WHERE url = '${b.url}'`);
    await sql(`UPDATE wallet_rpc.wallet SET process = '${String(row?.['process'])}', ${change(b.url)}
               FROM wallet_rpc.wallet AS other
               WHERE wallet.holder = '${a.url}' AND other.holder = '${b.url}'`);
    const entry = (await b.leases.list()).find(({ name }) => name === wallet);
    expect(entry).toMatchObject({ hasFalseHolder: true, isLapsed: false });
    expect(entry?.holder).toBeUndefined();
    expect(logged).toContainEqual([
      expect.objectContaining({ holder: b.url }),
      expect.stringMatching(/ignored/),
    ]);
    expect(lease.epoch).toBe(1n);
  });

  test('name a holder after each change of it', async () => {
    const [a, b] = [await members.join(), await members.join()];
    const wallet = walletName();
    const holder = async () => (await a.leases.list()).find(({ name }) => name === wallet)?.holder;
    const lease = await a.leases.create(wallet, utf8('keys'));
    expect(await holder()).toBe(a.url);
    await a.leases.handOver(lease, b.url);
    expect(await holder()).toBe(b.url);
    const { lease: second } = await taken(b, wallet);
    expect(await holder()).toBe(b.url);
    await b.leases.abandon(second);
    expect(await holder()).toBe(b.url);
    await taken(a, wallet);
    expect(await holder()).toBe(a.url);
  });

  test('are listed beside one of another secret', async () => {
    const a = await members.join({ log });
    const wallet = walletName();
    await a.leases.create(wallet, utf8('keys'));
    await sql(`INSERT INTO wallet_rpc.wallet (id, name, keys_file, is_new, epoch, claim)
               VALUES (decode(repeat('ab', 32), 'hex'), 'x', 'x', true, 1, gen_random_uuid())`);
    expect((await a.leases.list()).map(({ name }) => name)).toContain(wallet);
    expect(logged).toContainEqual([{ row: 'abababababababab' }, expect.stringMatching(/ignored/)]);
  });

  test('of an older version are upgraded at a start, and its members are ignored', async () => {
    await sql(`ALTER TABLE wallet_rpc.member DROP COLUMN proof`);
    await sql(`ALTER TABLE wallet_rpc.wallet DROP COLUMN holder_proof, DROP COLUMN left_to`);
    await sql(`UPDATE wallet_rpc.meta SET version = 1`);
    await sql(`INSERT INTO wallet_rpc.member (url, process, capacity, lease_ms, expires, timeline)
               VALUES ('http://older', gen_random_uuid(), 1, 3500, now() + interval '1 hour', '')`);
    const [a, b] = [await members.join(), await members.join()];
    expect(await sql('SELECT version FROM wallet_rpc.meta')).toEqual([{ version: 2 }]);
    const urls = (await a.members.list()).filter(({ isAlive }) => isAlive).map(({ url }) => url);
    expect(urls).toEqual([a.url, b.url].sort());
  });
});

describe('a call for a wallet', () => {
  let cluster: WalletCluster;
  let first: ClusterMember;
  let second: ClusterMember;
  let address: string;
  const database = 'forgery';
  const sql = (text: string) => postgres.primary().sql(text, database);
  const seen: string[] = [];
  const servers: Server[] = [];

  /** Answers every request as a holder would answer to a process that believes everything. */
  async function listenFalsely(port: number): Promise<void> {
    const body = '{"id":"0","jsonrpc":"2.0","result":{"address":"4Attacker"}}';
    const server = createServer((socket) =>
      socket
        .on('error', () => undefined)
        .on('data', (bytes: Buffer) => {
          seen.push(bytes.toString('latin1'));
          socket.write('HTTP/1.1 100 Continue\r\n\r\n');
          socket.write(
            `HTTP/1.1 200 OK\r\nCluster-Answer: served\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
          );
        }),
    );
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    servers.push(server);
  }

  beforeAll(async () => {
    await newDatabase(postgres, database);
    cluster = await startWalletCluster({ postgres, database, wallets: ['till'], members: 2 });
    [first, second] = cluster.members as [ClusterMember, ClusterMember];
    await first.wallet('till').rpc('create_wallet', { password: PASSWORD, language: 'English' });
    address = String((await second.wallet('till').rpc('get_address')).address);
  });
  afterAll(async () => {
    for (const server of servers) server.close();
    await cluster?.stop();
  });

  /** Calls through the second process what an attacker would like to read or to answer. */
  async function expectRefused(): Promise<void> {
    for (const [method, params] of [
      ['get_address', {}],
      ['open_wallet', { password: PASSWORD }],
    ] as const) {
      const { error, result } = await second.wallet('till').call(method, params);
      expect([error?.code, (result as Loose)?.address]).toEqual([ELSEWHERE, undefined]);
    }
    expect(seen.filter((text) => text.includes(`"${PASSWORD}"`))).toEqual([]);
  }

  test('sends no body to a listener at the address of a process that has ended', async () => {
    const { port } = first;
    await first.stop('SIGKILL');
    await listenFalsely(port);
    // Whoever writes to the database makes the process live on.
    await sql(`UPDATE wallet_rpc.member SET lease_ms = 3600000 WHERE url = '${first.url}'`);
    await expectRefused();
    expect(seen).not.toEqual([]);
  });

  test('does not go to an address that was written without the secret', async () => {
    seen.length = 0;
    const port = await freePort();
    await listenFalsely(port);
    const url = `http://127.0.0.1:${port}`;
    await sql(`INSERT INTO wallet_rpc.member (url, process, capacity, lease_ms, expires, timeline, proof)
               SELECT '${url}', process, 1000, 3600000, expires, timeline, proof
               FROM wallet_rpc.member WHERE url = '${first.url}'`);
    await sql(`UPDATE wallet_rpc.wallet SET holder = '${url}'`);
    await expectRefused();
    expect(seen.filter((text) => text.includes(`127.0.0.1:${port}`))).toEqual([]);
    expect(second.output()).toMatch(/the holder of a wallet is ignored/);
  });

  test('is answered again once the rows are right', async () => {
    await sql(`DELETE FROM wallet_rpc.member WHERE url <> '${second.url}'`);
    expect((await cluster.held('till')).url).toBe(second.url);
    expect((await second.wallet('till').rpc('get_address')).address).toBe(address);
  });
});
