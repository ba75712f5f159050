import { execFile, execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Variable that names the directory of the template, which a run of tests has once; absent: each cluster makes its own. */
export const POSTGRES_TEMPLATE = 'POSTGRES_TEMPLATE';

/** Password of the database's user `postgres`. */
export const PASSWORD = 'over-the-wire';

/** User as which the programs of PostgreSQL run. */
export interface PostgresUser {
  readonly uid?: number;
  readonly gid?: number;
}

/** Runs programs of PostgreSQL, and those that change its files. */
export interface PostgresTools {
  readonly bin: string;
  readonly user: PostgresUser;
  readonly env: NodeJS.ProcessEnv;
  /** Makes a directory that the user owns. @param prefix path to which random characters are added. */
  makeDirectory(prefix: string): string;
  run(program: string, args: readonly string[]): Promise<unknown>;
}

/**
 * Finds the directory of the programs of PostgreSQL: Debian gives each version one, which is not in PATH; others install
 * them in PATH.
 * @throws Error if it is not installed.
 */
export function findPostgres(): string {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root)
    ? readdirSync(root)
        .map(Number)
        .sort((a, b) => b - a)
    : [];
  const bin = [
    ...versions.map((version) => join(root, String(version), 'bin')),
    ...(process.env['PATH'] ?? '').split(delimiter),
  ].find((path) => existsSync(join(path, 'initdb')));
  if (bin === undefined) throw new Error('PostgreSQL is not installed: sudo apt-get install postgresql');
  return bin;
}

/** PostgreSQL refuses to run as root: then it runs as the user of the package. */
function serverUser(): PostgresUser {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** Returns the tools of the installed PostgreSQL. @throws Error if it is not installed. */
export function postgresTools(): PostgresTools {
  const bin = findPostgres();
  const user = serverUser();
  // Its user may not look for certificates in the home directory of root.
  const env = { ...process.env, PGPASSWORD: PASSWORD, LC_ALL: 'C', HOME: '/' };
  return {
    ...{ bin, user, env },
    makeDirectory(prefix) {
      const directory = mkdtempSync(prefix);
      if (user.uid !== undefined && user.gid !== undefined) chownSync(directory, user.uid, user.gid);
      return directory;
    },
    run: (program, args) => run(program, args, { ...user, env, cwd: '/' }),
  };
}

/** Initialises the directory of a server, which has not started yet. */
async function initialise(tools: PostgresTools, directory: string): Promise<void> {
  const passwordFile = `${directory}.password`;
  writeFileSync(passwordFile, PASSWORD, { mode: 0o644 });
  await tools.run(join(tools.bin, 'initdb'), [
    ...['-D', directory, '-U', 'postgres', '--no-sync', '-E', 'UTF8', '--locale=C'],
    ...['--auth=scram-sha-256', `--pwfile=${passwordFile}`],
  ]);
  rmSync(passwordFile);
}

/**
 * Copies an initialised server that has not started yet, since `initdb` takes longer than its start. It is initialised on
 * first use.
 * @param own directory of the template if the run of tests has none. @param to directories, which may exist if they are
 * empty.
 */
export async function copyTemplate(tools: PostgresTools, own: string, to: readonly string[]): Promise<void> {
  const parent = process.env[POSTGRES_TEMPLATE] ?? own;
  const template = join(parent, 'template');
  if (!existsSync(template)) {
    const draft = tools.makeDirectory(join(parent, 'draft-'));
    try {
      await initialise(tools, draft);
      renameSync(draft, template);
    } catch (error) {
      // Test processes may initialise it at the same time: the first one that renames its directory wins.
      if (!existsSync(template)) throw error;
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
  }
  await Promise.all(to.map((directory) => tools.run('cp', ['-aT', template, directory])));
}
