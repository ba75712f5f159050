// Bundles the programs, each of their threads into one file: a server that loads a thousand modules starts half a second
// later. `bin/bundle.js server` writes build/server, which users start. `bin/bundle.js checked` writes build/checked for
// the tests: the same, but a server compares every result with the schema of its method.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const kind = process.argv[2] ?? 'server';
const outdir = join(root, 'build', kind);
const isChecked = kind === 'checked';

const programs = ['main', 'regtest-main', 'demo-main'].map((name) => `src/cli/${name}.ts`);
/** Modules that tests and benchmarks load into a server, to change it. */
const changes = ['test/support/corrupt-results.ts', 'bench/without-events.ts'];

const THREAD = /new URL\(\s*'\.\/([\w-]+)\.js',\s*import\.meta\.url/g;
/** Sources that others name as a file to start: threads. */
const threads = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .flatMap((name) =>
    [...readFileSync(join(root, 'src', name), 'utf8').matchAll(THREAD)].map(([, thread]) =>
      join('src', name, '..', `${thread}.ts`),
    ),
  )
  .filter((name) => !programs.includes(name));

/** Loads modules of Node.js by `require`: `import` reads every member, and one of `node:http` loads a second client. */
const requireNodeModules = {
  name: 'require-node-modules',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path, namespace }) =>
      namespace === 'node' ? { path, external: true } : { path, namespace: 'node' },
    );
    onLoad({ filter: /./, namespace: 'node' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)});`,
    }));
  },
};

/** Gives the server the call function that checks results. */
const checkResults = {
  name: 'check-results',
  setup({ onResolve }) {
    onResolve({ filter: /\/rpc\/service\.js$/ }, ({ importer }) =>
      basename(importer) === 'server.ts'
        ? { path: join(root, 'test/support/checked-service.ts') }
        : undefined,
    );
  },
};

/** Bundles sources that run in one thread: they share modules. */
const bundle = (entryPoints) =>
  build({
    absWorkingDir: root,
    entryPoints,
    outdir,
    // All files lie in one folder, so that './name.js' beside a source is './name.js' beside its bundle.
    entryNames: '[name]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    // Has a native part.
    external: ['better-sqlite3'],
    plugins: [requireNodeModules, ...(isChecked ? [checkResults] : [])],
    banner: {
      js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });

rmSync(outdir, { recursive: true, force: true });
await Promise.all([
  bundle([...programs, ...(isChecked ? changes : [])]),
  ...threads.map((thread) => bundle([thread])),
]);
