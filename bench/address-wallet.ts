import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRegtestDaemon } from '../test/support/regtest-daemon.js';
import { startWalletRpc } from '../test/support/wallet-rpc.js';
import { keptPaidChain } from './kept-paid-chain.js';
import { FILENAME, PASSWORD } from './method-calls.js';
import { PAYEE_SEED } from './paid-chain.js';

/** Addresses that one call creates at most. */
export const MAX_NEW_ADDRESSES = 65_536;

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
  const root = mkdtempSync(join(tmpdir(), 'addresses-'));
  const copies = {
    walletDir: join(root, 'wallets'),
    chainDir: join(root, 'chain'),
    backupDir: join(root, 'backups'),
  };
  mkdirSync(copies.backupDir);
  const made =
    keep === undefined ? copies.walletDir : join(keep, `${addresses}-addresses-${payments}-payments`);
  if (!existsSync(join(made, 'whole'))) {
    mkdirSync(made, { recursive: true });
    const daemon = await startRegtestDaemon([`--data-dir=${chain.dataDir}`]);
    const maker = await startWalletRpc({ walletDir: made, daemon: daemon.address });
    const name = { filename: FILENAME, password: PASSWORD };
    await maker.rpc('restore_deterministic_wallet', { ...name, seed: PAYEE_SEED, restore_height: 0 });
    for (let at = 1; at < addresses; at += MAX_NEW_ADDRESSES) {
      const count = Math.min(MAX_NEW_ADDRESSES, addresses - at);
      await maker.rpc('create_address', { account_index: 0, count });
    }
    await maker.rpc('refresh');
    await maker.stop({ keep: true });
    await daemon.stop();
    writeFileSync(join(made, 'whole'), '');
  }
  if (keep !== undefined) cpSync(made, copies.walletDir, { recursive: true });
  cpSync(chain.dataDir, copies.chainDir, { recursive: true });
  chain.remove();
  return { ...copies, remove: () => rmSync(root, { recursive: true, force: true }) };
}
