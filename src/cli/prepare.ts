import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Listener } from '../jsonrpc/listener.js';
import type { Config, LoginConfig } from './config.js';
import { ConfigError } from './options.js';
import { promptSecret } from './prompt.js';

export interface Credentials {
  readonly user: string;
  readonly password: string;
}

/** Everything that a start asks a person and the system for, before the server itself is loaded. */
export interface Prepared {
  /** Of clients. */
  readonly login?: Credentials;
  readonly daemonLogin?: Credentials;
  /** Of `--wallet-file`. */
  readonly walletPassword: string;
  readonly listeners: readonly Listener[];
}

/**
 * Time between a `Binding on` line and the next line [ms]. Launchers take the address from the chunk of standard
 * output that holds it, up to the chunk's last space and colon, so no other line may arrive in that chunk.
 */
export const APART_MS = 100;

const textOf = (secret: { expose(): Uint8Array }): string => Buffer.from(secret.expose()).toString('utf8');

/** Asks for the passwords that were not given, then binds the ports. @throws ConfigError */
export async function prepareStart(config: Config, log: Logger): Promise<Prepared> {
  const { rpc, daemon, wallet, interactive } = config;
  const ask = async (name: string, login: LoginConfig): Promise<Credentials> => {
    const password =
      login.password ?? (await promptSecret(`--${name}: password of ${login.user}`, interactive));
    return { user: login.user, password: textOf(password) };
  };
  const login = rpc.login && (await ask('rpc-login', rpc.login));
  const daemonLogin = daemon.login && (await ask('daemon-login', daemon.login));
  const walletPassword =
    wallet.password ??
    (wallet.promptForPassword ? await promptSecret('wallet password', interactive) : undefined);
  return {
    ...(login === undefined ? {} : { login }),
    ...(daemonLogin === undefined ? {} : { daemonLogin }),
    walletPassword: walletPassword === undefined ? '' : textOf(walletPassword),
    listeners: await bindPorts(rpc, log),
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
      log.warn(`${problem.message}; going on without`);
      continue;
    }
    await sayBound(ip, listeners.at(-1)?.port ?? port, log);
  }
  return listeners;
}

/** Logs the line that launchers read the address from, and lets no other follow it at once. */
export async function sayBound(ip: string, port: number, log: Logger): Promise<void> {
  log.info(`Binding on ${ip} (${ip.includes(':') ? 'IPv6' : 'IPv4'}):${port}`);
  await pause(APART_MS);
}

/** @param flags that choose another address and port. */
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
