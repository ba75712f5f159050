// Bundles the programs, with one file for each of their threads: a server that loads a thousand modules starts half a
// second later. `bin/bundle.js server` writes build/server, which users start. `bin/bundle.js checked` writes
// build/checked for the tests: there, a server compares every result with the schema of its method, takes slow hashes
// from the record of the test run, and derives fewer subaddresses in advance.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const require = createRequire(import.meta.url);
const root = fileURLToPath(new URL('..', import.meta.url));
const kind = process.argv[2] ?? 'server';
const { imports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const outdir = join(root, 'build', kind);
const isChecked = kind === 'checked';

const programs = ['main', 'regtest/regtest-main', 'demo/demo-main'].map((name) => `src/cli/${name}.ts`);
/** Modules that tests and benchmarks load into a server in order to change its behaviour. */
const changes = [
  'test/support/checked/corrupt-results.ts',
  'test/support/checked/server-host.ts',
  'bench/without-events.ts',
];

const LOADED_BY_NAME = /new URL\(\s*'\.\/([\w-]+)\.js',\s*import\.meta\.url/g;
/** Sources that other modules load by their file name: threads, and modules that few machines need. */
const byName = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .flatMap((name) =>
    [...readFileSync(join(root, 'src', name), 'utf8').matchAll(LOADED_BY_NAME)].map(([, file]) =>
      join('src', name, '..', `${file}.ts`),
    ),
  )
  .filter((name) => !programs.includes(name));

/**
 * Plugin that imports only the used members of Node.js modules: a plain `import` reads all members, and reading one of
 * `node:http` makes Node.js load a second HTTP client. A server takes 57 MiB in place of 64, and 550 ms of CPU in place of
 * 630 until its first wallet is refreshed.
 */
const importMembersOnly = {
  name: 'import-members-only',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace: 'node' } : { path, external: true },
    );
    onLoad({ filter: /./, namespace: 'node' }, ({ path }) => {
      const names = Object.keys(require(path)).filter(
        (name) => /^[a-z_]\w*$/i.test(name) && name !== 'default',
      );
      const members = names.map((name) => `export const ${name} = /* @__PURE__ */ member('${name}');`);
      return {
        contents: `const all = require('${path}');
          const member = (name) => all[name];
          export default all;
          ${members.join('\n')}`,
      };
    });
  },
};

/** Leaves the modules that other scripts write, WebAssembly and word lists, as files: threads share them. */
const writtenModules = {
  name: 'written-modules',
  setup({ onResolve }) {
    onResolve({ filter: /(?:\.wasm|\/word-lists)\.js$/ }, ({ path }) => ({
      path: `./${basename(path)}`,
      external: true,
    }));
  },
};

/** Resolves the names of `imports` in package.json, which has the compiled files, to their sources. */
const ownImports = {
  name: 'own-imports',
  setup({ onResolve }) {
    onResolve({ filter: /^#/ }, ({ path }) => {
      const [family, file] = path.split('/');
      const target = (imports[path] ?? imports[`${family}/*.js`]).default.replace('*.js', file);
      return { path: join(root, target.replace('build/', '').replace(/\.js$/, '.ts')) };
    });
  },
};

/** Modules of a server under test that replace other modules, in each of its threads. */
const replacements = [
  // Compares results with the schemas of the methods.
  {
    of: /\/rpc\/service\.js$/,
    importer: /\/cli\/server\.ts$/,
    by: 'test/support/checked/checked-service.ts',
  },
  // Computes slow hashes of the same passwords only once in a test run.
  {
    of: /\/slow-hash-worker\.js$|^#slow-hash$/,
    importer: /(?<!\/slow-hash-record\.ts)$/,
    by: 'test/support/jest/slow-hash-record.ts',
  },
  // Makes new wallets watch fewer subaddresses.
  {
    of: /\/default-lookahead\.js$/,
    importer: /(?<!\/short-lookahead\.ts)$/,
    by: 'test/support/checked/short-lookahead.ts',
  },
];

const replaceForTests = {
  name: 'replace-for-tests',
  setup({ onResolve }) {
    for (const { of, importer: importers, by } of replacements)
      onResolve({ filter: of }, ({ importer }) =>
        importers.test(importer) ? { path: join(root, by) } : undefined,
      );
  },
};

/** Bundles the sources of one thread, which share modules. */
const bundle = (entryPoints) =>
  build({
    absWorkingDir: root,
    entryPoints,
    outdir,
    // All files are in one folder, so that './name.js' in a source means './name.js' in its bundle.
    entryNames: '[name]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    // A linked node_modules has the same names as one in this folder, which are in the bundles.
    preserveSymlinks: true,
    platform: 'node',
    target: 'node22',
    // Node.js keeps the source text in memory. Without comments and indentation it takes half of the memory, and
    // without characters beyond Latin-1, which only comments contain, half again. Names and short lines stay, for the
    // stacks of errors.
    minifyWhitespace: true,
    lineLimit: 120,
    // They have native parts.
    external: ['better-sqlite3', 'koffi'],
    plugins: [importMembersOnly, writtenModules, ...(isChecked ? [replaceForTests] : []), ownImports],
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module';\nconst require = requireFrom(import.meta.url);",
    },
    logLevel: 'warning',
  });

rmSync(outdir, { recursive: true, force: true });
// The server alone: with files that it shares with other programs, its start loads twice as many. The programs under test
// share theirs with the modules that change them.
const [server, ...others] = programs;
const programBundles = isChecked ? [[...programs, ...changes]] : [[server], others];
await Promise.all([...programBundles, ...byName.map((source) => [source])].map(bundle));
for (const file of readdirSync(outdir)) {
  const text = readFileSync(join(outdir, file), 'utf8');
  const at = text.search(/[^\0-\xff]/);
  if (at !== -1)
    throw new Error(
      `${file}: write the last character of «${text.slice(Math.max(0, at - 40), at + 1)}» as an escape: V8 keeps two bytes for each character of a text with one beyond Latin-1`,
    );
}
