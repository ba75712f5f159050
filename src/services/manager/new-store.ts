import type { PublicKey } from '../../crypto/types.js';
import type { WalletWriter } from '../../store/wallet-writer.js';

/** Initial content of every store. */
export interface NewStore {
  /** First height to scan; undefined if no daemon answered. */
  readonly restoreHeight: number | undefined;
  /** Unix time [s]. */
  readonly createdAt: number;
  readonly spendPublicKey: PublicKey;
}

export function fillNewStore(w: WalletWriter, { restoreHeight, createdAt, spendPublicKey }: NewStore): void {
  if (restoreHeight !== undefined) w.meta.set('restore_height', String(restoreHeight));
  w.meta.set('created_at', String(createdAt));
  w.subaddresses.add([{ index: { major: 0, minor: 0 }, spendPublicKey }]);
}
