import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { credentialCommand } from '../../../src/cli/commands/credential-command.js';
import { lockWallet } from '../../../src/store/file/wallet-lock.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'credentials-'));
  path = join(folder, 'clients.json');
});
afterEach(() => rmSync(folder, { recursive: true }));

const runFor = async (file: string, argv: readonly string[]): Promise<void> => {
  await credentialCommand({ print: () => undefined, hint: () => undefined }).parseAsync(
    [...argv, '--credentials', file],
    { from: 'user' },
  );
};
const run = (...argv: string[]): Promise<void> => runFor(path, argv);

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
    // A command that began later, for another file, is done.
    const other = join(folder, 'others.json');
    await runFor(other, ['add', 'clerk', '--wallet', '*', '--method', 'view']);
    expect(isDone).toBe(false);
    held.release();
    await adding;
    expect(names()).toEqual(['clerk']);
  });
});

describe('rules for payouts', () => {
  const payouts = [{ wallets: ['hot'], approve_above: '5', approvals: 1 }];

  it('of the file stay when a credential is added or removed', async () => {
    writeFileSync(path, JSON.stringify({ credentials: [], payouts }), { mode: 0o600 });
    await run('add', 'clerk', '--wallet', 'hot', '--method', 'payout_create');
    await run('remove', 'clerk');
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ credentials: [], payouts });
  });

  it('of a credential are given by options', async () => {
    const limits = ['--payout-account', '0', '--payout-account', '2', '--approve-above', '7'];
    const approval = ['--approvals', '3', '--approval-delay', '60', '--approve-own'];
    await run('add', 'clerk', '--wallet', 'hot', '--method', 'payout_create', ...limits, ...approval);
    const { credentials } = JSON.parse(readFileSync(path, 'utf8')) as { credentials: object[] };
    expect(credentials[0]).toMatchObject({
      payouts: { accounts: [0, 2], approve_above: '7', approvals: 3, delay: 60, own: true },
    });
    const wrong = run('add', 'other', '--wallet', 'hot', '--payout-account', 'first');
    await expect(wrong).rejects.toThrow('credential other: payouts.accounts[0]');
  });
});

describe('a file of credentials behind a symbolic link', () => {
  const view = ['--wallet', '*', '--method', 'view'];
  let target: string;
  beforeEach(() => {
    mkdirSync(join(folder, 'secrets'));
    target = join(folder, 'secrets', 'clients.json');
    symlinkSync('secrets/second', path);
    symlinkSync('clients.json', join(folder, 'secrets/second'));
  });

  it('is changed, and the link stays, also where the file does not exist yet', async () => {
    await run('add', 'clerk', ...view);
    await run('add', 'payer', ...view);
    await run('remove', 'clerk');
    expect(names()).toEqual(['payer']);
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(lstatSync(target).isFile()).toBe(true);
  });

  it('keeps its owner, group and rights', async () => {
    await run('add', 'clerk', ...view);
    chmodSync(target, 0o400);
    const isRoot = process.getuid?.() === 0;
    if (isRoot) chownSync(target, 4711, 4712);
    const before = statSync(target);
    await run('add', 'payer', ...view);
    const after = statSync(target);
    expect([after.mode, after.uid, after.gid]).toEqual([before.mode, before.uid, before.gid]);
    expect(after.ino).not.toBe(before.ino);
  });

  it('is refused where links form a circle', async () => {
    symlinkSync('first', join(folder, 'other'));
    symlinkSync('other', join(folder, 'first'));
    const adding = runFor(join(folder, 'first'), ['add', 'x', ...view]);
    await expect(adding).rejects.toThrow('its symbolic links form a circle');
  });
});
