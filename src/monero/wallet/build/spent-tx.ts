import type { Hash } from '../../crypto/types.js';
import { formatAddress, parseAddress } from '../../cryptonote/address.js';
import { weightOfInput } from '../../cryptonote/fees.js';
import { parseTransaction, prefixHash, transactionWeight } from '../../cryptonote/transaction.js';
import type { Address, NetworkType, Transaction } from '../../cryptonote/types.js';
import { preMlsagHash } from '../../ringct/message.js';
import { amount, descending, sum, totalOf, ZERO, type Amount } from '../../../util/amount.js';
import { CodecError } from '../../../util/codec.js';
import type { PendingTx } from '../exchange/pending-tx.js';
import { addressOf, plainPaymentId } from '../exchange/transfer-description.js';
import { txSecretKeysOf, type SignedPayment } from './signed-payment.js';
import type { SignedTx } from './signing.js';
import { proveDestinations, type OwnOutput, type TxClaims } from './proven-destinations.js';

/** Money that a payment takes from the wallet. */
export interface Spending {
  /**
   * Amount that the wallet can no longer spend, with the fee: inputs less the outputs that return to it. Returned money
   * that is locked by an unlock time does not return, nor do the fees to spend small outputs.
   */
  readonly amount: Amount;
  /** Addresses of others that are paid, in the only form of their text. */
  readonly payees: readonly string[];
  /** Money goes to addresses that nothing proves. */
  readonly hasUnknownPayee: boolean;
  /** An unlock time locks its outputs. */
  readonly isLocked: boolean;
}

/** Transaction with at least one signature of this wallet. */
export interface SpentTx extends Spending {
  /** Message of its ring signatures: it does not depend on the signers who complete them. */
  readonly signingHash: Hash;
  /** Absent while other signers have to sign. */
  readonly txHash?: Hash;
}

/** A signed transaction with its inputs and with claims about its outputs. */
export interface SpendingTx extends TxClaims {
  readonly tx: Transaction;
  /** Absent while other signers have to sign. */
  readonly txHash?: Hash;
  /** Sum of the inputs, which the wallet knows. */
  readonly amountIn: Amount;
}

/** Message of the ring signatures of a transaction. @throws CodecError for one without them. */
export function signingHashOf({ prefix, rct }: Transaction): Hash {
  if (rct?.prunable === undefined) throw new CodecError('the transaction has no ring signatures');
  return preMlsagHash(prefixHash(prefix), rct.base, rct.prunable, prefix.inputs.length, prefix.outputs.length);
}

/** Transaction of a payment. */
export const txOfPayment = ({
  blob,
  txHash,
  inputs,
  destinations,
  txSecretKeys,
}: SignedPayment): SpendingTx => ({
  tx: parseTransaction(blob),
  txHash,
  amountIn: sum(inputs.map((input) => input.amount)),
  destinations: destinations.map(({ address, amount: value }) => ({
    address: parseAddress(address),
    amount: value,
  })),
  txSecretKeys,
});

/** Transaction that this wallet signed; its inputs were verified by their commitments. */
export const txOfSigned = (signed: SignedTx): SpendingTx => ({
  tx: parseTransaction(signed.blob),
  txHash: signed.hash,
  amountIn: sum([signed.fee, ...signed.targets.map((target) => target.amount)]),
  destinations: signed.targets,
  txSecretKeys: txSecretKeysOf(signed),
});

/** Multisig transaction whose record was verified. @param amountIn sum of the inputs, as the wallet knows them. */
export function txOfPending(
  pending: PendingTx,
  network: NetworkType,
  amountIn: Amount,
  txHash?: Hash,
): SpendingTx {
  const { tx, construction } = pending;
  const id = plainPaymentId(construction.extra);
  const paymentId = id?.kind === 'short' ? id.id : undefined;
  return {
    tx,
    ...(txHash === undefined ? {} : { txHash }),
    amountIn,
    destinations: construction.outputs.map((entry) => ({
      address: addressOf(entry, network, paymentId),
      amount: entry.amount,
    })),
    txSecretKeys: txSecretKeysOf(pending),
  };
}

/** Fee to spend one output, at the fee rate of a transaction. */
const costOfSpending = (tx: Transaction, fee: bigint): bigint =>
  (fee * BigInt(weightOfInput())) / BigInt(transactionWeight(tx));

/** Outputs to the wallet itself whose spending counts nothing: a payment to itself has one, and its change. */
const FREE_OUTPUTS = 2;

/**
 * Amount of outputs that the wallet can spend, less the fee to spend each beyond the largest {@link FREE_OUTPUTS}: many
 * small ones would turn the money into fees.
 * @param cost fee to spend one output.
 */
function spendableOf(own: readonly OwnOutput[], cost: bigint): bigint {
  const worth = own
    .map((output): bigint => output.amount)
    .filter((value) => value >= cost)
    .sort(descending);
  return worth.reduce(
    (subtotal, value, place) => subtotal + (place < FREE_OUTPUTS ? value : value - cost),
    0n,
  );
}

/**
 * Reads from a transaction the money that it takes from the wallet. Claims about it count only where they are proven.
 * @param own outputs of the transaction that the wallet finds. @throws CodecError for one without ring signatures.
 */
export function spentBy(spending: SpendingTx, own: readonly OwnOutput[]): SpentTx {
  const { tx, txHash, amountIn, destinations } = spending;
  const fee = tx.rct?.base.fee ?? ZERO;
  const isLocked = tx.prefix.unlockTime !== 0n;
  const kept = isLocked ? 0n : spendableOf(own, costOfSpending(tx, fee));
  const isOwn = new Set<number | undefined>(own.map(({ outputIndex }) => outputIndex));
  const { outputs } = proveDestinations(tx, spending, own);
  const foreign = destinations.filter((_, i) => outputs[i] !== undefined && !isOwn.has(outputs[i]));
  return {
    signingHash: signingHashOf(tx),
    ...(txHash === undefined ? {} : { txHash }),
    amount: amount(amountIn > kept ? amountIn - kept : 0n),
    payees: foreign.map(({ address }) => formatAddress(address)),
    hasUnknownPayee: amountIn > fee + totalOf(own) + totalOf(foreign),
    isLocked,
  };
}

/** A payment that is planned or not signed, as this wallet laid it out. */
export interface LaidOutPayment {
  readonly amountIn: Amount;
  /** Payees with the amounts that they receive at least. */
  readonly payees: readonly { readonly address: Address; readonly amount: bigint }[];
  /** Fee so far as it is known. */
  readonly fee: bigint;
  readonly unlockTime: bigint;
}

/** Least money that a payment takes from the wallet before it is signed. @param isOwn recognises the wallet's addresses. */
export function leastSpending(
  { amountIn, payees, fee, unlockTime }: LaidOutPayment,
  isOwn: (address: Address) => boolean,
): Spending {
  const isLocked = unlockTime !== 0n;
  const foreign = payees.filter((payee) => payee.amount > 0n && !isOwn(payee.address));
  return {
    amount: isLocked ? amountIn : amount(totalOf(foreign) + fee),
    payees: foreign.map(({ address }) => formatAddress(address)),
    hasUnknownPayee: false,
    isLocked,
  };
}
