import type { Hash } from '../crypto/types.js';
import { DIFFICULTY_TARGET_SECONDS, MAX_BLOCK_NUMBER } from '../cryptonote/constants.js';
import type { SubaddressIndex } from '../cryptonote/types.js';
import { amount, sum, type Amount } from '../util/amount.js';
import { WalletError } from '../wallet/fault.js';
import type { Destination, OutgoingTx, OwnedOutput, Payment, PoolTx } from '../wallet/records.js';
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
  readonly output: OwnedOutput;
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
    return this.#session.file.read((r) => {
      const of = (states: readonly OutgoingTx['state'][], heights = {}): HistoryEntry[] =>
        r.outgoing.list({ states, ...heights, ...place }).map((tx) => this.#outgoing(tx));
      const heights = { minHeight: filter.minHeight, maxHeight: filter.maxHeight };
      return {
        ...(lists.has('in')
          ? { in: r.payments.list({ ...heights, ...place }).map((payment) => this.#incoming(payment)) }
          : {}),
        ...(lists.has('out') ? { out: of(['confirmed'], heights) } : {}),
        ...(lists.has('pending') ? { pending: of(['prepared', 'pending']) } : {}),
        ...(lists.has('failed') ? { failed: of(['failed']) } : {}),
        ...(lists.has('pool')
          ? { pool: r.pool.list(account, minors).flatMap((tx) => this.#pooled(tx)) }
          : {}),
      };
    });
  }

  /** Every row of one transaction in one account, incoming first. @throws WalletError `wrong_tx_hash` */
  byTransaction(txHash: Hash, account: number): HistoryEntry[] {
    this.#session.accounts.assertAccount(account);
    const rows = this.#session.file.read((r) => {
      const outgoing = r.outgoing.byHash(txHash);
      return [
        ...r.payments
          .byTx(txHash)
          .filter(({ subaddress }) => subaddress.major === account)
          .map((payment) => this.#incoming(payment)),
        ...(outgoing?.account === account ? [this.#outgoing(outgoing)] : []),
        ...r.pool
          .list(account)
          .filter((tx) => sameHash(tx.txHash, txHash))
          .flatMap((tx) => this.#pooled(tx)),
      ];
    });
    if (rows.length === 0) throw new WalletError({ kind: 'wrong_tx_hash', reason: 'Transaction not found.' });
    return rows;
  }

  /** Incoming payments with a payment id, in height order. @param minHeight exclusive. */
  payments(paymentId: Uint8Array, minHeight = -1): PaymentView[] {
    return this.#session.file
      .read((r) => r.payments.byPaymentId(paymentId, minHeight))
      .map((payment) => this.#view(payment));
  }

  /** All incoming payments. @param minHeight exclusive. */
  allPayments(minHeight: number): PaymentView[] {
    return this.#session.file
      .read((r) => r.payments.list({ minHeight, maxHeight: Number.MAX_SAFE_INTEGER }))
      .map((payment) => this.#view(payment));
  }

  /** Outputs received by an account. */
  incoming(kind: IncomingKind, account: number, minors: readonly number[]): IncomingView[] {
    const chainHeight = this.#session.height();
    const now = this.#session.now();
    const wanted = minors.length === 0 ? undefined : minors;
    return this.#session.file
      .read((r) => [...r.outputs.all(account, wanted), ...r.imported.owned(account, wanted)])
      .filter(
        ({ spentBy, burnt }) =>
          !burnt && (kind === 'all' || (kind === 'unavailable') === (spentBy !== undefined)),
      )
      .map((output) => ({ output, unlocked: isUnlocked(output, chainHeight, now) }));
  }

  #view(payment: Payment): PaymentView {
    return {
      payment,
      address: this.#session.accounts.address(payment.subaddress),
      locked: this.#locked(payment.tx.unlockTime, payment.tx.height),
    };
  }

  #incoming({ tx, subaddress, amount: total, amounts }: Payment): HistoryEntry {
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
      ...this.#depth(tx.txHash, tx.height, total, tx.unlockTime),
    };
  }

  #outgoing(tx: OutgoingTx): HistoryEntry {
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
      ...this.#depth(tx.txHash, height, paid, tx.unlockTime),
      locked: tx.state !== 'confirmed' || this.#locked(tx.unlockTime, height),
    };
  }

  /** One row an address, as once mined. */
  #pooled(tx: PoolTx): HistoryEntry[] {
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
        ...this.#depth(tx.txHash, 0, total, tx.unlockTime),
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

  /** Source: wallet_rpc_server.cpp `set_confirmations`. */
  #depth(
    txHash: Hash,
    height: number,
    value: Amount,
    unlockTime: bigint,
  ): Pick<HistoryEntry, 'note' | 'confirmations' | 'suggestedConfirmationsThreshold' | 'locked'> {
    const chainHeight = this.#session.height();
    const reward = this.#session.lastBlockReward();
    const byValue = reward === 0n ? 0 : Number((value + reward - 1n) / reward);
    return {
      note: this.#session.annotations.notes([txHash])[0] ?? '',
      confirmations: height === 0 || height >= chainHeight ? 0 : chainHeight - height,
      suggestedConfirmationsThreshold: Math.max(byValue, this.#blocksUntil(unlockTime, chainHeight)),
      locked: this.#locked(unlockTime, height),
    };
  }

  #blocksUntil(unlockTime: bigint, chainHeight: number): number {
    const until = Number(unlockTime);
    if (unlockTime < BigInt(MAX_BLOCK_NUMBER)) return Math.max(0, until - chainHeight);
    return Math.max(0, Math.ceil((until - this.#session.now()) / DIFFICULTY_TARGET_SECONDS));
  }

  #locked(unlockTime: bigint, height: number): boolean {
    return !isUnlocked({ unlockTime, height }, this.#session.height(), this.#session.now());
  }
}

const sameHash = (a: Hash, b: Hash): boolean => Buffer.compare(a, b) === 0;
