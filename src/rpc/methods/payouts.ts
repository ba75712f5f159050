import * as z from 'zod';
import {
  atomic,
  flag,
  height,
  keptText,
  listOf,
  params,
  text,
  u32,
  wholeObject,
} from '../../http/methods/params.js';
import * as wire from '../../http/methods/wire.js';
import { badPayout, PAYOUT_STATES, WHOLE_WALLET, type Payout, type PayoutPause } from '../../model/payout.js';
import type { PayoutOutcome } from '../../services/payouts/payouts.js';
import type { PayoutRequest } from '../../services/payouts/payout-intake.js';
import { bytes32, fromHex } from '../../util/bytes.js';
import { workSlices } from '../../util/event-loop.js';
import type { Credential } from '../access/credential.js';
import { assertAccountRight } from '../access/payout-rights.js';
import { ADDITION, defineMethod, type WalletMethod } from '../method.js';
import { JsonRows } from '../../http/calls/json-rows.js';
import { unheld } from '../../util/paged.js';
import { rowsOf } from '../wire/rows.js';
import { nextPage, pageCursor, pageLimit, pageStart, reference } from '../wire/limits.js';
import {
  batchesSchema,
  batchShape,
  forecastSchema,
  forecastShape,
  payoutCsv,
  payoutResultsSchema,
  payoutResultShape,
  payoutSchema,
  payoutShape,
  samplePayout,
  submittedSchema,
  submittedShape,
} from '../wire/payouts.js';
import { exportParams, exportPeriod } from '../wire/export-params.js';
import { metadataText } from '../wire/metadata.js';
import { feeParams, payoutId } from '../wire/payout-params.js';
import * as sample from '../wire/samples.js';

/** Largest number of payouts of one call. */
const MAX_PAYOUTS = 1000;

/** Hash as 64 hex digits. */
const hash = z
  .string()
  .regex(/^[0-9a-fA-F]{64}$/, 'expected 64 hex digits')
  .meta({ title: '64 hex digits', type: 'string' });

/** Terms of one payout of a call. */
const item = z.strictObject({
  payout_id: payoutId.describe(
    'Name of the payout in your system, unique in the wallet; the key by which it is paid once',
  ),
  address: text.describe('Address of the payee'),
  amount: atomic.describe('Amount that the payee is owed [atomic units]'),
  ...feeParams,
  allow_own: flag.default(false).describe('The address may be one of this wallet'),
  not_before: height.optional().describe('Time before which it is not sent [Unix s]'),
  expires_at: height.optional().describe('Time from which it is not sent any more [Unix s]'),
  reference: reference.optional().describe('Further name in your system, which other payouts may have'),
  metadata: wholeObject.optional().describe('JSON object that is returned unchanged, at most 4096 bytes'),
});

const requestOf =
  (account: number) =>
  (given: z.output<typeof item>): PayoutRequest => ({
    account,
    payoutId: given.payout_id,
    ...{ address: given.address, amount: given.amount, feePayer: given.fee, maxFee: given.max_fee },
    ...{ priority: given.priority, allowOwn: given.allow_own },
    ...{ notBefore: given.not_before, expires: given.expires_at, reference: given.reference },
    metadata: given.metadata === undefined ? undefined : metadataText(given.metadata, badPayout),
  });

/** Checks the number of payouts of a call. @throws WalletError `bad_payout` */
function assertCount(count: number, least = 1): void {
  if (count < least || count > MAX_PAYOUTS)
    throw badPayout(`a call names ${least} to ${MAX_PAYOUTS} payouts, not ${count}`);
}

/** Writes the result of a call with a result for each payout. */
const resultsOf = async (outcomes: readonly PayoutOutcome[]) => ({
  results: await workSlices.map(outcomes, payoutResultShape),
});

/** Returns the check of the right of a credential to a payout. */
const rightOf =
  (credential: Credential | undefined) =>
  ({ account: major }: Payout): void =>
    assertAccountRight(credential, major);

const account = u32.default(0).describe('Account that pays');
const anyAccount = u32.optional().describe('Account; absent: the whole wallet');

/** Parameters of a call that acts on payouts by their ids. */
const idsParams = () => params({ payout_ids: listOf(payoutId).describe('Ids of the payouts, 1 to 1000') });

const pauseShape = ({ account: major, reason, time }: PayoutPause) => ({
  ...(major === WHOLE_WALLET ? {} : { account_index: major }),
  reason,
  since: time,
});

const pausesSchema = () =>
  wire.object({
    paused: wire.list(
      wire.object({
        account_index: wire.u32('Account; absent: the whole wallet').optional(),
        reason: wire.text('Reason that was given'),
        since: wire.uint('Time of the pause [Unix s]'),
      }),
      'Accounts whose payouts wait',
    ),
  });

/** Methods for payouts, which a queue pays in batches; the reference does not have them. */
export const payoutMethods: readonly WalletMethod[] = [
  defineMethod({
    name: 'create_payouts',
    summary: 'Records payouts, each on its own, which a queue pays in batches of up to 15.',
    meta: {
      ...{ family: 'payout_create', needs: 'wallet', account: 'legacy', restricted: true, foreground: true },
      multisig: 'absent',
    },
    faults: [
      ...['account_out_of_range', 'bad_payout', 'wrong_address', 'payout_mismatch'],
      ...['credential_denied', 'spend_limit'],
    ] as const,
    params: () =>
      params({
        payouts: listOf(item, { refusesMisspeltIn: 'payouts' }).describe('Payouts, 1 to 1000'),
        account_index: account,
      }),
    result: payoutResultsSchema,
    examples: () => [
      {
        name: 'a withdrawal',
        params: { payouts: [{ payout_id: 'w-4711', address: sample.address, amount: sample.oneXmr }] },
        result: { results: [{ payout_id: 'w-4711', payout: samplePayout }] },
      },
    ],
    source: ADDITION,
    async handle({ wallet, credential, client, spender }, args) {
      assertCount(args.payouts.length);
      wallet.accounts.assertAccount(args.account_index);
      assertAccountRight(credential, args.account_index);
      const requests = args.payouts.map(requestOf(args.account_index));
      const results = await wallet.payouts.create(requests, { ...client, spender });
      return resultsOf(results);
    },
  }),

  defineMethod({
    name: 'get_payout',
    summary: 'Returns a payout with its state and payment, or with the reason why it waits.',
    meta: { family: 'view', needs: 'wallet', restricted: false },
    faults: ['payout_missing'],
    params: () => params({ payout_id: payoutId.describe('Id of the payout') }),
    result: payoutSchema,
    examples: () => [
      { name: 'state of a withdrawal', params: { payout_id: 'w-4711' }, result: samplePayout },
    ],
    source: ADDITION,
    handle: ({ wallet }, args) => payoutShape(wallet.payouts.get(args.payout_id)),
  }),

  defineMethod({
    name: 'list_payouts',
    summary: 'Lists payouts, the latest first, with the pauses of the queue.',
    meta: { family: 'view', needs: 'wallet', restricted: false },
    faults: [],
    params: () =>
      params({
        states: listOf(z.enum(PAYOUT_STATES)).describe('States of the listed payouts; empty: all'),
        account_index: u32.optional().describe('Account of the listed payouts; absent: all'),
        reference: reference.optional().describe('Reference of the listed payouts; absent: all'),
        text: keptText(255, 1)
          .optional()
          .describe('Text that id, reference or address of the listed payouts contain; absent: all'),
        created_since: height.optional().describe('Least time of creation [Unix s]'),
        changed_since: height.optional().describe('Least time of the latest change of the state [Unix s]'),
        limit: pageLimit.describe('Largest number of payouts'),
        cursor: pageCursor,
      }),
    result: () =>
      wire.object({
        payouts: wire.list(payoutSchema(), 'Payouts, latest first'),
        cursor: wire.text('Cursor for the next page; absent on the last one').optional(),
        ...pausesSchema().shape,
      }),
    source: ADDITION,
    async handle({ wallet }, args) {
      const filter = {
        states: args.states,
        ...(args.account_index === undefined ? {} : { account: args.account_index }),
        ...(args.reference === undefined ? {} : { reference: args.reference }),
        ...(args.text === undefined ? {} : { text: args.text }),
        ...(args.created_since === undefined ? {} : { createdSince: args.created_since }),
        ...(args.changed_since === undefined ? {} : { changedSince: args.changed_since }),
      };
      const { payouts, next } = await wallet.payouts.list(filter, pageStart(args.cursor), args.limit);
      return {
        payouts: payouts.map(payoutShape),
        ...nextPage({ count: payouts.length, last: next }, args.limit),
        paused: wallet.payouts.pauses().map(pauseShape),
      };
    },
  }),

  defineMethod({
    name: 'cancel_payouts',
    summary: 'Cancels payouts that were not sent, each on its own.',
    meta: { family: 'payout_cancel', needs: 'wallet', restricted: true },
    faults: ['payout_missing', 'bad_payout', 'credential_denied'],
    params: idsParams,
    result: payoutResultsSchema,
    source: ADDITION,
    async handle({ wallet, credential, client }, { payout_ids: payoutIds }) {
      assertCount(payoutIds.length);
      const results = await wallet.payouts.cancel(payoutIds, client, rightOf(credential));
      return resultsOf(results);
    },
  }),

  defineMethod({
    name: 'approve_payouts',
    summary:
      'Approves payouts that wait for approvals, each on its own, with the terms that the client has seen.',
    meta: { family: 'payout_approve', needs: 'wallet', restricted: true },
    faults: ['payout_missing', 'bad_payout', 'payout_mismatch', 'credential_denied'],
    params: () =>
      params({
        payouts: listOf(
          z.strictObject({
            payout_id: payoutId.describe('Id of the payout'),
            approval_hash: hash.describe('Member approval_hash of the payout as the client has seen it'),
          }),
          { refusesMisspeltIn: 'payouts' },
        ).describe('Payouts, 1 to 1000'),
      }),
    result: payoutResultsSchema,
    source: ADDITION,
    async handle({ wallet, credential, client }, { payouts }) {
      assertCount(payouts.length);
      const approvals = payouts.map(({ payout_id: id, approval_hash: terms }) => ({
        payoutId: id,
        terms: bytes32(fromHex(terms), 'Hash'),
      }));
      const results = await wallet.payouts.approve(approvals, client, rightOf(credential));
      return resultsOf(results);
    },
  }),

  defineMethod({
    name: 'reject_payouts',
    summary: 'Rejects payouts that wait for approvals, each on its own, which ends them.',
    meta: { family: 'payout_approve', needs: 'wallet', restricted: true },
    faults: ['payout_missing', 'bad_payout', 'credential_denied'],
    params: idsParams,
    result: payoutResultsSchema,
    source: ADDITION,
    async handle({ wallet, credential, client }, { payout_ids: payoutIds }) {
      assertCount(payoutIds.length);
      const results = await wallet.payouts.reject(payoutIds, client, rightOf(credential));
      return resultsOf(results);
    },
  }),

  defineMethod({
    name: 'send_payouts',
    summary:
      'Sends the queued payouts of an account now, as far as they can be paid, without waiting for others.',
    meta: {
      ...{ family: 'payout_send', needs: 'wallet', account: 'legacy', restricted: true, foreground: true },
      multisig: 'absent',
    },
    faults: ['account_out_of_range', 'credential_denied'],
    params: () => params({ account_index: account }),
    result: () =>
      wire.object({ waiting: wire.uint('Number of payouts that are still queued in the wallet') }),
    source: ADDITION,
    async handle({ wallet, credential, client }, args) {
      assertAccountRight(credential, args.account_index);
      await wallet.payouts.send(args.account_index, client);
      return { waiting: wallet.payouts.counts().get('queued') ?? 0 };
    },
  }),

  defineMethod({
    name: 'pause_payouts',
    summary: 'Stops sending payouts of an account, or of the wallet; payouts are still accepted.',
    meta: { family: 'payout_send', needs: 'wallet', restricted: true },
    faults: ['account_out_of_range', 'credential_denied'],
    params: () =>
      params({
        account_index: anyAccount,
        reason: keptText(255, 1).describe('Reason that lists show'),
      }),
    result: pausesSchema,
    source: ADDITION,
    handle({ wallet, credential }, args) {
      assertAccountRight(credential, args.account_index);
      return { paused: wallet.payouts.pause(args.account_index, args.reason).map(pauseShape) };
    },
  }),

  defineMethod({
    name: 'resume_payouts',
    summary: 'Ends the pause of an account, or of the wallet.',
    meta: { family: 'payout_send', needs: 'wallet', restricted: true },
    faults: ['credential_denied'],
    params: () => params({ account_index: anyAccount }),
    result: pausesSchema,
    source: ADDITION,
    handle({ wallet, credential }, args) {
      assertAccountRight(credential, args.account_index);
      return { paused: wallet.payouts.resume(args.account_index).map(pauseShape) };
    },
  }),

  defineMethod({
    name: 'estimate_payouts',
    summary: 'Computes the batches that the queue, and further payouts, would make now; changes nothing.',
    meta: { family: 'view', needs: 'wallet', account: 'legacy', restricted: false, multisig: 'absent' },
    faults: ['account_out_of_range', 'bad_payout', 'fee_rates_unknown', 'fee_too_high'],
    params: () =>
      params({
        payouts: listOf(item, { refusesMisspeltIn: 'payouts' }).describe('Further payouts, up to 1000'),
        account_index: account,
      }),
    result: forecastSchema,
    source: ADDITION,
    async handle({ wallet }, args) {
      assertCount(args.payouts.length, 0);
      const requests = args.payouts.map(requestOf(args.account_index));
      return forecastShape(await wallet.payouts.estimate(args.account_index, requests));
    },
  }),

  defineMethod({
    name: 'export_payout_batches',
    summary: 'Lists the batches of a view-only wallet whose sets the wallet with the spend key is to sign.',
    meta: { family: 'payout_send', needs: 'wallet', account: 'legacy', restricted: true },
    faults: [],
    params: () => params({}),
    result: batchesSchema,
    source: ADDITION,
    handle: async ({ wallet }) => ({ batches: (await wallet.payouts.unsigned()).map(batchShape) }),
  }),

  defineMethod({
    name: 'submit_payout_batches',
    summary: 'Relays signed sets of batches, each on its own.',
    meta: { family: 'payout_send', needs: 'wallet', account: 'legacy', restricted: true },
    faults: [],
    params: () => params({ signed_txsets: listOf(text).describe('Sets signed by sign_transfer, 1 to 1000') }),
    result: submittedSchema,
    requestSize: 'long-text',
    source: ADDITION,
    async handle({ wallet, spender }, { signed_txsets: sets }) {
      assertCount(sets.length);
      const results: ReturnType<typeof submittedShape>[] = [];
      for (const set of sets) results.push(submittedShape(await wallet.payouts.submit(set, spender)));
      return { results };
    },
  }),

  defineMethod({
    name: 'export_payouts',
    summary:
      'Exports the payouts that were created in a period, with fee shares, transactions and approvers.',
    meta: { family: 'view', needs: 'wallet', restricted: false },
    faults: ['invalid'],
    params: () => params(exportParams('payouts')),
    result: () =>
      wire.object({
        payouts: wire.list(payoutSchema(), 'Payouts with format json, the oldest first; none with csv'),
        csv: wire
          .text('Payouts as CSV (RFC 4180), with the names of the columns; with format csv alone')
          .optional(),
      }),
    source: ADDITION,
    handle({ wallet }, args) {
      const pages = wallet.payouts.createdIn(exportPeriod(args));
      if (args.format === 'json') return { payouts: rowsOf(unheld(pages), payoutShape) };
      return { payouts: [], csv: JsonRows.text(unheld(payoutCsv(pages))) };
    },
  }),
];
