import type { Hash } from '../../crypto/types.js';
import { formatAddress, parseAddress } from '../../cryptonote/address.js';
import { parseTransaction, prefixHash } from '../../cryptonote/transaction.js';
import type { Address, NetworkType, Transaction } from '../../cryptonote/types.js';
import { preMlsagHash } from '../../ringct/message.js';
import { amount, ZERO, type Amount } from '../../util/amount.js';
import { CodecError } from '../../util/codec.js';
import type { PendingTx } from '../exchange/pending-tx.js';
import { addressOf, plainPaymentId } from '../exchange/transfer-description.js';
import type { Destination } from '../model/records.js';
import type { SignedPayment } from './signed-payment.js';
import type { SignedTx } from './signing.js';

/** Receiver of money. */
export interface Receiver {
  readonly address: Address;
  /** Text of the address in its only form. */
  readonly text: string;
  readonly amount: Amount;
}

/** Money that leaves, or stays if a receiver is the wallet itself. */
export interface Spending {
  readonly receivers: readonly Receiver[];
  readonly fee: Amount;
}

/** Transaction with at least one signature of this wallet. */
export interface SpentTx extends Spending {
  /** Message of its ring signatures: it does not depend on the signers who complete them. */
  readonly signingHash: Hash;
  /** Absent while other signers have to sign. */
  readonly txHash?: Hash;
}

/** Message of the ring signatures of a transaction. @throws CodecError for one without them. */
export function signingHashOf({ prefix, rct }: Transaction): Hash {
  if (rct?.prunable === undefined) throw new CodecError('the transaction has no ring signatures');
  return preMlsagHash(prefixHash(prefix), rct.base, rct.prunable, prefix.inputs.length, prefix.outputs.length);
}

const receiver = (address: Address, value: bigint): Receiver => ({
  address,
  text: formatAddress(address),
  amount: amount(value),
});

/** Receivers of destinations as they are recorded. */
export const receiversOf = (destinations: readonly Destination[]): Receiver[] =>
  destinations.map(({ address, amount: value }) => receiver(parseAddress(address), value));

/** Transaction of a payment; its change is not among the receivers. */
export const spentByPayment = ({ blob, txHash, fee, destinations }: SignedPayment): SpentTx => ({
  signingHash: signingHashOf(parseTransaction(blob)),
  txHash,
  fee,
  receivers: receiversOf(destinations),
});

/** Transaction with the receivers of all its outputs, change included: in a set of another wallet it may be a claim. */
export const spentBySigned = ({ blob, hash, fee, targets }: SignedTx): SpentTx => ({
  signingHash: signingHashOf(parseTransaction(blob)),
  txHash: hash,
  fee,
  receivers: targets.map(({ address, amount: value }) => receiver(address, value)),
});

/** Multisig transaction, which was verified to pay what its record says, with the receivers of all its outputs. */
export function spentByPending({ tx, construction }: PendingTx, network: NetworkType, txHash?: Hash): SpentTx {
  const id = plainPaymentId(construction.extra);
  const paymentId = id?.kind === 'short' ? id.id : undefined;
  return {
    signingHash: signingHashOf(tx),
    ...(txHash === undefined ? {} : { txHash }),
    fee: tx.rct?.base.fee ?? ZERO,
    receivers: construction.outputs.map((entry) => receiver(addressOf(entry, network, paymentId), entry.amount)),
  };
}
