import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWalletRpc } from '../test/support/processes/wallet-rpc.js';
import { createAddresses } from './create-addresses.js';
import { fillRequests, type Terms } from './filled-requests.js';
import { FILENAME, PASSWORD } from './method-calls.js';
import { PAYEE_SEED } from './paid-chain.js';

export interface RequestWalletSetting {
  /** Number of requests, each to one of the first addresses. */
  readonly requests: number;
  readonly terms: Terms;
}

/** Directories of two wallets with the same addresses, which have read no block. */
export interface RequestWallets {
  readonly plain: string;
  readonly requesting: string;
  /** Copies one of them. @returns the directory of the copy, which {@link remove} removes. */
  copyOf(directory: string): string;
  remove(): void;
}

/** Makes a wallet with many addresses, and one that has a payment request to each of them, too. */
export async function requestWallets({ requests, terms }: RequestWalletSetting): Promise<RequestWallets> {
  const root = mkdtempSync(join(tmpdir(), 'payment-requests-'));
  const [plain, requesting] = [join(root, 'plain'), join(root, 'requesting')];
  let copies = 0;
  const maker = await startWalletRpc({ walletDir: join(root, 'plain') });
  try {
    const name = { filename: FILENAME, password: PASSWORD };
    await maker.rpc('restore_deterministic_wallet', { ...name, seed: PAYEE_SEED, restore_height: 0 });
    await createAddresses(maker, requests - 1);
  } finally {
    await maker.stop({ keep: true });
  }
  cpSync(plain, requesting, { recursive: true });
  fillRequests(join(requesting, FILENAME), requests, terms);
  return {
    plain,
    requesting,
    copyOf(directory) {
      const copy = join(root, `copy-${copies++}`);
      cpSync(directory, copy, { recursive: true });
      return copy;
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
