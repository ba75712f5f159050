import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCutProxy, type CutProxy } from '../network/cut-proxy.js';
import { result, walletCalls, type Loose, type WalletCalls } from '../network/json-rpc.js';
import type { Monerod } from './monerod.js';
import type { PostgresCluster } from './postgres-cluster.js';
import { freePort } from './process.js';
import { until } from '../fakes/until.js';
import { startRegtestDaemon } from './regtest-daemon.js';
import { runWalletRpc } from './wallet-rpc-run.js';
import { startWalletProcess, type WalletRpc } from './wallet-rpc.js';

/** Password of all wallets of a {@link WalletCluster}. */
export const PASSWORD = 'pass';

/** Process of a {@link WalletCluster}. */
export interface ClusterMember {
  readonly name: string;
  readonly port: number;
  readonly walletDir: string;
  /** Address at which the other processes reach it. */
  readonly url: string;
  /** Proxy between the other processes and this one; present with `isProxied`. */
  readonly front?: CutProxy;
  /** Proxies between this process and each server of the database; empty without `isProxied`. */
  readonly databases: readonly CutProxy[];
  /** Id of its process; 0 while none runs. */
  readonly pid: number;
  /** True while its process runs, also while it is paused. */
  readonly isRunning: boolean;
  readonly isPaused: boolean;
  start(): Promise<void>;
  /** Ends its process. SIGTERM: gives its wallets to other processes first. */
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** Pauses its process, or continues it. */
  pause(isPaused: boolean): void;
  /** Returns the output of all its processes. */
  output(): string;
  /** Calls by the path of a wallet, through this process. */
  wallet(name: string): WalletCalls;
  /** Calls without the path of a wallet. */
  readonly rpc: WalletRpc['rpc'];
}

/** Database of a cluster, which the caller starts and stops. */
export type ClusterDatabase = Pick<PostgresCluster, 'url' | 'servers' | 'tls'>;

export interface WalletClusterOptions {
  readonly postgres: ClusterDatabase;
  /** Name of its database in PostgreSQL, which exists; absent: `postgres`. */
  readonly database?: string;
  /** Names of the wallets whose password every process has. */
  readonly wallets: readonly string[];
  /** Number of processes; 3 by default. */
  readonly members?: number;
  /** Absent: those of the program. */
  readonly leaseMs?: number;
  readonly timeoutMs?: number;
  /** True: proxies stand between each process, the others and the database. */
  readonly isProxied?: boolean;
  /** Time by which the clock of the first process is ahead [ms]; 0 if absent. */
  readonly firstAheadMs?: number;
  readonly args?: readonly string[];
  /** Token of a credential that may do everything; absent: no login is required. */
  readonly token?: string;
  /** Further arguments of the daemon. */
  readonly daemonArgs?: readonly string[];
  /** Daemon that the caller starts and stops; absent: one of the cluster's own. */
  readonly daemon?: Monerod;
  /** Addresses at which the processes reach the daemon, one for each; absent: that of the daemon. */
  readonly daemonAddresses?: readonly string[];
  /** Further environment of the processes. */
  readonly env?: NodeJS.ProcessEnv;
  /** Whether the processes check their results; absent: in tests. */
  readonly checked?: boolean;
}

/** Wallet servers that form a cluster, with a regtest daemon. */
export interface WalletCluster {
  /** Address of the database. */
  readonly databaseUrl: string;
  readonly daemon: Monerod;
  readonly members: readonly ClusterMember[];
  readonly secretFile: string;
  /** Directory with the passwords of the wallets. */
  readonly passwordDir: string;
  /** Starts one more process. */
  add(): Promise<ClusterMember>;
  /** Processes that run and are not paused. */
  live(): ClusterMember[];
  /**
   * Finds the process that holds a wallet; undefined while none does.
   * @param except process that is not asked, since it may be cut off and know an earlier state.
   */
  holderOf(wallet: string, except?: ClusterMember): Promise<ClusterMember | undefined>;
  /** Waits until a process holds a wallet. @param except process that must not be the holder. */
  held(wallet: string, except?: ClusterMember): Promise<ClusterMember>;
  stop(): Promise<void>;
}

/** Environment of a process whose clock is ahead. */
const shiftedClock = (ms: number): NodeJS.ProcessEnv => ({
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(`const now = Date.now; Date.now = () => now() + ${ms};`)}`,
});

/** Starts a cluster of wallet servers. */
export async function startWalletCluster(options: WalletClusterOptions): Promise<WalletCluster> {
  const { postgres, database, wallets, members: count = 3, leaseMs, timeoutMs, isProxied = false } = options;
  const { args = [], token } = options;
  const named = database === undefined ? {} : { database };
  const databaseUrl = postgres.url(named);
  const directory = mkdtempSync(join(tmpdir(), 'cluster-'));
  const secretFile = join(directory, 'secret');
  const passwordDir = join(directory, 'passwords');
  mkdirSync(passwordDir, { mode: 0o700 });
  for (const name of wallets) writeFileSync(join(passwordDir, name), PASSWORD, { mode: 0o600 });
  const daemon = options.daemon ?? (await startRegtestDaemon(options.daemonArgs));
  const init = await runWalletRpc([
    ...['cluster', 'init', `--cluster=${databaseUrl}`, `--cluster-secret-file=${secretFile}`],
  ]);
  if (init.code !== 0) throw new Error(`wallet-rpc cluster init: ${init.output}`);
  const members: ClusterMember[] = [];

  const create = async (): Promise<ClusterMember> => {
    const name = `p${members.length + 1}`;
    const walletDir = join(directory, name);
    mkdirSync(walletDir);
    const port = await freePort();
    const front = isProxied ? await startCutProxy(port) : undefined;
    const databases = isProxied
      ? await Promise.all(postgres.servers.map((server) => startCutProxy(server.port, postgres.tls)))
      : [];
    const url = `http://127.0.0.1:${front?.port ?? port}`;
    const { firstAheadMs = 0 } = options;
    const env = {
      ...options.env,
      ...(members.length > 0 || firstAheadMs === 0 ? {} : shiftedClock(firstAheadMs)),
    };
    const daemonAddress = options.daemonAddresses?.[members.length] ?? daemon.address;
    const behind = isProxied
      ? postgres.url({ ...named, ports: databases.map((proxy) => proxy.port) })
      : databaseUrl;
    let server: WalletRpc | undefined;
    let isPaused = false;
    let earlier = '';
    const member: ClusterMember = {
      ...{ name, port, walletDir, url, databases },
      ...(front === undefined ? {} : { front }),
      get pid() {
        return server?.process.child.pid ?? 0;
      },
      get isRunning() {
        return server !== undefined;
      },
      get isPaused() {
        return isPaused;
      },
      async start() {
        server = await startWalletProcess({
          ...{ daemon: daemonAddress, walletDir, port, env },
          ...(options.checked === undefined ? {} : { checked: options.checked }),
          args: [
            '--trusted-daemon',
            `--cluster=${behind}`,
            `--cluster-secret-file=${secretFile}`,
            `--cluster-url=${url}`,
            `--password-dir=${passwordDir}`,
            ...(leaseMs === undefined ? [] : [`--cluster-lease=${leaseMs}`]),
            ...(timeoutMs === undefined ? [] : [`--cluster-timeout=${timeoutMs}`]),
            ...args,
          ],
        });
      },
      async stop(signal) {
        const stopped = server;
        if (stopped === undefined) return;
        server = undefined;
        await stopped.stop({ signal, keep: true });
        earlier += stopped.process.output();
      },
      pause(wanted) {
        isPaused = wanted;
        server?.process.child.kill(wanted ? 'SIGSTOP' : 'SIGCONT');
      },
      output: () => earlier + (server?.process.output() ?? ''),
      wallet: (wallet) => walletCalls(port, wallet, token),
      rpc: (method, params) => result(port, method, params, '/json_rpc', token),
    };
    members.push(member);
    return member;
  };

  const live = (): ClusterMember[] => members.filter((member) => member.isRunning && !member.isPaused);
  const cluster: WalletCluster = {
    ...{ databaseUrl, daemon, members, secretFile, passwordDir, live },
    async add() {
      const member = await create();
      await member.start();
      return member;
    },
    async holderOf(wallet, except) {
      const asked = live().find((member) => member !== except);
      if (asked === undefined) return undefined;
      const { wallets: listed = [] } = await asked.rpc('list_wallets');
      const { holder } = (listed as Loose[]).find(({ name }) => name === wallet) ?? {};
      return members.find(({ url }) => url === holder);
    },
    held: (wallet, except) =>
      until(`the holder of ${wallet}`, async () => {
        const holder = await cluster.holderOf(wallet, except);
        return holder === undefined || holder === except ? undefined : holder;
      }),
    async stop() {
      for (const member of members) if (member.isPaused) member.pause(false);
      await Promise.all(members.map((member) => member.stop('SIGKILL')));
      const proxies = members.flatMap(({ front, databases }) => [...databases, ...(front ? [front] : [])]);
      await Promise.all(proxies.map((proxy) => proxy.close()));
      if (options.daemon === undefined) await daemon.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
  for (let i = 0; i < count; i++) await create();
  await Promise.all(members.map((member) => member.start()));
  return cluster;
}
