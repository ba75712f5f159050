import {
  addressKeysOfEach,
  spendKeysBetween,
  type AddressTier,
  type BalanceTier,
} from '../carrot/account.js';
import type { AccountSecrets, AccountTier } from '../carrot/account-secrets.js';
import type { PublicKey, SecretKey } from '../crypto/types.js';
import type { AddressKeys } from '../cryptonote/subaddress-keys.js';
import type { SubaddressIndex } from '../cryptonote/types.js';
import type { Secret } from '../../util/secret.js';
import { addressKeysOf, type SpendKeyRange } from './scan/subaddress-table.js';

/** Keys of an account of the fork in memory, beside the keys that every account has. */
export interface CarrotKeys {
  readonly tier: AccountTier;
  /** View public key of the account `k_v·K_s`, with which addresses are made. */
  readonly accountViewKey: PublicKey;
  readonly addressSecret: Secret;
  /** Keys that see all outputs and their spends; absent below the tier `view-balance`. */
  readonly balance?: {
    readonly balanceSecret: Secret;
    readonly imageSecret: Secret<SecretKey>;
    readonly partialSpendKey: PublicKey;
  };
  /** Present in the tier `master` alone. */
  readonly masterSecret?: Secret;
}

/** Keys of a wallet with which its addresses are computed. */
export interface AddressingKeys {
  readonly spendPublicKey: PublicKey;
  readonly viewPublicKey: PublicKey;
  readonly viewSecret: Secret<SecretKey>;
  /** Absent in an account with the old keys. */
  readonly carrot?: CarrotKeys;
}

/** Returns the keys with which an account of the fork makes its addresses. */
export const addressTierIn = (
  { spendPublicKey, viewPublicKey }: Pick<AddressingKeys, 'spendPublicKey' | 'viewPublicKey'>,
  { accountViewKey, addressSecret }: CarrotKeys,
): AddressTier => ({
  ...{ spendPublicKey, accountViewKey },
  mainViewKey: viewPublicKey,
  addressSecret: addressSecret.expose(),
});

/** Returns the keys that see all outputs of an account of the fork; undefined if the wallet lacks them. */
export const balanceTierIn = ({
  spendPublicKey,
  viewSecret,
  carrot,
}: AddressingKeys): BalanceTier | undefined =>
  carrot?.balance && {
    spendPublicKey,
    accountViewKey: carrot.accountViewKey,
    viewSecret: viewSecret.expose(),
    addressSecret: carrot.addressSecret.expose(),
    balanceSecret: carrot.balance.balanceSecret.expose(),
    imageSecret: carrot.balance.imageSecret.expose(),
  };

/** Returns the keys from which all keys of an account of the fork follow. @throws Error after the keys were wiped. */
export function accountSecretsIn(keys: AddressingKeys, carrot: CarrotKeys): AccountSecrets {
  const { tier, balance, masterSecret } = carrot;
  const { spendPublicKey, viewSecret } = keys;
  if (masterSecret !== undefined) return { tier: 'master', masterSecret: masterSecret.expose() };
  if (balance !== undefined) {
    const { balanceSecret, partialSpendKey } = balance;
    return { tier: 'view-balance', balanceSecret: balanceSecret.expose(), partialSpendKey };
  }
  const addressSecret = carrot.addressSecret.expose();
  return tier === 'generate-address'
    ? { tier, ...addressTierIn(keys, carrot) }
    : { tier: 'view-received', viewSecret: viewSecret.expose(), addressSecret, spendPublicKey };
}

/**
 * Computes the keys of subaddresses of a wallet, of either kind of account, as a batch.
 * @param indices must not contain {0, 0}. @throws RangeError when an index is not a u32.
 */
export const subaddressKeysIn = (keys: AddressingKeys, indices: readonly SubaddressIndex[]): AddressKeys[] =>
  keys.carrot === undefined
    ? addressKeysOf(keys.spendPublicKey, keys.viewSecret.expose(), indices)
    : addressKeysOfEach(addressTierIn(keys, keys.carrot), indices);

/**
 * Returns the function that computes the spend keys of the addresses of an account of the fork. It needs no view secret key,
 * and does not read the keys among its arguments.
 */
export const spendKeysOfTier =
  (tier: AddressTier): SpendKeyRange =>
  (_spendPublicKey, _viewSecret, major, from, to) =>
    spendKeysBetween(tier, major, from, to);

/** Zeroes the secret keys of an account of the fork. */
export function wipeCarrotKeys({ addressSecret, balance, masterSecret }: CarrotKeys): void {
  for (const secret of [addressSecret, balance?.balanceSecret, balance?.imageSecret, masterSecret])
    secret?.wipe();
}
