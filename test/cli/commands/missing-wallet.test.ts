import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { runCommand } from '../../../src/cli/commands/commands.js';
import { runWalletRpc } from '../../support/processes/wallet-rpc-run.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'missing-'));
  mkdirSync(join(folder, 'empty'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// Without a terminal, a question for the password is refused with another reason.
test.each<[name: 'backup' | 'export' | 'restore' | 'verify', args: readonly string[], missing: string]>([
  ['backup', ['shop', '--backup-dir=backups'], 'shop'],
  ['export', ['shop', '--from=2026-01-01', '--to=2027-01-01'], 'shop'],
  ['verify', ['EMPTY'], 'empty'],
  ['restore', ['EMPTY'], 'empty'],
])(
  'wallet-rpc %s tells that a wallet is missing before it asks for the password',
  async (name, args, missing) => {
    const given = args.map((arg) => (arg === 'EMPTY' ? join(folder, 'empty') : arg));
    const place = name === 'verify' ? [] : [`--wallet-dir=${folder}`];
    await expect(runCommand(name, [...given, ...place])).rejects.toThrow(
      `there is no wallet file '${missing}'`,
    );
  },
);

test('the server tells that --wallet-file is missing before it asks for the password, or for a login', async () => {
  const file = join(folder, 'shop');
  const { code, output } = await runWalletRpc([
    ...[`--wallet-file=${file}`, '--prompt-for-password', '--rpc-login=alice', '--offline'],
  ]);
  expect(output).toContain(`--wallet-file: ${file} cannot be opened: there is no ${file}.keys`);
  expect(code).toBe(1);
});
