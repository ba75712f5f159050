import type { PayoutPause, PayoutState } from '../../model/payout.js';
import { faultOf } from '../../model/wallet-error.js';
import type { OpenWallet } from '../../services/open-wallet.js';
import type { PayoutView } from '../../services/payouts/payout-views.js';
import { readable, type WalletFacts } from '../wallet-facts.js';

/** Part of an open wallet with its payouts. */
export interface PayingWallet {
  readonly name: string;
  readonly payouts: Pick<OpenWallet['payouts'], 'get' | 'list' | 'oldest'>;
}

/** A payout of a wallet. */
export interface ShownPayout {
  readonly wallet: string;
  readonly view: PayoutView;
}

/** Payouts of all open wallets. */
export interface PayoutsView {
  /** Number of payouts by state. */
  readonly counts: ReadonlyMap<PayoutState, number>;
  /** Pauses by wallet, at most {@link MAX_PAUSES}. */
  readonly pauses: readonly (PayoutPause & { readonly wallet: string })[];
  /** Queued payout that could have been sent first. */
  readonly oldest: ShownPayout | undefined;
  /** Latest payouts that wait for approvals, newest first. */
  readonly awaiting: readonly ShownPayout[];
}

/** Largest number of payouts in a list. */
const SHOWN = 5;
/** Largest number of wallets whose payouts are read: those with the most payouts on their way. */
const MAX_WALLETS = 32;
const MAX_PAUSES = 10;

/** Lists payouts of a wallet; an empty list if its store cannot be read. */
async function listed(
  { name: wallet, payouts }: PayingWallet,
  filter: Parameters<PayingWallet['payouts']['list']>[0],
  limit: number,
): Promise<ShownPayout[]> {
  try {
    const page = await payouts.list(filter, Number.MAX_SAFE_INTEGER, limit);
    return page.payouts.map((view) => ({ wallet, view }));
  } catch (error) {
    if (faultOf(error) === undefined) throw error;
    return [];
  }
}

/** States of payouts that do not change any more, except by a deep reorganisation. */
const HAS_ENDED: ReadonlySet<PayoutState> = new Set([
  ...(['confirmed', 'failed', 'cancelled', 'rejected', 'expired'] as const),
]);

/** Counts the payouts of a wallet that are waiting or on their way. */
export const openPayouts = ({ payouts: { counts } }: Pick<WalletFacts, 'payouts'>): number =>
  [...counts].reduce((sum, [state, count]) => sum + (HAS_ENDED.has(state) ? 0 : count), 0);

/**
 * Reads the payouts of open wallets. @param facts facts of these wallets, in their order.
 * @returns undefined if no wallet has payouts.
 */
export async function readPayouts(
  wallets: readonly PayingWallet[],
  facts: readonly WalletFacts[],
): Promise<PayoutsView | undefined> {
  const paying = wallets
    .flatMap((wallet, i) => {
      const known = facts[i];
      return known === undefined || known.payouts.counts.size === 0 ? [] : [{ wallet, facts: known }];
    })
    .sort((a, b) => openPayouts(b.facts) - openPayouts(a.facts));
  if (paying.length === 0) return undefined;
  const awaiting: ShownPayout[] = [];
  for (const { wallet, facts: known } of paying.slice(0, MAX_WALLETS))
    if ((known.payouts.counts.get('awaiting_approval') ?? 0) > 0)
      awaiting.push(...(await listed(wallet, { states: ['awaiting_approval'] }, SHOWN)));
  return {
    counts: total(paying.map(({ facts: { payouts } }) => payouts.counts)),
    pauses: paying
      .flatMap(({ facts: { name, payouts } }) => payouts.pauses.map((pause) => ({ ...pause, wallet: name })))
      .slice(0, MAX_PAUSES),
    oldest: oldestOf(paying),
    awaiting: awaiting.sort((a, b) => b.view.payout.created - a.view.payout.created).slice(0, SHOWN),
  };
}

/** Reads the queued payout of all wallets that could have been sent first. */
function oldestOf(
  paying: readonly { readonly wallet: PayingWallet; readonly facts: WalletFacts }[],
): ShownPayout | undefined {
  const since = ({ payouts: { oldest } }: WalletFacts): number =>
    Math.min(oldest.get('queue') ?? Infinity, oldest.get('pause') ?? Infinity);
  const [first, ...others] = paying;
  if (first === undefined) return undefined;
  const { wallet, facts } = others.reduce(
    (oldest, other) => (since(other.facts) < since(oldest.facts) ? other : oldest),
    first,
  );
  const view = since(facts) === Infinity ? undefined : readable(() => wallet.payouts.oldest());
  return view && { wallet: wallet.name, view };
}

function total(counts: readonly PayoutsView['counts'][]): PayoutsView['counts'] {
  const sums = new Map<PayoutState, number>();
  for (const [state, count] of counts.flatMap((each) => [...each]))
    sums.set(state, (sums.get(state) ?? 0) + count);
  return sums;
}
