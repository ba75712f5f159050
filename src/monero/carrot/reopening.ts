import type { Curve } from '../crypto/curve/curve.js';
import { loadCurve } from '../crypto/curve/load-curve.js';
import { scalarBytes } from '../crypto/scalar.js';
import type { Commitment, PublicKey } from '../crypto/types.js';
import { COINBASE_CONTEXT, INPUT_CONTEXT_BYTES, RINGCT_CONTEXT } from '../fork-rules.js';
import { commitEach } from '../ringct/commitment.js';
import type { Amount } from '../../util/amount.js';
import { equalBytes } from '../../util/bytes.js';
import { contextSecret, extensionsOf, maskOf, type Extensions } from './derivations.js';
import type { Enote, EnoteAmount } from './enote.js';
import type { OpeningKeys } from './opening.js';

/** Facts of a received output that a wallet keeps, and from which the same keys compute its extensions anew. */
export interface KeptEnote extends Pick<Enote, 'context' | 'ephemeralKey' | 'outputKey'> {
  readonly amount: Amount;
  /** Spend public key of the paid address of the account. */
  readonly spendKey: PublicKey;
}

/** Returns true for an input context of a miner transaction; its outputs have plain amounts and pay the main address. */
const isOfMinerTx = ({ context }: KeptEnote): boolean => context[0] === COINBASE_CONTEXT;

/**
 * Computes the extensions of an output from the view secret key and facts that another wallet states.
 * @returns undefined unless the output key is that of an output of this amount to this address, in a transaction of this
 * context. So neither a foreign output passes, nor one with another amount. Anchors are not looked at: whether a sender joined two
 * addresses is decided by the wallet that reads the chain. Source: carrot.md § 7.4.
 */
export function reopenedExtensions(
  kept: KeptEnote,
  { viewSecret, spendPublicKey }: OpeningKeys,
  curve: Curve = loadCurve(),
): Extensions | undefined {
  const { context, ephemeralKey, outputKey, spendKey } = kept;
  const isMinerTx = isOfMinerTx(kept);
  if (context.length !== INPUT_CONTEXT_BYTES || !(isMinerTx || context[0] === RINGCT_CONTEXT))
    return undefined;
  if (isMinerTx && !equalBytes(spendKey, spendPublicKey)) return undefined;
  const secret = contextSecret(curve.x25519(ephemeralKey, viewSecret), kept);
  const found = possibleAmounts(kept, secret, curve)
    .map((amount) => extensionsOf(secret, amount, spendPublicKey))
    .find(({ g, t }) => {
      const [own] = curve.addMultiplesOfBoth([spendKey], [scalarBytes(g)], [scalarBytes(t)]);
      return own !== undefined && equalBytes(own, outputKey);
    });
  secret.fill(0);
  return found;
}

/** Returns the amount as the chain may have it: plain, or in the commitment of a payment or of change. */
function possibleAmounts(kept: KeptEnote, secret: Uint8Array, curve: Curve): EnoteAmount[] {
  const { amount, spendKey } = kept;
  if (isOfMinerTx(kept)) return [{ kind: 'plain', amount }];
  return (['payment', 'change'] as const).map((type) => {
    const [commitment] = commitEach([amount], [maskOf(secret, amount, spendKey, type)], curve);
    return { kind: 'encrypted', bytes: new Uint8Array(8), commitment: commitment as Commitment };
  });
}
