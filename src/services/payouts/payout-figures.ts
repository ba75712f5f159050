import { WHOLE_WALLET, type PayoutPause, type PayoutState } from '../../model/payout.js';
import type { WalletReader } from '../../store/wallet-reader.js';

/** Things that payouts wait for: their turn in the queue, the end of a pause of their account, approvals. */
export const PAYOUT_WAITS = ['queue', 'pause', 'approval'] as const;
export type PayoutWait = (typeof PAYOUT_WAITS)[number];

/** An account that pays payouts. */
export interface PayingAccount {
  readonly account: number;
  /** True if the account, or the whole wallet, is paused. */
  readonly isPaused: boolean;
}

/** Figures of the payouts of a wallet, which depend on its store only. */
export interface PayoutFigures {
  /** Number of payouts by state; empty if there are no payouts. */
  readonly counts: ReadonlyMap<PayoutState, number>;
  /** Time since which the oldest payout waits [Unix s], by what it waits for; it may lie ahead. */
  readonly oldest: ReadonlyMap<PayoutWait, number>;
  readonly accounts: readonly PayingAccount[];
  /** Pauses, that of the whole wallet first. */
  readonly pauses: readonly PayoutPause[];
}

/** Figures of a wallet without payouts. */
export const NO_PAYOUTS: PayoutFigures = { counts: new Map(), oldest: new Map(), accounts: [], pauses: [] };

/** Reads the figures of the payouts of a wallet. */
export function payoutFigures(r: Pick<WalletReader, 'payouts' | 'payoutFigures'>): PayoutFigures {
  if (r.payouts.isEmpty) return NO_PAYOUTS;
  const pauses = r.payouts.pauses();
  const paused = new Set(pauses.map(({ account }) => account));
  const isPaused = (account: number): boolean => paused.has(WHOLE_WALLET) || paused.has(account);
  const oldest = new Map<PayoutWait, number>();
  const note = (wait: PayoutWait, since: number): unknown =>
    oldest.set(wait, Math.min(since, oldest.get(wait) ?? Infinity));
  for (const { account, since } of r.payoutFigures.oldestQueued())
    note(isPaused(account) ? 'pause' : 'queue', since);
  const awaiting = r.payoutFigures.oldestAwaiting();
  if (awaiting !== undefined) note('approval', awaiting);
  const accounts = r.payoutFigures
    .payingAccounts()
    .map((account) => ({ account, isPaused: isPaused(account) }));
  return { counts: r.payouts.counts(), oldest, accounts, pauses };
}

/** Returns the accounts whose balance is known to be below the limit of their policy. */
export function lowAccounts(r: Pick<WalletReader, 'meta'>): ReadonlySet<number> {
  const text = r.meta.get('low_accounts');
  return new Set(text === undefined ? [] : text.split(',').map(Number));
}

/** Returns the time for which the oldest payout has waited [s], by what it waits for. @param now Unix time [s]. */
export const payoutAges = (
  { oldest }: Pick<PayoutFigures, 'oldest'>,
  now: number,
): ReadonlyMap<PayoutWait, number> =>
  new Map([...oldest].map(([wait, since]) => [wait, Math.max(0, now - since)]));
