import * as wire from '../../http/methods/wire.js';
import {
  FEE_PAYERS,
  isWaiting,
  PAYOUT_ACTIONS,
  PAYOUT_REASONS,
  PAYOUT_STATES,
  termsHash,
} from '../../model/payout.js';
import type { Unlocking } from '../../services/accounts/unlock-times.js';
import type { Forecast } from '../../services/payouts/payout-forecast.js';
import type { PayoutOutcome, Submitted } from '../../services/payouts/payouts.js';
import type { PayoutView, Waiting } from '../../services/payouts/payout-views.js';
import type { UnsignedSet } from '../../services/payouts/payout-batches.js';
import { sum, ZERO } from '../../util/amount.js';
import { toHex } from '../../util/bytes.js';
import { JsonText } from '../../util/json-writer.js';
import { formatCoins } from '../../monero/cryptonote/coins.js';
import { instantText } from '../../util/clock.js';
import { csvRecord, withoutFormulas } from './csv.js';
import { explain, FAULTS } from '../faults/fault-table.js';
import * as sample from './samples.js';

/** Schema of the reason why a payout returned to the queue or failed. */
export const payoutReason = () =>
  wire.oneOf(
    PAYOUT_REASONS,
    'not_sent: its batch never left this server; refused: by the node; overtaken: another transaction spends an input; lost: neither pool nor chain has it; reorganised: its block was replaced; unsigned: its set was not signed in time',
  );

const waitingSchema = () =>
  wire.object({
    approval: wire
      .object({
        needed: wire.uint('Number of approvals that it needs'),
        given: wire.uint('Number of approvals that count so far'),
      })
      .optional(),
    delay: wire.uint('Time from which it is sent after its last approval [Unix s]').optional(),
    paused: wire.text('Reason of the pause').optional(),
    not_before: wire.uint('Time from which it may be sent [Unix s]').optional(),
    batch: wire.uint('Time until which it waits for others [Unix s]').optional(),
    fee: wire.amount('Share of the fee that it would pay now, above its limit').optional(),
    node: wire.text('Reason why the daemon cannot be asked, or has refused its batch').optional(),
    fork: wire
      .object({
        height: wire.uint('Height of the first block of the fork'),
        version: wire.uint('Version of its blocks'),
      })
      .optional(),
    behind: wire.text('Id of the older payout for which unlocked money is kept').optional(),
    earlier: wire.text('Reason why an earlier batch with it cannot be excluded yet').optional(),
    reversed: wire.amount('Amount that a reversed payment of its payment request leaves missing').optional(),
    unlocked: wire
      .object({
        amount: wire.amount('Amount that must be unlocked in addition'),
        height: wire.uint('Number of blocks at which it is; absent: no locked money is enough').optional(),
        time: wire.uint('Estimate of the time of that block [Unix s]').optional(),
      })
      .optional(),
  });

const payoutTerms = () => ({
  payout_id: wire.text('Id given by the client'),
  account_index: wire.u32('Account that pays'),
  address: wire.text('Address of the payee'),
  amount: wire.amount('Amount that the payee is owed'),
  fee: wire.oneOf(FEE_PAYERS, 'Side that pays its share of the fee'),
  max_fee: wire.amount('Largest share of the fee; absent: any').optional(),
  priority: wire.uint('Priority from 0 to 4; 0: by the state of chain and pool'),
  allow_own: wire.flag('The address may be one of this wallet'),
  not_before: wire.uint('Time before which it is not sent [Unix s]').optional(),
  expires_at: wire.uint('Time from which it is not sent any more [Unix s]').optional(),
  request_id: wire.text('Payment request whose money it returns; absent: it is no refund').optional(),
  reference: wire.text('Reference given by the client').optional(),
  metadata: wire.record('Metadata given by the client').optional(),
});

const payoutState = () => ({
  state: wire.oneOf(
    PAYOUT_STATES,
    'awaiting_approval; queued; awaiting_signature: of a view-only wallet; sending: its batch is recorded; sent: in the mempool, as far as known; mined; confirmed; failed, cancelled, rejected, expired: it was not paid',
  ),
  reason: payoutReason().optional(),
  created_at: wire.uint('Time of creation [Unix s]'),
  created_by: wire.text('Credential that created it; absent: a client with all rights').optional(),
  changed_at: wire.uint('Time of the latest change of the state [Unix s]'),
  approval_hash: wire
    .hash('Hash of its terms, to which an approval binds; present while it waits')
    .optional(),
  history: wire.list(
    wire.object({
      action: wire.oneOf(PAYOUT_ACTIONS, 'Action; sent: by send_payouts'),
      by: wire.text('Credential; absent: a client with all rights').optional(),
      from: wire.text('Address of the client').optional(),
      time: wire.uint('Time of the action [Unix s]'),
    }),
    'Actions of clients, the oldest first',
  ),
  waiting_for: waitingSchema().optional(),
  tx_hash: wire.hash('Transaction that pays it').optional(),
  received: wire.amount('Amount that the payee receives').optional(),
  fee_share: wire.amount('Its share of the fee of the transaction').optional(),
  height: wire.uint('Height of the block with the transaction').optional(),
  confirmations: wire.uint('Number of blocks from that block to the tip; 0 if it is not mined'),
});

const errorSchema = () => wire.object({ code: wire.code('Error code'), message: wire.text('Reason') });

/** Schema of a payout. */
export const payoutSchema = () => wire.object({ ...payoutTerms(), ...payoutState() });

/** Schema of the result of one payout of a call: the payout, or its error. */
const payoutResultSchema = () =>
  wire.object({
    payout_id: wire.text('Id given by the client'),
    payout: payoutSchema().optional(),
    error: errorSchema().optional(),
  });

const waitingShape = (waiting: Waiting, unlocking: Unlocking | undefined) => {
  switch (waiting.kind) {
    case 'approval':
      return { approval: { needed: waiting.needed, given: waiting.given } };
    case 'delay':
      return { delay: waiting.time };
    case 'paused':
      return { paused: waiting.reason };
    case 'not_before':
      return { not_before: waiting.time };
    case 'retry':
      return { not_before: waiting.time, node: 'the daemon has refused its batch' };
    case 'batch':
      return { batch: waiting.time };
    case 'fee':
      return { fee: waiting.fee };
    case 'node':
      return { node: waiting.reason };
    case 'fork':
      return { fork: { height: waiting.height, version: waiting.version } };
    case 'behind':
      return { behind: waiting.payoutId };
    case 'earlier':
      return { earlier: waiting.reason };
    case 'reversed':
      return { reversed: waiting.missing };
    case 'unlocked':
      return {
        unlocked: {
          amount: waiting.missing,
          ...(unlocking === undefined ? {} : { height: unlocking.height, time: unlocking.time }),
        },
      };
  }
};

/** Converts a payout to JSON. */
export const payoutShape = ({
  payout,
  payment,
  confirmations,
  waitingFor,
  unlocking,
  actions,
  requestId,
}: PayoutView) => ({
  payout_id: payout.payoutId,
  account_index: payout.account,
  address: payout.address,
  amount: payout.amount,
  fee: payout.feePayer,
  max_fee: payout.maxFee,
  priority: payout.priority,
  allow_own: payout.allowOwn,
  not_before: payout.notBefore,
  expires_at: payout.expires,
  request_id: requestId,
  reference: payout.reference,
  metadata: payout.metadata === undefined ? undefined : new JsonText(payout.metadata),
  state: payout.state,
  reason: payout.reason,
  created_at: payout.created,
  created_by: payout.creator,
  changed_at: payout.changed,
  approval_hash: isWaiting(payout.state) ? toHex(termsHash(payout)) : undefined,
  history: actions.map(({ action, client, time }) => ({
    action,
    by: client.credential,
    from: client.address,
    time,
  })),
  waiting_for: waitingFor === undefined ? undefined : waitingShape(waitingFor, unlocking),
  tx_hash: payment?.txHash === undefined ? undefined : toHex(payment.txHash),
  received: payment?.amount,
  fee_share: payment?.fee,
  height: payment?.height,
  confirmations,
});

/** Converts the result of one payout of a call to JSON. */
export const payoutResultShape = (result: PayoutOutcome) =>
  'fault' in result
    ? {
        payout_id: result.payoutId,
        error: { code: FAULTS[result.fault.kind].code, message: explain(result.fault) },
      }
    : { payout_id: result.payout.payoutId, payout: payoutShape(result) };

/** Schema of the batches that the queue would make. */
export const forecastSchema = () =>
  wire.object({
    batches: wire.list(
      wire.object({
        payout_ids: wire.list(wire.text('Id of a payout'), 'Payouts of the batch'),
        amount: wire.amount('Sum that the payees are owed'),
        fee: wire.amount('Estimate of the fee'),
        inputs: wire.uint('Number of outputs that it spends'),
      }),
      'Batches that would leave now',
    ),
    waiting: wire.list(
      wire.object({ payout_id: wire.text('Id of the payout'), waiting_for: waitingSchema() }),
      'Payouts that would wait',
    ),
    refused: wire.list(
      wire.object({
        payout_id: wire.text('Id of the payout'),
        error: errorSchema(),
      }),
      'Payouts of the call that create_payouts would refuse',
    ),
    fee: wire.amount('Sum of the fees'),
  });

/** Converts a forecast to JSON. */
export const forecastShape = ({ batches, waiting, refused }: Forecast) => ({
  batches: batches.map(({ payoutIds, amount, fee, inputs }) => ({
    payout_ids: payoutIds,
    amount,
    fee,
    inputs,
  })),
  waiting: waiting.map(({ payoutId, obstacle, unlocking }) => ({
    payout_id: payoutId,
    waiting_for: waitingShape(obstacle, unlocking),
  })),
  refused: refused.map(({ payoutId, fault }) => ({
    payout_id: payoutId,
    error: { code: FAULTS[fault.kind].code, message: explain(fault) },
  })),
  fee: batches.reduce((total, batch) => total + batch.fee, ZERO as bigint) as typeof ZERO,
});

/** Schema of the results of the payouts of a call. */
export const payoutResultsSchema = () =>
  wire.object({ results: wire.list(payoutResultSchema(), 'Result of each payout, in their order') });

/** Schema of the batches whose sets another wallet is to sign. */
export const batchesSchema = () =>
  wire.object({
    batches: wire.list(
      wire.object({
        batch_id: wire.text('Idempotency key of its order'),
        account_index: wire.u32('Account that pays'),
        created_at: wire.uint('Time of creation [Unix s]'),
        expires_at: wire.uint('Time until which the set may be signed [Unix s]'),
        unsigned_txset: wire.hex('Set for sign_transfer, and for describe_transfer'),
        amount: wire.amount('Sum that the payees receive'),
        fee: wire.amount('Fee'),
        payouts: wire.list(
          wire.object({
            payout_id: wire.text('Id of the payout'),
            address: wire.text('Address of the payee'),
            received: wire.amount('Amount that the payee receives'),
            fee_share: wire.amount('Its share of the fee'),
          }),
          'Payouts of the batch',
        ),
      }),
      'Batches, the oldest first',
    ),
  });

/** Converts a batch whose set another wallet is to sign to JSON. */
export const batchShape = ({
  batchId,
  account,
  created,
  expires,
  unsignedSet,
  fee,
  payouts,
}: UnsignedSet) => ({
  batch_id: batchId,
  account_index: account,
  created_at: created,
  expires_at: expires,
  unsigned_txset: toHex(unsignedSet),
  amount: sum(payouts.map(({ received }) => received)),
  fee,
  payouts: payouts.map(({ payout, received, fee: share }) => ({
    payout_id: payout.payoutId,
    address: payout.address,
    received,
    fee_share: share,
  })),
});

/** Schema of the results of signed sets. */
export const submittedSchema = () =>
  wire.object({
    results: wire.list(
      wire.object({
        tx_hashes: wire.list(wire.hash('Transaction hash'), 'Relayed transactions'),
        error: errorSchema().optional(),
      }),
      'Result of each set, in their order',
    ),
  });

/** Converts the result of a signed set to JSON. */
export const submittedShape = (result: Submitted) =>
  'fault' in result
    ? {
        tx_hashes: [],
        error: { code: FAULTS[result.fault.kind].code, message: explain(result.fault) },
      }
    : { tx_hashes: result.txHashes.map(toHex) };

/** Returns the names of the clients that made an action on a payout, separated by spaces. */
const namesOf = ({ actions }: PayoutView, wanted: (typeof PAYOUT_ACTIONS)[number]): string =>
  actions
    .filter(({ action }) => action === wanted)
    .map(({ client }) => client.credential ?? 'login')
    .join(' ');

/** Columns of the CSV of payouts with their values. */
const COLUMNS: readonly (readonly [name: string, value: (view: PayoutView) => string])[] = [
  ['payout_id', ({ payout }) => withoutFormulas(payout.payoutId)],
  ['reference', ({ payout }) => withoutFormulas(payout.reference ?? '')],
  ['created', ({ payout }) => instantText(payout.created)],
  ['state', ({ payout }) => payout.state],
  ['changed', ({ payout }) => instantText(payout.changed)],
  ['account_index', ({ payout }) => String(payout.account)],
  ['address', ({ payout }) => payout.address],
  ['amount_xmr', ({ payout }) => formatCoins(payout.amount)],
  ['amount_atomic', ({ payout }) => String(payout.amount)],
  ['received_atomic', ({ payment }) => String(payment?.amount ?? '')],
  ['fee_share_atomic', ({ payment }) => String(payment?.fee ?? '')],
  ['fee_payer', ({ payout }) => payout.feePayer],
  ['tx_hash', ({ payment }) => (payment?.txHash === undefined ? '' : toHex(payment.txHash))],
  ['height', ({ payment }) => String(payment?.height ?? '')],
  ['created_by', (view) => namesOf(view, 'created')],
  ['approved_by', (view) => namesOf(view, 'approved')],
];

/** Writes payouts as CSV page by page, after a record with the names of the columns. */
export async function* payoutCsv(pages: AsyncIterable<readonly PayoutView[]>): AsyncGenerator<string, void> {
  yield csvRecord(COLUMNS.map(([name]) => name));
  for await (const page of pages)
    yield page.map((view) => csvRecord(COLUMNS.map(([, value]) => value(view)))).join('');
}

/** A queued payout, as an example. */
export const samplePayout = {
  payout_id: 'w-4711',
  account_index: 0n,
  address: sample.address,
  amount: sample.oneXmr,
  fee: 'wallet' as const,
  priority: 0n,
  allow_own: false,
  state: 'queued' as const,
  created_at: 1_760_000_000n,
  changed_at: 1_760_000_000n,
  approval_hash: sample.txHash,
  history: [{ action: 'created' as const, by: 'clerk', from: '10.1.0.7', time: 1_760_000_000n }],
  waiting_for: { batch: 1_760_000_060n },
  confirmations: 0n,
};
