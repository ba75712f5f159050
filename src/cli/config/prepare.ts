import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Secret } from '../../util/secret.js';
import { utf8 } from '../../util/bytes.js';
import { ConfigError, type LoginConfig } from './config-values.js';
import type { Logger } from 'pino';
import { Listener } from '../../http/server/listener.js';
import type { Config } from './config.js';

/** Asks for a secret on the terminal, without echo. @throws ConfigError without a terminal, or if the user cancels. */
export async function promptSecret(question: string, interactive: boolean): Promise<Secret> {
  if (!interactive || !process.stdin.isTTY)
    throw new ConfigError(`${question}: not given, and there is no terminal to ask on`);
  process.stderr.write(`${question}: `);
  const muted = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: muted, terminal: true });
  const cancelled = new AbortController();
  terminal.on('SIGINT', () => cancelled.abort());
  terminal.on('close', () => cancelled.abort());
  try {
    return new Secret(utf8(await terminal.question('', { signal: cancelled.signal })));
  } catch (cause) {
    if (cancelled.signal.aborted) throw new ConfigError(`${question}: not given`, { cause });
    throw cause;
  } finally {
    terminal.close();
    process.stderr.write('\n');
  }
}

/** User name and password of a login. */
export interface Credentials {
  readonly user: string;
  readonly password: string;
}

/** Passwords and bound ports, obtained before the modules of the server are loaded. */
export interface Prepared {
  /** Login that clients must use. */
  readonly login?: Credentials;
  readonly daemonLogin?: Credentials;
  /** Password of `--wallet-file`; empty if there is no such wallet. */
  readonly walletPassword: string;
  readonly listeners: readonly Listener[];
  /** Bound port of `--metrics-bind`. */
  readonly metricsListener?: Listener;
  /** Bound port of `--pay-bind`. */
  readonly payListener?: Listener;
}

const textOf = (secret: { expose(): Uint8Array }): string => Buffer.from(secret.expose()).toString('utf8');

/** Prompts for missing passwords, then binds the ports. @throws ConfigError */
export async function prepareStart(config: Config, log: Logger): Promise<Prepared> {
  const { rpc, daemon, wallet, watch, pay, interactive } = config;
  const ask = async (name: string, login: LoginConfig): Promise<Credentials> => {
    const password =
      login.password ?? (await promptSecret(`--${name}: password of ${login.user}`, interactive));
    return { user: login.user, password: textOf(password) };
  };
  if (wallet.promptForPassword && wallet.file !== undefined) {
    // Loaded only where a person is asked: the server, which loads the same, is loaded later.
    const { assertWalletFile } = await import('./wallet-file.js');
    assertWalletFile(wallet.file);
  }
  const login = rpc.login && (await ask('rpc-login', rpc.login));
  const daemonLogin = daemon.login && (await ask('daemon-login', daemon.login));
  const walletPassword =
    wallet.password ??
    (wallet.promptForPassword ? await promptSecret('wallet password', interactive) : undefined);
  const listeners = await bindPorts(rpc, log);
  const metricsListener =
    watch.metrics && (await bindFurther(watch.metrics, 'metrics-bind', 'Metrics are served', log));
  const payListener = pay && (await bindFurther(pay, 'pay-bind', 'Pay pages are served', log));
  return {
    ...(login === undefined ? {} : { login }),
    ...(daemonLogin === undefined ? {} : { daemonLogin }),
    walletPassword: walletPassword === undefined ? '' : textOf(walletPassword),
    listeners,
    ...(metricsListener === undefined ? {} : { metricsListener }),
    ...(payListener === undefined ? {} : { payListener }),
  };
}

async function bindPorts(rpc: Config['rpc'], log: Logger): Promise<Listener[]> {
  const listeners: Listener[] = [];
  for (const { ip, optional } of rpc.bind) {
    const port = listeners.at(-1)?.port ?? rpc.port;
    try {
      listeners.push(await Listener.bind(ip, port));
    } catch (cause) {
      const problem = cannotListen(ip, port, cause, { ip: 'rpc-bind-ip', port: 'rpc-bind-port' });
      if (!optional) throw problem;
      log.warn(`${problem.message}; the server starts without this address`);
      continue;
    }
    sayBound(ip, listeners.at(-1)?.port ?? port, log);
  }
  return listeners;
}

/** Binds a further port. @param flag name of its option. @param text log message. @throws ConfigError */
async function bindFurther(
  { ip, port }: { readonly ip: string; readonly port: number },
  flag: string,
  text: string,
  log: Logger,
): Promise<Listener> {
  try {
    const listener = await Listener.bind(ip, port);
    log.info({ ip, port: listener.port }, text);
    return listener;
  } catch (cause) {
    throw cannotListen(ip, port, cause, { ip: flag, port: flag });
  }
}

/** Logs a bound address in the form that launchers parse; {@link SpacedOutput} separates it from the next line. */
export const sayBound = (ip: string, port: number, log: Logger): void =>
  log.info(`Binding on ${ip} (${ip.includes(':') ? 'IPv6' : 'IPv4'}):${port}`);

/**
 * Creates the error for an address that cannot be bound. @param flags names of the flags for the address and the port.
 */
export function cannotListen(
  ip: string,
  port: number,
  cause: unknown,
  flags: { readonly ip: string; readonly port: string },
): ConfigError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `address already in use; end the program that listens there, or choose another port with --${flags.port}`,
    EACCES: `permission denied; choose a port from 1024 on with --${flags.port}`,
    EADDRNOTAVAIL: `this machine has no such address; choose one of its own with --${flags.ip}`,
  };
  const reason = reasons[String(code)] ?? (cause instanceof Error ? cause.message : String(cause));
  return new ConfigError(`cannot listen on ${ip} port ${port}: ${reason}`, { cause });
}
