import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { call, result, untilAnswers, type Loose, type Reply } from '../network/json-rpc.js';
import { freePort, isTest, start, startShared, stop, type RunningProcess } from './process.js';
import { until } from '../fakes/until.js';
import { referenceEnv } from './reference-preload.js';
import { isWrongAnswer } from '../network/wrong-answer.js';

/** Running wallet server, ours or the reference's. */
export interface WalletRpc {
  readonly port: number;
  readonly walletDir: string;
  readonly process: RunningProcess;
  /** Makes a call that must succeed. */
  rpc(method: string, params?: unknown): Promise<Loose>;
  /** Makes a call; the reply may be an error. */
  call(method: string, params?: unknown): Promise<Reply>;
  /** Stops the server, and removes its wallet directory. @param keep leaves the wallet directory. */
  stop(options?: { readonly signal?: NodeJS.Signals; readonly keep?: boolean }): Promise<number | null>;
}

export interface WalletRpcOptions {
  /** Absent: offline. */
  readonly daemon?: string;
  /** Absent: a temporary directory. */
  readonly walletDir?: string;
  /** Absent: a free port. */
  readonly port?: number;
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Command that starts it, such as taskset. */
  readonly under?: readonly string[];
  /** Flags of Node, for our server only. */
  readonly nodeFlags?: readonly string[];
  /** Whether our server checks its results; absent: in tests. */
  readonly checked?: boolean;
  /** Whether our server has a process of its own, which a test can signal; absent: in tests it shares that of the Jest worker. */
  readonly ownProcess?: boolean;
}

const VERSION = { jsonrpc: '2.0', id: '0', method: 'get_version' };

/** Path of a bundled program. @param checked whether a server compares its results with the schemas of its methods. */
export const bundled = (name: string, checked = isTest): string =>
  fileURLToPath(new URL(`../../../${checked ? 'checked' : 'server'}/${name}.js`, import.meta.url));
/** Flag of Node that loads a module into a server that checks its results. The bundle has it (`bin/bundle.js`). */
export const preload = (name: string): string => `--import=${bundled(name, true)}`;
/** Script that starts our server. */
export const SCRIPT = fileURLToPath(new URL('../../../../bin/wallet-rpc', import.meta.url));
/** Main module of our server. */
export const MAIN = bundled('main');

function nodeArgs(daemon: string | undefined, args: readonly string[]): string[] {
  if (daemon !== undefined) return [`--daemon-address=${daemon}`];
  return args.includes('--regtest') ? [] : ['--offline'];
}

/**
 * Checks the answers that a server logged as wrong.
 * @throws Error for a server that gave a result which differs from the schema of its method, or a fault that it lacks.
 */
function assertAnswers(output: string): void {
  const wrong = output.split('\n').filter(isWrongAnswer);
  if (wrong.length > 0) throw new Error([...new Set(wrong)].join('\n'));
}

/** Starts a program with its arguments. */
type Launcher = (args: readonly string[]) => RunningProcess;

async function launch(
  startWith: Launcher,
  { daemon, walletDir, port: wanted, args = [] }: WalletRpcOptions,
  extra: readonly string[],
): Promise<WalletRpc> {
  const directory = walletDir ?? mkdtempSync(join(tmpdir(), 'wallets-'));
  const port = wanted ?? (await freePort());
  const running = startWith([
    `--wallet-dir=${directory}`,
    `--rpc-bind-port=${port}`,
    ...nodeArgs(daemon, args),
    ...extra,
    ...args,
  ]);
  await untilAnswers(running, 'the wallet server', port, { path: '/json_rpc', body: VERSION });
  return {
    port,
    walletDir: directory,
    process: running,
    rpc: (method, params) => result(port, method, params),
    call: (method, params) => call(port, method, params),
    async stop({ signal = 'SIGTERM', keep = walletDir !== undefined } = {}) {
      const code = await stop(running, signal);
      assertAnswers(running.output());
      if (!keep) rmSync(directory, { recursive: true, force: true });
      return code;
    },
  };
}

/** Flags of Node that `bin/wallet-rpc` sets. */
export const NODE_FLAGS = ['--max-semi-space-size=4'];
/** Environment that `bin/wallet-rpc` sets. */
export const ALLOCATOR = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_TRIM_THRESHOLD_: '131072',
  MALLOC_MMAP_THRESHOLD_: '65536',
};

/** Starts a command in a process of its own. */
const asProcess =
  (command: readonly string[], { env, under = [] }: WalletRpcOptions): Launcher =>
  (args) => {
    const [program = '', ...before] = [...under, ...command];
    return start(program, [...before, ...args], { ...process.env, ...env });
  };

/** Options of a server that needs a process of its own. */
const OF_PROCESSES: readonly (keyof WalletRpcOptions)[] = ['env', 'under', 'nodeFlags', 'checked'];

const sharesProcess = (options: WalletRpcOptions): boolean =>
  isTest &&
  !(options.ownProcess ?? OF_PROCESSES.some((name) => options[name] !== undefined)) &&
  !(options.args ?? []).some((arg) => arg.startsWith('--pidfile'));

/**
 * Starts our server. In tests, a result that differs from the schema of its method is an error, and servers share a process
 * unless they need one of their own.
 */
export const startWalletRpc = (options: WalletRpcOptions = {}): Promise<WalletRpc> => {
  const command = [
    process.execPath,
    ...NODE_FLAGS,
    ...(options.nodeFlags ?? []),
    bundled('main', options.checked),
  ];
  const startWith: Launcher = sharesProcess(options)
    ? (args) => startShared('wallet', args)
    : asProcess(command, { ...options, env: { ...ALLOCATOR, ...options.env } });
  return launch(startWith, options, withoutLogin(options));
};

/** Starts our server in a process of its own, which a test can signal, or whose beginning and end it tests. */
export const startWalletProcess = (options: WalletRpcOptions = {}): Promise<WalletRpc> =>
  startWalletRpc({ ...options, ownProcess: true });

/** Starts our server as users do: the program that ships, by its script. */
export const startShipped = (options: WalletRpcOptions = {}): Promise<WalletRpc> =>
  launch(asProcess([SCRIPT], options), options, withoutLogin(options));

/** Flag that disables the login, unless the options require one. */
const withoutLogin = ({ args = [] }: WalletRpcOptions): string[] =>
  args.some((arg) => /^--(rpc-login|credentials)/.test(arg)) ? [] : ['--disable-rpc-login'];

const NO_CONNECTION = -38;

/** Time in which a refresh is repeated [ms]: the reference may take a slow daemon for a missing one. */
const REFRESH_MS = 10_000;

/** Starts Debian's monero-wallet-rpc. A refresh that reports no connection is repeated. */
export async function startReference(options: WalletRpcOptions = {}): Promise<WalletRpc> {
  const { args = [] } = options;
  // By default all processes of a user share one database of rings: one that ends while it holds the lock blocks the others.
  const rings = mkdtempSync(join(tmpdir(), 'rings-'));
  const hasRings = args.some((arg) => arg.startsWith('--shared-ringdb-dir'));
  const command = asProcess(['monero-wallet-rpc'], { ...options, env: referenceEnv(options.env) });
  const wallet = await launch(command, options, [
    ...withoutLogin(options),
    '--log-level=0',
    '--no-dns',
    // Otherwise it generates certificates at the start and for every wallet, which takes seconds each time.
    '--daemon-ssl=disabled',
    '--rpc-ssl=disabled',
    ...(hasRings ? [] : [`--shared-ringdb-dir=${rings}`]),
    `--log-file=${join(tmpdir(), `monero-wallet-rpc-${process.pid}.log`)}`,
  ]);
  const refresh = async (params: unknown): Promise<Loose> => {
    const attempt = async (): Promise<Reply | undefined> => {
      const reply = await wallet.call('refresh', params);
      return reply.error?.code === NO_CONNECTION ? undefined : reply;
    };
    const reply = await until('the daemon', attempt, REFRESH_MS).catch(() => undefined);
    return reply?.result ?? wallet.rpc('refresh', params);
  };
  return {
    ...wallet,
    // Wallets that are removed need not be stored: an orderly stop takes half a second.
    async stop({ keep = options.walletDir !== undefined, signal = keep ? 'SIGTERM' : 'SIGKILL' } = {}) {
      const code = await wallet.stop({ keep, signal });
      rmSync(rings, { recursive: true, force: true });
      return code;
    },
    rpc: (method, params) => (method === 'refresh' ? refresh(params) : wallet.rpc(method, params)),
  };
}
