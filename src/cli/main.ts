import { runEngineInBackground } from '../util/thread-priority.js';
import { setV8Flag } from '../util/v8-flags.js';
import { keepCompiledModules } from './compile-cache.js';

/* Sets up the engine, then loads the program: flags and the cache apply to modules that are loaded afterwards. */

// The modules of Node.js that the program uses are loaded first: they come compiled, and V8 rejects that code once a flag
// differs.
const modules = [
  ...['assert', 'child_process', 'cluster', 'dgram', 'dns', 'dns/promises', 'http', 'https', 'perf_hooks'],
  ...['readline/promises', 'tty', 'vm', 'worker_threads', 'zlib'],
];
for (const name of modules) process.getBuiltinModule(name);

// Compile WebAssembly with the optimising compiler at load, not during the first refresh.
setV8Flag('--no-wasm-lazy-compilation', '14.6');
setV8Flag('--no-wasm-dynamic-tiering', '14.6');
// Each thread collects its own young generation: it would wait for helper threads while all processors are busy.
setV8Flag('--no-parallel-scavenge', '14.6');
// A heap is collected once it has grown by half (docs/performance.md). bin/wallet-rpc limits young generations.
setV8Flag('--heap-growing-percent=50', '14.6');
// Each thread would map a copy of V8's own compiled functions beside its code (2 MiB).
setV8Flag('--no-short-builtin-calls', '14.6');
keepCompiledModules();
// They would take a processor from the thread that answers requests.
runEngineInBackground();

const { runWalletRpc } = await import('./wallet-rpc.js');
await runWalletRpc();
