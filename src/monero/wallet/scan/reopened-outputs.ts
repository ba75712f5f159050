import { reopenedExtensions } from '../../carrot/reopening.js';
import type { OpeningKeys } from '../../carrot/opening.js';
import { scalarBytes } from '../../crypto/scalar.js';
import type { PublicKey } from '../../crypto/types.js';
import type { Amount } from '../../../util/amount.js';
import type { KeptExtensions } from './found-output.js';

/** Facts of an output in the form of the fork that reach a wallet without access to the chain. */
export interface ToldOutput {
  readonly publicKey: PublicKey;
  /** Ephemeral public key of the output. */
  readonly derivationKey: PublicKey;
  readonly amount: Amount;
  /** Input context of the transaction, 33 bytes. */
  readonly context: Uint8Array;
  /** Spend public key of the address of the wallet that the output is said to pay. */
  readonly spendPublicKey: PublicKey;
}

/**
 * Computes the secret facts of outputs in the form of the fork from the keys of the wallet.
 * @param keys view secret key and main spend key of the wallet.
 * @returns undefined for an output that does not pay this amount to this address.
 */
export const reopenedOutputs = (
  outputs: readonly ToldOutput[],
  keys: OpeningKeys,
): (KeptExtensions | undefined)[] =>
  outputs.map(({ publicKey, derivationKey, amount, context, spendPublicKey }) => {
    const kept = {
      context,
      ephemeralKey: derivationKey,
      outputKey: publicKey,
      amount,
      spendKey: spendPublicKey,
    };
    const found = reopenedExtensions(kept, keys);
    return found && { extensionG: scalarBytes(found.g), extensionT: scalarBytes(found.t), context };
  });
