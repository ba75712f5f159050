import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseCommandLine } from './options.js';
import { keepCompiledModules } from './compile-cache.js';
import { mergeSources, toConfig } from './config.js';
import { keepKeysFromCoreDumps } from './core-dumps.js';
import { detach, sayReady } from './detach.js';
import { failWith, runProcess } from './run-process.js';
import { createLogger } from './log.js';
import { prepareStart } from './prepare.js';
import { notifyServiceManager } from './service-manager.js';
import { StatusLine } from './status-line.js';
import { setV8Flag } from '../util/v8-flags.js';

// Compile WebAssembly with the optimising compiler at load, not during the first refresh.
setV8Flag('--no-wasm-lazy-compilation', '14.6');
setV8Flag('--no-wasm-dynamic-tiering', '14.6');
// Each thread collects its own young generation: it would wait for helper threads while all processors are busy.
setV8Flag('--no-parallel-scavenge', '14.6');
// The other threads allocate little that lives on: their young generations are smaller than that of this thread, which
// bin/wallet-rpc sets. A heap is collected once it has grown by half (docs/performance.md).
setV8Flag('--max-semi-space-size=2', '14.6');
setV8Flag('--heap-growing-percent=50', '14.6');

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** Commands beside the server: `commands.ts` runs them. */
const COMMAND_NAMES: readonly string[] = ['backup', 'credential', 'restore', 'verify'];

/** True if a line of standard output can be changed in place. */
const isTerminal = (): boolean => process.stdout.isTTY && process.env['TERM'] !== 'dumb';

async function main(): Promise<void> {
  // A closed output pipe must not end the server.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  // Files are readable by their owner only. Source: wallet_args.cpp `main`.
  process.umask(0o077);
  const areKeysSafe = keepKeysFromCoreDumps();
  const [first = ''] = process.argv.slice(2);
  if (COMMAND_NAMES.includes(first)) {
    const { runCommand } = await import('./commands.js');
    process.exit(await runCommand(first, process.argv.slice(3)));
  }
  const config = toConfig(
    mergeSources(parseCommandLine(process.argv.slice(2), version), process.env),
    availableParallelism(),
  );
  if (config.detach) return detach(process.argv.slice(2));
  keepCompiledModules();
  const line = isTerminal() ? new StatusLine(process.stdout) : undefined;
  const log = createLogger(config.log.categories, config.log.file, line && ((lines) => line.print(lines)));
  if (!areKeysSafe)
    log.warn('Core dumps are on, and would hold the keys of open wallets: start with ulimit -c 0');
  const code = await runProcess({
    title: 'Wallet RPC server',
    log,
    pidFile: config.pidFile,
    async start(stop) {
      // Loading the server takes longest, so it overlaps with binding the ports and the pause after their log line.
      const loaded = import('./server.js');
      const prepared = await prepareStart(config, log);
      const { startServer } = await loaded;
      const running = await startServer(config, prepared, log, () => stop('stop_wallet'), line);
      sayReady();
      void notifyServiceManager('ready', log);
      return {
        async close() {
          void notifyServiceManager('stopping', log);
          await running.close();
        },
      };
    },
  });
  process.exit(code);
}

main().catch((error: unknown) => failWith('wallet-rpc', error));
