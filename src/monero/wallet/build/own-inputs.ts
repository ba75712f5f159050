import type { Curve } from '../../crypto/curve/curve.js';
import { keyDerivation } from '../../crypto/derivation.js';
import { loadCurve } from '../../crypto/curve/load-curve.js';
import type { PublicKey, SecretKey } from '../../crypto/types.js';
import type { FeeRates } from '../../cryptonote/fees.js';
import type { SubaddressIndex } from '../../cryptonote/types.js';
import type { Rng } from '../../../util/random.js';
import type { SpendableInput } from './construction.js';
import { outputSecretKey } from '../../cryptonote/own-outputs.js';
import { buildTransaction, type PricedPlan, type SignedTx } from './signing.js';

/**
 * An input whose secret key is derived from the wallet's keys later. A plain value, so that it can be posted to a
 * thread.
 */
export interface OwnInput extends Omit<SpendableInput, 'secretKey'> {
  readonly derivationKey: PublicKey;
  /** Index of the output in its transaction. */
  readonly outputIndex: number;
  readonly subaddress: SubaddressIndex;
}

/** Plan of a payment that spends outputs of one wallet. */
export interface OwnPlan extends Omit<PricedPlan, 'inputs'> {
  readonly inputs: readonly OwnInput[];
  readonly spendSecret: SecretKey;
}

/**
 * Derives the secret keys of the inputs, runs `buildTransaction`, and wipes the secret keys.
 * @throws the errors of `buildTransaction`.
 */
export function buildFromOwn(
  { spendSecret, ...plan }: OwnPlan,
  rate: bigint,
  rates: FeeRates,
  rng: Rng,
  curve: Curve = loadCurve(),
): SignedTx {
  const keys = { viewSecret: plan.viewSecret, spendSecret };
  const inputs = plan.inputs.map(({ derivationKey, outputIndex, subaddress, ...input }) => {
    const derivation = keyDerivation(derivationKey, keys.viewSecret);
    return { ...input, secretKey: outputSecretKey(keys, derivation, outputIndex, subaddress) };
  });
  try {
    return buildTransaction({ ...plan, inputs }, rate, rates, rng, curve);
  } finally {
    for (const { secretKey } of inputs) secretKey.fill(0);
  }
}
