import { ringIndices, transaction, transactionHash } from '../../cryptonote/transaction.js';
import { keyDerivation } from '../../crypto/derivation.js';
import { toScalar } from '../../crypto/scalar.js';
import type { Hash, SecretKey } from '../../crypto/types.js';
import { formatAddress, parseAddress } from '../../cryptonote/address.js';
import { parseExtra, paymentIdOf, cryptPaymentId } from '../../cryptonote/extra.js';
import type { NetworkType, PaymentId, Transaction } from '../../cryptonote/types.js';
import { amount, sum, ZERO, type Amount } from '../../../util/amount.js';
import { equalBytes, toHex, utf8 } from '../../../util/bytes.js';
import { CodecError, encode } from '../../../util/codec.js';
import type { DestinationEntry } from '../exchange/construction-data.js';
import { keyImagesOf, type PendingTx } from '../exchange/pending-tx.js';
import type { Destination } from './outgoing-tx.js';
import type { OwnedOutput } from '../scan/findings.js';
import { proveDestinations, type ClaimedDestination, type OwnOutput } from './proven-destinations.js';
import type { SignedTx } from './signing.js';
import { sameAddress, type Payee } from '../select/transfer-request.js';
import { keccak } from '../../crypto/keccak.js';
import type { Ring } from '../select/decoys.js';

/** A signed transaction, with the data that the wallet records of it. */
export interface SignedPayment {
  readonly blob: Uint8Array;
  readonly txHash: Hash;
  readonly account: number;
  readonly inputs: readonly OwnedOutput[];
  readonly fee: Amount;
  readonly change: Amount;
  readonly unlockTime: bigint;
  readonly paymentId?: Uint8Array;
  /** Destinations with the amounts that they receive. */
  readonly destinations: readonly Destination[];
  /** The tx secret key, then the additional secret keys. */
  readonly txSecretKeys: readonly SecretKey[];
  /** `ringsDigest` of a transaction that several wallets handled; absent if this wallet signed it when it was made. */
  readonly rings?: Hash;
}

/** Returns the tx secret key of a transaction, followed by the additional secret keys. */
export const txSecretKeysOf = ({
  txSecretKey,
  additionalSecretKeys,
}: Pick<SignedTx, 'txSecretKey' | 'additionalSecretKeys'>): SecretKey[] => [
  txSecretKey,
  ...additionalSecretKeys,
];

/** Returns the payment of a signed transaction. @param payees payees with the amounts that they receive. */
export function signedPayment(
  signed: SignedTx,
  terms: { readonly account: number; readonly unlockTime: bigint },
  inputs: readonly OwnedOutput[],
  payees: readonly Payee[],
): SignedPayment {
  const paymentId = payees.find(({ address }) => address.paymentId !== undefined)?.address.paymentId;
  return {
    blob: signed.blob,
    txHash: signed.hash,
    account: terms.account,
    inputs,
    fee: signed.fee,
    change: signed.change,
    unlockTime: terms.unlockTime,
    ...(paymentId === undefined ? {} : { paymentId }),
    destinations: payees.map(({ text: address, amount: value }) => ({ address, amount: value })),
    txSecretKeys: txSecretKeysOf(signed),
  };
}

/**
 * Returns the payment of a pending transaction that this wallet, or another wallet with the same keys, has made.
 * @param inputs outputs of the wallet with the transaction's key images, in the order of its inputs.
 * @throws CodecError, RangeError if the pending transaction contradicts itself, its inputs or its encoded transaction.
 */
export function paymentOfPending(
  pending: PendingTx,
  inputs: readonly OwnedOutput[],
  network: NetworkType,
): SignedPayment {
  const { tx } = pending;
  const images = keyImagesOf(tx);
  if (inputs.length === 0 || images.length !== inputs.length || images.length !== tx.prefix.inputs.length)
    throw new CodecError('pending transaction: an input is missing');
  if (new Set(images.map(toHex)).size !== images.length)
    throw new CodecError('pending transaction: it spends an output twice');
  const account = inputs[0]?.subaddress.major ?? 0;
  if (inputs.some(({ subaddress }) => subaddress.major !== account))
    throw new CodecError('pending transaction: it spends from several accounts');
  const fee = tx.rct?.base.fee ?? ZERO;
  const change = amount(pending.change.amount);
  const paymentId = paymentIdFor(pending);
  const destinations = pending.destinations.map((entry): Destination => ({
    address: textOf(entry, paymentId, network),
    amount: amount(entry.amount),
  }));
  const spent = sum(inputs.map((output) => output.amount));
  if (sum([fee, change, ...destinations.map((destination) => destination.amount)]) !== spent)
    throw new CodecError('pending transaction: its amounts do not add up');
  const txSecretKeys = txSecretKeysOf(pending);
  for (const secret of txSecretKeys) toScalar(secret);
  return {
    blob: encode(transaction, tx),
    txHash: transactionHash(tx),
    account,
    inputs,
    fee,
    change,
    unlockTime: tx.prefix.unlockTime,
    ...(paymentId === undefined ? {} : { paymentId }),
    destinations,
    txSecretKeys,
    rings: ringsDigestOf(tx),
  };
}

/**
 * Returns a payment with only the claims that its transaction proves. Destinations, payment id and secret keys that are
 * not proven are left out; the change is computed from the outputs that the wallet finds.
 * @param own outputs of the transaction that pay the wallet.
 * @param claims claimed destinations of the payment, in their order.
 */
export function provenPayment(
  payment: SignedPayment,
  tx: Transaction,
  claims: readonly ClaimedDestination[],
  own: readonly OwnOutput[],
): SignedPayment {
  const { paymentId, ...rest } = payment;
  const { outputs, hasKeys } = proveDestinations(
    tx,
    { destinations: claims, txSecretKeys: payment.txSecretKeys },
    own,
  );
  const used = new Set(outputs);
  const returned = own.filter(
    ({ subaddress, outputIndex }) => subaddress.major === payment.account && !used.has(outputIndex),
  );
  const isIdProven =
    paymentId !== undefined &&
    claims.some(
      ({ address }, i) =>
        outputs[i] !== undefined && address.paymentId !== undefined && equalBytes(address.paymentId, paymentId),
    );
  return {
    ...rest,
    change: sum(returned.map((output) => output.amount)),
    ...(isIdProven ? { paymentId } : {}),
    destinations: payment.destinations.filter((_, i) => outputs[i] !== undefined),
    txSecretKeys: hasKeys ? payment.txSecretKeys : [],
  };
}

/**
 * Returns the payment id of an integrated destination; undefined for other destinations, whose transactions contain an
 * encrypted id of zeros.
 */
function paymentIdFor({ tx, destinations, txSecretKey }: PendingTx): PaymentId | undefined {
  const payee = destinations.find(({ isIntegrated }) => isIntegrated);
  const id = paymentIdOf(parseExtra(tx.prefix.extra).fields);
  if (payee === undefined || id?.kind !== 'short') return undefined;
  return cryptPaymentId(id.id, keyDerivation(payee.address.viewPublicKey, txSecretKey));
}

/**
 * Returns the text of a destination's address as the client wrote it, after checking that the text has the same keys.
 */
function textOf(entry: DestinationEntry, paymentId: PaymentId | undefined, network: NetworkType): string {
  const { original, isSubaddress, isIntegrated, address: keys } = entry;
  if (original !== '') {
    const written = parseAddress(original, network);
    if (!sameAddress(written, keys))
      throw new CodecError('pending transaction: a destination has two addresses');
    return original;
  }
  if (isIntegrated && paymentId !== undefined)
    return formatAddress({ network, kind: 'integrated', ...keys, paymentId });
  return formatAddress({ network, kind: isSubaddress ? 'subaddress' : 'standard', ...keys });
}

/**
 * Computes the digest of the rings of a transaction, in any order, and of its fee. The digest identifies a transaction
 * that other wallets sign: each signing gives another hash, but signers keep rings and fee, and decoys are random, so
 * no other transaction has the same rings.
 * @param rings absolute global indices of the members of each ring, ascending.
 */
const digestOf = (rings: readonly (readonly bigint[])[], fee: bigint): Hash =>
  keccak(utf8([...rings.map((ring) => ring.join()).sort(), `fee ${fee}`].join(';')));

/** Computes the digest of the rings that were chosen for a transaction, and of its fee. */
export const ringsDigest = (rings: readonly Ring[], fee: Amount): Hash =>
  digestOf(
    rings.map(({ members }) => members.map(({ globalIndex }) => BigInt(globalIndex))),
    fee,
  );

/** Computes the digest of the rings and the fee of a signed transaction. */
export const ringsDigestOf = ({ prefix, rct }: Pick<Transaction, 'prefix' | 'rct'>): Hash =>
  digestOf(
    prefix.inputs.flatMap((input) => {
      if (input.type !== 'key') return [];
      return [ringIndices(input.keyOffsets)];
    }),
    rct?.base.fee ?? 0n,
  );
