import type { WalletWriter } from '../../../src/store/wallet-writer.js';

/** Deletes every row that comes from the chain in one transaction, as a rescan does in several. */
export function clearChain(w: Pick<WalletWriter, 'clearNext'>, { hard }: { readonly hard: boolean }): void {
  w.clearNext({ hard, rows: Number.MAX_SAFE_INTEGER });
}
