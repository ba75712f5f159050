// Writes the package wallet-rpc-client to build/client-package, or to another folder, from the sources of the client and from the
// declarations that `bin/build packages` has compiled.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import {
  clientManifest,
  declarationFor,
  declarationImports,
  moduleText,
  OLDEST_NODE,
} from '../tools/client-package.ts';

const require = createRequire(import.meta.url);
const root = fileURLToPath(new URL('..', import.meta.url));
const out = process.argv[2] ?? join(root, 'build', 'client-package');
const read = (...path) => readFileSync(join(root, ...path), 'utf8');

rmSync(out, { recursive: true, force: true });
mkdirSync(join(out, 'types'), { recursive: true });
await build({
  absWorkingDir: root,
  entryPoints: ['src/client/client.ts'],
  outfile: join(out, 'index.cjs'),
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: `node${OLDEST_NODE}`,
  // A linked node_modules has the same names as one in this folder.
  preserveSymlinks: true,
  minify: true,
  // Errors print the names of their classes.
  keepNames: true,
  lineLimit: 120,
  logLevel: 'warning',
});
const names = Object.keys(require(join(out, 'index.cjs'))).sort();
writeFileSync(join(out, 'index.mjs'), moduleText(names));

const seen = new Set();
const declare = (name) => {
  if (seen.has(name)) return;
  seen.add(name);
  const text = read('build/src/client', `${name}.d.ts`);
  for (const kind of ['mts', 'cts'])
    writeFileSync(join(out, 'types', `${name}.d.${kind}`), declarationFor(kind, text));
  for (const other of declarationImports(text)) declare(other);
};
declare('client');

const manifest = clientManifest(JSON.parse(read('package.json')));
writeFileSync(join(out, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
copyFileSync(join(root, 'LICENSE'), join(out, 'LICENSE'));
copyFileSync(join(root, 'src/client/README.md'), join(out, 'README.md'));
