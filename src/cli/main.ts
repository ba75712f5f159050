import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseCommandLine } from './options.js';
import { mergeSources, toConfig } from './config.js';
import { keepKeysFromCoreDumps } from './core-dumps.js';
import { detach, sayReady } from './detach.js';
import { failWith, runProcess } from './run-process.js';
import { createLogger } from './log.js';
import { prepareStart } from './prepare.js';
import { notifyServiceManager } from './service-manager.js';
import { setV8Flag } from '../util/v8-flags.js';

// A refresh ends before optimising its functions pays off: a larger interrupt budget delays optimisation and saves 5 %
// of the time. A still larger one would save more, but slow down the first answers.
setV8Flag('--interrupt-budget=200000', '11.3');
// Compile WebAssembly with the optimising compiler at load, not during the first refresh.
setV8Flag('--no-wasm-lazy-compilation', '14.6');
setV8Flag('--no-wasm-dynamic-tiering', '14.6');
// Each thread collects its own young generation: it would wait for helper threads while all processors are busy.
setV8Flag('--no-parallel-scavenge', '14.6');

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

async function main(): Promise<void> {
  // A closed output pipe must not end the server.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  // Files are readable by their owner only. Source: wallet_args.cpp `main`.
  process.umask(0o077);
  if (process.argv[2] === 'credential') return runCredential(process.argv.slice(3));
  const areKeysSafe = keepKeysFromCoreDumps();
  const config = toConfig(
    mergeSources(parseCommandLine(process.argv.slice(2), version), process.env),
    availableParallelism(),
  );
  if (config.detach) return detach(process.argv.slice(2));
  const log = createLogger(config.log.categories, config.log.file);
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
      const running = await startServer(config, prepared, log, () => stop('stop_wallet'));
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

/** Runs `wallet-rpc credential …`; loads the methods, whose names a credential may list. */
async function runCredential(argv: readonly string[]): Promise<void> {
  const { runCredentialCommand } = await import('./credential-command.js');
  await runCredentialCommand(argv, {
    print: (line) => void process.stdout.write(`${line}\n`),
    hint: (line) => void process.stderr.write(`${line}\n`),
  });
}

main().catch((error: unknown) => failWith('wallet-rpc', error));
