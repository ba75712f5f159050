import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { WalletDirectory } from '../../../src/services/context/wallet-directory.js';
import type { OpenWallets } from '../../../src/services/manager/open-wallets.js';
import { listWallets } from '../../../src/services/manager/wallet-list.js';
import type { OpenWallet } from '../../../src/services/open-wallet.js';

let path: string;
let directory: WalletDirectory;

beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'list-'));
  directory = new WalletDirectory(path);
});

afterEach(() => rmSync(path, { recursive: true, force: true }));

/** An open wallet at a height, with a daemon at another. */
const open = (
  name: string,
  [height, daemonHeight]: readonly [number, number],
  facts: { readonly viewOnly?: boolean; readonly multisig?: boolean } = {},
): OpenWallet =>
  ({
    name,
    store: { height: () => height },
    sync: { daemonHeight },
    isViewOnly: facts.viewOnly ?? false,
    keys: facts.multisig === true ? { multisig: {} } : {},
  }) as unknown as OpenWallet;

/** The open wallets of a server, by name in the directory. */
const opened = (...wallets: OpenWallet[]): OpenWallets =>
  ({
    all: () => wallets,
    findByKeysFile: (keys: string) => wallets.find(({ name }) => keys === join(path, `${name}.keys`)),
  }) as unknown as OpenWallets;

const put = (...files: string[]): void => files.forEach((file) => writeFileSync(join(path, file), ''));

describe('the list of wallets', () => {
  it('names each keys file of the directory once, in order, whether its wallet is open or not', async () => {
    put('b.keys', 'b', 'a.keys', 'c.keys', 'c.lock', 'notes.txt');
    expect(await listWallets(opened(open('b', [10, 10])), directory)).toEqual([
      { name: 'a' },
      { name: 'b', open: { height: 10, daemonHeight: 10, viewOnly: false, multisig: false, syncing: false } },
      { name: 'c' },
    ]);
  });

  it('is empty for an empty directory', async () => {
    expect(await listWallets(opened(), directory)).toEqual([]);
  });

  it('leaves out the background files of a wallet, unless they are open', async () => {
    put('a.keys', 'a.background.keys', 'lonely.background.keys');
    expect(await listWallets(opened(), directory)).toEqual([{ name: 'a' }, { name: 'lonely.background' }]);
    const names = (await listWallets(opened(open('a.background', [1, 1])), directory)).map(
      ({ name }) => name,
    );
    expect(names).toEqual(['a', 'a.background', 'lonely.background']);
  });

  it('of a server without a directory holds the open wallets', async () => {
    const wallets = opened(open('', [5, 7], { viewOnly: true }), open('m', [7, 0], { multisig: true }));
    expect(await listWallets(wallets, undefined)).toEqual([
      { name: '', open: { height: 5, daemonHeight: 7, viewOnly: true, multisig: false, syncing: true } },
      { name: 'm', open: { height: 7, daemonHeight: 0, viewOnly: false, multisig: true, syncing: false } },
    ]);
  });

  it('fails with wallet_io where the directory is gone', async () => {
    rmSync(path, { recursive: true });
    await expect(listWallets(opened(), directory)).rejects.toThrow(
      expect.objectContaining({ fault: expect.objectContaining({ kind: 'wallet_io' }) }),
    );
  });
});
