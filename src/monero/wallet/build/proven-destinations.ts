import { derivePublicKey, keyDerivation, publicKeyOf, viewTag } from '../../crypto/derivation.js';
import type { KeyDerivation, PublicKey, SecretKey } from '../../crypto/types.js';
import { parseExtra, paymentIdOf, cryptPaymentId } from '../../cryptonote/extra.js';
import type { Address, PaymentId, Transaction } from '../../cryptonote/types.js';
import { equalBytes } from '../../../util/bytes.js';
import { publicKeyFor, publishedKeys } from '../proofs/tx-key.js';
import { openAmount } from '../scan/receive.js';
import type { FoundOutput } from '../scan/found-output.js';
import { sameReceiver } from '../select/transfer-request.js';

/** A destination that the record of a transaction claims. */
export interface ClaimedDestination {
  readonly address: Address;
  readonly amount: bigint;
}

/** Record of a transaction whose claims are to be proven. */
export interface TxClaims {
  readonly destinations: readonly ClaimedDestination[];
  /** The tx secret key, then the additional secret keys; empty if the signer withholds them. */
  readonly txSecretKeys: readonly SecretKey[];
}

/** An output of a transaction that the wallet finds by its view key, with the address that it pays. */
export interface OwnOutput extends FoundOutput {
  readonly address: Address;
  /** Payment id, decrypted with the view key; absent if the transaction has none. */
  readonly paymentId?: PaymentId | undefined;
}

/** Claims about a transaction that its public data and the given secret keys prove. */
export interface ProvenClaims {
  /** For each destination, the index of the output that pays it; undefined if the payment is not proven. */
  readonly outputs: readonly (number | undefined)[];
  /** True if every given secret key belongs to a public key in the transaction. */
  readonly hasKeys: boolean;
}

/** Returns true if an output pays an amount to the owner of an address. */
function pays(
  tx: Transaction,
  outputIndex: number,
  { address, amount }: ClaimedDestination,
  derivation: KeyDerivation,
): boolean {
  const output = tx.prefix.outputs[outputIndex];
  if (output === undefined) return false;
  if (output.viewTag !== undefined && viewTag(derivation, outputIndex) !== output.viewTag) return false;
  const expected = derivePublicKey(derivation, outputIndex, address.spendPublicKey);
  return (
    equalBytes(expected, output.publicKey) && openAmount(tx, outputIndex, derivation)?.amount === amount
  );
}

/** Returns true if a transaction contains the payment id of an integrated address; true for any other address. */
function hasPaymentId(
  tx: Transaction,
  { paymentId, viewPublicKey }: Address,
  secret: SecretKey | undefined,
): boolean {
  if (paymentId === undefined) return true;
  const id = paymentIdOf(parseExtra(tx.prefix.extra).fields);
  if (id?.kind !== 'short' || secret === undefined) return false;
  return equalBytes(cryptPaymentId(id.id, keyDerivation(viewPublicKey, secret)), paymentId);
}

const isSameId = (a: PaymentId | undefined, b: PaymentId | undefined): boolean =>
  a !== undefined && b !== undefined && equalBytes(a, b);

/**
 * Returns true if every secret key belongs to a public key in the transaction: `s·G`, or `s·D` for a subaddress that
 * the transaction pays.
 */
function arePublished(tx: Transaction, { destinations, txSecretKeys }: TxClaims, own: readonly OwnOutput[]): boolean {
  const [main, ...additional] = txSecretKeys;
  if (main === undefined) return false;
  const published = publishedKeys(tx);
  if (additional.length !== published.additional.length) return false;
  const addresses = destinations.map(({ address }) => address);
  const belongs = (
    secret: SecretKey,
    among: readonly (Uint8Array | undefined)[],
    payees: readonly Address[],
  ): boolean => {
    const isAmong = (key: Uint8Array): boolean => among.some((one) => one !== undefined && equalBytes(one, key));
    return (
      isAmong(publicKeyOf(secret)) ||
      payees.some((payee) => payee.kind === 'subaddress' && isAmong(publicKeyFor(secret, payee)))
    );
  };
  return (
    belongs(main, published.main, [...addresses, ...own.map(({ address }) => address)]) &&
    additional.every((secret, i) => {
      const found = own.find(({ outputIndex }) => outputIndex === i);
      return belongs(secret, [published.additional[i]], found === undefined ? addresses : [found.address]);
    })
  );
}

/**
 * Proves the destinations of a transaction. A payment to the wallet itself is proven if the wallet finds its output. A
 * payment to another address is proven by the tx secret keys if the transaction contains the public key that the
 * receiver needs, an output with the output key and view tag of the address, and an encrypted amount that matches both
 * claim and commitment. Each output proves one destination only. Source: wallet2.cpp `check_tx_key_helper`,
 * cryptonote_tx_utils.cpp `construct_tx_with_tx_key`.
 */
export function proveDestinations(tx: Transaction, claims: TxClaims, own: readonly OwnOutput[]): ProvenClaims {
  const hasKeys = arePublished(tx, claims, own);
  const [main, ...additional] = hasKeys ? claims.txSecretKeys : [];
  const published = publishedKeys(tx);
  const used = new Set<number>();
  const isOwn = new Set(own.map(({ outputIndex }) => outputIndex));
  const ownOutput = ({ address, amount }: ClaimedDestination): number | undefined =>
    own.find(
      (output) =>
        !used.has(output.outputIndex) &&
        output.amount === amount &&
        sameReceiver(output.address, address) &&
        (address.paymentId === undefined || isSameId(output.paymentId, address.paymentId)),
    )?.outputIndex;
  const foreignOutput = (claim: ClaimedDestination): number | undefined => {
    const { address } = claim;
    const derive = (
      secret: SecretKey | undefined,
      among: readonly (PublicKey | undefined)[],
    ): KeyDerivation | undefined => {
      const expected = secret && publicKeyFor(secret, address);
      const isPublished = among.some((one) => one && expected && equalBytes(one, expected));
      return secret !== undefined && isPublished ? keyDerivation(address.viewPublicKey, secret) : undefined;
    };
    if (!hasPaymentId(tx, address, main)) return undefined;
    const usual = derive(main, published.main);
    const index = tx.prefix.outputs.findIndex((_, i) => {
      if (used.has(i) || isOwn.has(i)) return false;
      if (usual !== undefined && pays(tx, i, claim, usual)) return true;
      if (address.kind !== 'subaddress') return false;
      const extra = derive(additional[i], [published.additional[i]]);
      return extra !== undefined && pays(tx, i, claim, extra);
    });
    return index < 0 ? undefined : index;
  };
  const outputs = claims.destinations.map((claim) => {
    const index = ownOutput(claim) ?? foreignOutput(claim);
    if (index !== undefined) used.add(index);
    return index;
  });
  return { outputs, hasKeys };
}
