import {
  appendFileSync,
  chownSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { makeIssuedCertificate } from '../network/certificate.js';
import { copyTemplate, PASSWORD, postgresTools } from './postgres-template.js';
import { SmallDisk } from './small-disk.js';
import { freePort, start, stop, untilReady, type RunningProcess } from './process.js';
import { until } from '../fakes/until.js';

/** Names of the servers. Each one's standbys may be any of the others. */
const NAMES = ['a', 'b', 'c'] as const;

/** Size of the disk with the tables of a server, and of the disk with its log [bytes]. */
const TABLES_BYTES = 384 << 20;
const LOG_BYTES = 160 << 20;

/** Settings with which the log stays on a small disk of its own. */
const SMALL_LOG = ['max_wal_size = 64MB', 'min_wal_size = 32MB', 'wal_keep_size = 48MB'];

/** Name of the directory of the log. */
const LOG = 'pg_wal';

/** Disks of a server. */
export interface PostgresDisks {
  /** Disk of everything but the log. */
  readonly tables: SmallDisk;
  /** Disk of the write-ahead log. */
  readonly log: SmallDisk;
}

/** One PostgreSQL server. */
export interface PostgresServer {
  readonly name: string;
  readonly port: number;
  readonly directory: string;
  /** Present with `hasDisks`. */
  readonly disks?: PostgresDisks;
  /** True while its process runs, which may end by itself. */
  readonly isRunning: boolean;
  start(): Promise<void>;
  /** Stops it: `SIGINT` ends connections and writes a checkpoint, `SIGQUIT` and `SIGKILL` do neither. */
  stop(signal?: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Promise<void>;
  /** Runs statements as the superuser, with one connection of their own. @returns the rows of the last one. */
  sql(text: string, database?: string): Promise<Record<string, unknown>[]>;
  /** Pauses or continues all its processes. */
  signalAll(signal: 'SIGSTOP' | 'SIGCONT'): void;
  output(): string;
}

/** Certificate of the servers, and the authority that issued it. */
export interface DatabaseTls {
  readonly authorityFile: string;
  readonly key: Buffer;
  readonly cert: Buffer;
}

export interface PostgresCluster {
  readonly servers: readonly PostgresServer[];
  /** The server that takes writes. */
  primary(): PostgresServer;
  standbys(): readonly PostgresServer[];
  /** Certificate with which its servers prove themselves as 127.0.0.1 and localhost; absent with `isPlain`. */
  readonly tls?: DatabaseTls;
  /** Address of all servers, or of given ports: with `verify-full`, unless it is plain. */
  url(options?: {
    readonly ports?: readonly number[];
    /** Host of the ports; 127.0.0.1 by default. */
    readonly host?: string;
    readonly database?: string;
    /** The superuser by default. */
    readonly user?: string;
    readonly password?: string;
  }): string;
  /** Waits until so many standbys follow the primary. */
  followed(standbys: number): Promise<void>;
  /**
   * Kills the primary, promotes the standby that has received most, and lets the other one follow it.
   * @returns the former primary.
   */
  failOver(): Promise<PostgresServer>;
  /**
   * Promotes a standby while the primary goes on, and lets the other standbys follow the new one.
   * @returns the former primary, which takes writes that no standby confirms.
   */
  depose(): Promise<PostgresServer>;
  /**
   * Copies the primary anew to a server, which then follows it.
   * @param args arguments of `pg_basebackup`, which must write to the directory of the server; absent: own ones.
   */
  rebuild(server: PostgresServer, args?: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** True: without TLS. */
  readonly isPlain?: boolean;
  /** Names of the certificate in OpenSSL's syntax; its address and localhost by default. */
  readonly names?: string;
  /** Number of standbys; 2 by default. */
  readonly standbys?: number;
  /** True: commits wait for the disk, too. */
  readonly isDurable?: boolean;
  /** True: each server has small disks of its own, which can be filled. */
  readonly hasDisks?: boolean;
  /** Further lines of the configuration. */
  readonly settings?: string;
}

/** Starts a primary with standbys, of which any one must acknowledge each commit. */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresCluster> {
  const tools = postgresTools();
  const root = tools.makeDirectory(join(tmpdir(), 'postgres-'));
  const standbys = options.standbys ?? 2;
  const isPlain = options.isPlain === true;
  const files = isPlain
    ? undefined
    : makeIssuedCertificate(root, options.names ?? 'IP:127.0.0.1,DNS:localhost');
  const { uid, gid } = tools.user;
  // PostgreSQL refuses a key that others than its user can read.
  if (files !== undefined && uid !== undefined && gid !== undefined) chownSync(files.keyFile, uid, gid);
  const tls = files && {
    authorityFile: files.authorityFile,
    ...{ key: readFileSync(files.keyFile), cert: readFileSync(files.certFile) },
  };
  const connection = (port: number, name: string): string =>
    `host=127.0.0.1 port=${port} user=postgres password=${PASSWORD} application_name=${name} sslmode=${isPlain ? 'disable' : 'require'}`;

  const configure = (directory: string, port: number): void => {
    writeFileSync(
      join(directory, 'pg_hba.conf'),
      `${isPlain ? 'host' : 'hostssl'} all,replication all 127.0.0.1/32 scram-sha-256\n`,
    );
    writeFileSync(
      join(directory, 'postgresql.conf'),
      [
        `port = ${port}`,
        `listen_addresses = '127.0.0.1'`,
        `unix_socket_directories = ''`,
        `fsync = ${options.isDurable === true ? 'on' : 'off'}`,
        `synchronous_standby_names = '${standbys === 0 ? '' : `ANY 1 (${NAMES.join(', ')})`}'`,
        'shared_buffers = 32MB',
        // In its directory, so that a server that is killed leaves none behind.
        'dynamic_shared_memory_type = mmap',
        'wal_keep_size = 512MB',
        'wal_retrieve_retry_interval = 200ms',
        'jit = off',
        ...(options.hasDisks === true ? SMALL_LOG : []),
        ...(files === undefined
          ? []
          : ['ssl = on', `ssl_cert_file = '${files.certFile}'`, `ssl_key_file = '${files.keyFile}'`]),
        options.settings ?? '',
      ].join('\n'),
    );
  };

  const mountDisks = (directory: string): PostgresDisks => ({
    tables: SmallDisk.mount(directory, TABLES_BYTES, tools.user),
    log: SmallDisk.mount(`${directory}-log`, LOG_BYTES, tools.user),
  });
  /** Moves the log of a server that has not started yet to its disk, if it has one. */
  const moveLog = async ({ directory, disks }: PostgresServer): Promise<void> => {
    if (disks === undefined) return;
    const log = join(directory, LOG);
    await tools.run('cp', ['-a', `${log}/.`, disks.log.directory]);
    await tools.run('rm', ['-r', log]);
    await tools.run('ln', ['-s', disks.log.directory, log]);
  };

  const serverOf = async (name: string): Promise<PostgresServer> => {
    const port = await freePort();
    const directory = join(root, name);
    const disks = options.hasDisks === true ? mountDisks(directory) : undefined;
    let running: RunningProcess | undefined;
    const server: PostgresServer = {
      name,
      port,
      directory,
      ...(disks === undefined ? {} : { disks }),
      get isRunning() {
        return running !== undefined && running.child.exitCode === null && running.child.signalCode === null;
      },
      async start() {
        running = start(join(tools.bin, 'postgres'), ['-D', directory], tools.env, tools.user);
        await untilReady(running, `PostgreSQL ${name}`, () => server.sql('SELECT 1'));
      },
      async stop(signal = 'SIGINT') {
        if (running !== undefined) await stop(running, signal);
        running = undefined;
        // The processes of a killed server end by themselves, and must before it can start again.
        if (signal === 'SIGKILL')
          await until(`the end of PostgreSQL ${name}`, () => processesOf(directory).length === 0);
      },
      async sql(text, name = 'postgres') {
        const sql = postgres({
          host: '127.0.0.1',
          port,
          user: 'postgres',
          password: PASSWORD,
          database: name,
          ssl: isPlain ? false : 'require',
          max: 1,
          fetch_types: false,
          connect_timeout: 5,
        });
        try {
          return [...((await sql.unsafe(text)) as Iterable<Record<string, unknown>>)];
        } finally {
          await sql.end({ timeout: 1 });
        }
      },
      signalAll(signal) {
        for (const pid of processesOf(directory)) process.kill(pid, signal);
      },
      output: () => running?.output() ?? '',
    };
    return server;
  };

  /** Lists the processes of a server: all work in its directory. */
  const processesOf = (directory: string): number[] =>
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => {
        try {
          return readlinkSync(`/proc/${pid}/cwd`) === directory;
        } catch {
          return false; // It has ended.
        }
      });

  const copyArgs = (from: PostgresServer, to: PostgresServer): string[] => [
    ...['-D', to.directory, '-R', '-X', 'stream', '-c', 'fast', '--no-sync'],
    ...(to.disks === undefined ? [] : [`--waldir=${to.disks.log.directory}`]),
    ...['-d', connection(from.port, to.name)],
  ];
  const copy = async (to: PostgresServer, args: readonly string[]): Promise<void> => {
    await tools.run(join(tools.bin, 'pg_basebackup'), args);
    configure(to.directory, to.port);
    await to.start();
  };

  const servers = await Promise.all(NAMES.slice(0, standbys + 1).map(serverOf));
  const [first, ...others] = servers;
  if (first === undefined) throw new Error('a cluster has a server');
  let primary = first;
  await copyTemplate(
    tools,
    root,
    servers.map(({ directory }) => directory),
  );
  await Promise.all(servers.map(moveLog));
  for (const { directory, port } of servers) configure(directory, port);
  // A standby begins with the same files as the primary, which has not started yet.
  for (const { name, directory } of others) {
    writeFileSync(join(directory, 'standby.signal'), '');
    writeFileSync(
      join(directory, 'postgresql.auto.conf'),
      `primary_conninfo = '${connection(first.port, name)}'\n`,
    );
  }
  await Promise.all(servers.map((server) => server.start()));

  const cluster: PostgresCluster = {
    servers,
    ...(tls === undefined ? {} : { tls }),
    primary: () => primary,
    standbys: () => servers.filter((server) => server !== primary),
    url({
      ports = servers.map(({ port }) => port),
      host = '127.0.0.1',
      database = 'postgres',
      user = 'postgres',
      password = PASSWORD,
    } = {}) {
      const hosts = ports.map((port) => `${host}:${port}`).join(',');
      const security =
        tls === undefined ? '' : `?sslmode=verify-full&sslrootcert=${encodeURIComponent(tls.authorityFile)}`;
      return `postgres://${user}:${password}@${hosts}/${database}${security}`;
    },
    async followed(number) {
      await until(`${number} standbys`, async () => {
        const rows = await primary.sql(
          `SELECT FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = 'quorum'`,
        );
        return rows.length >= number;
      });
    },
    async failOver() {
      const former = primary;
      await former.stop('SIGKILL');
      const received = await Promise.all(
        cluster.standbys().map(async (server) => {
          const [row] = await server.sql(
            `SELECT (coalesce(pg_last_wal_receive_lsn(), '0/0') - '0/0')::text AS received`,
          );
          return { server, received: BigInt(String(row?.['received'])) };
        }),
      );
      const [best] = received.sort((x, y) => (x.received > y.received ? -1 : 1));
      if (best === undefined) throw new Error('there is no standby');
      await best.server.sql('SELECT pg_promote()');
      primary = best.server;
      await Promise.all(
        received
          .filter(({ server }) => server !== primary)
          .map(async ({ server }) => {
            await server.sql(
              `ALTER SYSTEM SET primary_conninfo = '${connection(primary.port, server.name)}'`,
            );
            await server.sql('SELECT pg_reload_conf()');
          }),
      );
      return former;
    },
    async depose() {
      const former = primary;
      const [next, ...others] = cluster.standbys();
      if (next === undefined) throw new Error('there is no standby');
      // They must not have what the new primary lacks.
      await Promise.all(others.map((server) => server.stop()));
      await former.sql(`SELECT pg_logical_emit_message(true, 'test', '')`);
      await next.sql('SELECT pg_promote()');
      primary = next;
      for (const server of others) {
        appendFileSync(
          join(server.directory, 'postgresql.auto.conf'),
          `primary_conninfo = '${connection(next.port, server.name)}'\n`,
        );
        await server.start();
      }
      await cluster.followed(others.length);
      return former;
    },
    async rebuild(server, args = copyArgs(primary, server)) {
      await server.stop('SIGKILL');
      // Disks stay mounted.
      for (const directory of [server.directory, server.disks?.log.directory ?? server.directory])
        for (const name of readdirSync(directory))
          rmSync(join(directory, name), { recursive: true, force: true });
      await copy(server, args);
    },
    async stop() {
      await Promise.all(servers.map((server) => server.stop('SIGQUIT')));
      for (const { disks } of servers) for (const disk of Object.values(disks ?? {})) disk.unmount();
      rmSync(root, { recursive: true, force: true });
    },
  };
  if (standbys > 0) await cluster.followed(standbys);
  return cluster;
}

/** Creates a database. @returns its name. */
export async function newDatabase(cluster: PostgresCluster, name: string): Promise<string> {
  await cluster.primary().sql(`CREATE DATABASE ${name}`);
  return name;
}
