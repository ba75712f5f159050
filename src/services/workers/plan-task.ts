import type { FeeRates } from '../../monero/cryptonote/fees.js';
import { detectingDamage, openSnapshot } from '../../store/file/database.js';
import type { SharedFile } from '../../store/file/store-file.js';
import { SpendableOutputReader } from '../../store/tables/spendable-outputs.js';
import { systemRng } from '../../util/random.js';
import { planPayment, type PlanRequest } from '../../monero/wallet/select/payment-plan.js';
import {
  SpendableOutputs,
  type SpendableOutput,
  type SpendableTerms,
} from '../../monero/wallet/select/spendable-outputs.js';
import type { FundedTransfer } from '../../monero/wallet/select/transfer-plan.js';

/** Request to plan a payment from the committed state of a store. */
export interface PlanTask {
  readonly store: SharedFile;
  readonly account: number;
  /** Minor indices of the paying addresses; empty: all addresses of the account. */
  readonly minors: readonly number[];
  readonly terms: SpendableTerms;
  readonly request: PlanRequest;
  readonly rates: FeeRates;
}

/**
 * Plans a payment, with a database connection of its own. @throws WalletError, also `wallet_corrupt` and `wallet_io`
 */
export function planFromStore({
  store: { path, key },
  account,
  minors,
  terms,
  request,
  rates,
}: PlanTask): readonly FundedTransfer<SpendableOutput>[] {
  return detectingDamage(path, () => {
    const db = openSnapshot(path, key);
    try {
      const outputs = new SpendableOutputReader(db);
      const spendableOf = (of: readonly number[]): SpendableOutputs =>
        new SpendableOutputs(outputs.of(account, of), terms);
      const paying = { spendable: spendableOf(minors), ofAccount: () => spendableOf([]) };
      return planPayment(request, paying, rates, systemRng);
    } finally {
      db.close();
    }
  });
}
