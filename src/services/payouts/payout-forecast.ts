import type { BlockVersion } from '../../daemon/errors.js';
import { parseAddress } from '../../monero/cryptonote/address.js';
import {
  costOfInput,
  feeOfWeight,
  feePerByte,
  feeShares,
  weightOf,
  type Prices,
} from '../../monero/wallet/select/fees.js';
import { SpendableOutputs } from '../../monero/wallet/select/spendable-outputs.js';
import { MAX_PAYEES } from '../../monero/wallet/select/transfer-request.js';
import type { Payout } from '../../model/payout.js';
import { faultOf, type Fault } from '../../model/wallet-error.js';
import { amount, sum, ZERO, type Amount } from '../../util/amount.js';
import { unixSeconds } from '../../util/clock.js';
import type { Balances } from '../accounts/balances.js';
import type { Unlocking } from '../accounts/unlock-times.js';
import type { WalletContext } from '../context/wallet-context.js';
import { composeBatch, MOST_CONSIDERED, type Candidate } from './batch-composer.js';
import type { PayoutRequest } from './payout-intake.js';
import type { Obstacle } from './payout-obstacles.js';

type Context = Pick<WalletContext, 'clock' | 'keystore' | 'payoutSettings' | 'store'>;

/** A batch that would be made. */
export interface ForecastBatch {
  readonly payoutIds: readonly string[];
  /** Sum that leaves to the payees, and the fee with it [atomic units]. */
  readonly amount: Amount;
  readonly fee: Amount;
  readonly inputs: number;
}

/** Batches that the queue would make now. */
export interface Forecast {
  readonly batches: readonly ForecastBatch[];
  readonly waiting: readonly {
    readonly payoutId: string;
    readonly obstacle: Obstacle;
    readonly unlocking: Unlocking | undefined;
  }[];
  readonly refused: readonly { readonly payoutId: string; readonly fault: Fault }[];
}

/** Number of outputs that a forecast considers, the largest first. */
const MOST_OUTPUTS = 2000;

/**
 * Computes the batches that the queue of an account and further requests would make now, with the largest outputs as
 * inputs. Changes nothing.
 * @param fork fork since which no payments are made: no batch would be made; undefined: payments are made.
 * @param check checks a request as if it were created. @throws WalletError for a request that would be refused.
 */
export function forecast(
  context: Context,
  { balances }: { readonly balances: Balances },
  {
    account,
    requests,
    pricesFor,
    fork,
    check,
  }: {
    readonly account: number;
    readonly requests: readonly PayoutRequest[];
    readonly pricesFor: (priority: number) => Prices;
    readonly fork: BlockVersion | undefined;
    readonly check: (request: PayoutRequest, prices: Prices) => PayoutRequest;
  },
): Forecast {
  const { store, clock, keystore, payoutSettings } = context;
  const now = unixSeconds(clock);
  const refused: { readonly payoutId: string; readonly fault: Fault }[] = [];
  const last = store.read((r) => r.payouts.last());
  const asked = requests.flatMap((request, i): Payout[] => {
    try {
      const checked = check(request, pricesFor(0));
      return [{ ...checked, sequence: last + 1 + i, created: now, changed: now, state: 'queued' }];
    } catch (error) {
      const fault = faultOf(error);
      if (fault === undefined) throw error;
      refused.push({ payoutId: request.payoutId, fault });
      return [];
    }
  });
  const queued = store.read((r) => r.payouts.queued(account, now, MOST_CONSIDERED));
  const inOrder = [...queued, ...asked].sort((a, b) => b.priority - a.priority || a.sequence - b.sequence);
  if (fork !== undefined) {
    const obstacle: Obstacle = { kind: 'fork', ...fork };
    const waiting = inOrder.map(({ payoutId }) => ({ payoutId, obstacle, unlocking: undefined }));
    return { batches: [], waiting, refused };
  }
  let left = inOrder.map((payout): Candidate => ({
    payout,
    address: parseAddress(payout.address),
    earlier: '',
    since: payout.created,
  }));

  const least = costOfInput(pricesFor(0).rates, pricesFor(0).priority);
  const terms = { chainHeight: store.height(), now, blind: keystore.isViewOnly };
  const coins = store.read((r) =>
    new SpendableOutputs(r.spendableOutputs.of(account, []), terms)
      .largestCoins(least, MOST_OUTPUTS)
      .map((coin) => coin.amount),
  );
  const { total = ZERO, unlocked = ZERO } = balances.ofAccounts(false).get(account) ?? {};
  const batches: ForecastBatch[] = [];
  for (;;) {
    const { batch, prices, shortfalls } = composeBatch(left, {
      ...{ pricesFor, now, available: sum(coins), locked: total - unlocked, most: MAX_PAYEES },
      ...{ maxFeeRate: payoutSettings.maxFeeRate, patience: payoutSettings.patience },
      ...{ lackingOutputs: 0, spendableOutputs: coins.length },
    });
    if (batch.length === 0 || prices === undefined)
      return {
        ...{ batches, refused },
        waiting: left.flatMap(({ payout: { sequence, payoutId } }) => {
          const shortfall = shortfalls.get(sequence);
          if (shortfall === undefined) return [];
          const unlocking =
            shortfall.kind === 'unlocked' ? balances.unlockTimes.when(account, shortfall.missing) : undefined;
          return [{ payoutId, obstacle: shortfall, unlocking }];
        }),
      };
    batches.push(takeInputs(batch, prices, coins));
    const isPaid = new Set(batch);
    left = left.filter((candidate) => !isPaid.has(candidate));
  }
}

/** Takes the inputs of a batch from the outputs, the largest first, and computes its fee. */
function takeInputs(
  batch: readonly Candidate[],
  { rates, priority }: Prices,
  coins: Amount[],
): ForecastBatch {
  const feeOf = (inputs: number): Amount =>
    feeOfWeight(weightOf(inputs, batch), feePerByte(rates, priority), rates);
  const owed = sum(batch.map(({ payout }) => payout.amount));
  let inputs = 0;
  let paid = 0n;
  const needed = (): bigint => {
    const shares = feeShares(feeOf(Math.max(1, inputs)), batch.length);
    const onTop = batch.map(({ payout }, i) => (payout.feePayer === 'wallet' ? (shares[i] ?? ZERO) : ZERO));
    return owed + sum(onTop);
  };
  while (paid < needed()) {
    const coin = coins.shift();
    if (coin === undefined) break;
    inputs += 1;
    paid += coin;
  }
  return {
    ...{ payoutIds: batch.map(({ payout }) => payout.payoutId), inputs, fee: feeOf(Math.max(1, inputs)) },
    amount: amount(owed),
  };
}
