import * as z from 'zod';
import { instant } from '../../http/methods/params.js';
import { WalletError } from '../../model/wallet-error.js';
import type { Period } from '../../util/ranges.js';

/** Parameters of an export of records that were created in a period. @param records name of the records. */
export const exportParams = (records: string) => ({
  from: instant.describe(
    'Earliest time of creation: Unix seconds, a date (00:00 UTC), or a time with its offset',
  ),
  to: instant.describe(`Time before which the ${records} were created, in the same forms: later than from`),
  format: z.enum(['json', 'csv']).default('json').describe('Form of the answer'),
});

/** Returns the period of an export. @throws WalletError `invalid` */
export function exportPeriod({ from, to }: Period): Period {
  if (from >= to) throw new WalletError({ kind: 'invalid', reason: 'from is not before to' });
  return { from, to };
}
