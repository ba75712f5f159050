import { derivePublicKey, viewTag } from '../../crypto/derivation.js';
import type { KeyDerivation, PublicKey } from '../../crypto/types.js';
import type { Transaction } from '../../cryptonote/types.js';
import { sum, ZERO, type Amount } from '../../../util/amount.js';
import { equalBytes } from '../../../util/bytes.js';
import { wrongTransaction } from '../scan/fetched-tx.js';
import { openAmount } from '../scan/receive.js';

/** Proven key derivations of one transaction; a derivation that is not proven is undefined. */
export interface TxDerivations {
  /** Derivation of the tx public key. */
  readonly main: KeyDerivation | undefined;
  /** Derivations of the additional public keys, one per output. */
  readonly additional: readonly (KeyDerivation | undefined)[];
}

/** Returns the amount that an output pays to an address; zero if no derivation fits. */
function receivedBy(
  spendPublicKey: PublicKey,
  tx: Transaction,
  outputIndex: number,
  derivations: readonly (KeyDerivation | undefined)[],
): Amount {
  const output = tx.prefix.outputs[outputIndex];
  if (output === undefined) return ZERO;
  const derivation = derivations.find(
    (tried) =>
      tried !== undefined &&
      (output.viewTag === undefined || viewTag(tried, outputIndex) === output.viewTag) &&
      equalBytes(derivePublicKey(tried, outputIndex, spendPublicKey), output.publicKey),
  );
  return (derivation && openAmount(tx, outputIndex, derivation)?.amount) ?? ZERO;
}

/**
 * Returns the sum of the amounts of outputs that a daemon sent [atomic units].
 * @throws ScanError for a sum above 64 bits, which outputs of the chain cannot have.
 */
export function sumOfOutputs(amounts: readonly Amount[]): Amount {
  try {
    return sum(amounts);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw wrongTransaction('outputs whose amounts exceed 64 bits', cause);
  }
}

/**
 * Returns the amount that a transaction pays to the address with a spend key [atomic units]. An amount that does not
 * match its commitment counts as zero.
 * @throws ScanError Source: wallet2.cpp `check_tx_key_helper`, `is_out_to_acc`.
 */
export function amountReceived(
  tx: Transaction,
  spendPublicKey: PublicKey,
  derivations: TxDerivations,
): Amount {
  return sumOfOutputs(
    tx.prefix.outputs.map((_, i) =>
      receivedBy(spendPublicKey, tx, i, [derivations.main, derivations.additional[i]]),
    ),
  );
}
