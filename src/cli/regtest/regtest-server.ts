import { systemClock } from '../../util/clock.js';
import type { Logger } from 'pino';
import { RegtestDaemon } from '../../regtest/rpc/daemon.js';
import { digestAuth } from '../../http/login/authentication.js';
import { HttpServer } from '../../http/server/http-server.js';
import { LoginDeadline } from '../../http/server/connection-limits.js';
import { minerAddress } from '../../regtest/rpc/mining.js';
import { FaultInjector } from '../../regtest/fault-injection.js';
import { ChainEvents } from '../../regtest/rpc/chain-events.js';
import { createDaemonApp } from '../../regtest/rpc/service.js';
import { Publisher } from '../../net/zmq/publisher.js';
import { systemRng } from '../../util/random.js';
import { withFaults } from '../../regtest/rpc/misbehave.js';
import { ConfigError } from '../config/config-values.js';
import { cannotListen, sayBound } from '../config/prepare.js';
import type { RegtestConfig } from './regtest-options.js';

/** A started regtest daemon. */
export interface RunningDaemon {
  /** Bound ports, in the order of the configured addresses. */
  readonly ports: readonly number[];
  readonly daemon: RegtestDaemon;
  close(): Promise<void>;
}

const GRACE_MS = 2_000;

/** Creates a regtest daemon and makes it listen. @throws ConfigError */
export async function startRegtest(
  config: RegtestConfig,
  version: string,
  log: Logger,
  stop: () => void,
): Promise<RunningDaemon> {
  const daemon = openDaemon(config, version, log, stop);
  const { login } = config;
  const access =
    login === undefined
      ? {}
      : { auth: digestAuth(login.user, login.password), loginDeadline: new LoginDeadline() };
  const servers: HttpServer[] = [];
  const ports: number[] = [];
  for (const { ip, port, restricted } of config.bind) {
    const server = new HttpServer({
      handler: withFaults(
        createDaemonApp(
          { daemon, restricted },
          {
            ...access,
            origins: config.origins,
            onBug: (error, method) => log.error({ err: error, method }, 'bug: unexpected error'),
          },
        ),
        daemon.faults,
      ),
      ...access,
      maxConnections: config.maxConnections,
      maxPerPrivateIp: config.maxConnections,
      maxPerPublicIp: config.maxConnections,
      isRefused: (ip) => daemon.bans.secondsLeft(ip) > 0,
    });
    servers.push(server);
    ports.push(await listen(server, ip, port, restricted ? 'rpc-restricted-bind' : 'rpc-bind'));
    if (restricted) log.info(`Restricted mode at port ${ports.at(-1) ?? 0}`);
    sayBound(ip, ports.at(-1) ?? 0, log);
  }
  const publisher = new Publisher();
  if (config.publish !== undefined) await publish(daemon, publisher, config.publish, log);
  if (config.startMining !== undefined) startMining(daemon, config.startMining);
  if (config.misbehave !== undefined)
    log.warn(`Fault injection is enabled: --misbehave, or POST /misbehave {"what":"…"}`);
  if (config.fork !== undefined)
    log.warn(
      `Blocks have version 17 from height ${config.fork.from} on, and 18 from ${config.fork.only}; membership proofs are not verified, and the tree of outputs is a placeholder`,
    );
  for (const flag of config.withoutEffect) log.warn(`--${flag} is ignored: it has no effect here`);
  log.info(`Chain of ${daemon.node.chain.height} blocks, fixed difficulty ${config.fixedDifficulty}`);
  // Launchers wait for this line. Source: daemon/rpc.h `run`.
  log.info('core RPC server started ok');
  return {
    ports,
    daemon,
    async close() {
      await Promise.all([...servers.map((server) => server.close(GRACE_MS)), publisher.close()]);
      await daemon.close();
    },
  };
}

function openDaemon(config: RegtestConfig, version: string, log: Logger, stop: () => void): RegtestDaemon {
  try {
    return new RegtestDaemon({
      ...(config.dataDir === undefined ? {} : { dataDir: config.dataDir }),
      clock: systemClock,
      fixedDifficulty: config.fixedDifficulty,
      anyUnlockTime: config.anyUnlockTime,
      ...(config.fork === undefined ? {} : { fork: config.fork }),
      rng: systemRng,
      blockTimeMs: config.blockTimeMs,
      version,
      faults: new FaultInjector(config.misbehave),
      // Waits until the answer to the request is sent.
      stop: () => setTimeout(stop, 100),
      onMiningError: (error) => log.error({ err: error }, 'mining a block failed'),
    });
  } catch (cause) {
    if (cause instanceof RangeError) throw new ConfigError(`--fork-height: ${cause.message}`, { cause });
    throw new ConfigError(`--data-dir: ${config.dataDir ?? ''} cannot be used`, { cause });
  }
}

async function publish(
  daemon: RegtestDaemon,
  publisher: Publisher,
  { ip, port }: { readonly ip: string; readonly port: number },
  log: Logger,
): Promise<void> {
  const bound = await listen(publisher, ip, port, 'zmq-pub');
  const events = new ChainEvents(daemon.node, publisher, (error) =>
    log.error({ err: error }, 'bug: publishing an event failed'),
  );
  daemon.node.onChange(() => events.publishChanges());
  log.info(`Publishing at tcp://${ip}:${bound}`);
}

/**
 * Binds a server to an address. @param flag flag of the address, or common prefix of `…-bind-ip` and `…-bind-port`.
 * @throws ConfigError
 */
async function listen(
  server: HttpServer | Publisher,
  ip: string,
  port: number,
  flag: string,
): Promise<number> {
  try {
    return await server.listen(ip, port);
  } catch (cause) {
    const [ipFlag, portFlag] = flag.endsWith('-bind') ? [`${flag}-ip`, `${flag}-port`] : [flag, flag];
    throw cannotListen(ip, port, cause, { ip: ipFlag, port: portFlag });
  }
}

function startMining(daemon: RegtestDaemon, address: string): void {
  try {
    daemon.miner.start({ address: minerAddress(address), threads: 1 });
  } catch (cause) {
    throw new ConfigError('--start-mining: not an address that can be mined to', { cause });
  }
}
