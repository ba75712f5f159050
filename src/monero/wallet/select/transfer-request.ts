import { formatCoins } from '../../cryptonote/coins.js';
import { MAX_OUTPUTS } from '../../cryptonote/constants.js';
import type { Address, PaymentId } from '../../cryptonote/types.js';
import { amount, U64_MAX, type Amount } from '../../../util/amount.js';
import { equalBytes } from '../../../util/bytes.js';
import { ProtocolError, type Reasoned } from '../protocol-error.js';
import { MAX_CHANGE_OUTPUTS } from './change-split.js';

/** Facts of a {@link PlanError}. Amounts in atomic units. */
export type PlanFault =
  | { readonly kind: 'zero_destination' | 'zero_amount' }
  | ({ readonly kind: 'wrong_payment_id' | 'tx_not_possible' | 'transfer_failed' } & Reasoned)
  | {
      readonly kind: 'not_enough_money' | 'not_enough_unlocked_money';
      readonly available: Amount;
      readonly needed: Amount;
    }
  | { readonly kind: 'tx_too_large'; readonly weight: number; readonly limit: number };

/** Error of a payment that cannot be made as requested, or with the money at hand. */
export class PlanError extends ProtocolError<PlanFault> {
  override readonly name = 'PlanError';
}

/** Largest number of destinations in one transaction; one output is reserved for change. */
export const MAX_PAYEES = MAX_OUTPUTS - 1;

/** A destination with its parsed address. */
export interface Payee {
  readonly address: Address;
  /** Address text as the client wrote it; an integrated address keeps its payment id. */
  readonly text: string;
  readonly amount: Amount;
}

/**
 * A request for a payment to one or more destinations.
 * @typeParam To destination: parsed in a plan; a text in a call.
 */
export interface TransferRequest<To = Payee> {
  readonly payees: readonly To[];
  readonly account: number;
  /** Minor indices of the paying addresses; absent or empty: all addresses of the account. */
  readonly minors?: readonly number[];
  /** Priority 0 to 4; 0 stands for the default. */
  readonly priority: number;
  readonly unlockTime: bigint;
  /**
   * Indices of the payees from whose amounts the fee is subtracted in equal parts; absent or empty: the fee is paid in
   * addition.
   */
  readonly feeFrom?: readonly number[];
  /**
   * True: each payee of `feeFrom` pays its share of the fee among all payees (`feeShares`), and the wallet pays the
   * other shares. Absent: the payees of `feeFrom` pay the whole fee.
   */
  readonly feeAmongAll?: boolean;
  /** Number of outputs into which the change is divided, 1 to 14; default: 1. */
  readonly changeOutputs?: number;
  /**
   * True: a payment that one output covers spends that output alone. Absent: it spends a small unrelated one, too,
   * because most transactions have two inputs.
   */
  readonly savesOutputs?: boolean;
  /** True: allows more than one transaction. */
  readonly split?: boolean;
  /**
   * Unconfirmed incoming amount of the paying addresses [atomic units]. It distinguishes a lack of unlocked money from
   * a lack of money. Default: zero.
   */
  readonly unconfirmed?: Amount;
}

/** Request to transfer all selected outputs to one address. */
export interface SweepRequest {
  readonly account: number;
  readonly unlockTime: bigint;
  readonly address: Address;
  readonly text: string;
  /** Number of outputs of each transaction, 1 to 16. */
  readonly outputs: number;
  /** Priority 0 to 4; 0 stands for the default. */
  readonly priority: number;
}

/** Returns true if two addresses have the same keys; payment ids are ignored. */
export const sameAddress = (
  a: Pick<Address, 'spendPublicKey' | 'viewPublicKey'>,
  b: Pick<Address, 'spendPublicKey' | 'viewPublicKey'>,
): boolean => equalBytes(a.spendPublicKey, b.spendPublicKey) && equalBytes(a.viewPublicKey, b.viewPublicKey);

/**
 * Returns true if two addresses reach the same receiver; payment ids are ignored. Addresses with the same keys but of
 * different kinds reach different receivers: a subaddress needs other tx public keys than a standard address, so a
 * payment to a subaddress as a standard address, or the reverse, is lost. Source: cryptonote_tx_utils.cpp
 * `construct_tx_with_tx_key`.
 */
export const sameReceiver = (
  a: Pick<Address, 'kind' | 'spendPublicKey' | 'viewPublicKey'>,
  b: Pick<Address, 'kind' | 'spendPublicKey' | 'viewPublicKey'>,
): boolean => (a.kind === 'subaddress') === (b.kind === 'subaddress') && sameAddress(a, b);

/**
 * Returns the payment id of a payment; undefined if there is no payment id.
 * @throws PlanError `wrong_payment_id` for several payment ids, or for another payee besides the integrated address.
 * Source: wallet_rpc_server.cpp `validate_transfer`, cryptonote_tx_utils.cpp `get_destination_view_key_pub`.
 */
function paymentIdOf(addresses: readonly Address[]): PaymentId | undefined {
  const [id, second] = addresses.flatMap(({ paymentId }) => (paymentId === undefined ? [] : [paymentId]));
  const [first] = addresses;
  if (id === undefined || first === undefined) return undefined;
  if (second !== undefined || addresses.some((address) => !sameAddress(address, first)))
    throw new PlanError({
      kind: 'wrong_payment_id',
      reason: 'a payment carries at most one payment id: an integrated address must be the only payee',
      text: 'A single payment id is allowed per transaction',
    });
  return id;
}

/**
 * Checks a request without regard to the balance.
 * @throws PlanError `zero_destination`, `zero_amount`, `wrong_payment_id`, `tx_not_possible`, `transfer_failed`
 */
export function checkTransfer({ payees, feeFrom = [], changeOutputs = 1 }: TransferRequest): void {
  if (payees.length === 0) throw new PlanError({ kind: 'zero_destination' });
  if (payees.some((payee) => payee.amount === 0n)) throw new PlanError({ kind: 'zero_amount' });
  if (payees.reduce((total, payee) => total + payee.amount, 0n) > U64_MAX)
    throw new PlanError({
      kind: 'transfer_failed',
      reason: 'the amounts overflow',
      text: `transaction sum + fee exceeds ${formatCoins(amount(U64_MAX))}`,
    });
  paymentIdOf(payees.map(({ address }) => address));
  const invalid = (reason: string, text?: string): PlanError =>
    new PlanError({ kind: 'transfer_failed', reason, ...(text === undefined ? {} : { text }) });
  if (new Set(feeFrom).size !== feeFrom.length) throw invalid('a destination is listed twice to pay the fee');
  const missing = feeFrom.filter((index) => payees[index] === undefined);
  if (missing.length > 0)
    throw invalid(
      'the destination listed to pay the fee does not exist',
      `subtractfeefrom: bad index: ${Math.max(...missing)} (indexes are 0-based)`,
    );
  if (feeFrom.length > 0 && payees.length > MAX_PAYEES)
    throw invalid(
      `the fee cannot be taken from a payment of more than one transaction, which has at most ${MAX_PAYEES} destinations`,
      'subtractfeefrom transfers cannot be split over multiple transactions yet',
    );
  if (changeOutputs < 1 || changeOutputs > MAX_CHANGE_OUTPUTS)
    throw invalid(`change_outputs is between 1 and ${MAX_CHANGE_OUTPUTS}, not ${changeOutputs}`);
  if (changeOutputs > 1 && payees.length + changeOutputs > MAX_OUTPUTS)
    throw invalid(
      `a transaction has at most ${MAX_OUTPUTS} outputs: ${payees.length} destinations and ${changeOutputs} change outputs are too many`,
    );
}
