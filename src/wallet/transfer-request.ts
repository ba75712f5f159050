import type { Address, PaymentId } from '../cryptonote/types.js';
import { equalBytes } from '../util/bytes.js';
import { sum, type Amount } from '../util/amount.js';
import { WalletError } from './fault.js';
import type { Priority } from './fees.js';

/** Somebody to be paid. */
export interface Payee {
  readonly address: Address;
  readonly amount: Amount;
  /** The address as the caller wrote it, integrated form kept. */
  readonly text: string;
}

/** A payment as it was asked for, checked by {@link checkTransfer}. */
export interface TransferRequest {
  readonly destinations: readonly Payee[];
  readonly account: number;
  /** Addresses of the account that may be spent from; empty means all. */
  readonly minors: readonly number[];
  readonly priority: Priority;
  readonly unlockTime: bigint;
  /** Plain; encrypted on the chain. */
  readonly paymentId?: PaymentId;
  /** Places of the destinations that the fee is taken from, equally; absent: it is paid on top. */
  readonly subtractFeeFrom?: readonly number[];
}

/** Everything of the outputs chosen, to one address. */
export interface SweepRequest {
  readonly address: Address;
  readonly text: string;
  /** Number of outputs that each transaction splits the money into, 1 to 15. */
  readonly outputs: number;
  readonly account: number;
  readonly priority: Priority;
  readonly unlockTime: bigint;
  readonly paymentId?: PaymentId;
}

export const isSubaddress = ({ kind }: Address): boolean => kind === 'subaddress';

export const isIntegrated = ({ kind }: Address): boolean => kind === 'integrated';

/** Do both pay to the same keys? A payment id makes no difference. */
export const samePayee = (
  a: Pick<Address, 'spendPublicKey' | 'viewPublicKey'>,
  b: Pick<Address, 'spendPublicKey' | 'viewPublicKey'>,
): boolean => equalBytes(a.spendPublicKey, b.spendPublicKey) && equalBytes(a.viewPublicKey, b.viewPublicKey);

const tooManyIds = (): WalletError =>
  new WalletError({ kind: 'wrong_payment_id', reason: 'a single payment id is allowed per transaction' });

/**
 * The one payment id of a payment: that of its integrated address, or the one given beside.
 * @throws WalletError when there are several, or several receivers would share it.
 * Source: wallet_rpc_server.cpp `validate_transfer`, cryptonote_tx_utils.cpp `get_destination_view_key_pub`.
 */
export function paymentIdOf(addresses: readonly Address[], given?: PaymentId): PaymentId | undefined {
  const ids = addresses.flatMap(({ paymentId }) => (paymentId === undefined ? [] : [paymentId]));
  if (given !== undefined) ids.push(given);
  const [id] = ids;
  const [first] = addresses;
  if (id === undefined || first === undefined) return undefined;
  if (ids.length > 1) throw tooManyIds();
  if (addresses.some((address) => !samePayee(address, first)))
    throw new WalletError({
      kind: 'wrong_payment_id',
      reason: 'a payment id can only be sent to a single address',
    });
  return id;
}

/**
 * Refuses what no wallet could pay.
 * @throws WalletError zero_destination, zero_amount, wrong_payment_id, invalid.
 */
export function checkTransfer(request: TransferRequest): TransferRequest {
  const { destinations, subtractFeeFrom = [] } = request;
  if (destinations.length === 0) throw new WalletError({ kind: 'zero_destination' });
  if (destinations.some(({ amount }) => amount === 0n)) throw new WalletError({ kind: 'zero_amount' });
  try {
    sum(destinations.map(({ amount }) => amount));
  } catch (cause) {
    throw new WalletError({ kind: 'tx_not_possible', reason: 'the amounts overflow' }, { cause });
  }
  if (new Set(subtractFeeFrom).size !== subtractFeeFrom.length)
    throw new WalletError({ kind: 'invalid', reason: 'a destination is named twice to pay the fee' });
  if (subtractFeeFrom.some((place) => destinations[place] === undefined))
    throw new WalletError({ kind: 'invalid', reason: 'a destination named to pay the fee does not exist' });
  const paymentId = paymentIdOf(
    destinations.map(({ address }) => address),
    request.paymentId,
  );
  return paymentId === undefined ? request : { ...request, paymentId };
}
