import type { Hash } from '../crypto/types.js';
import { DIFFICULTY_TARGET_SECONDS, MAX_BLOCK_NUMBER } from '../cryptonote/constants.js';
import type { SubaddressIndex } from '../cryptonote/types.js';
import { asIncoming, type IncomingOutput } from '../store/incoming.js';
import { amount, sum, type Amount } from '../util/amount.js';
import { equalBytes } from '../util/bytes.js';
import { WalletError } from '../wallet/fault.js';
import type { Destination, OutgoingTx, Payment, PoolTx } from '../wallet/records.js';
import { isUnlocked } from '../wallet/unlock.js';
import type { WalletSession } from './wallet-session.js';

export type HistoryType = 'in' | 'out' | 'pending' | 'failed' | 'pool' | 'block';

/** One row of the history, whatever list it stands in. */
export interface HistoryEntry {
  readonly type: HistoryType;
  readonly txHash: Hash;
  /** 8 or 32 bytes. */
  readonly paymentId?: Uint8Array;
  /** 0 while unconfirmed. */
  readonly height: number;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly amount: Amount;
  /** Incoming: one an output. */
  readonly amounts: readonly Amount[];
  readonly fee: Amount;
  readonly change?: Amount;
  readonly note: string;
  readonly unlockTime: bigint;
  readonly subaddress: SubaddressIndex;
  /** Where it was received, or which addresses it was paid from. */
  readonly subaddresses: readonly SubaddressIndex[];
  readonly address: string;
  readonly destinations: readonly Destination[];
  readonly doubleSpendSeen: boolean;
  readonly confirmations: number;
  readonly suggestedConfirmationsThreshold: number;
  readonly locked: boolean;
}

export interface HistoryFilter {
  /** Exclusive. */
  readonly minHeight: number;
  /** Inclusive. */
  readonly maxHeight: number;
  /** Absent: every account. */
  readonly account?: number;
  /** Absent or empty: every address of the account. */
  readonly minors?: readonly number[];
}

export type HistoryList = 'in' | 'out' | 'pending' | 'failed' | 'pool';

/** An incoming payment as the payment methods show it. */
export interface PaymentView {
  readonly payment: Payment;
  readonly address: string;
  readonly locked: boolean;
}

export type IncomingKind = 'all' | 'available' | 'unavailable';

export interface IncomingView {
  readonly output: IncomingOutput;
  readonly unlocked: boolean;
}

/** Answers what came in and what went out, all of it from the same rows as the balance. */
export class History {
  readonly #session: WalletSession;

  constructor(session: WalletSession) {
    this.#session = session;
  }

  list(lists: ReadonlySet<HistoryList>, filter: HistoryFilter): Partial<Record<HistoryList, HistoryEntry[]>> {
    const { account, minors } = filter;
    const place = { ...(account === undefined ? {} : { account }), ...(minors?.length ? { minors } : {}) };
    const at = this.#view();
    return this.#session.file.read((r) => {
      const of = (states: readonly OutgoingTx['state'][], heights = {}): HistoryEntry[] =>
        r.outgoing.list({ states, ...heights, ...place }).map((tx) => this.#outgoing(tx, at));
      const heights = { minHeight: filter.minHeight, maxHeight: filter.maxHeight };
      return {
        ...(lists.has('in') ? { in: this.#allIncoming(r.payments.list({ ...heights, ...place }), at) } : {}),
        ...(lists.has('out') ? { out: of(['confirmed'], heights) } : {}),
        ...(lists.has('pending') ? { pending: of(['prepared', 'pending']) } : {}),
        ...(lists.has('failed') ? { failed: of(['failed']) } : {}),
        ...(lists.has('pool')
          ? { pool: r.pool.list(account, minors).flatMap((tx) => this.#pooled(tx, at)) }
          : {}),
      };
    });
  }

  /**
   * {@link list} of the newest mined transactions only, about so many, whole blocks in any case.
   * @param limit at least 1.
   * @returns the lists, and the `maxHeight` of the next page while there is one.
   */
  page(
    lists: ReadonlySet<HistoryList>,
    filter: HistoryFilter,
    limit: number,
  ): { readonly lists: ReturnType<History['list']>; readonly next?: number } {
    const range = { min: filter.minHeight, max: filter.maxHeight };
    const next = this.#session.file.read((r) => r.transferPages.below(range, limit));
    if (next === undefined) return { lists: this.list(lists, filter) };
    return { lists: this.list(lists, { ...filter, minHeight: next }), next };
  }

  /** Every row of one transaction in one account, incoming first. @throws WalletError `wrong_tx_hash` */
  byTransaction(txHash: Hash, account: number): HistoryEntry[] {
    this.#session.accounts.assertAccount(account);
    const at = this.#view();
    const rows = this.#session.file.read((r) => {
      const outgoing = r.outgoing.byHash(txHash);
      return [
        ...r.payments
          .byTx(txHash)
          .filter(({ subaddress }) => subaddress.major === account)
          .map((payment) => this.#incoming(payment, at)),
        ...(outgoing?.account === account ? [this.#outgoing(outgoing, at)] : []),
        ...r.pool
          .list(account)
          .filter((tx) => equalBytes(tx.txHash, txHash))
          .flatMap((tx) => this.#pooled(tx, at)),
      ];
    });
    if (rows.length === 0) throw new WalletError({ kind: 'wrong_tx_hash', reason: 'Transaction not found.' });
    return rows;
  }

  /** Incoming payments with a payment id, in height order. @param minHeight exclusive. */
  payments(paymentId: Uint8Array, minHeight = -1): PaymentView[] {
    return this.#shown(this.#session.file.read((r) => r.payments.byPaymentId(paymentId, minHeight)));
  }

  /** All incoming payments. @param minHeight exclusive. */
  allPayments(minHeight: number): PaymentView[] {
    const maxHeight = Number.MAX_SAFE_INTEGER;
    return this.#shown(this.#session.file.read((r) => r.payments.list({ minHeight, maxHeight })));
  }

  /** Outputs received by an account. */
  incoming(kind: IncomingKind, account: number, minors: readonly number[]): IncomingView[] {
    const chainHeight = this.#session.height();
    const now = this.#session.now();
    const wanted = minors.length === 0 ? undefined : minors;
    return this.#session.file
      .read((r) => [
        ...r.incoming.list(account, wanted),
        ...r.imported
          .owned(account, wanted)
          .filter(({ burnt }) => !burnt)
          .map(asIncoming),
      ])
      .filter(({ spent }) => kind === 'all' || (kind === 'unavailable') === spent)
      .map((output) => ({ output, unlocked: isUnlocked(output, chainHeight, now) }));
  }

  #view(): ChainView {
    const { file, annotations } = this.#session;
    return {
      chainHeight: this.#session.height(),
      now: this.#session.now(),
      reward: this.#session.lastBlockReward(),
      note: file.read((r) => r.notes.areNone()) ? () => '' : (txHash) => annotations.notes([txHash])[0] ?? '',
    };
  }

  #shown(payments: readonly Payment[]): PaymentView[] {
    const at = this.#view();
    this.#session.accounts.prepare(payments.map(({ subaddress }) => subaddress));
    return payments.map((payment) => ({
      payment,
      address: this.#session.accounts.address(payment.subaddress),
      locked: isLocked(payment.tx.unlockTime, payment.tx.height, at),
    }));
  }

  #allIncoming(payments: readonly Payment[], at: ChainView): HistoryEntry[] {
    this.#session.accounts.prepare(payments.map(({ subaddress }) => subaddress));
    return payments.map((payment) => this.#incoming(payment, at));
  }

  #incoming({ tx, subaddress, amount: total, amounts }: Payment, at: ChainView): HistoryEntry {
    return {
      type: tx.coinbase ? 'block' : 'in',
      txHash: tx.txHash,
      ...(tx.paymentId === undefined ? {} : { paymentId: tx.paymentId }),
      height: tx.height,
      timestamp: tx.timestamp,
      amount: total,
      amounts,
      fee: tx.fee,
      unlockTime: tx.unlockTime,
      doubleSpendSeen: false,
      destinations: [],
      ...this.#place(subaddress, [subaddress]),
      ...depth(tx.txHash, tx.height, total, tx.unlockTime, at),
    };
  }

  #outgoing(tx: OutgoingTx, at: ChainView): HistoryEntry {
    const paid = amount(tx.amountIn - tx.change - tx.fee);
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
      change: tx.change,
      unlockTime: tx.unlockTime,
      doubleSpendSeen: false,
      destinations: this.#session.keyKeeper.hidesNotes ? [] : tx.destinations,
      ...this.#place(
        { major: tx.account, minor: 0 },
        tx.fromIndices.map((minor) => ({ major: tx.account, minor })),
      ),
      ...depth(tx.txHash, height, paid, tx.unlockTime, at),
      locked: tx.state !== 'confirmed' || isLocked(tx.unlockTime, height, at),
    };
  }

  /** One row an address, as once mined. */
  #pooled(tx: PoolTx, at: ChainView): HistoryEntry[] {
    const byAddress = new Map<string, { readonly subaddress: SubaddressIndex; readonly amounts: Amount[] }>();
    for (const { subaddress, amount: value } of tx.outputs) {
      const key = `${subaddress.major}/${subaddress.minor}`;
      const row = byAddress.get(key) ?? { subaddress, amounts: [] };
      row.amounts.push(value);
      byAddress.set(key, row);
    }
    return [...byAddress.values()].map(({ subaddress, amounts }) => {
      const total = sum(amounts);
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
        ...depth(tx.txHash, 0, total, tx.unlockTime, at),
        locked: true,
      };
    });
  }

  #place(
    subaddress: SubaddressIndex,
    subaddresses: readonly SubaddressIndex[],
  ): Pick<HistoryEntry, 'subaddress' | 'subaddresses' | 'address'> {
    return { subaddress, subaddresses, address: this.#session.accounts.address(subaddress) };
  }
}

/** What an answer is seen from, the same for all its rows. */
interface ChainView {
  readonly chainHeight: number;
  /** Unix seconds. */
  readonly now: number;
  /** What the miner of the last block got. */
  readonly reward: Amount;
  /** Empty where there is none. */
  readonly note: (txHash: Hash) => string;
}

/** Source: wallet_rpc_server.cpp `set_confirmations`. */
function depth(
  txHash: Hash,
  height: number,
  value: Amount,
  unlockTime: bigint,
  at: ChainView,
): Pick<HistoryEntry, 'note' | 'confirmations' | 'suggestedConfirmationsThreshold' | 'locked'> {
  const { chainHeight, reward, note } = at;
  const byValue = reward === 0n ? 0 : Number((value + reward - 1n) / reward);
  return {
    note: note(txHash),
    confirmations: height === 0 || height >= chainHeight ? 0 : chainHeight - height,
    suggestedConfirmationsThreshold: Math.max(byValue, blocksUntil(unlockTime, at)),
    locked: isLocked(unlockTime, height, at),
  };
}

function blocksUntil(unlockTime: bigint, { chainHeight, now }: ChainView): number {
  const until = Number(unlockTime);
  if (unlockTime < BigInt(MAX_BLOCK_NUMBER)) return Math.max(0, until - chainHeight);
  return Math.max(0, Math.ceil((until - now) / DIFFICULTY_TARGET_SECONDS));
}

const isLocked = (unlockTime: bigint, height: number, { chainHeight, now }: ChainView): boolean =>
  !isUnlocked({ unlockTime, height }, chainHeight, now);
