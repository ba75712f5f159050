// Bundles the programs, each of their threads into one file: a server that loads a thousand modules starts half a second
// later. `bin/bundle.js server` writes build/server, which users start. `bin/bundle.js checked` writes build/checked for
// the tests: the same, but a server compares every result with the schema of its method, takes slow hashes from the record
// of the run, and derives fewer subaddresses in advance.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const require = createRequire(import.meta.url);
const root = fileURLToPath(new URL('..', import.meta.url));
const kind = process.argv[2] ?? 'server';
const outdir = join(root, 'build', kind);
const isChecked = kind === 'checked';

const programs = ['main', 'regtest/regtest-main', 'demo/demo-main'].map((name) => `src/cli/${name}.ts`);
/** Modules that tests and benchmarks load into a server, to change it. */
const changes = ['test/support/corrupt-results.ts', 'bench/without-events.ts'];

const LOADED_BY_NAME = /new URL\(\s*'\.\/([\w-]+)\.js',\s*import\.meta\.url/g;
/** Sources that others name as a file: threads, and modules that few machines load. */
const byName = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .flatMap((name) =>
    [...readFileSync(join(root, 'src', name), 'utf8').matchAll(LOADED_BY_NAME)].map(([, file]) =>
      join('src', name, '..', `${file}.ts`),
    ),
  )
  .filter((name) => !programs.includes(name));

/**
 * Reads members of Node.js modules that are imported, and no others: a plain `import` reads all of them, and for one of
 * `node:http` Node.js loads a second HTTP client.
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

/** Modules of a server under test that replace others, in each of its threads. */
const replacements = [
  // Results are compared with the schemas of the methods.
  { of: /\/rpc\/service\.js$/, importer: /\/cli\/server\.ts$/, by: 'test/support/checked-service.ts' },
  // Slow hashes of the same passwords are computed once in a run.
  {
    of: /\/slow-hash-worker\.js$/,
    importer: /(?<!\/slow-hash-record\.ts)$/,
    by: 'test/support/slow-hash-record.ts',
  },
  // New wallets watch fewer subaddresses.
  {
    of: /\/default-lookahead\.js$/,
    importer: /(?<!\/short-lookahead\.ts)$/,
    by: 'test/support/short-lookahead.ts',
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
    // Sources stay in memory: without comments and indentation they take half, and without the characters beyond
    // Latin-1 of comments half again. Names stay, and lines are short, for the stacks of errors.
    minifyWhitespace: true,
    lineLimit: 120,
    // Has a native part.
    external: ['better-sqlite3'],
    plugins: [importMembersOnly, ...(isChecked ? [replaceForTests] : [])],
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module';\nconst require = requireFrom(import.meta.url);",
    },
    logLevel: 'warning',
  });

rmSync(outdir, { recursive: true, force: true });
await Promise.all([
  bundle([...programs, ...(isChecked ? changes : [])]),
  ...byName.map((source) => bundle([source])),
]);
