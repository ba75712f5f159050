import type { Logger } from 'pino';
import { chooseKernel } from '../../monero/kernel/load-kernel.js';
import { type Choice, HAS_SIMD } from '../../monero/crypto/curve/build-choice.js';
import type { Build } from '../../monero/crypto/curve/wasm-module.js';
import { hasKnownFlags } from '../../util/v8-heap.js';
import type { Config } from '../config/config.js';
import { misspeltVariables } from '../config/options.js';

/** Logs the configuration in effect. */
export function announce(
  config: Config,
  log: Logger,
  directory: string | undefined,
  regtest: string | undefined,
): void {
  log.info(
    config.rpc.apiVersion === '1.32'
      ? "Interface: wallet RPC 1.32, today's monero-wallet-rpc"
      : "Interface: wallet RPC 1.3 to the letter; today's client libraries want --api-version 1.32",
  );
  log.info(`Network: ${config.network}`);
  log.info(
    directory === undefined ? `Wallet file: ${config.wallet.file ?? ''}` : `Wallet directory: ${directory}`,
  );
  if (regtest !== undefined) log.info(`Daemon: ${regtest}, the regtest node of this server`);
  else log.info(config.daemon.offline ? 'Daemon: none (offline)' : `Daemon: ${daemonsOf(config)}`);
  announceFork(config, log);
  if (config.rpc.login === undefined && config.rpc.credentials === undefined)
    log.warn(
      'No login: every client that can connect may spend. Only this machine can, unless an external bind is confirmed.',
    );
  if (config.rpc.restricted) log.info('Restricted mode: view-type methods only');
  for (const flag of config.withoutEffect) log.warn(`--${flag} is ignored: it has no effect here`);
  for (const line of misspeltVariables(process.env)) log.warn(line);
}

/** Logs which rules of the next fork are in force, as a warning if they may change on the network of real money. */
export function announceFork(
  { fork: { rules, newest }, network, regtest }: Pick<Config, 'fork' | 'network' | 'regtest'>,
  log: Pick<Logger, 'info' | 'warn'>,
): void {
  if (rules === undefined) return log.info(`Fork rules: none; blocks up to version ${newest} are read`);
  const text = `Fork rules: ${rules}; blocks up to version ${newest} are read`;
  if (network !== 'mainnet' || regtest !== undefined) return log.info(text);
  log.warn(`${text}. They are not final, and may change`);
}

/** Writes the listed daemons in the order of preference; if there are several, with the trust in each. */
const daemonsOf = ({ daemon: { addresses } }: Config): string =>
  addresses.length === 1
    ? addresses.map(({ address }) => address).join('')
    : addresses.map(({ address, trusted }) => `${address} (${trusted ? '' : 'un'}trusted)`).join(', then ');

/**
 * Logs that no flags of V8 are set, and that the server is therefore slower, if V8 is newer than the versions that were
 * checked to have the flags.
 */
export function announceEngine(log: Pick<Logger, 'debug'>, version: string = process.versions.v8): void {
  if (!hasKnownFlags(version))
    log.debug(`V8 ${version} is newer than the versions that this server has flags for: none are set`);
}

const ARITHMETIC: Record<Build, string> = {
  relaxed: 'WebAssembly with fused multiply-add',
  simd: 'WebAssembly with integer SIMD',
};

/**
 * Compiles the curve arithmetic, and logs the build that is used, with the reason if a faster build cannot be used on
 * this machine. Plain JavaScript takes the place of the builds only where the engine lacks SIMD; elsewhere a failure of
 * all builds is an error of every scan and payment (`loadKernel`).
 */
export function announceArithmetic(
  log: Pick<Logger, 'info' | 'warn' | 'error'>,
  { build, passedOver }: Pick<Choice<unknown>, 'build' | 'passedOver'> = chooseKernel(),
  hasSimd = HAS_SIMD,
): void {
  const reasons = passedOver.map((other) => `${ARITHMETIC[other.build]}: ${other.reason}`);
  const unusable = reasons.join('; ');
  if (build === undefined && hasSimd)
    return log.error(
      { unusable },
      'Curve arithmetic: no build works here; wallets cannot be scanned, nor pay',
    );
  const text = `Curve arithmetic: ${build === undefined ? 'plain JavaScript' : ARITHMETIC[build]}`;
  if (passedOver.length === 0) return log.info(text);
  log.warn({ unusable }, `${text}, which is slower`);
}
