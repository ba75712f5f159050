import type { WalletContext } from './wallet-context.js';

/**
 * Whether an output lacks its key image until multisig info of other signers is imported. False for other wallets.
 * @param account undefined: any account.
 */
export function isMultisigImportNeeded(
  { store, keystore }: Pick<WalletContext, 'store' | 'keystore'>,
  account?: number,
): boolean {
  return keystore.keys.multisig !== undefined && store.read((r) => r.watch.anyWithoutKeyImage(account));
}
