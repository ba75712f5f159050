import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { ConfigError, parseCommandLine } from './options.js';
import { mergeSources, toConfig } from './config.js';
import { createLogger } from './log.js';
import { startServer, type RunningServer } from './server.js';

/** A stop that takes longer is cut short. */
const STOP_TIMEOUT_MS = 9_000;

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

async function main(): Promise<void> {
  // Whoever reads our output may go away; payments go on.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  // Whatever we write is for its owner alone. Source: wallet_args.cpp `main`.
  process.umask(0o077);
  const config = toConfig(
    mergeSources(parseCommandLine(process.argv.slice(2), version), process.env),
    availableParallelism(),
  );
  const log = createLogger(config.log.level, config.log.file);
  let server: RunningServer | undefined;
  let stopping = false;
  let ended: (code: number) => void = () => undefined;
  const done = new Promise<number>((resolve) => (ended = resolve));
  const stop = (reason: string): void => {
    if (stopping) return;
    stopping = true;
    log.info({ reason }, 'Stopping wallet RPC server');
    setTimeout(() => ended(1), STOP_TIMEOUT_MS).unref();
    // Nothing was answered yet: there is nothing to finish.
    if (server === undefined) return ended(0);
    server.close().then(
      () => ended(0),
      (error: unknown) => {
        log.error({ err: error }, 'the server did not stop cleanly');
        ended(1);
      },
    );
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop(signal));
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'a rejection nobody handled'));
  const started = startServer(config, log, () => stop('stop_wallet')).then((running) => {
    server = running;
    if (config.pidFile !== undefined) writePidFile(config.pidFile);
    return done;
  });
  const code = await Promise.race([started, done]);
  if (config.pidFile !== undefined) rmSync(config.pidFile, { force: true });
  log.info('Wallet RPC server stopped');
  process.exit(code);
}

function writePidFile(path: string): void {
  try {
    writeFileSync(path, `${process.pid}\n`);
  } catch (cause) {
    throw new ConfigError(`--pidfile: ${path} cannot be written`, { cause });
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`wallet-rpc: ${error instanceof Error ? error.message : String(error)}\n`);
  if (
    !(error instanceof ConfigError) &&
    process.env['WALLET_RPC_DEBUG'] !== undefined &&
    error instanceof Error
  )
    process.stderr.write(`${error.stack ?? ''}\n`);
  process.exit(1);
});
