import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRegtestDaemon } from '../test/support/processes/regtest-daemon.js';
import { startWalletRpc } from '../test/support/processes/wallet-rpc.js';
import { createAddresses } from './create-addresses.js';
import { keptDirectory } from './kept-directory.js';
import { keptPaidChain } from './kept-paid-chain.js';
import { FILENAME, PASSWORD } from './method-calls.js';
import { PAYEE_SEED } from './paid-chain.js';

export interface AddressWalletSetting {
  readonly addresses: number;
  /** Payments, each to another of the first addresses. */
  readonly payments: number;
  /** Directory that keeps wallets and chains for later runs; absent: new ones are made. */
  readonly keep?: string | undefined;
}

/** Copies of a chain and of the directory of a wallet that has read it. */
export interface AddressWallet {
  readonly walletDir: string;
  readonly chainDir: string;
  /** Empty directory. */
  readonly backupDir: string;
  remove(): void;
}

/** Makes a wallet with many addresses, which has read a chain that pays it, or finds it. */
export async function addressWallet({
  addresses,
  payments,
  keep,
}: AddressWalletSetting): Promise<AddressWallet> {
  const chain = await keptPaidChain({ payments, addresses: payments, keep });
  const made = await keptDirectory(keep, `${addresses}-addresses-${payments}-payments`, (walletDir) =>
    makeWallet(walletDir, chain.dataDir, addresses),
  );
  const root = mkdtempSync(join(tmpdir(), 'addresses-'));
  const copies = {
    walletDir: join(root, 'wallets'),
    chainDir: join(root, 'chain'),
    backupDir: join(root, 'backups'),
  };
  mkdirSync(copies.backupDir);
  cpSync(made.directory, copies.walletDir, { recursive: true });
  cpSync(chain.dataDir, copies.chainDir, { recursive: true });
  made.remove();
  chain.remove();
  return { ...copies, remove: () => rmSync(root, { recursive: true, force: true }) };
}

async function makeWallet(walletDir: string, dataDir: string, addresses: number): Promise<void> {
  const daemon = await startRegtestDaemon([`--data-dir=${dataDir}`]);
  try {
    const maker = await startWalletRpc({ walletDir, daemon: daemon.address });
    try {
      const name = { filename: FILENAME, password: PASSWORD };
      await maker.rpc('restore_deterministic_wallet', { ...name, seed: PAYEE_SEED, restore_height: 0 });
      await createAddresses(maker, addresses - 1);
      await maker.rpc('refresh');
    } finally {
      await maker.stop({ keep: true });
    }
  } finally {
    await daemon.stop();
  }
}
