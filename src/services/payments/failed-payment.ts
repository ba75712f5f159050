import { toHex } from '../../util/bytes.js';
import type { MadePayment } from '../../wallet/model/made-payment.js';
import type { Destination, OwnedOutput } from '../../wallet/model/records.js';
import { WalletError } from '../../wallet/model/wallet-error.js';
import type { WalletContext } from '../context/wallet-context.js';
import type { SpendableOutput } from '../../wallet/select/spendable-outputs.js';
import type { FundedTransfer } from '../../wallet/select/transfer-plan.js';
import { isSpendableNow } from './spendable-now.js';

type Context = Pick<WalletContext, 'clock' | 'store'>;

/** Confirmations from which a spend counts as final: a transaction that spends the same output can no longer be mined. */
const FINAL_CONFIRMATIONS = 10;

const nameOf = ({ txHash, outputIndex }: Pick<OwnedOutput, 'txHash' | 'outputIndex'>): string =>
  `${toHex(txHash)}/${outputIndex}`;

/**
 * Failed attempts to make one transaction of an order. A further attempt must spend at least one input of each, so that
 * at most one of them can be mined. To be used under the payment lock.
 */
export class FailedPayment {
  readonly #context: Context;
  readonly #attempts: readonly MadePayment[];
  readonly #last: MadePayment;

  /** @param last the latest attempt. */
  constructor(context: Context, earlier: readonly MadePayment[], last: MadePayment) {
    this.#context = context;
    this.#attempts = [...earlier, last];
    this.#last = last;
  }

  /** Destinations with the amounts that they were to receive. */
  get destinations(): readonly Destination[] {
    return this.#last.destinations;
  }

  /**
   * Selects one spendable input of every attempt that can still be mined, as few as possible.
   * @throws WalletError `order_failed` if an attempt has none.
   */
  requiredInputs(): readonly OwnedOutput[] {
    const chosen = new Map<string, OwnedOutput>();
    for (const attempt of this.#attempts) {
      const inputs = this.#inputsOf(attempt);
      if (this.#isDead(inputs) || inputs.some((input) => chosen.has(nameOf(input)))) continue;
      const [largest] = inputs
        .filter((input) => isSpendableNow(this.#context, input))
        .sort((a, b) => (a.amount > b.amount ? -1 : 1));
      if (largest === undefined) throw notFree();
      chosen.set(nameOf(largest), largest);
    }
    return [...chosen.values()];
  }

  /** Inputs of the latest attempt that can be spent, and {@link requiredInputs}. @throws WalletError `order_failed` */
  sweptInputs(): readonly OwnedOutput[] {
    const free = this.#inputsOf(this.#last).filter((input) => isSpendableNow(this.#context, input));
    const inputs = new Map([...free, ...this.requiredInputs()].map((input) => [nameOf(input), input]));
    if (inputs.size === 0) throw notFree();
    return [...inputs.values()];
  }

  /** @throws WalletError `order_failed` unless a transaction with these inputs excludes every failed attempt. */
  assertExcluded(planned: readonly Pick<OwnedOutput, 'txHash' | 'outputIndex'>[]): void {
    const names = new Set(planned.map(nameOf));
    for (const attempt of this.#attempts) {
      const inputs = this.#inputsOf(attempt);
      if (!this.#isDead(inputs) && !inputs.some((input) => names.has(nameOf(input)))) throw notFree();
    }
  }

  #inputsOf({ keyImages }: MadePayment): OwnedOutput[] {
    return this.#context.store.read((r) =>
      keyImages.flatMap((keyImage) => r.outputs.byKeyImage(keyImage) ?? []),
    );
  }

  /** Whether another transaction spent one of these outputs for good. */
  #isDead(inputs: readonly OwnedOutput[]): boolean {
    const height = this.#context.store.height();
    return inputs.some(
      ({ spentHeight }) => spentHeight !== undefined && height - spentHeight >= FINAL_CONFIRMATIONS,
    );
  }
}

const notFree = (): WalletError =>
  new WalletError({
    kind: 'order_failed',
    reason:
      'the failed transaction could still be mined, and none of its inputs can be spent now: retry once they are free, or spent by a transaction with 10 confirmations',
  });

/**
 * Checks that a plan replaces a failed transaction by one that excludes it.
 * @throws WalletError `order_failed`, `needs_split`
 */
export function assertReplaces(
  failed: FailedPayment,
  planned: readonly FundedTransfer<SpendableOutput>[],
): void {
  if (planned.length > 1) throw new WalletError({ kind: 'needs_split', transactions: planned.length });
  failed.assertExcluded(planned.flatMap(({ inputs }) => inputs));
}
