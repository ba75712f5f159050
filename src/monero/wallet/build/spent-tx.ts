import type { Hash } from '../../crypto/types.js';
import { formatAddress, parseAddress } from '../../cryptonote/address.js';
import { weightOfInput } from '../select/fees.js';
import { parseTransaction, prefixHash, transactionWeight } from '../../cryptonote/transaction.js';
import type { Address, NetworkType, Transaction } from '../../cryptonote/types.js';
import { preMlsagHash } from '../../ringct/message.js';
import { amount, descending, sum, totalOf, ZERO, type Amount } from '../../../util/amount.js';
import { CodecError } from '../../../util/codec.js';
import type { PendingTx } from '../exchange/pending-tx.js';
import { addressOf, plainPaymentId } from '../exchange/transfer-description.js';
import { txSecretKeysOf, type SignedPayment } from './signed-payment.js';
import type { SpendableOutput } from '../select/spendable-outputs.js';
import type { PaymentPlan } from '../select/transfer-plan.js';
import type { SignedTx } from './signing.js';
import { proveDestinations, type OwnOutput, type TxClaims } from './proven-destinations.js';

/** Money that a payment takes out of the wallet. */
export interface Spending {
  /**
   * Amount, fee included, that the wallet can no longer spend: the inputs less the outputs that return to the wallet
   * [atomic units]. Outputs with an unlock time do not count as returned; the fees for spending small outputs are
   * subtracted from the returned amount.
   */
  readonly amount: Amount;
  /** Addresses of other wallets that are paid, in the canonical form of their text. */
  readonly payees: readonly string[];
  /** True if the transaction pays addresses that are not proven. */
  readonly hasUnknownPayee: boolean;
  /** True if the transaction has an unlock time. */
  readonly isLocked: boolean;
}

/** A transaction with at least one signature of this wallet, and the money that it takes out of the wallet. */
export interface SpentTx extends Spending {
  /**
   * Message that the ring signatures of the transaction sign, which is the same for all signers that can complete them.
   */
  readonly signingHash: Hash;
  /** Hash of the transaction; absent while other signers have to sign. */
  readonly txHash?: Hash;
}

/** A signed transaction with the sum of its inputs, and with claims about its outputs. */
export interface SpendingTx extends TxClaims {
  readonly tx: Transaction;
  /** Hash of the transaction; absent while other signers have to sign. */
  readonly txHash?: Hash;
  /** Sum of the inputs [atomic units], which the wallet knows. */
  readonly amountIn: Amount;
}

/**
 * Returns the message that the ring signatures of a transaction sign.
 * @throws CodecError for a transaction without ring signatures.
 */
function signingHashOf({ prefix, rct }: Transaction): Hash {
  if (rct?.prunable === undefined) throw new CodecError('the transaction has no ring signatures');
  return preMlsagHash(prefixHash(prefix), rct.base, rct.prunable, prefix.inputs.length, prefix.outputs.length);
}

/** Returns the spending transaction of a payment. */
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

/**
 * Returns the {@link SpendingTx} of a transaction that this wallet signed; the inputs are verified by their
 * commitments.
 */
export const txOfSigned = (signed: SignedTx): SpendingTx => ({
  tx: parseTransaction(signed.blob),
  txHash: signed.hash,
  amountIn: sum([signed.fee, ...signed.targets.map((target) => target.amount)]),
  destinations: signed.targets,
  txSecretKeys: txSecretKeysOf(signed),
});

/**
 * Returns the spending transaction of a multisig transaction whose record is verified.
 * @param amountIn sum of the inputs as the wallet knows it [atomic units].
 */
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

/** Returns the fee for spending one output, at the fee rate of a transaction [atomic units]. */
const costOfSpending = (tx: Transaction, fee: bigint): bigint =>
  (fee * BigInt(weightOfInput())) / BigInt(transactionWeight(tx));

/**
 * Number of outputs to the wallet itself for which no spending fee is subtracted: one for a payment to the wallet
 * itself, and one for its change.
 */
const FREE_OUTPUTS = 2;

/**
 * Returns the sum of the outputs that the wallet can spend, less the fee for spending each output beyond the {@link
 * FREE_OUTPUTS} largest: a client that made many small outputs would turn the money into fees.
 * @param cost fee for spending one output [atomic units].
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
 * Computes the money that a transaction takes out of the wallet. Claims about the transaction count only if they are
 * proven.
 * @param own outputs of the transaction that the wallet finds.
 * @throws CodecError for a transaction without ring signatures.
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

/**
 * Returns the least money that a planned payment takes out of the wallet, before it is signed.
 * @param payees payees with the amounts that they receive; payees that pay a fee that is not known yet, with the amounts
 * before the fee.
 * @param fee fee on top of the amounts of the payees, as far as it is known [atomic units].
 * @param isOwn returns true for an address of the wallet.
 */
export function leastSpending(
  { inputs, payees, unlockTime }: Pick<PaymentPlan<SpendableOutput>, 'inputs' | 'payees' | 'unlockTime'>,
  fee: bigint,
  isOwn: (address: Address) => boolean,
): Spending {
  const isLocked = unlockTime !== 0n;
  const foreign = payees.filter((payee) => payee.amount > 0n && !isOwn(payee.address));
  return {
    amount: isLocked ? sum(inputs.map((input) => input.amount)) : amount(totalOf(foreign) + fee),
    payees: foreign.map(({ address }) => formatAddress(address)),
    hasUnknownPayee: false,
    isLocked,
  };
}
