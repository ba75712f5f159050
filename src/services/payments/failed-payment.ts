import { SETTLED_DEPTH, type OwnedOutput } from '../../monero/wallet/scan/findings.js';
import type { Destination } from '../../monero/wallet/build/outgoing-tx.js';
import type { OrderTx } from '../../model/order.js';
import { WalletError } from '../../model/wallet-error.js';
import {
  nameOf,
  type OutputRef,
  type SpendableOutput,
} from '../../monero/wallet/select/spendable-outputs.js';
import type { PaymentPlan } from '../../monero/wallet/select/transfer-plan.js';
import type { WalletContext } from '../context/wallet-context.js';
import { originSpends } from './lost-origins.js';
import { inputsOf } from '../../store/tables/rival-spends.js';
import { exclusions } from '../../store/tables/order-tracker.js';
import { unixSeconds } from '../../util/clock.js';
import { isUnlocked } from '../../monero/cryptonote/unlock-time.js';

type Context = Pick<WalletContext, 'clock' | 'store'>;

/** A failed attempt that can still be mined, with its inputs. */
interface LiveAttempt {
  readonly inputs: readonly OwnedOutput[];
  /**
   * Number of blocks above the block that spends an input of the attempt, or an input of the payment whose change the
   * attempt spends; undefined if there is no such block.
   */
  readonly depth?: number;
}

/**
 * Failed attempts to make one transaction of an order. A further attempt must spend at least one input of each earlier
 * attempt that can still be mined, also of very old attempts, so that at most one attempt is mined. An attempt cannot
 * be mined any more once SETTLED_DEPTH blocks lie above another transaction that spends one of its inputs, or one of the
 * inputs of a removed payment whose change it spends. To be used under the payment lock.
 */
export class FailedPayment {
  readonly #context: Context;
  readonly #attempts: readonly OrderTx[];
  readonly #last: OrderTx;

  /** @param earlier attempts before the last one. @param last latest attempt. */
  constructor(context: Context, earlier: readonly OrderTx[], last: OrderTx) {
    this.#context = context;
    // A transaction that was never sent cannot be mined.
    this.#attempts = [...earlier, last].filter(({ withdrawn }) => withdrawn !== 'unsent');
    this.#last = last;
  }

  /** True if an attempt can still be mined. */
  get mayBeMined(): boolean {
    return this.#live().length > 0;
  }

  /** Destinations of the latest attempt, with their amounts. */
  get destinations(): readonly Destination[] {
    return this.#last.made.destinations;
  }

  /**
   * Selects one spendable input of every attempt that can still be mined, as few inputs as possible.
   * @throws WalletError `order_failed` if such an attempt has no spendable input.
   */
  requiredInputs(): readonly OwnedOutput[] {
    const chosen = new Map<string, OwnedOutput>();
    for (const attempt of this.#live()) {
      if (attempt.inputs.some((input) => chosen.has(nameOf(input)))) continue;
      const [largest] = attempt.inputs
        .filter((input) => isSpendableNow(this.#context, input))
        .sort((a, b) => (a.amount > b.amount ? -1 : 1));
      if (largest === undefined) throw notFree(attempt);
      chosen.set(nameOf(largest), largest);
    }
    return [...chosen.values()];
  }

  /**
   * Lists the spendable inputs of the latest attempt, and {@link requiredInputs}. @throws WalletError `order_failed`
   */
  sweptInputs(): readonly OwnedOutput[] {
    const required = this.requiredInputs();
    const free = this.#context.store
      .read((r) => inputsOf(r, this.#last.made))
      .filter((input) => isSpendableNow(this.#context, input));
    const inputs = new Map([...free, ...required].map((input) => [nameOf(input), input]));
    if (inputs.size === 0)
      throw new WalletError({
        kind: 'order_failed',
        reason: 'none of its outputs can be spent: nothing is left to sweep',
      });
    return [...inputs.values()];
  }

  /**
   * Checks that a transaction with the given inputs excludes every failed attempt. @throws WalletError `order_failed`
   */
  assertExcluded(planned: readonly OutputRef[]): void {
    const names = new Set(planned.map(nameOf));
    for (const attempt of this.#live())
      if (!attempt.inputs.some((input) => names.has(nameOf(input)))) throw notFree(attempt);
  }

  /** Lists the attempts that can still be mined. */
  #live(): LiveAttempt[] {
    const { store } = this.#context;
    const tip = store.height() - 1;
    return store.read((r) =>
      this.#attempts.flatMap((attempt) => {
        const inputs = inputsOf(r, attempt.made);
        const spends = [...exclusions(r, attempt), ...originSpends(r, attempt.made, inputs)];
        const depths = spends.flatMap(({ height }) => (height === undefined ? [] : [tip - height]));
        const depth = Math.max(...depths);
        if (depth >= SETTLED_DEPTH) return [];
        return [{ inputs, ...(depths.length === 0 ? {} : { depth }) }];
      }),
    );
  }
}

const notFree = ({ depth }: LiveAttempt): WalletError =>
  new WalletError({
    kind: 'order_failed',
    reason:
      depth === undefined
        ? `a failed transaction could still be mined, and none of its inputs can be spent now: retry once one is free, or ${SETTLED_DEPTH} blocks lie over a transaction that spends one`
        : `a failed transaction could be mined after a reorganisation, and none of its inputs is left to exclude it: retry once ${SETTLED_DEPTH} blocks lie over the transaction that spends them (now ${depth})`,
  });

/**
 * Checks that a plan has one transaction, which excludes every failed attempt.
 * @throws WalletError `order_failed`, `needs_split`
 */
export function assertReplaces(
  failed: FailedPayment,
  planned: readonly PaymentPlan<SpendableOutput>[],
): void {
  if (planned.length > 1) throw new WalletError({ kind: 'needs_split', transactions: planned.length });
  failed.assertExcluded(planned.flatMap(({ inputs }) => inputs));
}

/** True for an unspent, unlocked output that is neither frozen nor burnt. */
export function isSpendableNow(
  { store, clock }: Pick<WalletContext, 'clock' | 'store'>,
  output: OwnedOutput,
): boolean {
  const { frozen, spentBy, burnt } = output;
  return isUnlocked(output, store.height(), unixSeconds(clock)) && !frozen && !burnt && spentBy === undefined;
}
