import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseCommandLine } from './options.js';
import { mergeSources, toConfig } from './config.js';
import { keepKeysFromCoreDumps } from './core-dumps.js';
import { detach, sayReady } from './detach.js';
import { failWith, runToTheEnd } from './lifetime.js';
import { createLogger } from './log.js';
import { prepareStart } from './prepare.js';
import { setV8Flag } from '../util/v8-flags.js';

// A refresh is over before V8 has seen enough of it to compile it well: compiling later costs a twentieth less in all.
// Later still would save more there, and keep the first answers slow.
setV8Flag('--interrupt-budget=200000', '11.3');
// WebAssembly is compiled as well as can be when it is loaded, not while the first refresh is under way.
setV8Flag('--no-wasm-lazy-compilation', '14.6');
setV8Flag('--no-wasm-dynamic-tiering', '14.6');
// New garbage is collected by the thread that made it: others that help it are waited for where all processors are busy.
setV8Flag('--no-parallel-scavenge', '14.6');

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

async function main(): Promise<void> {
  // Whoever reads our output may go away; payments go on.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  // Whatever we write is for its owner alone. Source: wallet_args.cpp `main`.
  process.umask(0o077);
  const areKeysSafe = keepKeysFromCoreDumps();
  const config = toConfig(
    mergeSources(parseCommandLine(process.argv.slice(2), version), process.env),
    availableParallelism(),
  );
  if (config.detach) return detach(process.argv.slice(2));
  const log = createLogger(config.log.categories, config.log.file);
  if (!areKeysSafe)
    log.warn('Core dumps are on, and would hold the keys of open wallets: start with ulimit -c 0');
  const code = await runToTheEnd({
    title: 'Wallet RPC server',
    log,
    pidFile: config.pidFile,
    async start(stop) {
      // Loading the server takes longest; ports are bound before, and the two lines of a start come apart by it.
      const loaded = import('./server.js');
      const prepared = await prepareStart(config, log);
      const { startServer } = await loaded;
      const running = await startServer(config, prepared, log, () => stop('stop_wallet'));
      sayReady();
      return running;
    },
  });
  process.exit(code);
}

main().catch((error: unknown) => failWith('wallet-rpc', error));
