import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { WalletDirectory } from '../../../src/services/context/wallet-directory.js';
import { OpenWallets } from '../../../src/services/manager/open-wallets.js';
import type { OpenWallet } from '../../../src/services/open-wallet.js';
import { FakeOpener, keysFiles } from '../../support/fakes/fake-opener.js';
import { fault } from '../../support/wallets/service-wallet.js';

const [BEFORE, AFTER] = keysFiles();
const trouble = new Error('disk trouble');

let path: string;
let directory: WalletDirectory;
let opener: FakeOpener;
let wallets: OpenWallets;
let wallet: OpenWallet;

beforeEach(async () => {
  path = mkdtempSync(join(tmpdir(), 'rekey-'));
  directory = new WalletDirectory(path);
  writeFileSync(join(path, 'a.keys'), 'a');
  opener = new FakeOpener();
  wallets = new OpenWallets(pino({ level: 'silent' }), opener.scheduler, () => opener.opener);
  const paths = directory.locate('a');
  await wallets.open(paths, 'p', 'path');
  wallet = await wallets.open(paths, 'p', 'current');
  opener.steps.length = 0;
});

afterEach(() => rmSync(path, { recursive: true, force: true }));

const rekey = (keys = AFTER): Promise<void> => wallets.rekey(wallet, () => Promise.resolve(keys));
const fails = (step: string): unknown => opener.on.set(step, () => Promise.reject(trouble));
const REKEY = 'rekey a, password p';

describe('a wallet that is given other keys', () => {
  it('is closed and opened again with them, for the same holders, and its store begins anew', async () => {
    await rekey();
    expect(opener.steps).toEqual(['close a', REKEY, 'reopen a', 'replace a']);
    expect(wallets.current).not.toBe(wallet);
    expect(wallets.current?.keystore.whole.spendPublicKey).toEqual(AFTER.spendPublicKey);
    expect(wallets.findByPath(directory.locate('a'))).toBe(wallets.current);
    expect(opener.isLockHeld).toBe(true);
  });

  it('keeps its store where its address stays the same', async () => {
    await rekey({ ...AFTER, spendPublicKey: BEFORE.spendPublicKey, viewPublicKey: BEFORE.viewPublicKey });
    expect(opener.steps).toContain('rekey a with its store, password p');
  });

  it('stays open as it is where the new keys cannot be made', async () => {
    await expect(wallets.rekey(wallet, () => Promise.reject(trouble))).rejects.toBe(trouble);
    expect([opener.steps, wallets.current]).toEqual([[], wallet]);
  });

  it('is opened again with its own keys where the new ones cannot be written', async () => {
    fails(REKEY);
    await expect(rekey()).rejects.toBe(trouble);
    expect(opener.steps).toEqual(['close a', REKEY, 'reopen a', 'replace a']);
    expect(wallets.current?.keystore.whole.spendPublicKey).toEqual(BEFORE.spendPublicKey);
  });

  it('is open no more, and its lock is free, where it cannot be closed', async () => {
    fails('close a');
    await expect(rekey()).rejects.toBe(trouble);
    expect([wallets.all(), wallets.current, opener.isLockHeld, [...opener.periods]]).toEqual([
      [],
      undefined,
      false,
      [],
    ]);
  });

  it('is open no more where it cannot be opened again', async () => {
    fails('reopen a');
    await expect(rekey()).rejects.toBe(trouble);
    expect([wallets.all(), wallets.current]).toEqual([[], undefined]);
  });

  it('must be open', async () => {
    await wallets.release(wallet, 'path');
    await wallets.release(wallet, 'current');
    await expect(rekey()).rejects.toMatchObject(fault({ kind: 'no_wallet' }));
  });

  it('must not have been replaced by another round meanwhile', async () => {
    await rekey();
    await expect(rekey()).rejects.toMatchObject(fault({ kind: 'no_wallet' }));
  });
});
