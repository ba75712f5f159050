import * as z from 'zod';
import { JsonRows } from '../../http/calls/json-rows.js';
import { instant, params, u32 } from '../../http/methods/params.js';
import * as wire from '../../http/methods/wire.js';
import { PaymentExport } from '../../services/history/payment-export.js';
import { ADDITION, defineMethod, type WalletMethod } from '../method.js';
import { exportPeriod } from '../wire/export-params.js';
import { EXPORT_FORMATS, exportRow, exportRowSchema, exportText } from '../wire/payment-export.js';
import * as sample from '../wire/samples.js';
import { rowsOf } from '../wire/rows.js';

/** Method that exports payments; the reference does not have it. */
export const paymentExportMethods: readonly WalletMethod[] = [
  defineMethod({
    name: 'export_payments',
    summary: 'Exports all payments of a period, for accounting: mined ones by height, then the others.',
    meta: { family: 'view', needs: 'wallet', restricted: false },
    faults: ['account_out_of_range', 'invalid'],
    params: () =>
      params({
        from: instant.describe(
          'Earliest time of an exported payment: Unix seconds, a date (00:00 UTC), or a time with its offset from UTC',
        ),
        to: instant.describe('Time before which exported payments lie, in the same forms: later than from'),
        format: z
          .enum(EXPORT_FORMATS)
          .default('json')
          .describe(
            'Form of the answer; koinly, cointracking, journal and ledger contain mined payments alone',
          ),
        account_index: u32.optional().describe('Account of the payments; absent: all accounts'),
      }),
    result: () =>
      wire.object({
        payments: wire.list(exportRowSchema(), 'Payments with format json; none with the others'),
        csv: wire
          .text(
            'Payments as CSV (RFC 4180), with the names of the columns; absent with formats json and ledger',
          )
          .optional(),
        ledger: wire.text('Double entries for ledger and hledger; with format ledger alone').optional(),
        synced: wire.flag('The wallet has all blocks of the daemon; otherwise payments may be missing'),
      }),
    examples: () => [
      {
        name: 'payments of January 2026',
        params: { from: '2026-01-01', to: '2026-02-01' },
        result: {
          payments: [
            {
              timestamp: 1_767_400_000n,
              height: 3_570_000n,
              tx_hash: sample.txHash,
              direction: 'in' as const,
              state: 'mined' as const,
              amount: sample.oneXmr,
              fee: 0n,
              address: sample.address,
              destinations: [],
              label: 'order 4711',
              reference: '4711',
              idempotency_key: '',
              payout_ids: [],
              account_index: 0n,
            },
          ],
          synced: true,
        },
      },
    ],
    source: ADDITION,
    handle({ wallet }, { from, to, format, account_index: account }) {
      exportPeriod({ from, to });
      if (account !== undefined) wallet.accounts.assertAccount(account);
      const { isComplete: synced } = wallet.sync;
      const found = PaymentExport.read(wallet.context, {
        ...{ from, to },
        ...(account === undefined ? {} : { account }),
      });
      if (format === 'json') return { payments: rowsOf(found, exportRow), synced };
      const { pages, release } = found;
      const text = JsonRows.text({ pages: exportText(format, pages), release });
      return { payments: [], ...(format === 'ledger' ? { ledger: text } : { csv: text }), synced };
    },
  }),
];
