import { execFile, execFileSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { freePort, start, stop, until, untilReady, type RunningProcess } from './process.js';

const run = promisify(execFile);

/** Password of the database's user `postgres`. */
const PASSWORD = 'over-the-wire';

/** Names of the servers. Each one's standbys may be any of the others. */
const NAMES = ['a', 'b', 'c'] as const;

/**
 * Finds the directory of the programs of PostgreSQL: Debian gives each version one, which is not in PATH; others install
 * them in PATH.
 * @throws Error if it is not installed.
 */
export function findPostgres(): string {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root)
    ? readdirSync(root)
        .map(Number)
        .sort((a, b) => b - a)
    : [];
  const bin = [
    ...versions.map((version) => join(root, String(version), 'bin')),
    ...(process.env['PATH'] ?? '').split(delimiter),
  ].find((path) => existsSync(join(path, 'initdb')));
  if (bin === undefined) throw new Error('PostgreSQL is not installed: sudo apt-get install postgresql');
  return bin;
}

/** PostgreSQL refuses to run as root: then it runs as the user of the package. */
function serverUser(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** One PostgreSQL server. */
export interface PostgresServer {
  readonly name: string;
  readonly port: number;
  readonly directory: string;
  start(): Promise<void>;
  /** Stops it: `SIGINT` ends connections and writes a checkpoint, `SIGQUIT` and `SIGKILL` do neither. */
  stop(signal?: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Promise<void>;
  /** Runs statements as the superuser, with one connection of their own. @returns the rows of the last one. */
  sql(text: string, database?: string): Promise<Record<string, unknown>[]>;
  /** Pauses or continues all its processes. */
  signalAll(signal: 'SIGSTOP' | 'SIGCONT'): void;
  output(): string;
}

export interface PostgresCluster {
  readonly servers: readonly PostgresServer[];
  /** The server that takes writes. */
  primary(): PostgresServer;
  standbys(): readonly PostgresServer[];
  /** Address of all servers, or of given ports. */
  url(options?: {
    readonly ports?: readonly number[];
    readonly database?: string;
    readonly password?: string;
  }): string;
  /** Waits until so many standbys follow the primary. */
  followed(standbys: number): Promise<void>;
  /**
   * Kills the primary, promotes the standby that has received most, and lets the other one follow it.
   * @returns the former primary.
   */
  failOver(): Promise<PostgresServer>;
  /** Copies the primary anew to a server, which then follows it. */
  rebuild(server: PostgresServer): Promise<void>;
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** Number of standbys; 2 by default. */
  readonly standbys?: number;
  /** True: commits wait for the disk, too. */
  readonly isDurable?: boolean;
  /** Further lines of the configuration. */
  readonly settings?: string;
}

/** Starts a primary with standbys, of which any one must acknowledge each commit. */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresCluster> {
  const bin = findPostgres();
  const user = serverUser();
  const root = mkdtempSync(join(tmpdir(), 'postgres-'));
  const env = { ...process.env, PGPASSWORD: PASSWORD, LC_ALL: 'C' };
  const tool = (name: string, args: readonly string[]): Promise<unknown> =>
    run(join(bin, name), args, { ...user, env, cwd: '/' });
  if (user.uid !== undefined && user.gid !== undefined) chownSync(root, user.uid, user.gid);
  const standbys = options.standbys ?? 2;
  const connection = (port: number, name: string): string =>
    `host=127.0.0.1 port=${port} user=postgres password=${PASSWORD} application_name=${name}`;

  const configure = (directory: string, port: number): void =>
    writeFileSync(
      join(directory, 'postgresql.conf'),
      [
        `port = ${port}`,
        `listen_addresses = '127.0.0.1'`,
        `unix_socket_directories = ''`,
        `fsync = ${options.isDurable === true ? 'on' : 'off'}`,
        `synchronous_standby_names = '${standbys === 0 ? '' : `ANY 1 (${NAMES.join(', ')})`}'`,
        'shared_buffers = 32MB',
        'max_connections = 80',
        'wal_keep_size = 512MB',
        'wal_retrieve_retry_interval = 200ms',
        'jit = off',
        options.settings ?? '',
      ].join('\n'),
    );

  const serverOf = async (name: string): Promise<PostgresServer> => {
    const port = await freePort();
    const directory = join(root, name);
    let running: RunningProcess | undefined;
    const server: PostgresServer = {
      name,
      port,
      directory,
      async start() {
        running = start(join(bin, 'postgres'), ['-D', directory], env, user);
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

  const copy = async (from: PostgresServer, to: PostgresServer): Promise<void> => {
    await tool('pg_basebackup', [
      '-D',
      to.directory,
      '-R',
      '-X',
      'stream',
      '-c',
      'fast',
      '--no-sync',
      '-d',
      connection(from.port, to.name),
    ]);
    configure(to.directory, to.port);
    await to.start();
  };

  const servers = await Promise.all(NAMES.slice(0, standbys + 1).map(serverOf));
  const [first, ...others] = servers;
  if (first === undefined) throw new Error('a cluster has a server');
  let primary = first;
  writeFileSync(join(root, 'password'), PASSWORD, { mode: 0o644 });
  await tool('initdb', [
    '-D',
    first.directory,
    '-U',
    'postgres',
    '--no-sync',
    '-E',
    'UTF8',
    '--locale=C',
    '--auth=scram-sha-256',
    `--pwfile=${join(root, 'password')}`,
  ]);
  configure(first.directory, first.port);
  writeFileSync(
    join(first.directory, 'pg_hba.conf'),
    'host all,replication all 127.0.0.1/32 scram-sha-256\n',
  );
  await first.start();
  await Promise.all(others.map((other) => copy(first, other)));

  const cluster: PostgresCluster = {
    servers,
    primary: () => primary,
    standbys: () => servers.filter((server) => server !== primary),
    url: ({ ports = servers.map(({ port }) => port), database = 'postgres', password = PASSWORD } = {}) =>
      `postgres://postgres:${password}@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/${database}`,
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
    async rebuild(server) {
      await server.stop('SIGKILL');
      rmSync(server.directory, { recursive: true, force: true });
      await copy(primary, server);
    },
    async stop() {
      await Promise.all(servers.map((server) => server.stop('SIGQUIT')));
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
