import { keyDerivation, publicKeyOf } from '../../crypto/derivation.js';
import { sharedSecret } from '../../crypto/tx-proof.js';
import type { KeyDerivation, PublicKey, SecretKey } from '../../crypto/types.js';
import { additionalPublicKeys, parseExtra, txPublicKeys } from '../../cryptonote/extra.js';
import type { Address, Transaction } from '../../cryptonote/types.js';
import type { Amount } from '../../../util/amount.js';
import { equalBytes } from '../../../util/bytes.js';
import { amountReceived } from './amount-received.js';
import { WalletError } from '../model/wallet-error.js';
import { readFetchedTx, type FetchedTx } from '../scan/fetched-tx.js';

/** Tx public keys in a transaction's extra field. */
export interface PublishedKeys {
  /** Usually one; some payers have written more. */
  readonly main: readonly PublicKey[];
  /** One per output, or none. */
  readonly additional: readonly PublicKey[];
}

export function publishedKeys(tx: Transaction): PublishedKeys {
  const { fields } = parseExtra(tx.prefix.extra);
  return { main: txPublicKeys(fields), additional: additionalPublicKeys(fields) };
}

/** Tx public key that a payer with secret r publishes for an address: `r·G`, or `r·D` for a subaddress. */
export const publicKeyFor = (secret: SecretKey, { kind, spendPublicKey }: Address): PublicKey =>
  kind === 'subaddress' ? sharedSecret(spendPublicKey, secret) : publicKeyOf(secret);

/** Claim that a transaction with these secret keys paid an address. Plain data. */
export interface TxKeyClaim {
  readonly tx: FetchedTx;
  readonly address: Address;
  /** The tx secret key, then the additional ones, if any, one per output; canonical scalars. */
  readonly keys: readonly SecretKey[];
}

/**
 * Amount that a transaction paid to an address, proven by its secret keys. A secret key counts only if the
 * transaction publishes the matching public key: otherwise the receiver cannot have found the output.
 * @throws WalletError `invalid` when the number of additional keys differs from that of outputs, `daemon_misbehaves`
 * Source: wallet2.cpp `check_tx_key`.
 */
export function checkTxKey({ tx: fetched, address, keys: [main, ...additional] }: TxKeyClaim): Amount {
  const tx = readFetchedTx(fetched);
  if (additional.length > 0 && additional.length !== tx.prefix.outputs.length)
    throw new WalletError({
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
