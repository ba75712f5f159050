import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { installedPackage, type DependencyFacts } from './dependencies-table.js';
import type { LockFile } from './runtime-lock.js';

const ROOT = new URL('../../', import.meta.url);

/** Purposes of the direct packages. */
const PURPOSES: Readonly<Record<string, string>> = {
  '@noble/ciphers': 'ChaCha20 of keys files, exports and cluster secrets',
  '@noble/curves': 'curve arithmetic: the plain twin of the kernel, and what the kernel does not compute',
  '@noble/hashes': 'BLAKE of CryptoNight, HMAC and HKDF of a cluster',
  '@peculiar/x509': 'the self-signed certificate of a start without one',
  'better-sqlite3': 'the store of a wallet, encrypted SQLite',
  commander: 'the command line',
  express: 'routes of HTTP',
  koffi: 'calls of librandomx, in the process that checks proof of work; loaded with `--verify-work` only',
  pino: 'log lines',
  postgres: 'the database of a cluster; loaded with `--cluster` only',
  'prom-client': 'metrics',
  socks: 'connections through `--proxy`; loaded with it only',
  uqr: 'QR codes of the status and pay pages',
  zod: 'schemas of parameters, results, options and credentials',
};

const read = (name: string): unknown => JSON.parse(readFileSync(new URL(name, ROOT), 'utf8')) as unknown;

/** Reads what the table of packages is made from. */
export const dependencyFacts = (): DependencyFacts => ({
  lock: read('package-lock.json') as LockFile,
  purposes: PURPOSES,
  dates: read('tools/release-dates.json') as Readonly<Record<string, string>>,
  installed: (folder) => installedPackage(fileURLToPath(new URL(folder, ROOT))),
});
