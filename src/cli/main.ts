import { setV8Flag } from '../util/v8-flags.js';
import { keepCompiledModules } from './process/compile-cache.js';
import { CHECKED_ENGINE, ENGINE_FLAGS } from './process/engine-flags.js';
import { closeDebugger } from './process/signals.js';

/* Sets up the engine, then loads the program: flags and the cache apply to modules that are loaded afterwards. */

closeDebugger();

// The modules of Node.js that the program uses are loaded first: they come compiled, and V8 rejects that code once a flag
// differs.
const modules = [
  ...['assert', 'child_process', 'cluster', 'dgram', 'dns', 'dns/promises', 'http', 'https', 'perf_hooks'],
  ...['readline/promises', 'tty', 'vm', 'worker_threads', 'zlib'],
];
for (const name of modules) process.getBuiltinModule(name);

for (const flag of ENGINE_FLAGS) setV8Flag(flag, CHECKED_ENGINE);
keepCompiledModules();

const { runWalletRpc } = await import('./wallet-rpc.js');
await runWalletRpc();
