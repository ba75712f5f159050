import * as z from 'zod';
import { atomic, keptText, u32 } from '../../http/methods/params.js';
import { FEE_PAYERS } from '../../model/payout.js';

const MAX_PRIORITY = 4;

/** Id of a payout, which the client gives. */
export const payoutId = keptText(255, 1);

/** Parameter for a priority of fees, 0 to 4. @param absent value of an absent parameter. */
export const payoutPriority = (absent: number) =>
  u32.default(absent).refine((priority) => priority <= MAX_PRIORITY, 'out of range');

/** Parameters of the fee of a payout. */
export const feeParams = {
  fee: z
    .enum(FEE_PAYERS)
    .default('wallet')
    .describe('Side that pays its share of the fee: wallet in addition, payee out of the amount'),
  max_fee: atomic.optional().describe('Largest share of the fee; above it the payout waits; absent: any'),
  priority: payoutPriority(0).describe('Priority from 0 to 4; 0: by the state of chain and pool'),
};
