import type { PublicKey, SecretKey } from '../crypto/types.js';
import type { NetworkType } from '../cryptonote/types.js';
import type { Secret } from '../../util/secret.js';
import { ProtocolError, type Reasoned } from './protocol-error.js';
import type { GroupState, MultisigAccount } from './multisig/account.js';

/**
 * Facts of a {@link KeyError}. `invalid`: the texts are not keys, or not the keys of the address; `view_only`: the
 * spend secret key is needed; `multisig_refused`: the spend secret key is needed, which no participant has;
 * `not_multisig`: the key shares of a participant are needed.
 * @example
 * const fault: KeyFault = { kind: 'view_only' };
 * new KeyError(fault).message; // => 'view only'
 */
export type KeyFault =
  | ({ readonly kind: 'invalid' | 'multisig_refused' } & Reasoned)
  | { readonly kind: 'view_only' | 'not_multisig' };

/**
 * Error of keys that are absent, or do not belong together.
 * @example
 * try {
 *   parseAccountKeys({ address: '', viewKey: 'ff', spendKey: '' }, 'mainnet');
 * } catch (error) {
 *   error instanceof KeyError; // => true
 *   error.fault.reason; // => 'the view key has 64 hex digits'
 * }
 */
export class KeyError extends ProtocolError<KeyFault> {
  override readonly name = 'KeyError';
}

/** The keys of an open wallet, in memory. */
export interface WalletKeys {
  readonly network: NetworkType;
  readonly spendPublicKey: PublicKey;
  readonly viewPublicKey: PublicKey;
  readonly viewSecret: Secret<SecretKey>;
  /** Spend secret key; absent in view-only and multisig wallets. */
  readonly spendSecret?: Secret<SecretKey>;
  /** Polyseed from which the keys were derived, in the form of the keys file; absent if there is no Polyseed. */
  readonly polyseed?: Secret;
  /** Key shares; present in multisig wallets only. */
  readonly multisig?: MultisigKeys;
}

/** Secrets that a wallet does not have in memory during background sync. */
export interface SpendSecrets {
  readonly spendSecret: SecretKey;
  /** Polyseed as in {@link WalletKeys}. */
  readonly polyseed?: Uint8Array;
}

/** Shares of a multisig spend key that one participant holds. */
export interface MultisigKeys {
  readonly signerSecret: Secret<SecretKey>;
  readonly shares: readonly Secret<SecretKey>[];
  readonly roundKeys: readonly Secret<PublicKey>[];
  readonly group: Pick<GroupState, 'threshold' | 'signers' | 'roundsPassed'>;
}

/**
 * Returns the multisig account of the keys; undefined if the wallet is not multisig.
 * @throws Error after the keys were wiped.
 */
export function accountOf({ spendPublicKey, viewSecret, multisig }: WalletKeys): MultisigAccount | undefined {
  if (multisig === undefined) return undefined;
  const { signerSecret, shares, roundKeys, group } = multisig;
  return {
    ...group,
    spendPublicKey,
    signerSecret: signerSecret.expose(),
    commonSecret: viewSecret.expose(),
    shares: shares.map((share) => share.expose()),
    roundKeys: roundKeys.map((key) => key.expose()),
  };
}

/**
 * Returns the spend secret key.
 * @throws KeyError `view_only` if the key is absent; `multisig_refused` in a multisig wallet.
 */
export function spendSecretIn({ spendSecret, multisig }: WalletKeys): SecretKey {
  if (spendSecret !== undefined) return spendSecret.expose();
  if (multisig === undefined) throw new KeyError({ kind: 'view_only' });
  throw new KeyError({
    kind: 'multisig_refused',
    reason: 'a multisig wallet cannot do this: no participant has the whole spend key',
  });
}

/** Returns the multisig account of the keys. @throws KeyError `not_multisig`; Error after the keys were wiped. */
export function groupAccountOf(keys: WalletKeys): MultisigAccount {
  const account = accountOf(keys);
  if (account === undefined) throw new KeyError({ kind: 'not_multisig' });
  return account;
}

/** Zeroes all secret keys of a wallet. */
export function wipeKeys({ viewSecret, spendSecret, polyseed, multisig }: WalletKeys): void {
  const { signerSecret, shares = [], roundKeys = [] } = multisig ?? {};
  for (const secret of [viewSecret, spendSecret, polyseed, signerSecret, ...shares, ...roundKeys])
    secret?.wipe();
}
