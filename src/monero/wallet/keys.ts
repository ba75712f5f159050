import type { PublicKey, SecretKey } from '../crypto/types.js';
import type { NetworkType } from '../cryptonote/types.js';
import { Secret } from '../../util/secret.js';
import { tierKeysOf, type AccountSecrets } from '../carrot/account-secrets.js';
import { wipeCarrotKeys, type CarrotKeys } from './carrot-keys.js';
import { ProtocolError, type Reasoned } from './protocol-error.js';
import type { GroupState, MultisigAccount } from './multisig/account.js';

/**
 * Facts of a {@link KeyError}. `invalid`: the texts are not keys, or not the keys of the address; `view_only`: the
 * spend secret key is needed; `multisig_refused`: the spend secret key is needed, which no participant has;
 * `not_multisig`: the key shares of a participant are needed; `legacy_account_needed`: the spend secret key is needed, which
 * no account of the fork has; `sees_no_payments`: the view secret key is needed, which the account lacks.
 * @example
 * const fault: KeyFault = { kind: 'view_only' };
 * new KeyError(fault).message; // => 'view only'
 */
export type KeyFault =
  | ({ readonly kind: 'invalid' | 'multisig_refused' } & Reasoned)
  | { readonly kind: 'view_only' | 'not_multisig' | 'legacy_account_needed' | 'sees_no_payments' };

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
  /** View public key of the main address. */
  readonly viewPublicKey: PublicKey;
  /** View secret key; {@link AbsentViewSecret} in an account that makes addresses alone. */
  readonly viewSecret: Secret<SecretKey>;
  /** Spend secret key; absent in view-only and multisig wallets, and in accounts of the fork. */
  readonly spendSecret?: Secret<SecretKey>;
  /** Polyseed from which the keys were derived, in the form of the keys file; absent if there is no Polyseed. */
  readonly polyseed?: Secret;
  /** Key shares; present in multisig wallets only. */
  readonly multisig?: MultisigKeys;
  /** Further keys of an account of the fork; absent in an account with the old keys. */
  readonly carrot?: CarrotKeys;
}

/** Stands for the view secret key of an account that makes addresses alone. */
export class AbsentViewSecret extends Secret<SecretKey> {
  constructor() {
    super(new Uint8Array() as SecretKey);
  }

  /** Refuses to expose a key. @throws KeyError `sees_no_payments` */
  override expose(): never {
    throw new KeyError({ kind: 'sees_no_payments' });
  }
}

const copyOf = <K extends Uint8Array>(key: K): Secret<K> => new Secret(Uint8Array.from(key) as K);

/**
 * Returns the keys of a wallet of an account of the fork, with copies of the secrets.
 * @throws RangeError as `tierKeysOf`.
 */
export function carrotWalletKeys(secrets: AccountSecrets, network: NetworkType): WalletKeys {
  const { tier, spendPublicKey, mainViewKey, accountViewKey, viewSecret, ...keys } = tierKeysOf(secrets);
  const { addressSecret, balance, masterSecret } = keys;
  return {
    network,
    spendPublicKey,
    viewPublicKey: mainViewKey,
    viewSecret: viewSecret === undefined ? new AbsentViewSecret() : copyOf(viewSecret),
    carrot: {
      tier,
      accountViewKey,
      addressSecret: copyOf(addressSecret),
      ...(balance === undefined
        ? {}
        : {
            balance: {
              balanceSecret: copyOf(balance.balanceSecret),
              imageSecret: copyOf(balance.imageSecret),
              partialSpendKey: balance.partialSpendKey,
            },
          }),
      ...(masterSecret === undefined ? {} : { masterSecret: copyOf(masterSecret) }),
    },
  };
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

/** Returns false for an account that makes addresses alone. */
export const seesPayments = ({ carrot }: Pick<WalletKeys, 'carrot'>): boolean =>
  carrot?.tier !== 'generate-address';

/** Checks that an account has the old keys. @throws KeyError `legacy_account_needed` */
export function assertLegacy({ carrot }: Pick<WalletKeys, 'carrot'>): void {
  if (carrot !== undefined) throw new KeyError({ kind: 'legacy_account_needed' });
}

/**
 * Returns the spend secret key.
 * @throws KeyError `view_only` if the key is absent; `multisig_refused` in a multisig wallet; `legacy_account_needed` in an
 * account of the fork.
 */
export function spendSecretIn(keys: WalletKeys): SecretKey {
  assertLegacy(keys);
  const { spendSecret, multisig } = keys;
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
export function wipeKeys({ viewSecret, spendSecret, polyseed, multisig, carrot }: WalletKeys): void {
  const { signerSecret, shares = [], roundKeys = [] } = multisig ?? {};
  for (const secret of [viewSecret, spendSecret, polyseed, signerSecret, ...shares, ...roundKeys])
    secret?.wipe();
  if (carrot !== undefined) wipeCarrotKeys(carrot);
}
