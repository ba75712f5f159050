import { loadCurve } from '../crypto/curve/load-curve.js';
import { areUsableKeys } from '../crypto/curve/points.js';
import { publicKeyOf } from '../crypto/derivation.js';
import { scalarBytes, toScalar } from '../crypto/scalar.js';
import type { PublicKey, SecretKey } from '../crypto/types.js';
import {
  addressTier,
  balanceTier,
  imageSecretOf,
  masterTier,
  type AddressTier,
  type BalanceTier,
} from './account.js';

/** Names of the tiers of an account of the fork, from the tier with all keys to the one that makes addresses alone. */
export const ACCOUNT_TIERS = ['master', 'view-balance', 'view-received', 'generate-address'] as const;

/** Tier of an account of the fork. Source: carrot.md § 5.4. */
export type AccountTier = (typeof ACCOUNT_TIERS)[number];

/**
 * Keys of a tier from which all its other keys follow. The view-balance secret needs the public key `k_ps·T` beside it, since
 * the key of key images is a hash of both.
 */
export type AccountSecrets =
  | { readonly tier: 'master'; readonly masterSecret: Uint8Array }
  | {
      readonly tier: 'view-balance';
      readonly balanceSecret: Uint8Array;
      readonly partialSpendKey: PublicKey;
    }
  | {
      readonly tier: 'view-received';
      readonly viewSecret: SecretKey;
      readonly addressSecret: Uint8Array;
      readonly spendPublicKey: PublicKey;
    }
  | ({ readonly tier: 'generate-address' } & AddressTier);

/** All keys that a tier of an account has. */
export interface TierKeys extends AddressTier {
  readonly tier: AccountTier;
  /** View secret key k_v; absent in the tier that makes addresses alone. */
  readonly viewSecret?: SecretKey;
  /** Keys that see all outputs and their spends; absent in the lower tiers. */
  readonly balance?: Pick<BalanceTier, 'balanceSecret' | 'imageSecret'> & {
    /** Partial spend key `k_ps·T`. */
    readonly partialSpendKey: PublicKey;
  };
  /** Master secret; present in the master tier alone. */
  readonly masterSecret?: Uint8Array;
}

/**
 * Computes all keys of a tier.
 * @throws RangeError if a public key is not a point of the main subgroup or the identity, or the view secret key is zero or ℓ or more.
 */
export function tierKeysOf(secrets: AccountSecrets): TierKeys {
  switch (secrets.tier) {
    case 'master': {
      const { masterSecret } = secrets;
      const keys = masterTier(masterSecret);
      return { ...ofBalance(keys, keys.partialSpendKey), tier: 'master', masterSecret };
    }
    case 'view-balance': {
      const { balanceSecret, partialSpendKey } = secrets;
      assertMain(partialSpendKey);
      const imageSecret = scalarBytes(imageSecretOf(balanceSecret, partialSpendKey));
      const [spendPublicKey] = loadCurve().addSecretMultiples([partialSpendKey], [imageSecret]);
      const keys = balanceTier(balanceSecret, spendPublicKey as PublicKey, imageSecret);
      return { ...ofBalance(keys, partialSpendKey), tier: 'view-balance' };
    }
    case 'view-received': {
      const { viewSecret, addressSecret, spendPublicKey } = secrets;
      assertMain(spendPublicKey);
      if (toScalar(viewSecret) === 0n) throw new RangeError('the view secret key is zero');
      return {
        tier: 'view-received',
        viewSecret,
        ...addressTier({ spendPublicKey, viewSecret, addressSecret }),
      };
    }
    case 'generate-address': {
      const { spendPublicKey, accountViewKey, mainViewKey } = secrets;
      assertMain(spendPublicKey, accountViewKey, mainViewKey);
      return secrets;
    }
  }
}

function ofBalance(keys: BalanceTier, partialSpendKey: PublicKey): Omit<TierKeys, 'tier'> {
  const { spendPublicKey, accountViewKey, viewSecret, addressSecret, balanceSecret, imageSecret } = keys;
  return {
    ...{ spendPublicKey, accountViewKey, viewSecret, addressSecret },
    mainViewKey: publicKeyOf(viewSecret),
    balance: { balanceSecret, imageSecret, partialSpendKey },
  };
}

/** Checks public keys that come from outside. @throws RangeError */
function assertMain(...keys: readonly PublicKey[]): void {
  if (!areUsableKeys(keys))
    throw new RangeError('a public key of the account is not a point of the main subgroup, or the identity');
}
