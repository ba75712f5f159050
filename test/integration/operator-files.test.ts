import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runWalletRpc } from '../support/wallet-rpc-run.js';

/*
 * Files that the operator names and that are none: a pipe that no other program has open, and a link to itself.
 */

let folder: string;
let args: readonly string[];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'operator-'));
  args = ['--offline', '--rpc-bind-port=0', '--disable-rpc-login', `--wallet-dir=${join(folder, 'wallets')}`];
  execFileSync('mkfifo', ['-m', '600', join(folder, 'pipe')]);
  symlinkSync('loop', join(folder, 'loop'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Options with a file, with the options that each needs beside it. */
const OPTIONS: readonly (readonly [option: string, others: readonly string[]])[] = [
  ['config-file', []],
  ['log-file', []],
  ['audit-log', []],
  ['pidfile', []],
  ['credentials', []],
  ['rpc-ssl-ca-certificates', []],
  ['rpc-ssl-certificate', ['--rpc-ssl-private-key=/dev/null']],
];

describe.each([
  ['pipe', 'ENODATA', 'ENXIO'],
  ['loop', 'ELOOP', 'ELOOP'],
])('a start with a %s in place of a file', (name, readCode, writeCode) => {
  it.each(OPTIONS)('is refused with the name of the option: --%s', async (option, others) => {
    const given = option === 'credentials' ? args.filter((arg) => arg !== '--disable-rpc-login') : args;
    const { code, stderr } = await runWalletRpc([...given, ...others, `--${option}=${join(folder, name)}`]);
    expect(stderr).toContain(`--${option}: `);
    expect(stderr).toMatch(new RegExp(`\\((${readCode}|${writeCode})\\)`));
    expect(code).toBe(1);
  });

  it('is refused with the path of a password file, also by a command', async () => {
    const path = join(folder, name);
    const start = [
      '--offline',
      '--rpc-bind-port=0',
      '--disable-rpc-login',
      `--wallet-file=${join(folder, 'w')}`,
    ];
    for (const given of [
      [...start, `--password-file=${path}`],
      ['verify', folder, `--password-file=${path}`],
    ]) {
      const { code, stderr } = await runWalletRpc(given);
      expect(stderr).toContain(`--password-file: ${path} cannot be read (${readCode})`);
      expect(code).toBe(1);
    }
  });
});

describe('a text that a command prints', () => {
  it('has no character that changes its direction or controls the terminal', async () => {
    const { stderr } = await runWalletRpc([
      'verify',
      join(folder, 'a\u202eb\u001bc'),
      '--password-file=/dev/null',
    ]);
    expect(stderr).toContain('\\u202e');
    expect(stderr).not.toMatch(/[\u202e\u001b]/);
  });
});
