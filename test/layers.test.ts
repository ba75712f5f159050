import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';

const src = fileURLToPath(new URL('../../src', import.meta.url));

const ground = ['crypto', 'util'];
const protocol = ['cryptonote', 'ringct', ...ground];
const services = ['refresh', 'wallet', 'store', 'daemon', 'dns', 'kernel', ...protocol];

/** Which folders a folder may import, itself aside. DESIGN: the house. */
const mayImport: Record<string, readonly string[]> = {
  cli: [
    'rpc',
    'regtest',
    'services',
    'refresh',
    'store',
    'daemon',
    'dns',
    'kernel',
    'wallet',
    'jsonrpc',
    'epee',
    ...protocol,
  ],
  rpc: ['services', 'jsonrpc', 'wallet', 'daemon', ...protocol],
  regtest: ['jsonrpc', 'epee', 'kernel', ...protocol],
  services,
  refresh: ['wallet', 'store', 'daemon', 'kernel', ...protocol],
  store: ['wallet', 'epee', ...protocol],
  daemon: ['epee', ...protocol],
  dns: ['util'],
  kernel: ground,
  wallet: protocol,
  jsonrpc: ['util'],
  epee: ['util'],
  cryptonote: ['ringct', ...ground],
  ringct: ['cryptonote', ...ground],
  crypto: ['util'],
  util: [],
};

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
const folderOf = (path: string): string => path.split(sep)[0] ?? '';

describe('imports run downwards only', () => {
  test('every folder stands in the table', () => {
    const folders = new Set(files.map(folderOf));
    expect([...folders].filter((folder) => !(folder in mayImport))).toEqual([]);
  });

  test.each(files)('%s imports what its floor may', (file) => {
    const folder = folderOf(file);
    const text = readFileSync(join(src, file), 'utf8');
    const imported = [...text.matchAll(/(?:from|import\(|new URL\()\s*'(\.{1,2}\/[^']+)'/g)].map(
      ([, path = '']) => folderOf(relative(src, join(src, file, '..', path))),
    );
    const allowed = [folder, ...(mayImport[folder] ?? [])];
    expect(
      imported.filter((target) => target !== '..' && target !== '' && !allowed.includes(target)),
    ).toEqual([]);
  });
});
