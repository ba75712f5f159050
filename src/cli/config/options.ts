import { Command, Option } from 'commander';

/** Error of an invalid setting. The message is shown on the terminal, and contains no secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Definition of one flag, from which the README's table, the config file, the environment and `--help` are made. */
export interface OptionSpec {
  readonly name: string;
  /** Placeholder of the value in the help; absent for a switch. */
  readonly argument?: string;
  readonly group: OptionGroup;
  readonly help: string;
  readonly default?: string;
  /** True: the option may be repeated, and its values are collected. */
  readonly repeatable?: true;
  /** True: the option is accepted only because launchers of the reference pass it; a warning at the start names it. */
  readonly noEffect?: true;
  /** True: the value is a secret, which the process list would show if it were on the command line. */
  readonly secret?: true;
}

export type OptionGroup =
  | 'Wallets'
  | 'Server'
  | 'TLS of the server'
  | 'Watch'
  | 'Daemon'
  | 'Chain'
  | 'Network'
  | 'Logging and process';

const ssl = (prefix: string, group: OptionGroup): readonly OptionSpec[] => [
  { name: `${prefix}-private-key`, argument: 'file', group, help: 'private key, PEM' },
  { name: `${prefix}-certificate`, argument: 'file', group, help: 'certificate, PEM' },
  {
    name: `${prefix}-ca-certificates`,
    argument: 'file',
    group,
    help: 'certificates that the peer must chain to, PEM',
  },
  {
    name: `${prefix}-allowed-fingerprints`,
    argument: 'list',
    group,
    help: 'SHA-256 fingerprints of accepted peer certificates, comma separated',
  },
  { name: `${prefix}-allow-chained`, group, help: 'accept peer certificates that a listed CA issued' },
];

/** Flags of `wallet-rpc`, in the order of `--help`. */
export const OPTIONS: readonly OptionSpec[] = [
  {
    name: 'wallet-dir',
    argument: 'dir',
    group: 'Wallets',
    help: 'directory of the wallets that clients create and open (made when missing)',
  },
  {
    name: 'open',
    argument: 'name',
    group: 'Wallets',
    help: 'open this wallet of --wallet-dir at the start, under its path /wallet/<name>/json_rpc; repeatable',
    repeatable: true,
  },
  {
    name: 'password-dir',
    argument: 'dir',
    group: 'Wallets',
    help: 'directory with the passwords of --open, a file a wallet, named as the wallet',
  },
  { name: 'wallet-file', argument: 'file', group: 'Wallets', help: 'open this wallet at the start' },
  { name: 'password', argument: 'text', group: 'Wallets', help: 'password of --wallet-file', secret: true },
  {
    name: 'password-file',
    argument: 'file',
    group: 'Wallets',
    help: 'file that holds that password',
  },
  { name: 'prompt-for-password', group: 'Wallets', help: 'ask for that password on the terminal' },
  {
    name: 'kdf-rounds',
    argument: 'n',
    group: 'Wallets',
    help: 'key-stretching rounds of keys files',
    default: '1',
  },
  {
    name: 'export-format',
    argument: 'format',
    group: 'Wallets',
    help: 'format of outputs exported to offline wallets: current, or 0.18.0 for wallets of that first release',
    default: 'current',
  },
  {
    name: 'no-initial-sync',
    group: 'Wallets',
    help: 'ignored: requests are answered while the wallet syncs, always',
    noEffect: true,
  },
  {
    name: 'tx-notify',
    argument: 'command',
    group: 'Wallets',
    help: 'run for every incoming transaction, %s is its hash and %w the wallet (no shell); at most 4 at once, killed after 5 minutes',
  },
  {
    name: 'notify-history',
    group: 'Wallets',
    help: 'run --tx-notify, and send webhooks, also for what a restored or imported wallet received and paid before',
  },
  {
    name: 'confirmations',
    argument: 'n[,n…]',
    group: 'Wallets',
    help: 'confirmations at which payment.confirmed is reported, at most 8 numbers; 1 is the block of the payment',
    default: '1,10',
  },
  {
    name: 'backup-dir',
    argument: 'dir',
    group: 'Wallets',
    help: 'directory of the backups that backup_wallet writes',
  },
  {
    name: 'event-retention',
    argument: 'days',
    group: 'Wallets',
    help: 'age at which events are deleted',
    default: '90',
  },
  {
    name: 'webhook-allow-private',
    group: 'Wallets',
    help: 'let webhooks reach this machine and private networks',
  },
  {
    name: 'max-concurrency',
    argument: 'n',
    group: 'Wallets',
    help: 'scanning threads; 0 is one a core',
    default: '0',
  },

  {
    name: 'rpc-bind-port',
    argument: 'port',
    group: 'Server',
    help: 'port to listen on (18083, testnet 28083, stagenet 38083); 0 picks a free one',
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
    name: 'rpc-bind-ipv6-address',
    argument: 'ip',
    group: 'Server',
    help: 'IPv6 address to listen on',
    default: '::1',
  },
  { name: 'rpc-use-ipv6', group: 'Server', help: 'listen on IPv6 too' },
  { name: 'rpc-ignore-ipv4', group: 'Server', help: 'go on when IPv4 cannot be bound' },
  {
    name: 'rpc-login',
    argument: 'user[:password]',
    group: 'Server',
    help: 'HTTP digest credentials of clients',
    secret: true,
  },
  { name: 'disable-rpc-login', group: 'Server', help: 'say that no credentials are wanted' },
  {
    name: 'credentials',
    argument: 'file',
    group: 'Server',
    help: 'clients with limited rights, in place of or beside --rpc-login; read again on SIGHUP (docs/credentials.md)',
  },
  {
    name: 'audit-log',
    argument: 'file',
    group: 'Server',
    help: 'append a JSON line for each call to this file; opened again on SIGHUP',
  },
  { name: 'restricted-rpc', group: 'Server', help: 'answer view-type methods only' },
  {
    name: 'rpc-access-control-origins',
    argument: 'list',
    group: 'Server',
    help: 'browser origins that may call, comma separated, or *',
  },
  {
    name: 'rpc-allowed-hosts',
    argument: 'list',
    group: 'Server',
    help: 'host names under which browsers may call and pages be read without a login, comma separated, beside localhost and IP addresses; programs may call under any name',
  },
  {
    name: 'api-version',
    argument: 'version',
    group: 'Server',
    help: "1.3: the specification to the letter; 1.32: today's monero-wallet-rpc where the two differ",
    default: '1.3',
  },
  {
    name: 'error-details',
    group: 'Server',
    help: 'add data.explanation to the errors of all clients, not only of those that send Error-Details: yes',
  },
  {
    name: 'rpc-max-connections',
    argument: 'n',
    group: 'Server',
    help: 'connections at once',
    default: '100',
  },
  {
    name: 'rpc-max-connections-per-private-ip',
    argument: 'n',
    group: 'Server',
    help: 'of one private or loopback address',
    default: '25',
  },
  {
    name: 'rpc-max-connections-per-public-ip',
    argument: 'n',
    group: 'Server',
    help: 'of one public address',
    default: '3',
  },
  { name: 'rpc-restricted-bind-ip', argument: 'ip', group: 'Server', help: 'ignored', noEffect: true },
  {
    name: 'rpc-restricted-bind-ipv6-address',
    argument: 'ip',
    group: 'Server',
    help: 'ignored',
    noEffect: true,
  },
  { name: 'disable-rpc-ban', group: 'Server', help: 'ignored', noEffect: true },
  { name: 'rpc-response-soft-limit', argument: 'bytes', group: 'Server', help: 'ignored', noEffect: true },

  {
    name: 'rpc-ssl',
    argument: 'mode',
    group: 'TLS of the server',
    help: 'enabled, disabled or autodetect',
    default: 'autodetect',
  },
  ...ssl('rpc-ssl', 'TLS of the server'),

  {
    name: 'metrics-bind',
    argument: '[ip:]port',
    group: 'Watch',
    help: 'serve /metrics without a login on this address, 127.0.0.1 if only a port is given; otherwise it is behind the login of the server',
  },
  {
    name: 'ready-daemon-seconds',
    argument: 'seconds',
    group: 'Watch',
    help: 'outage of the node from which /readyz answers 503',
    default: '60',
  },
  {
    name: 'ready-blocks-behind',
    argument: 'n',
    group: 'Watch',
    help: 'blocks that a wallet may lack before /readyz answers 503',
    default: '10',
  },
  {
    name: 'ready-disk-bytes',
    argument: 'bytes',
    group: 'Watch',
    help: 'free space for the wallets below which /readyz answers 503',
    default: '100000000',
  },

  {
    name: 'daemon-address',
    argument: 'host:port',
    group: 'Daemon',
    help: 'the node; http:// and https:// are understood, and ,trusted or ,untrusted behind it; repeatable, in the order of preference (docs/failover.md)',
    repeatable: true,
  },
  {
    name: 'daemon-host',
    argument: 'host',
    group: 'Daemon',
    help: 'its host, where --daemon-address is not given',
  },
  {
    name: 'daemon-port',
    argument: 'port',
    group: 'Daemon',
    help: 'its port (18081, testnet 28081, stagenet 38081)',
  },
  {
    name: 'daemon-login',
    argument: 'user[:password]',
    group: 'Daemon',
    help: 'HTTP digest credentials for the node, the same for every --daemon-address',
    secret: true,
  },
  {
    name: 'trusted-daemon',
    group: 'Daemon',
    help: 'trust answers of the node that cannot be verified; of each that --daemon-address does not mark itself',
  },
  { name: 'untrusted-daemon', group: 'Daemon', help: 'do not, even when it runs on this machine' },
  { name: 'proxy', argument: '[ip:]port', group: 'Daemon', help: 'SOCKS proxy towards the node' },
  {
    name: 'daemon-zmq',
    argument: 'tcp://host:port',
    group: 'Daemon',
    help: "the node's --zmq-pub: new blocks and transactions are read at once, beside the periodic refresh",
  },
  {
    name: 'daemon-ssl',
    argument: 'mode',
    group: 'Daemon',
    help: 'enabled, disabled or autodetect',
    default: 'autodetect',
  },
  ...ssl('daemon-ssl', 'Daemon'),
  { name: 'daemon-ssl-allow-any-cert', group: 'Daemon', help: "do not check the node's certificate" },
  {
    name: 'allow-mismatched-daemon-version',
    group: 'Daemon',
    help: 'go on with a node whose blocks follow rules newer than this server knows',
  },
  { name: 'offline', group: 'Daemon', help: 'never speak to a node' },
  {
    name: 'regtest',
    group: 'Daemon',
    help: 'start a regtest node with the server, on this machine, and use it',
  },
  {
    name: 'regtest-data-dir',
    argument: 'dir',
    group: 'Daemon',
    help: 'keep the chain of that node in this directory; otherwise it is gone with the process',
  },
  {
    name: 'no-dns',
    group: 'Daemon',
    help: 'do not look up OpenAlias names; with --offline or --proxy none are anyhow',
  },
  {
    name: 'dns-server',
    argument: 'list',
    group: 'Daemon',
    help: 'resolvers that verify DNSSEC, ip[:port], comma separated; otherwise those of the system',
  },

  { name: 'testnet', group: 'Network', help: 'wallets and node are on testnet' },
  { name: 'stagenet', group: 'Network', help: 'wallets and node are on stagenet' },

  {
    name: 'log-level',
    argument: 'level',
    group: 'Logging and process',
    help: 'how much is logged: 0 to 4, which is everything; also with categories, as 0,wallet.rpc:DEBUG',
    default: '0',
  },
  {
    name: 'log-file',
    argument: 'file',
    group: 'Logging and process',
    help: 'append the log, as JSON lines, to this file too; opened again on SIGHUP',
  },
  {
    name: 'max-log-file-size',
    argument: 'bytes',
    group: 'Logging and process',
    help: 'ignored: rotate the file with logrotate',
    noEffect: true,
  },
  {
    name: 'max-log-files',
    argument: 'n',
    group: 'Logging and process',
    help: 'ignored: rotate the file with logrotate',
    noEffect: true,
  },
  {
    name: 'config-file',
    argument: 'file',
    group: 'Logging and process',
    help: 'lines name=value, names as here without the dashes; a switch is name=1, and # begins a comment',
  },
  { name: 'non-interactive', group: 'Logging and process', help: 'never ask on the terminal' },
  {
    name: 'detach',
    group: 'Logging and process',
    help: 'run in the background: returns once requests are answered; the log goes to --log-file alone',
  },
  {
    name: 'pidfile',
    argument: 'file',
    group: 'Logging and process',
    help: 'write the process id to this file',
  },
  {
    name: 'shared-ringdb-dir',
    argument: 'dir',
    group: 'Logging and process',
    help: 'ignored',
    noEffect: true,
  },
  { name: 'extra-entropy', argument: 'file', group: 'Logging and process', help: 'ignored', noEffect: true },
];

/** Returns the environment variable of a flag: `WALLET_RPC_` and the flag's name in capitals. */
export const environmentName = (option: string): string =>
  `WALLET_RPC_${option.replaceAll('-', '_').toUpperCase()}`;

/** Raw settings by flag name: true for a switch, a list for a repeatable option, a text for any other one. */
export type RawOptions = Readonly<Record<string, string | true | readonly string[]>>;

/** Removes the value from an argument, since it may be a secret. */
const withoutValue = (flag: string): string => flag.replace(/^(--[^=]*|-[^-]).*$/s, '$1');

/** A program with its flags. */
export interface Program {
  readonly name: string;
  readonly description: string;
  readonly options: readonly OptionSpec[];
  /** Text after the flags in the help. */
  readonly epilogue: string;
}

const WALLET_RPC: Program = {
  name: 'wallet-rpc',
  description: 'A Monero-compatible wallet RPC server over a remote daemon.',
  options: OPTIONS,
  epilogue:
    'wallet-rpc credential adds, lists and removes the clients of --credentials.\n' +
    `Every option can also stand in the --config-file (name=value) or in the environment (${environmentName('rpc-login')}=...);\n` +
    'use those for secrets, which the process list would show.',
};

/**
 * Parses a command line. For `--help`, `--version` and syntax errors, commander prints a text and ends the process.
 * @throws ConfigError if an option occurs twice, or if a switch has a value.
 */
export function parseCommandLine(
  argv: readonly string[],
  version: string,
  program: Program = WALLET_RPC,
): RawOptions {
  const { unknown } = createCommand(version, program).parseOptions([...argv]);
  const [stranger] = unknown;
  const name = stranger === undefined ? undefined : withoutValue(stranger).slice(2);
  if (program.options.some((option) => option.name === name))
    throw new ConfigError(`--${name} is a switch and takes no value`);
  const readable =
    stranger === undefined || unknown.some((flag) => /^(-h|--help)$/.test(flag))
      ? argv
      : [withoutValue(stranger)];
  return createCommand(version, program)
    .parse(readable, { from: 'user' })
    .opts<Record<string, string | true | string[]>>();
}

function createCommand(version: string, { name: title, description, options, epilogue }: Program): Command {
  const command = new Command(title)
    .description(description)
    .version(version)
    .allowExcessArguments(false)
    .showHelpAfterError('(--help lists the options)')
    .addHelpText('after', `\n${epilogue}`);
  for (const { name, argument, group, help, default: initial, repeatable } of options) {
    const flags = argument === undefined ? `--${name}` : `--${name} <${argument}>`;
    const option = new Option(
      flags,
      initial === undefined ? help : `${help} (default: ${initial})`,
    ).helpGroup(`${group}:`);
    if (repeatable)
      option.argParser((value: string, previous: readonly string[] = []) => [...previous, value]);
    else if (argument !== undefined)
      option.argParser((value: string, previous: string | undefined) => {
        if (previous !== undefined) throw new ConfigError(`--${name} is given twice`);
        return value;
      });
    // Names that begin with `no-` are plain switches here, not negations of another option.
    option.negate = false;
    option.attributeName = () => name;
    command.addOption(option);
  }
  return command;
}
