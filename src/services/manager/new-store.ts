import type { PublicKey } from '../../monero/crypto/types.js';
import type { WalletWriter } from '../../store/wallet-writer.js';

/** Values that every store is created with. */
export interface NewStore {
  /** Height from which the wallet is scanned; undefined if no daemon answered. */
  readonly restoreHeight: number | undefined;
  /** Creation time of the wallet [Unix s]. */
  readonly createdAt: number;
  readonly spendPublicKey: PublicKey;
  /** Time at which a wallet that may have a history came to this server [Unix s]; absent for a wallet of new keys. */
  readonly arrivedAt?: number | undefined;
}

/** Writes the initial rows of a new store. */
export function fillNewStore(
  w: WalletWriter,
  { restoreHeight, createdAt, spendPublicKey, arrivedAt }: NewStore,
): void {
  if (restoreHeight !== undefined) w.meta.set('restore_height', String(restoreHeight));
  w.meta.set('created_at', String(createdAt));
  if (arrivedAt !== undefined) {
    w.meta.set('arrived_at', String(arrivedAt));
    w.lostAddresses.mark('restored');
  }
  w.subaddresses.add([{ index: { major: 0, minor: 0 }, spendPublicKey }]);
}
