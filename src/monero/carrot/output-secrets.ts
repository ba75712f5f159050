import { reduce, scalarBytes, toScalar } from '../crypto/scalar.js';
import type { SecretKey } from '../crypto/types.js';
import { addressSecret } from '../cryptonote/subaddress-keys.js';
import type { SubaddressIndex } from '../cryptonote/types.js';
import { subaddressScalar, type BalanceTier, type MasterTier } from './account.js';
import type { Extensions } from './derivations.js';

/**
 * Secret keys of an account with the keys that every account had before the fork; without the spend secret key in a
 * view-only account.
 */
export interface LegacySecrets {
  readonly hierarchy: 'legacy';
  readonly viewSecret: SecretKey;
  readonly spendSecret: SecretKey;
}

/** Secret keys of an account of the fork that sees all its outputs; with the key that spends in a full account. */
export interface CarrotSecrets {
  readonly hierarchy: 'carrot';
  readonly keys: BalanceTier | MasterTier;
}

/** Scalars of an output key `K = x·G + y·T`. `y` is absent without the key that spends; x alone makes the key image. */
export interface OutputSecrets {
  readonly x: SecretKey;
  readonly y?: SecretKey;
}

/**
 * Computes the secret scalars of an output of the account.
 * @param extensions scalars that the sender added. Source: carrot.md § 8.2.
 */
export function outputSecrets(
  account: LegacySecrets | CarrotSecrets,
  { g, t }: Extensions,
  index: SubaddressIndex,
): OutputSecrets {
  if (account.hierarchy === 'legacy') {
    const { spendSecret, viewSecret } = account;
    const own = toScalar(spendSecret) + addressSecret(viewSecret, index);
    return { x: scalarBytes(reduce(own + g)), y: scalarBytes(t) };
  }
  const { keys } = account;
  const factor = subaddressScalar(keys, index);
  const x = scalarBytes(reduce(toScalar(keys.imageSecret) * factor + g));
  return 'proveSecret' in keys
    ? { x, y: scalarBytes(reduce(toScalar(keys.proveSecret) * factor + t)) }
    : { x };
}
