import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCredentialCommand } from '../../src/cli/credential-command.js';
import { lockWallet } from '../../src/store/file/wallet-lock.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'credentials-'));
  path = join(folder, 'clients.json');
});
afterEach(() => rmSync(folder, { recursive: true }));

const run = (...argv: string[]): Promise<void> =>
  runCredentialCommand([...argv, '--credentials', path], { print: () => undefined, hint: () => undefined });

const names = (): string[] => {
  const { credentials } = JSON.parse(readFileSync(path, 'utf8')) as { credentials: { name: string }[] };
  return credentials.map(({ name }) => name);
};

describe('commands that change a file of credentials at the same time', () => {
  it('lose none of their changes', async () => {
    await run('add', 'old', '--wallet', '*', '--method', 'view');
    const added = Array.from({ length: 20 }, (_, i) => `client${i}`);
    await Promise.all([
      ...added.map((name) => run('add', name, '--wallet', '*', '--method', 'view')),
      run('remove', 'old'),
    ]);
    expect(names().sort()).toEqual(added.sort());
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('add one of two credentials of the same name', async () => {
    const adding = () => run('add', 'clerk', '--wallet', '*', '--method', 'view');
    const outcomes = await Promise.allSettled([adding(), adding()]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(names()).toEqual(['clerk']);
  });

  it('wait for the command that holds the lock', async () => {
    const held = lockWallet(`${path}.lock`, 'test');
    let isDone = false;
    const adding = run('add', 'clerk', '--wallet', '*', '--method', 'view').then(() => (isDone = true));
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(isDone).toBe(false);
    held.release();
    await adding;
    expect(names()).toEqual(['clerk']);
  });
});
