import { assertComplete, parseFaults, FAULTS, type InjectedFault } from '../../regtest/fault-injection.js';
import type { ForkHeights } from '../../regtest/rules/fork-schedule.js';
import { GRACE_BLOCKS, readForkHeights } from '../config/fork-heights.js';
import { logCategories, ConfigError } from '../config/config-values.js';
import type { Program } from '../config/command-line.js';
import type { OptionSpec, RawOptions } from '../config/option.js';
import { parseTcpEndpoint } from '../config/daemon-addresses.js';

const ignored = (name: string, argument?: string): OptionSpec => ({
  name,
  ...(argument === undefined ? {} : { argument }),
  group: 'Network',
  help: 'ignored',
  noEffect: true,
});

/** Flags of the regtest daemon, in the order of `--help`. */
export const REGTEST_OPTIONS: readonly OptionSpec[] = [
  { name: 'regtest', group: 'Chain', help: 'ignored: this daemon knows no other network' },
  { name: 'offline', group: 'Chain', help: 'ignored: this daemon has no peers' },
  { name: 'keep-fakechain', group: 'Chain', help: 'ignored: a chain in --data-dir is kept' },
  {
    name: 'data-dir',
    argument: 'dir',
    group: 'Chain',
    help: 'keep the chain in this directory; otherwise it is gone with the process',
  },
  {
    name: 'fixed-difficulty',
    argument: 'n',
    group: 'Chain',
    help: 'difficulty that blocks are reported with; no proof of work is checked',
    default: '1',
  },
  {
    name: 'block-time',
    argument: 'seconds',
    group: 'Chain',
    help: 'time between blocks while mining',
    default: '1',
  },
  { name: 'start-mining', argument: 'address', group: 'Chain', help: 'mine to this address from the start' },
  {
    name: 'allow-unlock-time',
    group: 'Chain',
    help: 'relay transactions with an unlock time, as nodes did before 2024',
  },
  {
    name: 'fork-height',
    argument: 'h[,h2]',
    group: 'Chain',
    help: `rehearse the next fork: blocks have version 17 from height h on, and 18 from h2, or ${GRACE_BLOCKS} blocks later`,
  },

  {
    name: 'misbehave',
    argument: 'list',
    group: 'Chain',
    help: `fail clients on purpose, to test them: ${Object.keys(FAULTS).join(', ')}, each with =number; none starts without any`,
  },

  {
    name: 'rpc-bind-port',
    argument: 'port',
    group: 'Server',
    help: 'port to listen on; 0 picks a free one',
    default: '18081',
  },
  {
    name: 'rpc-bind-ip',
    argument: 'ip',
    group: 'Server',
    help: 'address to listen on',
    default: '127.0.0.1',
  },
  { name: 'confirm-external-bind', group: 'Server', help: 'allow an address that is not loopback' },
  {
    name: 'rpc-restricted-bind-port',
    argument: 'port',
    group: 'Server',
    help: 'a second port, for restricted answers',
  },
  {
    name: 'rpc-restricted-bind-ip',
    argument: 'ip',
    group: 'Server',
    help: 'address of that port',
    default: '127.0.0.1',
  },
  { name: 'restricted-rpc', group: 'Server', help: 'answer restricted methods only' },
  {
    name: 'rpc-login',
    argument: 'user:password',
    group: 'Server',
    help: 'HTTP digest credentials of clients',
    secret: true,
  },
  {
    name: 'rpc-access-control-origins',
    argument: 'list',
    group: 'Server',
    help: 'browser origins that may call, comma separated, or *',
  },
  {
    name: 'rpc-max-connections',
    argument: 'n',
    group: 'Server',
    help: 'connections at once',
    default: '100',
  },

  {
    name: 'zmq-pub',
    argument: 'tcp://ip:port',
    group: 'Server',
    help: 'publish blocks, pool transactions and miner data there: json-{full,minimal}-{chain_main,txpool_add}, json-full-miner_data',
  },
  { name: 'no-zmq', group: 'Server', help: 'publish nothing' },

  {
    name: 'log-level',
    argument: 'level',
    group: 'Logging and process',
    help: 'how much is logged: 0 to 4, which is everything; also with categories',
    default: '0',
  },
  {
    name: 'log-file',
    argument: 'file',
    group: 'Logging and process',
    help: 'append the log to this file too',
  },
  {
    name: 'pidfile',
    argument: 'file',
    group: 'Logging and process',
    help: 'write the process id to this file',
  },

  ignored('non-interactive'),
  ignored('p2p-bind-ip', 'ip'),
  ignored('p2p-bind-port', 'port'),
  ignored('p2p-external-port', 'port'),
  ignored('zmq-rpc-bind-ip', 'ip'),
  ignored('zmq-rpc-bind-port', 'port'),
  ignored('no-igd'),
  ignored('igd', 'mode'),
  ignored('hide-my-port'),
  ignored('no-sync'),
  ignored('out-peers', 'n'),
  ignored('in-peers', 'n'),
  ignored('add-exclusive-node', 'address'),
  ignored('add-priority-node', 'address'),
  ignored('add-peer', 'address'),
  ignored('allow-local-ip'),
  ignored('disable-dns-checkpoints'),
  ignored('check-updates', 'mode'),
  ignored('db-sync-mode', 'mode'),
  ignored('db-salvage'),
  ignored('fast-block-sync', 'flag'),
  ignored('block-sync-size', 'n'),
  ignored('max-concurrency', 'n'),
  ignored('prune-blockchain'),
  ignored('rpc-ssl', 'mode'),
  ignored('disable-rpc-ban'),
  ignored('public-node'),
  ignored('max-txpool-weight', 'n'),
  ignored('max-log-file-size', 'bytes'),
  ignored('max-log-files', 'n'),
  ignored('mining-threads', 'n'),
  ignored('no-fluffy-blocks'),
  ignored('limit-rate', 'n'),
  ignored('rpc-max-connections-per-private-ip', 'n'),
  ignored('rpc-max-connections-per-public-ip', 'n'),
  ignored('rpc-bind-ipv6-address', 'ip'),
  ignored('rpc-restricted-bind-ipv6-address', 'ip'),
  ignored('rpc-use-ipv6'),
  ignored('rpc-ignore-ipv4'),
  ignored('rpc-response-soft-limit', 'bytes'),
  ignored('p2p-bind-ipv6-address', 'ip'),
  ignored('p2p-bind-port-ipv6', 'port'),
  ignored('p2p-use-ipv6'),
  ignored('p2p-ignore-ipv4'),
  ignored('seed-node', 'address'),
  ignored('max-connections-per-ip', 'n'),
  ignored('limit-rate-up', 'n'),
  ignored('limit-rate-down', 'n'),
  ignored('tos-flag', 'n'),
  ignored('ban-list', 'file'),
  ignored('enable-dns-blocklist'),
  ignored('enforce-dns-checkpointing'),
  ignored('proxy', 'address'),
  ignored('proxy-allow-dns-leaks'),
  ignored('tx-proxy', 'network'),
  ignored('anonymous-inbound', 'address'),
  ignored('pad-transactions'),
  ignored('bootstrap-daemon-address', 'url'),
  { ...ignored('bootstrap-daemon-login', 'user:password'), secret: true },
  ignored('bootstrap-daemon-proxy', 'address'),
  ignored('block-download-max-size', 'bytes'),
  ignored('sync-pruned-blocks'),
  ignored('prep-blocks-threads', 'n'),
  ignored('show-time-stats', 'flag'),
  ignored('fluffy-blocks'),
  ignored('keep-alt-blocks'),
  ignored('extra-messages-file', 'file'),
  ignored('block-notify', 'command'),
  ignored('block-rate-notify', 'command'),
  ignored('reorg-notify', 'command'),
  ignored('bg-mining-enable'),
  ignored('bg-mining-ignore-battery'),
  ignored('bg-mining-min-idle-interval', 'seconds'),
  ignored('bg-mining-idle-threshold', 'percent'),
  ignored('bg-mining-miner-target', 'percent'),
];

export const REGTEST_DAEMON: Program = {
  name: 'regtest-daemon',
  description: 'A Monero daemon for tests: a chain of its own, mined on demand, verified for real.',
  options: REGTEST_OPTIONS,
  epilogue:
    'No proof of work is made or checked. At --fixed-difficulty 1 every nonce is valid on the regtest of\n' +
    'monerod too, so blocks made here are valid there.',
};

/** Validated settings of the regtest daemon. */
export interface RegtestConfig {
  readonly dataDir?: string;
  readonly fixedDifficulty: bigint;
  readonly blockTimeMs: number;
  readonly startMining?: string;
  readonly anyUnlockTime: boolean;
  /** Heights of the next fork; absent: the chain stays at the rules of today. */
  readonly fork?: ForkHeights;
  readonly bind: readonly { readonly ip: string; readonly port: number; readonly restricted: boolean }[];
  readonly login?: { readonly user: string; readonly password: string };
  readonly origins: readonly string[];
  readonly maxConnections: number;
  /** Address at which events are published over ZeroMQ; absent: no events are published. */
  readonly publish?: { readonly ip: string; readonly port: number };
  /** Injected faults with their parameters; absent: no faults, and no fault can be injected at run time. */
  readonly misbehave?: ReadonlyMap<InjectedFault, number>;
  readonly log: { readonly categories: string; readonly file?: string };
  readonly pidFile?: string;
  /** Flags that are set but have no effect. */
  readonly withoutEffect: readonly string[];
}

const U64_MAX = (1n << 64n) - 1n;

/** Validates the settings. @throws ConfigError */
export function toRegtestConfig(raw: RawOptions): RegtestConfig {
  const value = (name: string): string | undefined => {
    const setting = raw[name] ?? REGTEST_OPTIONS.find((option) => option.name === name)?.default;
    return typeof setting === 'string' ? setting : undefined;
  };
  const number = (name: string, max: number): number => {
    const given = Number(value(name));
    if (!Number.isFinite(given) || given < 0 || given > max)
      throw new ConfigError(`--${name}: a number up to ${max} is expected`);
    return given;
  };
  const port = (name: string): number => {
    const given = number(name, 65_535);
    if (!Number.isInteger(given)) throw new ConfigError(`--${name}: a port is expected`);
    return given;
  };
  const host = (name: string, ip = value(name) ?? '127.0.0.1'): string => {
    if (!/^(?:127\.|::1$|localhost$)/.test(ip) && raw['confirm-external-bind'] === undefined)
      throw new ConfigError(
        `--${name} ${ip} can be reached from outside this machine: add --confirm-external-bind if that is intended`,
      );
    return ip;
  };
  const restrictedPort = value('rpc-restricted-bind-port');
  const [dataDir, startMining, file, pidFile] = ['data-dir', 'start-mining', 'log-file', 'pidfile'].map(
    value,
  );
  const login = readLogin(value('rpc-login'));
  const misbehave = readFaults(value('misbehave'));
  const fork = readForkHeights('fork-height', value('fork-height'));
  const publish = raw['no-zmq'] === undefined ? readTcp(value('zmq-pub')) : undefined;
  return {
    ...(dataDir === undefined ? {} : { dataDir }),
    fixedDifficulty: readDifficulty(value('fixed-difficulty') ?? ''),
    blockTimeMs: Math.max(1, Math.round(number('block-time', 1e6) * 1000)),
    ...(startMining === undefined ? {} : { startMining }),
    anyUnlockTime: raw['allow-unlock-time'] !== undefined,
    ...(fork === undefined ? {} : { fork }),
    bind: [
      {
        ip: host('rpc-bind-ip'),
        port: port('rpc-bind-port'),
        restricted: raw['restricted-rpc'] !== undefined,
      },
      ...(restrictedPort === undefined
        ? []
        : [
            {
              ip: host('rpc-restricted-bind-ip'),
              port: port('rpc-restricted-bind-port'),
              restricted: true,
            },
          ]),
    ],
    ...(login === undefined ? {} : { login }),
    origins: (value('rpc-access-control-origins') ?? '').split(',').filter((origin) => origin !== ''),
    maxConnections: number('rpc-max-connections', 1e6),
    ...(publish === undefined ? {} : { publish: { ...publish, ip: host('zmq-pub', publish.ip) } }),
    ...(misbehave === undefined ? {} : { misbehave }),
    log: { categories: logCategories(value('log-level')), ...(file === undefined ? {} : { file }) },
    ...(pidFile === undefined ? {} : { pidFile }),
    withoutEffect: REGTEST_OPTIONS.filter(({ name, noEffect }) => noEffect && raw[name] !== undefined).map(
      ({ name }) => name,
    ),
  };
}

function readDifficulty(text: string): bigint {
  const difficulty = /^\d{1,20}$/.test(text) ? BigInt(text) : 0n;
  if (difficulty < 1n || difficulty > U64_MAX)
    throw new ConfigError('--fixed-difficulty: a positive integer is expected');
  return difficulty;
}

function readFaults(text: string | undefined): ReadonlyMap<InjectedFault, number> | undefined {
  if (text === undefined) return undefined;
  try {
    const faults = parseFaults(text === 'none' ? '' : text);
    assertComplete({ faults });
    return faults;
  } catch (cause) {
    throw new ConfigError(`--misbehave: ${cause instanceof Error ? cause.message : ''}`, { cause });
  }
}

/** Parses the address of the ZeroMQ publisher. @throws ConfigError */
function readTcp(text: string | undefined): { ip: string; port: number } | undefined {
  if (text === undefined) return undefined;
  const endpoint = parseTcpEndpoint(text);
  if (endpoint === undefined) throw new ConfigError('--zmq-pub: tcp://ip:port is expected');
  return { ip: endpoint.host, port: endpoint.port };
}

function readLogin(text: string | undefined): { user: string; password: string } | undefined {
  if (text === undefined) return undefined;
  const colon = text.indexOf(':');
  if (colon < 1) throw new ConfigError('--rpc-login: user:password is expected');
  return { user: text.slice(0, colon), password: text.slice(colon + 1) };
}
