import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { draftOf } from '../../src/store/file/file-draft.js';
import { turns } from '../support/fakes/event-loop-turns.js';
import { startWalletProcess, type WalletRpc } from '../support/processes/wallet-rpc.js';

const wanted = (filename: string) => ({ filename, password: 'p', language: 'English' });

let walletDir: string;
let wallet: WalletRpc;

beforeAll(async () => {
  walletDir = mkdtempSync(join(tmpdir(), 'interrupted-'));
  wallet = await startWalletProcess({ walletDir });
});

afterAll(async () => {
  await wallet.stop({ signal: 'SIGKILL' });
  rmSync(walletDir, { recursive: true, force: true });
});

const drafts = (): string[] => readdirSync(walletDir).filter((name) => name.includes(draftOf('')));

describe('kill -9 while a wallet is created', () => {
  test.each<[string, (wallet: string) => string]>([
    ['the lock', (name) => `${name}.lock`],
    ['the draft of the keys', (name) => draftOf(`${name}.keys`)],
    ['the draft of the store', draftOf],
    ['the log of the draft', (name) => `${draftOf(name)}-wal`],
    ['the keys file', (name) => `${name}.keys`],
    ['the store', (name) => name],
    ['the log of the store', (name) => `${name}-wal`],
  ])('when %s appears leaves a wallet that opens, or a free name', async (what, fileOf) => {
    let isOver = false;
    const call = wallet
      .call('create_wallet', wanted(what))
      .catch(() => undefined)
      .finally(() => {
        isOver = true;
      });
    // Polls without a pause: drafts exist for milliseconds only, and may be missed.
    while (!isOver && !existsSync(join(walletDir, fileOf(what)))) await turns();
    await wallet.stop({ signal: 'SIGKILL' });
    const reply = await call;
    const isMade = existsSync(join(walletDir, `${what}.keys`));
    if (reply !== undefined) expect(isMade).toBe(true);

    wallet = await startWalletProcess({ walletDir });
    const { error } = await wallet.call('create_wallet', wanted(what));
    expect(error?.code).toBe(isMade ? -21 : undefined);
    if (isMade) await wallet.rpc('open_wallet', wanted(what));
    expect((await wallet.rpc('get_address')).address).toMatch(/^4/);
    expect(drafts()).toEqual([]);
  });
});

describe('leftover drafts of a wallet', () => {
  const LEFT = [draftOf('w.keys'), draftOf('w'), `${draftOf('w')}-wal`, draftOf('w.background.keys')];
  const leave = (): void => LEFT.forEach((name) => writeFileSync(join(walletDir, name), 'half'));

  it('are removed and logged when the wallet is created or opened', async () => {
    leave();
    await wallet.rpc('create_wallet', wanted('w'));
    expect(drafts()).toEqual([]);
    expect(wallet.process.output()).toContain('was interrupted');
    expect(wallet.process.output()).toContain(draftOf('w.background.keys'));
    await wallet.rpc('close_wallet');
    leave();
    await wallet.rpc('open_wallet', wanted('w'));
    expect(drafts()).toEqual([]);
  });

  it('stay while another process has the wallet open', async () => {
    leave();
    const other = await startWalletProcess({ walletDir });
    expect((await other.call('open_wallet', wanted('w'))).error).toMatchObject({
      data: { explanation: expect.stringMatching(/another process/) },
    });
    await other.stop({ keep: true });
    expect(drafts().sort()).toEqual([...LEFT].sort());
  });
});
