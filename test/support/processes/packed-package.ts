import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const run = promisify(execFile);

/**
 * Packs the compiled tree as a release does, but for the compilation, from a copy in the folder.
 * @param repository address of the repository that a release sets; absent: none.
 * @returns path of the package.
 */
export async function packCopy(folder: string, repository?: string): Promise<string> {
  // A copy, since its README is replaced while it is packed. The scripts of npm would compile the copy.
  const copy = join(folder, 'source');
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    files: readonly string[];
  };
  const files = [...manifest.files, 'package.json', 'README.md', 'LICENSE', 'bin/npm-readme.js'];
  for (const file of files.filter((name) => !name.startsWith('!'))) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(ROOT, file), join(copy, file), { recursive: true });
  }
  if (repository !== undefined)
    writeFileSync(
      join(copy, 'package.json'),
      JSON.stringify({ ...manifest, repository: { type: 'git', url: repository } }),
    );
  await run(process.execPath, [join(copy, 'bin/npm-readme.js'), 'write']);
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const { stdout } = await run('npm', pack, { cwd: copy });
  const [packed] = JSON.parse(stdout) as { filename: string }[];
  if (packed === undefined) throw new Error('npm packed nothing');
  return join(folder, packed.filename);
}

/** Packs the compiled tree as {@link packCopy}, and installs the package in the folder with npm alone. */
export async function installPacked(folder: string, repository?: string): Promise<void> {
  const file = await packCopy(folder, repository);
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  // Without install scripts nothing can be compiled.
  await run('npm', ['install', '--omit=dev', '--ignore-scripts', file], {
    cwd: folder,
  });
}
