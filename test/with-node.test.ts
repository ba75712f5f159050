import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

/* bin/with-node puts the tools of this tree on the PATH, however it is started. */

const BIN = fileURLToPath(new URL('../../bin', import.meta.url));

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'with node '));
  symlinkSync(join(BIN, 'with-node'), join(folder, 'linked'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Directory that a command puts first on the PATH. */
function firstOnPath(cwd: string, command: string, ...args: readonly string[]): string {
  const { stdout } = spawnSync(command, [...args, 'sh', '-c', 'cd / && cd "${PATH%%:*}" && pwd -P'], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, CDPATH: folder },
  });
  return stdout.trim();
}

describe('bin/with-node', () => {
  test.each([
    ['by its path', () => firstOnPath('/', join(BIN, 'with-node'))],
    ['by a relative path', () => firstOnPath(join(BIN, '..'), 'bin/with-node')],
    ['by its name', () => firstOnPath(BIN, 'sh', 'with-node')],
    ['by a link', () => firstOnPath('/', join(folder, 'linked'))],
    ['by the name of a link', () => firstOnPath(folder, 'sh', 'linked')],
  ])('finds the tools of its tree when it is started %s', (_, start) => {
    expect(start()).toBe(realpathSync(join(BIN, '../node_modules/.bin')));
  });
});
