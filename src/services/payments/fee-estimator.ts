import { RING_SIZE } from '../../monero/cryptonote/constants.js';
import { DaemonError } from '../../daemon/errors.js';
import { describeDaemonError, isUnreachable } from '../context/fault-reason.js';
import type { Amount } from '../../util/amount.js';
import { WalletError } from '../../model/wallet-error.js';
import {
  backlogBlocks,
  choosePriority,
  FEE_CEILING,
  feePerByte,
  RECENT_BLOCKS,
  sampleCeiling,
  sampleFee,
  usualSizeAndWeight,
  type FeeRates,
  type PoolEntry,
  type Prices,
  type Priority,
  type Traffic,
} from '../../monero/wallet/select/fees.js';
import type { WalletContext } from '../context/wallet-context.js';

type Context = Pick<WalletContext, 'daemon' | 'store'>;

/** Size of a tx extra with a public key and an encrypted payment id [bytes]. */
const USUAL_EXTRA_BYTES = 34 + 10;

const MAX_COUNT = 0x7fff_ffff;

const SLOW: Priority = 1;

/** Checks that a fee is not above the ceiling. @throws WalletError `fee_too_high` */
export function assertFee(fee: Amount): void {
  if (fee > FEE_CEILING) throw new WalletError({ kind: 'fee_too_high', fee, ceiling: FEE_CEILING });
}

/** State of chain and pool on which the default priority depends. */
interface ChainUsage extends Omit<Traffic, 'backlogBlocks'> {
  readonly backlog: readonly PoolEntry[];
}

const priorityFor = (rates: FeeRates, { backlog, ...traffic }: ChainUsage): Priority =>
  choosePriority({
    ...traffic,
    backlogBlocks: backlogBlocks(backlog, feePerByte(rates, 1), Math.floor(traffic.blockWeightLimit / 2)),
  });

/** Estimates fee rates, priorities and transaction sizes from the state of the daemon. */
export class FeeEstimator {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  /**
   * Returns fee rates and priority for a payment.
   * @param priority 0 to 4; 0: chosen by the state of chain and pool; the slowest if that is unknown.
   * @throws WalletError `fee_too_high`, `fee_rates_unknown`
   */
  async prices(priority: number): Promise<Prices> {
    if (priority !== 0) return this.#belowCeiling({ rates: await this.#ratesOrFault(), priority });
    const [rates, usage] = await Promise.all([
      this.#ratesOrFault(),
      this.#usage().catch((error: unknown) => {
        if (error instanceof DaemonError) return undefined;
        throw error;
      }),
    ]);
    return this.#belowCeiling({
      rates,
      priority: usage === undefined ? SLOW : priorityFor(rates, usage),
    });
  }

  /**
   * Returns the prices of payouts for each priority. The default priority is chosen as {@link prices} chooses it, and
   * rises while the mempool holds a full block of transactions that pay as much, up to the highest fee rate.
   * @param maxRate highest fee rate [atomic units per byte]; undefined: any rate.
   * @throws WalletError `fee_too_high`, `fee_rates_unknown`; DaemonError
   */
  async payoutPrices(maxRate: bigint | undefined): Promise<(priority: number) => Prices> {
    const [rates, usage] = await Promise.all([this.#ratesOrFault(), this.#usage()]);
    let usual = priorityFor(rates, usage);
    const zone = Math.floor(usage.blockWeightLimit / 2);
    const isFull = (priority: number): boolean =>
      backlogBlocks(usage.backlog, feePerByte(rates, priority), zone) > 0;
    while (usual < 4 && isFull(usual) && feePerByte(rates, usual + 1) <= (maxRate ?? Infinity))
      usual = (usual + 1) as Priority;
    return (priority) => this.#belowCeiling({ rates, priority: priority === 0 ? usual : priority });
  }

  /** Returns the priority that a payment without a given priority has now. @throws WalletError `priority_unknown` */
  async defaultPriority(): Promise<Priority> {
    try {
      const [rates, usage] = await Promise.all([this.#rates(), this.#usage()]);
      return priorityFor(rates, usage);
    } catch (cause) {
      if (cause instanceof DaemonError) throw new WalletError({ kind: 'priority_unknown' }, { cause });
      throw cause;
    }
  }

  /**
   * Estimates the size [bytes] and the weight of a transaction.
   * @param ringSize 0: the current ring size. @param rct false: for outputs from before RingCT.
   * @throws WalletError `invalid`
   */
  estimateSize(
    inputs: number,
    ringSize: number,
    outputs: number,
    rct: boolean,
  ): ReturnType<typeof usualSizeAndWeight> {
    if (inputs === 0 || [inputs, ringSize, outputs].some((count) => count > MAX_COUNT))
      throw new WalletError({
        kind: 'invalid',
        reason: `n_inputs is at least 1, and no count exceeds ${MAX_COUNT}`,
        text: 'Failed to determine size and weight',
      });
    const estimate = usualSizeAndWeight(
      {
        inputs,
        ringSize: ringSize === 0 ? RING_SIZE : ringSize,
        // A transaction has at least two outputs.
        outputs: outputs === 1 ? 2 : outputs,
        extraSize: USUAL_EXTRA_BYTES,
      },
      rct,
    );
    if (!Number.isSafeInteger(estimate.weight))
      throw new WalletError({
        kind: 'invalid',
        reason: 'a transaction cannot be that large',
        text: 'Failed to determine size and weight',
      });
    return estimate;
  }

  /**
   * Reads the fee rates, with the reference's separate error code for an unreachable daemon.
   * @throws WalletError `fee_rates_unknown`
   */
  async #ratesOrFault(): Promise<FeeRates> {
    try {
      return await this.#rates();
    } catch (cause) {
      if (!(cause instanceof DaemonError) || !isUnreachable(cause)) throw cause;
      throw new WalletError({ kind: 'fee_rates_unknown', reason: describeDaemonError(cause) }, { cause });
    }
  }

  async #rates(): Promise<FeeRates> {
    const { perByte, quantizationMask } = await this.#context.daemon.client().getFeeEstimate();
    return { perByte, quantizationMask };
  }

  /** Checks that fee rates lie below the ceiling. @throws WalletError `fee_too_high` */
  #belowCeiling(prices: Prices): Prices {
    const fee = sampleFee(prices);
    const { store } = this.#context;
    const ceiling = sampleCeiling(store.lastBlockReward(), store.height());
    if (fee > ceiling) throw new WalletError({ kind: 'fee_too_high', fee, ceiling });
    return prices;
  }

  /** Reads the state of chain and pool. @throws DaemonError */
  async #usage(): Promise<ChainUsage> {
    const daemon = this.#context.daemon.client();
    const start = this.#context.store.height() - RECENT_BLOCKS;
    const [{ blockWeightLimit }, backlog, headers] = await Promise.all([
      daemon.getInfo(),
      daemon.getPoolBacklog(),
      start < 0 ? [] : daemon.getBlockHeaders(start, RECENT_BLOCKS),
    ]);
    return { blockWeightLimit, backlog, recentWeights: headers.map(({ weight }) => weight) };
  }
}
