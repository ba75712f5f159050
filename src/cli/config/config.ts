import * as z from 'zod';
import type { NetworkType } from '../../monero/cryptonote/types.js';
import type { ReadinessLimits } from '../../watch/readiness.js';
import { readTcpBind } from './bind-addresses.js';
import { clusterConfig, type ClusterConfig } from './cluster-config.js';
import { parseConfigFile, readSetting, type Setting, type Settings } from './config-file.js';
import { logCategories, optional, readText } from './config-values.js';
import {
  daemonConfig,
  dnsConfig,
  regtestConfig,
  type DaemonsConfig,
  type DnsConfig,
  type StartedNodeConfig,
} from './daemon-config.js';
import { assertCompatible } from './option-rules.js';
import { defaulted, flag, integer, readOption, readOptions, text } from './option-schemas.js';
import type { RawOptions } from './option-spec.js';
import { environmentName, OPTIONS } from './options.js';
import { payConfig, type PayConfig } from './pay-config.js';
import { rpcConfig, type RpcConfig } from './rpc-config.js';
import { readSsl } from './ssl-config.js';
import { walletConfig, type WalletConfig } from './wallet-config.js';

interface WatchConfig {
  /** Address of `/metrics`; absent: on the port of the server. */
  readonly metrics?: { readonly ip: string; readonly port: number };
  /** Number of blocks above which a reorganisation is logged as an error. */
  readonly reorganisationAlert: number;
  /** Limits of `/readyz`. */
  readonly ready: ReadinessLimits;
}

interface ProcessConfig {
  /** 0: one a core. */
  readonly threads: number;
  readonly log: { readonly categories: string; readonly file?: string };
  readonly interactive: boolean;
  /** True: runs in the background. */
  readonly detach: boolean;
  readonly pidFile?: string;
}

/** Validated settings of the process. */
export interface Config extends ProcessConfig {
  readonly network: NetworkType;
  readonly wallet: WalletConfig;
  readonly rpc: RpcConfig;
  readonly daemon: DaemonsConfig;
  /** Regtest node that starts with the server; absent: use the nodes of `daemon.addresses`. */
  readonly regtest?: StartedNodeConfig;
  readonly dns: DnsConfig;
  readonly webhooks: {
    /** Allow targets that are not public. */
    readonly allowPrivate: boolean;
  };
  readonly watch: WatchConfig;
  /** Pay pages; absent: there are none. */
  readonly pay?: PayConfig;
  /** Cluster of this process; absent: it is in none. */
  readonly cluster?: ClusterConfig;
  /** Flags that are set but have no effect. */
  readonly withoutEffect: readonly string[];
}

/**
 * Merges the sources of settings: the command line overrides the environment, which overrides the config file. A source
 * can turn off a switch that a source of lower priority turns on. @throws ConfigError
 */
export function mergeSources(flags: RawOptions, environment: NodeJS.ProcessEnv): RawOptions {
  const fromEnvironment: Record<string, Setting> = {};
  for (const { name } of OPTIONS) {
    const value =
      environment[environmentName(name)] ?? (name === 'rpc-login' ? environment['RPC_LOGIN'] : undefined);
    if (value !== undefined) fromEnvironment[name] = readSetting(name, value, environmentName(name));
  }
  const path = flags['config-file'] ?? fromEnvironment['config-file'];
  const fromFile = typeof path === 'string' ? parseConfigFile(readText(path, 'config-file')) : {};
  const merged: Settings = { ...fromFile, ...fromEnvironment, ...flags };
  return Object.fromEntries(
    Object.entries(merged).filter(
      (entry): entry is [string, string | true | readonly string[]] => entry[1] !== false,
    ),
  );
}

const networkConfig = z
  .object({ testnet: flag, stagenet: flag })
  .transform(({ testnet, stagenet }): NetworkType =>
    testnet ? 'testnet' : stagenet ? 'stagenet' : 'mainnet',
  );

const watchConfig = z
  .object({
    'metrics-bind': text,
    'confirm-external-bind': flag,
    'reorganisation-alert': integer(0, 10_000),
    'ready-daemon-seconds': integer(0, 86_400),
    'ready-blocks-behind': integer(0, 1_000_000_000),
    'ready-disk-bytes': integer(0, 1e15 - 1),
  })
  .transform((given): WatchConfig => ({
    ...optional(
      'metrics',
      readTcpBind('metrics-bind', given['metrics-bind'], given['confirm-external-bind']),
    ),
    reorganisationAlert: given['reorganisation-alert'],
    ready: {
      daemonSeconds: given['ready-daemon-seconds'],
      blocksBehind: given['ready-blocks-behind'],
      diskBytes: given['ready-disk-bytes'],
    },
  }));

const processConfig = z
  .object({
    'max-concurrency': integer(0, 1024),
    'log-level': defaulted.transform(logCategories),
    'log-file': text,
    'non-interactive': flag,
    detach: flag,
    pidfile: text,
  })
  .transform((given): ProcessConfig => ({
    threads: given['max-concurrency'],
    log: { categories: given['log-level'], ...optional('file', given['log-file']) },
    interactive: !given['non-interactive'],
    detach: given.detach,
    ...optional('pidFile', given.pidfile),
  }));

/** Reads the settings of the merged sources. @param cores number of processor cores. @throws ConfigError */
export function toConfig(raw: RawOptions, cores: number): Config {
  assertCompatible(raw);
  const network = readOptions(networkConfig, raw);
  const wallet = readOptions(walletConfig, raw);
  const rpc = readOptions(rpcConfig(network), raw);
  const regtest = raw['regtest'] === undefined ? undefined : readOptions(regtestConfig, raw);
  const allowAnyCert = readOption('daemon-ssl-allow-any-cert', flag, raw);
  const daemonSsl = { ...readSsl('daemon-ssl', raw), allowAnyCert };
  const { threads, ...process } = readOptions(processConfig, raw);
  return {
    network,
    wallet,
    rpc: { ...rpc, ssl: readSsl('rpc-ssl', raw) },
    daemon: readOptions(daemonConfig(network, regtest !== undefined, daemonSsl), raw),
    ...optional('regtest', regtest),
    dns: readOptions(dnsConfig, raw),
    webhooks: { allowPrivate: readOption('webhook-allow-private', flag, raw) },
    watch: readOptions(watchConfig, raw),
    ...optional('pay', readOptions(payConfig, raw)),
    ...optional('cluster', readOptions(clusterConfig, raw)),
    threads: threads || cores,
    ...process,
    withoutEffect: OPTIONS.filter(({ name, noEffect }) => noEffect && raw[name] !== undefined).map(
      ({ name }) => name,
    ),
  };
}
