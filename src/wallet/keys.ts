import type { PublicKey, SecretKey } from '../crypto/types.js';
import type { NetworkType } from '../cryptonote/types.js';
import type { Secret } from '../util/secret.js';

/** The keys of one wallet, in memory. */
export interface WalletKeys {
  readonly network: NetworkType;
  readonly spendPublicKey: PublicKey;
  readonly viewPublicKey: PublicKey;
  readonly viewSecret: Secret<SecretKey>;
  /** Absent in a view-only wallet. */
  readonly spendSecret?: Secret<SecretKey>;
}
