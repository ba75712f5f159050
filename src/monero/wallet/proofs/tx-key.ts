import { keyDerivation, publicKeyOf } from '../../crypto/derivation.js';
import { sharedSecret } from '../../crypto/tx-proof.js';
import type { KeyDerivation, PublicKey, SecretKey } from '../../crypto/types.js';
import { additionalPublicKeys, parseExtra, txPublicKeys } from '../../cryptonote/extra.js';
import type { Address, Transaction } from '../../cryptonote/types.js';
import type { Amount } from '../../../util/amount.js';
import { equalBytes } from '../../../util/bytes.js';
import { amountReceived } from './amount-received.js';
import type { FetchedTx } from '../scan/fetched-tx.js';
import { ProofError } from './proof-text.js';
import { provableTx } from './provable-tx.js';

/** Public keys in the extra field of a transaction. */
export interface PublishedKeys {
  /** Tx public keys; usually there is one key, but some payers have written more. */
  readonly main: readonly PublicKey[];
  /** Additional public keys, one per output; empty if the transaction has no such keys. */
  readonly additional: readonly PublicKey[];
}

/** Returns the public keys in the extra field of a transaction. */
export function publishedKeys(tx: Transaction): PublishedKeys {
  const { fields } = parseExtra(tx.prefix.extra);
  return { main: txPublicKeys(fields), additional: additionalPublicKeys(fields) };
}

/**
 * Returns the tx public key that a payer with the secret key r publishes for an address: `r·G`, or `r·D` for a
 * subaddress.
 */
export const publicKeyFor = (secret: SecretKey, { kind, spendPublicKey }: Address): PublicKey =>
  kind === 'subaddress' ? sharedSecret(spendPublicKey, secret) : publicKeyOf(secret);

/**
 * Claim that a transaction with the given secret keys has paid an address. A plain value.
 * @example
 * const claim: TxKeyClaim = { tx: txs[1], address: parseAddress(address), keys: [randomSecretKey(systemRng)] };
 * checkTxKey(claim); // => 0n
 */
export interface TxKeyClaim {
  readonly tx: FetchedTx;
  readonly address: Address;
  /**
   * The tx secret key, then the additional secret keys, one per output, if the transaction has such keys; all keys must
   * be below ℓ.
   */
  readonly keys: readonly SecretKey[];
}

/**
 * Returns the amount that a transaction has paid to an address, as its secret keys prove [atomic units]. A secret key
 * counts only if the transaction contains its public key; otherwise the receiver cannot have found the output.
 * @throws ProofError `invalid` if the number of additional keys differs from the number of outputs, `fork_proof`,
 * ScanError Source: wallet2.cpp `check_tx_key`.
 * @example
 * const secret = randomSecretKey(systemRng);
 * checkTxKey({ tx: txs[1], address: parseAddress(address), keys: [secret] }); // => 0n
 */
export function checkTxKey({ tx: fetched, address, keys: [main, ...additional] }: TxKeyClaim): Amount {
  const tx = provableTx(fetched);
  if (additional.length > 0 && additional.length !== tx.prefix.outputs.length)
    throw new ProofError({
      kind: 'invalid',
      reason: `the transaction has ${tx.prefix.outputs.length} outputs, but ${additional.length} additional keys are given`,
      text: 'The size of additional derivations is wrong',
    });
  const published = publishedKeys(tx);
  const derive = (
    key: SecretKey | undefined,
    among: readonly (PublicKey | undefined)[],
  ): KeyDerivation | undefined => {
    if (key === undefined) return undefined;
    const expected = publicKeyFor(key, address);
    const isPublished = among.some((one) => one !== undefined && equalBytes(one, expected));
    return isPublished ? keyDerivation(address.viewPublicKey, key) : undefined;
  };
  return amountReceived(tx, address.spendPublicKey, {
    main: derive(main, published.main),
    additional: additional.map((key, i) => derive(key, [published.additional[i]])),
  });
}
