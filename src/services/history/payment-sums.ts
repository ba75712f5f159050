import type { TxRange } from '../../store/tables/pages.js';
import { workSlices } from '../../util/event-loop.js';
import type { WalletContext } from '../context/wallet-context.js';

/** Sums of payments from a time on [atomic units]. */
export interface PaymentSums {
  /** Incoming payments in blocks. */
  readonly received: bigint;
  /** Incoming payments in blocks to addresses of payment requests. */
  readonly requested: bigint;
  /** Own payments with their fees, mined or pending. */
  readonly sent: bigint;
}

export const NO_SUMS: PaymentSums = { received: 0n, requested: 0n, sent: 0n };

/** Number of outputs that are summed without a pause: some milliseconds. */
const PAGE_OUTPUTS = 1000;

/**
 * Sums payments from a time on [Unix s], in parts between which the event loop runs. The sums may or may not include a
 * write that happens meanwhile.
 * @throws WalletError for a store that is damaged or was closed.
 */
export async function paymentSums(
  store: Pick<WalletContext['store'], 'read'>,
  from: number,
): Promise<PaymentSums> {
  const { min, sent } = store.read(({ periodSums }) => ({
    min: periodSums.receivedBefore(from),
    sent: periodSums.sent(from),
  }));
  let [received, requested] = [0n, 0n];
  let rest: TxRange | undefined = { min, max: Number.MAX_SAFE_INTEGER };
  while (rest !== undefined) {
    const range: TxRange = rest;
    const part = await workSlices.run(() =>
      store.read((r) => {
        const division = r.payments.divide(range, PAGE_OUTPUTS);
        return { ...r.periodSums.received(division?.page ?? range, from), rest: division?.rest };
      }),
    );
    received += part.all;
    requested += part.requested;
    ({ rest } = part);
  }
  return { received, requested, sent };
}

/** Adds up the sums of several wallets. */
export const totalSums = (sums: readonly PaymentSums[]): PaymentSums =>
  sums.reduce(
    (total, { received, requested, sent }) => ({
      received: total.received + received,
      requested: total.requested + requested,
      sent: total.sent + sent,
    }),
    NO_SUMS,
  );
