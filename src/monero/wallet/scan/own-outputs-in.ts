import { keyDerivation, viewTag } from '../../crypto/derivation.js';
import type { KeyDerivation, PublicKey, SecretKey } from '../../crypto/types.js';
import { additionalPublicKeys, parseExtra, paymentIdOf, txPublicKeys } from '../../cryptonote/extra.js';
import { cryptPaymentId } from '../../cryptonote/payment-id.js';
import type { PaymentId, Transaction } from '../../cryptonote/types.js';
import { receiveOutput, type FoundOutput, type KnownAddresses, type ReceivingKeys } from './receive.js';

/**
 * Finds the outputs of one transaction that pay the wallet, as a scan of the chain does: with a matching view tag, the
 * output key of a known address, and an amount above zero that matches the commitment. The result has the order of the
 * transaction. Source: wallet2.cpp `process_new_transaction`, `is_out_to_acc_precomp`.
 */
export function ownOutputsIn(
  tx: Transaction,
  keys: ReceivingKeys,
  addresses: KnownAddresses,
): readonly FoundOutput[] {
  const { fields } = parseExtra(tx.prefix.extra);
  const derive = (key: PublicKey): readonly [PublicKey, KeyDerivation][] => {
    const derivation = derivationOf(key, keys.viewSecret);
    return derivation === undefined ? [] : [[key, derivation]];
  };
  const main = txPublicKeys(fields).flatMap(derive);
  const additional = additionalPublicKeys(fields);
  return tx.prefix.outputs.flatMap(({ viewTag: tag }, i): FoundOutput[] => {
    const extraKey = additional[i];
    for (const [key, derivation] of [...main, ...(extraKey === undefined ? [] : derive(extraKey))]) {
      if (tag !== undefined && viewTag(derivation, i) !== tag) continue;
      const found = receiveOutput(keys, addresses, tx, i, derivation, key);
      if (found !== undefined) return [found];
    }
    return [];
  });
}

/** Returns the short payment id of a transaction, decrypted with the view key; undefined if there is none. */
export function receivedPaymentId(tx: Transaction, viewSecret: SecretKey): PaymentId | undefined {
  const { fields } = parseExtra(tx.prefix.extra);
  const id = paymentIdOf(fields);
  const key = txPublicKeys(fields)[0];
  const derivation = key && derivationOf(key, viewSecret);
  return id?.kind === 'short' && derivation !== undefined ? cryptPaymentId(id.id, derivation) : undefined;
}

/** Computes the key derivation with a public key; undefined for a key that is no point, which pays nobody. */
function derivationOf(key: PublicKey, viewSecret: SecretKey): KeyDerivation | undefined {
  try {
    return keyDerivation(key, viewSecret);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
