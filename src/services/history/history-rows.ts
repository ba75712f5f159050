import { unixSeconds } from '../../util/clock.js';
import type { Hash } from '../../monero/crypto/types.js';
import { DIFFICULTY_TARGET_SECONDS, MAX_BLOCK_NUMBER } from '../../monero/cryptonote/constants.js';
import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import { amount, sum, ZERO, type Amount } from '../../util/amount.js';
import { creditedOf, type PoolOutput, type PoolTx } from '../../monero/wallet/scan/findings.js';
import type { Destination, OutgoingTx } from '../../monero/wallet/build/outgoing-tx.js';
import type { Payment } from '../../store/tables/payments.js';
import { isUnlocked } from '../../monero/cryptonote/unlock-time.js';
import type { Accounts } from '../accounts/accounts.js';
import { verifiedCounter } from '../context/daemon-access.js';
import type { WalletContext } from '../context/wallet-context.js';

/** Resources from which rows are made. */
export interface HistoryContext extends Pick<WalletContext, 'store' | 'clock'> {
  readonly daemon: Pick<WalletContext['daemon'], 'checkedChain'>;
  readonly keystore: Pick<WalletContext['keystore'], 'hidesNotes'>;
}

/** Other services of the wallet that the history calls. */
export interface HistoryServices {
  readonly accounts: Pick<Accounts, 'address'>;
}

/** Kind of a row, as in `get_transfers`. */
export type HistoryType = 'in' | 'out' | 'pending' | 'failed' | 'pool' | 'block';

/** One row of any list of the history. */
export interface HistoryEntry {
  readonly type: HistoryType;
  readonly txHash: Hash;
  /** Payment id, 8 or 32 bytes. */
  readonly paymentId?: Uint8Array | undefined;
  /** Height of the block with the transaction; 0 while it is unconfirmed. */
  readonly height: number;
  /** Time of the block; while unconfirmed, time at which the transaction was seen or made [Unix s]. */
  readonly timestamp: number;
  readonly amount: Amount;
  /** Amounts of the single outputs of an incoming payment [atomic units]; empty for an outgoing payment. */
  readonly amounts: readonly Amount[];
  readonly fee: Amount;
  readonly change?: Amount;
  /** Note of the transaction; empty: there is no note, or it is not read yet. */
  readonly note: string;
  readonly unlockTime: bigint;
  readonly subaddress: SubaddressIndex;
  /** Receiving address of an incoming payment; addresses of the inputs of an outgoing payment. */
  readonly subaddresses: readonly SubaddressIndex[];
  readonly address: string;
  readonly destinations: readonly Destination[];
  readonly doubleSpendSeen: boolean;
  readonly confirmations: number;
  readonly suggestedConfirmationsThreshold: number;
  readonly locked: boolean;
  /** Confirmations by blocks with verified proof of work; undefined without `--verify-work`. */
  readonly verifiedConfirmations?: number | undefined;
}

/** Incoming payment with the text of its address and its lock state. */
export interface PaymentView {
  readonly payment: Payment;
  readonly address: string;
  readonly locked: boolean;
}

const NO_DESTINATIONS: readonly Destination[] = [];

/** State of the chain for which all rows of an answer are made. */
interface ChainView {
  readonly chainHeight: number;
  /** Time of the request [Unix s]. */
  readonly now: number;
  /** Reward of the newest block [atomic units]. */
  readonly reward: Amount;
  /** See {@link HistoryEntry.verifiedConfirmations}. @param height 0 for an unmined transaction. */
  readonly verified: (height: number) => number | undefined;
}

/** Converts records to rows of an answer, all for one state of the chain; the notes of the rows are read later. */
export class HistoryRows {
  readonly #addressOf: (subaddress: SubaddressIndex) => string;
  readonly #hidesDestinations: boolean;
  readonly #chain: ChainView;

  constructor({ store, keystore, clock, daemon }: HistoryContext, { accounts }: HistoryServices) {
    this.#addressOf = (subaddress) => accounts.address(subaddress);
    this.#hidesDestinations = keystore.hidesNotes;
    this.#chain = {
      chainHeight: store.height(),
      verified: verifiedCounter(daemon, store),
      now: unixSeconds(clock),
      reward: store.lastBlockReward(),
    };
  }

  /** Converts incoming payments to rows of `get_payments`. @param addresses texts of their addresses. */
  payments(payments: readonly Payment[], addresses: readonly string[] = []): PaymentView[] {
    return payments.map((payment, i) => ({
      payment,
      address: addresses[i] ?? this.#addressOf(payment.subaddress),
      locked: isLocked(payment.tx.unlockTime, payment.tx.height, this.#chain),
    }));
  }

  /**
   * Converts a mined incoming payment. Lists have many such payments: making one object with all members takes a third
   * of the time of making an object from parts.
   * @param address text of the address of the payment.
   */
  incoming(payment: Payment, address = this.#addressOf(payment.subaddress)): HistoryEntry {
    const { tx, subaddress, amount: total, amounts } = payment;
    const chain = this.#chain;
    return {
      type: tx.coinbase ? 'block' : 'in',
      txHash: tx.txHash,
      paymentId: tx.paymentId,
      height: tx.height,
      timestamp: tx.timestamp,
      amount: total,
      amounts,
      fee: tx.fee,
      note: '',
      unlockTime: tx.unlockTime,
      subaddress,
      subaddresses: [subaddress],
      address,
      destinations: NO_DESTINATIONS,
      doubleSpendSeen: false,
      confirmations: confirmationsOf(tx.height, chain),
      suggestedConfirmationsThreshold: thresholdOf(total, tx.unlockTime, chain),
      locked: isLocked(tx.unlockTime, tx.height, chain),
      verifiedConfirmations: chain.verified(tx.height),
    };
  }

  /** Converts an outgoing payment of any state. */
  outgoing(tx: OutgoingTx): HistoryEntry {
    const paid = amountPaid(tx);
    const height = tx.height ?? 0;
    return {
      type: tx.state === 'confirmed' ? 'out' : tx.state === 'failed' ? 'failed' : 'pending',
      txHash: tx.txHash,
      ...(tx.paymentId === undefined ? {} : { paymentId: tx.paymentId }),
      height,
      timestamp: tx.timestamp,
      amount: paid,
      amounts: [],
      fee: tx.fee,
      change: tx.changeAtPayment ?? tx.change,
      unlockTime: tx.unlockTime,
      doubleSpendSeen: false,
      destinations: this.#hidesDestinations ? [] : tx.destinations,
      ...this.#place(
        { major: tx.account, minor: 0 },
        tx.fromIndices.map((minor) => ({ major: tx.account, minor })),
      ),
      ...depth(height, paid, tx.unlockTime, this.#chain),
      locked: tx.state !== 'confirmed' || isLocked(tx.unlockTime, height, this.#chain),
    };
  }

  /** Converts an unmined incoming transaction: one row per receiving address, as for a mined transaction. */
  pooled(tx: PoolTx): HistoryEntry[] {
    const byAddress = new Map<string, PoolOutput[]>();
    for (const output of tx.outputs) {
      const key = `${output.subaddress.major}/${output.subaddress.minor}`;
      byAddress.set(key, [...(byAddress.get(key) ?? []), output]);
    }
    return [...byAddress.values()].flatMap((outputs) => {
      const [first] = outputs;
      if (first === undefined) return [];
      const { subaddress } = first;
      const total = sum(outputs.map(creditedOf));
      const amounts = outputs.filter(({ credited }) => credited !== 0n).map(({ amount: value }) => value);
      return {
        type: 'pool',
        txHash: tx.txHash,
        ...(tx.paymentId === undefined ? {} : { paymentId: tx.paymentId }),
        height: 0,
        timestamp: tx.timestamp,
        amount: total,
        amounts,
        fee: tx.fee,
        unlockTime: tx.unlockTime,
        doubleSpendSeen: tx.doubleSpendSeen,
        destinations: [],
        ...this.#place(subaddress, [subaddress]),
        ...depth(0, total, tx.unlockTime, this.#chain),
        locked: true,
      };
    });
  }

  #place(
    subaddress: SubaddressIndex,
    subaddresses: readonly SubaddressIndex[],
  ): Pick<HistoryEntry, 'subaddress' | 'subaddresses' | 'address'> {
    return { subaddress, subaddresses, address: this.#addressOf(subaddress) };
  }
}

/**
 * Returns the amount paid to others [atomic units]: inputs minus change and fee. If inputs from below the restore
 * height are unknown, this difference can be too small or negative; in this case the result is the sum of the recorded
 * destinations, 0 without destinations. Source: wallet_rpc_server.cpp `fill_transfer_entry`, which wraps below zero.
 */
function amountPaid({ amountIn, change, fee, destinations }: OutgoingTx): Amount {
  const difference = amountIn - change - fee;
  if (difference === 0n) return ZERO;
  const recorded = sum(destinations.map((to) => to.amount));
  return difference > recorded ? amount(difference) : recorded;
}

/**
 * Returns the confirmations of a transaction, and the suggested number of confirmations for its amount. Source:
 * wallet_rpc_server.cpp `set_confirmations`.
 */
function depth(
  height: number,
  value: Amount,
  unlockTime: bigint,
  at: ChainView,
): Pick<
  HistoryEntry,
  'note' | 'confirmations' | 'suggestedConfirmationsThreshold' | 'locked' | 'verifiedConfirmations'
> {
  return {
    note: '',
    confirmations: confirmationsOf(height, at),
    suggestedConfirmationsThreshold: thresholdOf(value, unlockTime, at),
    locked: isLocked(unlockTime, height, at),
    verifiedConfirmations: at.verified(height),
  };
}

const confirmationsOf = (height: number, { chainHeight }: ChainView): number =>
  height === 0 || height >= chainHeight ? 0 : chainHeight - height;

function thresholdOf(value: Amount, unlockTime: bigint, at: ChainView): number {
  const { reward } = at;
  const byValue = reward === 0n ? 0 : Number((value + reward - 1n) / reward);
  return Math.max(byValue, blocksUntil(unlockTime, at));
}

function blocksUntil(unlockTime: bigint, { chainHeight, now }: ChainView): number {
  const until = Number(unlockTime);
  if (unlockTime < BigInt(MAX_BLOCK_NUMBER)) return Math.max(0, until - chainHeight);
  return Math.max(0, Math.ceil((until - now) / DIFFICULTY_TARGET_SECONDS));
}

const isLocked = (unlockTime: bigint, height: number, { chainHeight, now }: ChainView): boolean =>
  !isUnlocked({ unlockTime, height }, chainHeight, now);
