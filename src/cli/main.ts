import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { parseCommandLine } from './options.js';
import { mergeSources, toConfig } from './config.js';
import { failWith, runToTheEnd } from './lifetime.js';
import { createLogger } from './log.js';
import { startServer } from './server.js';

// A refresh is over before V8 has seen enough of it to compile it well: compiling later costs a twentieth less in all.
// Later still would save more there, and keep the first answers slow.
setFlagsFromString('--interrupt-budget=200000');
// WebAssembly is compiled as well as can be when it is loaded, not while the first refresh is under way.
setFlagsFromString('--no-wasm-lazy-compilation');
setFlagsFromString('--no-wasm-dynamic-tiering');
// New garbage is collected by the thread that made it: others that help it are waited for where all processors are busy.
setFlagsFromString('--no-parallel-scavenge');

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
  const code = await runToTheEnd({
    title: 'Wallet RPC server',
    log,
    pidFile: config.pidFile,
    start: (stop) => startServer(config, log, () => stop('stop_wallet')),
  });
  process.exit(code);
}

main().catch((error: unknown) => failWith('wallet-rpc', error));
