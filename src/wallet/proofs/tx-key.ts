import { keyDerivation, publicKeyOf } from '../../crypto/derivation.js';
import { sharedSecret } from '../../crypto/tx-proof.js';
import type { KeyDerivation, PublicKey, SecretKey } from '../../crypto/types.js';
import { additionalPublicKeys, parseExtra, txPublicKeys } from '../../cryptonote/extra.js';
import type { Address, Transaction } from '../../cryptonote/types.js';
import type { Amount } from '../../util/amount.js';
import { equalBytes } from '../../util/bytes.js';
import { amountReceived } from './amount-received.js';
import { WalletError } from '../model/wallet-error.js';
import { readFetchedTx, type FetchedTx } from '../scan/fetched-tx.js';

/** The public keys that a transaction tells its receivers. */
export interface PublishedKeys {
  /** There is one, but payers have written more. */
  readonly main: readonly PublicKey[];
  /** One an output, or none. */
  readonly additional: readonly PublicKey[];
}

export function publishedKeys(tx: Transaction): PublishedKeys {
  const { fields } = parseExtra(tx.prefix.extra);
  return { main: txPublicKeys(fields), additional: additionalPublicKeys(fields) };
}

/** `r·G`, or `r·D` for a subaddress: what a payer with the key r publishes for an address. */
export const publicKeyFor = (secret: SecretKey, { kind, spendPublicKey }: Address): PublicKey =>
  kind === 'subaddress' ? sharedSecret(spendPublicKey, secret) : publicKeyOf(secret);

/** Keys to a transaction, and whom it may have paid. Plain data. */
export interface TxKeyClaim {
  readonly tx: FetchedTx;
  readonly address: Address;
  /** The transaction's, then one an output where it has additional ones; canonical scalars. */
  readonly keys: readonly SecretKey[];
}

/**
 * What a transaction paid to an address, as its secret keys tell. A key counts only where the transaction
 * publishes what belongs to it: otherwise the receiver cannot have found the output.
 * @throws WalletError `invalid` for another number of keys than outputs, `daemon_misbehaves`
 * Source: wallet2.cpp `check_tx_key`.
 */
export function checkTxKey({ tx: fetched, address, keys: [main, ...additional] }: TxKeyClaim): Amount {
  const tx = readFetchedTx(fetched);
  if (additional.length > 0 && additional.length !== tx.prefix.outputs.length)
    throw new WalletError({
      kind: 'invalid',
      reason: `the transaction has ${tx.prefix.outputs.length} outputs, and ${additional.length} additional keys are given`,
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
