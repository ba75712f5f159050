/* Without imports of other sources, so that Node.js runs this file before anything is compiled. */

/** Manifest of the server's package, as far as the manifest of the client follows it. */
export interface ServerManifest {
  readonly version: string;
  readonly license: string;
  readonly repository?: string | { readonly type: string; readonly url: string };
  readonly publishConfig: object;
}

/** Name of the client's package in the registry. */
export const CLIENT_NAME = 'wallet-rpc-client';

/** Oldest major version of Node.js that the client runs on. */
export const OLDEST_NODE = 20;

/** Creates the manifest of the client's package: its version, licence and repository are those of the server. */
export const clientManifest = ({ version, license, repository, publishConfig }: ServerManifest): object => ({
  name: CLIENT_NAME,
  version,
  description: 'Typed client and webhook handlers for wallet-rpc, a Monero-compatible wallet RPC server',
  keywords: ['monero', 'wallet', 'json-rpc', 'rpc', 'client', 'payments', 'webhook'],
  license,
  ...(repository === undefined
    ? {}
    : {
        repository: {
          ...(typeof repository === 'string' ? { type: 'git', url: repository } : repository),
          directory: 'src/client',
        },
      }),
  type: 'commonjs',
  engines: { node: `>=${OLDEST_NODE}` },
  main: './index.cjs',
  types: './types/client.d.cts',
  exports: {
    '.': {
      import: { types: './types/client.d.mts', default: './index.mjs' },
      require: { types: './types/client.d.cts', default: './index.cjs' },
    },
    './package.json': './package.json',
  },
  sideEffects: false,
  files: ['index.cjs', 'index.mjs', 'types'],
  publishConfig,
});

/** Extension of the declarations of a format: that of ES modules, or that of CommonJS. */
export type DeclarationKind = 'mts' | 'cts';

const IMPORT = /((?:from |import\()['"]\.\/[\w-]+)\.js(['"])/g;

/**
 * Rewrites the imports of a declaration file for the names that the files of the package have: TypeScript decides by the
 * ending whether it declares an ES module or CommonJS.
 * @throws Error for an import of a file outside the folder.
 */
export function declarationFor(kind: DeclarationKind, text: string): string {
  const rewritten = text.replaceAll(IMPORT, `$1.${kind === 'mts' ? 'mjs' : 'cjs'}$2`);
  const other = /(?:from |import\()['"](?!\.\/[\w-]+\.[mc]js['"])([^'"]+)/.exec(rewritten)?.[1];
  if (other !== undefined) throw new Error(`the declarations of the client import ${other}`);
  return rewritten;
}

/** Lists the files of the same folder that a declaration file imports, without their endings. */
export const declarationImports = (text: string): string[] =>
  [...text.matchAll(/(?:from |import\()['"]\.\/([\w-]+)\.js['"]/g)].map(([, name = '']) => name);

/**
 * Writes the ES module of the package. It passes on what the CommonJS module has, so that a program that loads both has
 * each class of an error once.
 */
export const moduleText = (names: readonly string[]): string =>
  [
    "import client from './index.cjs';",
    `export const {\n${names.map((name) => `  ${name},\n`).join('')}} = client;`,
    '',
  ].join('\n');
