import type { WalletContext } from './wallet-context.js';

/**
 * True if an output lacks its key image until this wallet imports multisig info of other signers; false for other
 * wallets.
 * @param account undefined: any account.
 */
export function isMultisigImportNeeded(
  { store, keystore }: Pick<WalletContext, 'store' | 'keystore'>,
  account?: number,
): boolean {
  return keystore.keys.multisig !== undefined && store.read((r) => r.watch.anyWithoutKeyImage(account));
}
