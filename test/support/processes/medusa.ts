import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT, type PackedClient } from '../network/packed-client.js';

/* The payment provider for Medusa, with the framework that its manifest pins. */

const run = promisify(execFile);

/** Sources of the provider. */
export const PROVIDER = join(ROOT, 'packaging/medusa');

const CLIENT = 'node_modules/wallet-rpc-client';
const OWN = 'node_modules/wallet-rpc-medusa';

/** Installed framework, which outlives a run of the tests, as it has some 800 MB. Jest reads every file below `build`. */
const FOLDER = join(ROOT, 'build-medusa');

/** Environment of npm and of programs of the framework, without what Jest has set. */
export const PLAIN = { ...process.env, NODE_OPTIONS: '', NODE_ENV: 'development' };

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
}

/** Installs the framework once for each manifest. @returns its folder. */
async function installFramework(text: string): Promise<string> {
  const folder = join(FOLDER, createHash('sha256').update(text).digest('hex').slice(0, 16));
  if (existsSync(folder)) return folder;
  rmSync(FOLDER, { recursive: true, force: true });
  const draft = `${folder}.draft`;
  mkdirSync(draft, { recursive: true });
  // The client is that of this tree, whose version may not be published yet.
  const { dependencies: _, ...manifest } = JSON.parse(text) as Manifest;
  writeFileSync(join(draft, 'package.json'), JSON.stringify(manifest));
  const install = ['install', '--ignore-scripts', '--no-fund', '--no-audit', '--loglevel=error'];
  await run('npm', install, { cwd: draft, env: PLAIN });
  renameSync(draft, folder);
  return folder;
}

/**
 * Copies the provider to a folder with the framework and a packed client, and installs it there as npm packs it.
 * @returns the folder.
 */
export async function installMedusa(client: PackedClient): Promise<string> {
  const text = readFileSync(join(PROVIDER, 'package.json'), 'utf8');
  const folder = await installFramework(text);
  for (const name of [CLIENT, OWN, 'build', 'dist', 'examples', 'src', 'test'])
    rmSync(join(folder, name), { recursive: true, force: true });
  cpSync(PROVIDER, folder, { recursive: true });
  cpSync(join(client.folder, CLIENT), join(folder, CLIENT), { recursive: true });
  const { stdout } = await run('npm', ['pack', '--json'], { cwd: folder, env: PLAIN });
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('['))) as { filename: string }[];
  const archive = join(folder, packed?.filename ?? '');
  mkdirSync(join(folder, OWN));
  await run('tar', ['-xzf', archive, '--strip-components=1', '-C', join(folder, OWN)]);
  rmSync(archive);
  return folder;
}
