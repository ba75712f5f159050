import { createHash, generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { canPreload, compileLibrary } from '../checked/compile-library.js';
import { isTest } from './process.js';

const SOURCE = fileURLToPath(
  new URL('../../../../test/support/processes/reference-preload.c', import.meta.url),
);
const BUILD = fileURLToPath(new URL('.', import.meta.url));

/** Library and RSA key that the reference's programs are started with. */
export interface Preload {
  readonly library: string;
  /** PEM, 4096 bits as in the reference. */
  readonly key: string;
}

function build(): Preload | undefined {
  if (!canPreload) return undefined;
  // The library holds the path of its key: a build directory that was copied or moved needs another one.
  const version = createHash('sha256').update(readFileSync(SOURCE)).update(BUILD).digest('hex').slice(0, 16);
  const directory = join(BUILD, `preload-${version}`);
  const preload = { library: join(directory, 'preload.so'), key: join(directory, 'key.pem') };
  if (existsSync(directory)) return preload;
  // Test processes may build at the same time: the first one that renames its directory wins.
  const draft = mkdtempSync(join(BUILD, 'preload-draft-'));
  try {
    if (!compileLibrary(SOURCE, join(draft, 'preload.so'), [`-DKEY_FILE=${JSON.stringify(preload.key)}`]))
      return undefined;
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 4096,
      privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
      publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
    });
    writeFileSync(join(draft, 'key.pem'), privateKey);
    renameSync(draft, directory);
  } catch (error) {
    if (!existsSync(directory)) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return preload;
}

let built: Preload | undefined | null = null;

/** Returns the library, built on first use; undefined without a C compiler, which costs time only. */
export const referencePreload = (): Preload | undefined => (built === null ? (built = build()) : built);

/** Environment in which new wallets, ours and the reference's, have their usual lookahead, 50 × 200 subaddresses. */
export const DEFAULT_LOOKAHEAD_ENV = { DEFAULT_LOOKAHEAD: '1' };

/**
 * Environment in which monerod, monero-wallet-rpc and monero-wallet-cli start without needless waits.
 * @param isShortened absent: in tests only, since benchmarks measure the programs as they are.
 */
export function referenceEnv(env: NodeJS.ProcessEnv = {}, isShortened = isTest): NodeJS.ProcessEnv {
  const preload = isShortened ? referencePreload() : undefined;
  return { ...process.env, ...(preload === undefined ? {} : { LD_PRELOAD: preload.library }), ...env };
}
