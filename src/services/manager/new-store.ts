import type { PublicKey } from '../../crypto/types.js';
import type { WalletWriter } from '../../store/wallet-writer.js';

/** What every store begins with. */
export interface NewStore {
  /** First height to scan; undefined where no daemon could be asked. */
  readonly restoreHeight: number | undefined;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly spendPublicKey: PublicKey;
}

export function fillNewStore(w: WalletWriter, { restoreHeight, createdAt, spendPublicKey }: NewStore): void {
  if (restoreHeight !== undefined) w.meta.set('restore_height', String(restoreHeight));
  w.meta.set('created_at', String(createdAt));
  w.subaddresses.add([{ index: { major: 0, minor: 0 }, spendPublicKey }]);
}
