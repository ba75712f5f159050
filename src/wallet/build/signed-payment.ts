import { keyDerivation } from '../../crypto/derivation.js';
import { toScalar } from '../../crypto/scalar.js';
import type { Hash, SecretKey } from '../../crypto/types.js';
import { formatAddress, parseAddress } from '../../cryptonote/address.js';
import { parseExtra, paymentIdOf } from '../../cryptonote/extra.js';
import { cryptPaymentId } from '../../cryptonote/payment-id.js';
import { transaction, transactionHash } from '../../cryptonote/transaction.js';
import type { NetworkType, PaymentId } from '../../cryptonote/types.js';
import { amount, sum, ZERO, type Amount } from '../../util/amount.js';
import { toHex } from '../../util/bytes.js';
import { CodecError, encode } from '../../util/codec.js';
import type { DestinationEntry } from '../exchange/construction-data.js';
import { keyImagesOf, type PendingTx } from '../exchange/pending-tx.js';
import type { Destination, OwnedOutput } from '../model/records.js';
import type { SignedTx } from './signing.js';
import { sameAddress, type Payee } from '../select/transfer-request.js';

/** A signed transaction of ours with all that is recorded of it. */
export interface SignedPayment {
  readonly blob: Uint8Array;
  readonly txHash: Hash;
  readonly account: number;
  readonly inputs: readonly OwnedOutput[];
  readonly fee: Amount;
  readonly change: Amount;
  readonly unlockTime: bigint;
  readonly paymentId?: Uint8Array;
  /** With what each receives. */
  readonly destinations: readonly Destination[];
  /** The transaction's, then the additional ones. */
  readonly txSecretKeys: readonly SecretKey[];
}

/** @param payees with what each receives. */
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
    txSecretKeys: [signed.txSecretKey, ...signed.additionalSecretKeys],
  };
}

/**
 * What a pending transaction, of ours or of another wallet with our keys, says to whom it knows as its inputs.
 * @param inputs our outputs with its key images, in its order.
 * @throws CodecError, RangeError where it contradicts itself, its inputs or its transaction.
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
  const txSecretKeys = [pending.txSecretKey, ...pending.additionalSecretKeys];
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
  };
}

/** The id that an integrated address asked for; other transactions carry a random one. */
function paymentIdFor({ tx, destinations, txSecretKey }: PendingTx): PaymentId | undefined {
  const payee = destinations.find(({ isIntegrated }) => isIntegrated);
  const id = paymentIdOf(parseExtra(tx.prefix.extra).fields);
  if (payee === undefined || id?.kind !== 'short') return undefined;
  return cryptPaymentId(id.id, keyDerivation(payee.address.viewPublicKey, txSecretKey));
}

/** As the payer wrote it, where that names the same keys. */
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
