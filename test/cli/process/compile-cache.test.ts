import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  COMPILE_CACHE,
  keepCompiledModules,
  withoutCompileCache,
} from '../../../src/cli/process/compile-cache.js';

let parent: string;
let directory: string;
let enabled: string[];
let env: NodeJS.ProcessEnv;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'compiled-'));
  directory = join(parent, COMPILE_CACHE);
  enabled = [];
  env = { HOME: '/home/me' };
});

afterEach(() => rmSync(parent, { recursive: true, force: true }));

const keep = (at = parent): boolean =>
  keepCompiledModules({ parent: at, env, enable: (path) => enabled.push(path) });

describe('the cache of compiled modules', () => {
  it('makes a directory that only its owner can enter, and uses it again', () => {
    expect(keep()).toBe(true);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    env = {};
    expect(keep()).toBe(true);
    expect(enabled).toEqual([directory, directory]);
  });

  it('is used by worker threads, but not by commands of the operator', () => {
    keep();
    expect(env).toEqual({ HOME: '/home/me', NODE_COMPILE_CACHE: directory });
    expect(withoutCompileCache(env, parent)).toEqual({ HOME: '/home/me' });
  });

  it('is the one that the environment names', () => {
    env['NODE_COMPILE_CACHE'] = '/elsewhere';
    expect(keep()).toBe(false);
    expect(enabled).toEqual([]);
    expect(withoutCompileCache(env, parent)).toEqual(env);
  });

  it.each([0o770, 0o707, 0o701])('is off where others have rights to the directory: %o', (mode) => {
    mkdirSync(directory);
    chmodSync(directory, mode);
    expect(keep()).toBe(false);
    expect(enabled).toEqual([]);
  });

  it('is off where the directory is a link', () => {
    const elsewhere = join(parent, 'elsewhere');
    mkdirSync(elsewhere, { mode: 0o700 });
    symlinkSync(elsewhere, directory);
    expect(keep()).toBe(false);
    expect(enabled).toEqual([]);
  });

  it('is off where the directory cannot be made', () => {
    expect(keep(join(parent, 'missing'))).toBe(false);
    expect(enabled).toEqual([]);
  });
});
