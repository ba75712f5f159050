import { formatCoins } from '../../cryptonote/coins.js';
import { MAX_OUTPUTS } from '../../cryptonote/constants.js';
import type { Address, PaymentId } from '../../cryptonote/types.js';
import { amount, U64_MAX, type Amount } from '../../util/amount.js';
import { equalBytes } from '../../util/bytes.js';
import { WalletError } from '../model/wallet-error.js';

/** Destinations of one transaction: one output is left for change. */
export const MAX_PAYEES = MAX_OUTPUTS - 1;

/** Where money goes. */
export interface Payee {
  readonly address: Address;
  /** As the caller wrote it, integrated form kept. */
  readonly text: string;
  readonly amount: Amount;
}

/** What a caller wants paid. */
export interface TransferRequest {
  readonly payees: readonly Payee[];
  readonly account: number;
  /** 0 to 4; 0 is the default. */
  readonly priority: number;
  readonly unlockTime: bigint;
  /** Places of the payees that the fee is taken from, equally; absent or empty: it is paid on top. */
  readonly subtractFeeFrom?: readonly number[];
  /**
   * Atomic units that unconfirmed transactions bring to the addresses paid from: they tell a lack of unlocked money
   * from a lack of money. Asked for only then; absent: none.
   */
  readonly unconfirmed?: () => Amount;
}

/** Everything that the outputs chosen hold, to one address. */
export interface SweepRequest {
  readonly address: Address;
  readonly text: string;
  /** Outputs that each transaction splits the money into, 1 to 16. */
  readonly outputs: number;
  /** 0 to 4; 0 is the default. */
  readonly priority: number;
}

/** Do both name the same keys? A payment id makes no difference. */
export const sameAddress = (
  a: Pick<Address, 'spendPublicKey' | 'viewPublicKey'>,
  b: Pick<Address, 'spendPublicKey' | 'viewPublicKey'>,
): boolean => equalBytes(a.spendPublicKey, b.spendPublicKey) && equalBytes(a.viewPublicKey, b.viewPublicKey);

/**
 * The one payment id of a payment.
 * @throws WalletError `wrong_payment_id` when there are several, or somebody else would be paid beside.
 * Source: wallet_rpc_server.cpp `validate_transfer`, cryptonote_tx_utils.cpp `get_destination_view_key_pub`.
 */
export function paymentIdOf(addresses: readonly Address[]): PaymentId | undefined {
  const [id, second] = addresses.flatMap(({ paymentId }) => (paymentId === undefined ? [] : [paymentId]));
  const [first] = addresses;
  if (id === undefined || first === undefined) return undefined;
  if (second !== undefined || addresses.some((address) => !sameAddress(address, first)))
    throw new WalletError({
      kind: 'wrong_payment_id',
      reason: 'one payment carries one payment id: an integrated address is paid alone',
      text: 'A single payment id is allowed per transaction',
    });
  return id;
}

/**
 * Refuses what cannot be paid whatever the wallet holds.
 * @throws WalletError `zero_destination`, `zero_amount`, `wrong_payment_id`, `tx_not_possible`, `transfer_failed`
 */
export function checkTransfer({ payees, subtractFeeFrom = [] }: TransferRequest): void {
  if (payees.length === 0) throw new WalletError({ kind: 'zero_destination' });
  if (payees.some((payee) => payee.amount === 0n)) throw new WalletError({ kind: 'zero_amount' });
  if (payees.reduce((total, payee) => total + payee.amount, 0n) > U64_MAX)
    throw new WalletError({
      kind: 'transfer_failed',
      reason: 'the amounts overflow',
      text: `transaction sum + fee exceeds ${formatCoins(amount(U64_MAX))}`,
    });
  paymentIdOf(payees.map(({ address }) => address));
  const invalid = (reason: string, text?: string): WalletError =>
    new WalletError({ kind: 'transfer_failed', reason, ...(text === undefined ? {} : { text }) });
  if (new Set(subtractFeeFrom).size !== subtractFeeFrom.length)
    throw invalid('a destination is named twice to pay the fee');
  const missing = subtractFeeFrom.filter((place) => payees[place] === undefined);
  if (missing.length > 0)
    throw invalid(
      'the destination named to pay the fee does not exist',
      `subtractfeefrom: bad index: ${Math.max(...missing)} (indexes are 0-based)`,
    );
  if (subtractFeeFrom.length > 0 && payees.length > MAX_PAYEES)
    throw invalid(
      'the fee cannot be taken from a payment of more than one transaction',
      'subtractfeefrom transfers cannot be split over multiple transactions yet',
    );
}
