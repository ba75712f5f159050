import type { SecretKey } from '../../monero/crypto/types.js';
import { spendSecretIn } from '../../monero/wallet/keys.js';
import type { SpendingKeys } from '../../monero/wallet/scan/key-images.js';
import type { ReceivingKeys } from '../../monero/wallet/scan/found-output.js';
import type { Keystore } from '../context/keystore.js';

/** Copies of secret keys for a worker thread. */
export interface ThreadSecrets<Keys> {
  readonly keys: Keys;
  /** The same copies, to be wiped. */
  readonly secrets: readonly Uint8Array[];
}

export const copySecret = (key: SecretKey): SecretKey => Uint8Array.from(key) as SecretKey;

/** Copies the secret keys of a wallet: the view key, and the spend key if the wallet has it. */
export function threadSecrets(keystore: Pick<Keystore, 'keys'>): ThreadSecrets<ReceivingKeys> {
  if (keystore.keys.spendSecret !== undefined) return threadSpendSecrets(keystore);
  const viewSecret = copySecret(keystore.keys.viewSecret.expose());
  return { keys: { viewSecret }, secrets: [viewSecret] };
}

/** Copies the secret keys of a wallet that can spend. @throws WalletError `view_only`, `multisig_refused` */
export function threadSpendSecrets({ keys: own }: Pick<Keystore, 'keys'>): ThreadSecrets<SpendingKeys> {
  const spendSecret = copySecret(spendSecretIn(own));
  const keys = { viewSecret: copySecret(own.viewSecret.expose()), spendSecret };
  return { keys, secrets: Object.values(keys) };
}
