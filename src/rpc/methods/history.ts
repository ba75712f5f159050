import { Field, type RowTemplate } from '../../util/json-writer.js';
import type { IncomingField, HistoryList, IncomingKind } from '../../services/history/history.js';
import type { Hash } from '../../monero/crypto/types.js';
import { flag, height, listOf, params, text, u32 } from '../../http/methods/params.js';
import * as wire from '../../http/methods/wire.js';
import { fromHex, isHex } from '../../util/bytes.js';
import { workSlices } from '../../util/event-loop.js';
import { singlePage, unheld, type Paged } from '../../util/paged.js';
import { WalletError } from '../../model/wallet-error.js';
import { DAEMON } from '../faults/fault-entry.js';
import { defineMethod, type Context, type WalletMethod } from '../method.js';
import * as sample from '../wire/samples.js';
import { rowsOf } from '../wire/rows.js';
import {
  scanState,
  scanStateOf,
  paymentIdShape,
  paymentSchema,
  paymentShape,
  readTxHash,
  transferEntry,
  transferSchema,
  indexSchema,
} from '../wire/shapes.js';
import { JsonRows } from '../../http/calls/json-rows.js';
import type { Json } from '../../util/json.js';

/**
 * Parses a payment id of 8 or 32 bytes. A long payment id whose last 24 bytes are zero is read as a short payment id.
 * @param textOf returns the message of the reference. @throws WalletError `wrong_payment_id`
 */
function readPaymentId(hex: string, textOf: (hex: string) => string): Uint8Array {
  if (!isHex(hex) || (hex.length !== 16 && hex.length !== 64))
    throw new WalletError({
      kind: 'wrong_payment_id',
      reason: 'a payment id has 16 or 64 hex digits',
      text: textOf(hex),
    });
  const id = fromHex(hex);
  return id.subarray(8).every((byte) => byte === 0) ? id.slice(0, 8) : id;
}

const WRONG_SIZE = 'Payment ID has invalid size: ';

const singleIdText = (hex: string): string =>
  isHex(hex) ? WRONG_SIZE + hex : 'Payment ID has invalid format';

const bulkIdText = (hex: string): string =>
  hex.length === 16 || hex.length === 64 ? `Payment ID has invalid format: ${hex}` : WRONG_SIZE + hex;

/** Parses a transaction hash, with the error messages of get_transfer_by_txid. @throws WalletError `wrong_tx_hash` */
function readTransactionId(txid: string): Hash {
  if (isHex(txid) && txid.length === 64) return readTxHash(txid);
  throw new WalletError({
    kind: 'wrong_tx_hash',
    reason: 'a transaction hash has 64 hex digits',
    text: isHex(txid) ? `Transaction ID has invalid size: ${txid}` : 'Transaction ID has invalid format',
  });
}

/** Reads the daemon's pool. Does nothing in restricted mode, where no client may cause calls to the daemon. */
const readPool = async ({ wallet, server }: Context): Promise<void> => {
  if (!server.settings.restricted) await wallet.sync.refreshPool();
};

const isKind = (text: string): text is IncomingKind =>
  text === 'all' || text === 'available' || text === 'unavailable';

const LISTS: readonly HistoryList[] = ['in', 'out', 'pending', 'failed', 'pool'];

const MINED: readonly HistoryList[] = ['in', 'out'];

/** Parses a cursor: the greatest height of a page. @throws WalletError `invalid` for a malformed cursor. */
function readCursor(cursor: string): number {
  if (cursor === '') return Number.MAX_SAFE_INTEGER;
  if (!/^\d{1,15}$/.test(cursor))
    throw new WalletError({ kind: 'invalid', reason: 'the cursor is not one of an earlier answer' });
  return Number(cursor);
}

const transferList = (description: string) => wire.list(transferSchema(), description);

/** Default of `max_height`: no limit. Source: MAX_BLOCK_NUMBER of the reference. */
const MAX_HEIGHT = 500_000_000n;

export const historyMethods: readonly WalletMethod[] = [
  defineMethod({
    name: 'get_transfers',
    summary: 'Lists transfers of the requested kinds.',
    meta: { family: 'view', needs: 'wallet', restricted: false },
    faults: [...DAEMON, 'invalid'],
    params: () =>
      params({
        in: flag.default(false).describe('Lists incoming payments in blocks'),
        out: flag.default(false).describe('Lists outgoing transactions in blocks'),
        pending: flag.default(false).describe('Lists outgoing transactions that are not in a block'),
        failed: flag.default(false).describe('Lists outgoing transactions that failed'),
        pool: flag
          .default(false)
          .describe(
            'Lists incoming payments in the mempool, which the daemon is asked for first, except in restricted mode',
          ),
        filter_by_height: flag.default(false).describe('Restricts in and out to min_height and max_height'),
        min_height: height.default(0).describe('Lists blocks above this height'),
        max_height: height.default(Number(MAX_HEIGHT)).describe('Lists blocks up to this height'),
        account_index: u32.default(0).describe('Index of the account; ignored with all_accounts'),
        subaddr_indices: listOf(u32).describe(
          'Indices of the addresses in the account; empty: all; ignored with all_accounts',
        ),
        all_accounts: flag.default(false).describe('Lists transfers of all accounts'),
        // Parameters for pages, from the newest transfer on; the reference has no such parameters and returns all
        // transfers.
        limit: u32
          .default(0)
          .describe(
            'Least size of a page [transfers], which begins with the newest one and ends with a whole block; 0: all transfers',
          ),
        cursor: text
          .default('')
          .describe('Member cursor of the former answer; empty: the page with the newest transfers'),
      }),
    result: () =>
      wire.object({
        in: transferList('Incoming payments in blocks'),
        out: transferList('Outgoing transactions in blocks'),
        pending: transferList('Outgoing transactions that are not in a block'),
        failed: transferList('Outgoing transactions that failed'),
        pool: transferList('Incoming payments in the mempool'),
        cursor: wire
          .text('Cursor for the page before; absent on the last page, and without limit')
          .optional(),
        ...scanState(),
      }),
    examples: () => [
      {
        name: 'newest incoming payments',
        params: { in: true, account_index: 0n, limit: 1n },
        result: { in: [sample.received], cursor: '3399999' },
      },
    ],
    source: 'COMMAND_RPC_GET_TRANSFERS, on_get_transfers',
    async handle(call, args) {
      const { wallet } = call;
      if (args.pool) await readPool(call);
      const filtered = args.filter_by_height;
      const from = readCursor(args.cursor);
      const filter = {
        minHeight: filtered ? args.min_height : -1,
        maxHeight: Math.min(from, filtered ? args.max_height : Number.MAX_SAFE_INTEGER),
        ...(args.all_accounts ? {} : { account: args.account_index, minors: args.subaddr_indices }),
      };
      // Lists unmined transfers on the first page only.
      const lists = new Set(
        LISTS.filter((list) => args[list] && (args.cursor === '' || MINED.includes(list))),
      );
      const {
        lists: found,
        release,
        next,
      } = args.limit === 0
        ? { ...wallet.history.list(lists, filter), next: undefined }
        : wallet.history.page(lists, filter, args.limit);
      const rows = LISTS.map((list) => {
        const pages = found[list];
        return [list, pages && rowsOf({ pages, release }, transferEntry)];
      });
      return {
        ...(Object.fromEntries(rows) as Readonly<Record<HistoryList, JsonRows | undefined>>),
        cursor: next === undefined ? undefined : String(next),
        ...scanStateOf(wallet),
      };
    },
  }),

  defineMethod({
    name: 'get_transfer_by_txid',
    summary: 'Returns one transaction of an account.',
    meta: { family: 'view', needs: 'wallet', restricted: false },
    faults: [...DAEMON, 'account_out_of_range', 'wrong_tx_hash'],
    texts: { account_out_of_range: 'Account index is out of bound' },
    params: () =>
      params({
        txid: text.default('').describe('Transaction hash'),
        account_index: u32.default(0).describe('Index of the account'),
      }),
    result: () =>
      wire.object({
        transfer: transferSchema('First entry of the list'),
        transfers: transferList('Entries of the transaction in the account'),
        ...scanState(),
      }),
    examples: () => [
      {
        name: 'one transaction',
        params: { txid: sample.txHash },
        result: { transfer: sample.received, transfers: [sample.received] },
      },
    ],
    source: 'COMMAND_RPC_GET_TRANSFER_BY_TXID, on_get_transfer_by_txid',
    async handle(call, { txid, account_index }) {
      const { wallet } = call;
      const txHash = readTransactionId(txid);
      wallet.accounts.assertAccount(account_index);
      await readPool(call);
      const rows = wallet.history.byTransaction(txHash, account_index);
      const [first] = rows;
      if (first === undefined) throw new Error('a transaction without entries');
      const transfers = rowsOf(unheld(singlePage(rows)), transferEntry);
      return { transfer: transferEntry(first), transfers, ...scanStateOf(wallet) };
    },
  }),

  defineMethod({
    name: 'incoming_transfers',
    summary: 'Lists the outputs received by an account.',
    meta: { family: 'view', needs: 'wallet', restricted: false },
    faults: ['wrong_transfer_type'],
    params: () =>
      params({
        transfer_type: text
          .default('')
          .describe('all, available (not spent) or unavailable (spent); required'),
        account_index: u32.default(0).describe('Index of the account'),
        subaddr_indices: listOf(u32).describe('Indices of the addresses in the account; empty: all'),
        verbose: flag.default(false).describe('Ignored: rows always have all members'),
      }),
    result: () =>
      wire.object({
        transfers: wire.list(incomingSchema(), 'Outputs received, oldest first'),
        ...scanState(),
      }),
    source: 'COMMAND_RPC_INCOMING_TRANSFERS, on_incoming_transfers',
    handle({ wallet }, { transfer_type, account_index, subaddr_indices }) {
      if (!isKind(transfer_type))
        throw new WalletError({ kind: 'wrong_transfer_type', given: transfer_type });
      return {
        transfers: incomingRows((template) =>
          wallet.history.incoming(transfer_type, account_index, subaddr_indices, template),
        ),
        ...scanStateOf(wallet),
      };
    },
  }),

  defineMethod({
    name: 'get_payments',
    summary: 'Lists incoming payments with a payment id.',
    meta: { family: 'view', needs: 'wallet', restricted: false },
    faults: ['wrong_payment_id'],
    params: () =>
      params({ payment_id: text.default('').describe('Payment id as 16 or 64 hex digits; required') }),
    result: () =>
      wire.object({ payments: wire.list(paymentSchema(), 'Payments, oldest first'), ...scanState() }),
    examples: () => [
      {
        name: 'payments with a payment id',
        params: { payment_id: '60900e5603bf96e3' },
        result: {
          payments: [
            {
              payment_id: '60900e5603bf96e3',
              tx_hash: sample.txHash,
              amount: sample.oneXmr,
              block_height: 3_400_000n,
              unlock_time: 0n,
              locked: false,
              subaddr_index: { major: 0n, minor: 0n },
              address: sample.primaryAddress,
            },
          ],
        },
      },
    ],
    source: 'COMMAND_RPC_GET_PAYMENTS, on_get_payments',
    handle({ wallet }, { payment_id }) {
      return {
        payments: wallet.history
          .payments(readPaymentId(payment_id, singleIdText))
          .map((view) => paymentShape(view, payment_id)),
        ...scanStateOf(wallet),
      };
    },
  }),

  defineMethod({
    name: 'get_bulk_payments',
    summary: 'Lists incoming payments with any of several payment ids, or all of them.',
    meta: { family: 'view', needs: 'wallet', restricted: false },
    faults: ['wrong_payment_id'],
    params: () =>
      params({
        payment_ids: listOf(text).describe('Payment ids as 16 or 64 hex digits; empty: all payments'),
        min_block_height: height.default(0).describe('Lists payments above this height'),
      }),
    result: () =>
      wire.object({ payments: wire.list(paymentSchema(), 'Payments, oldest first'), ...scanState() }),
    requestSize: 'long-text',
    source: 'COMMAND_RPC_GET_BULK_PAYMENTS, on_get_bulk_payments',
    async handle({ wallet }, { payment_ids, min_block_height }) {
      if (payment_ids.length === 0)
        return {
          payments: rowsOf(wallet.history.allPayments(min_block_height), (view) =>
            paymentShape(view, paymentIdShape(view.payment.tx.paymentId).padEnd(64, '0')),
          ),
          ...scanStateOf(wallet),
        };
      const state = scanStateOf(wallet);
      const ids = await workSlices.map(payment_ids, (id) => ({ id, bytes: readPaymentId(id, bulkIdText) }));
      const found = await workSlices.map(ids, ({ id, bytes }) => {
        wallet.assertOpen();
        return wallet.history.payments(bytes, min_block_height).map((view) => paymentShape(view, id));
      });
      return { payments: found.flat(), ...state };
    },
  }),
];

/** Reads rows as JSON made from a template; the rows of one page are separated by commas. */
export type ReadRows = (template: RowTemplate<IncomingField>) => Paged<Uint8Array | undefined>;

const field = (name: IncomingField): Field<IncomingField> => new Field(name);

/** Row template of incoming_transfers. Source: wallet_rpc_server_commands_defs.h `transfer_details`. */
const INCOMING: RowTemplate<IncomingField> = {
  amount: field('amount'),
  block_height: field('height'),
  frozen: field('frozen'),
  global_index: field('globalIndex'),
  key_image: field('keyImage'),
  pubkey: field('publicKey'),
  spent: field('spent'),
  subaddr_index: { major: field('account'), minor: field('minor') },
  tx_hash: field('txHash'),
  tx_size: field('txSize'),
  unlocked: field('unlocked'),
};

/** Schema of a row of {@link INCOMING}. */
const incomingSchema = () =>
  wire.object({
    amount: wire.amount('Amount of the output'),
    block_height: wire.uint('Height of its block'),
    frozen: wire.flag('The output is frozen'),
    global_index: wire.uint('Index of the output in the chain'),
    key_image: wire.hex('Key image; empty while it is unknown'),
    pubkey: wire.hash('Public key of the output'),
    spent: wire.flag('The output is spent'),
    subaddr_index: indexSchema('Receiving address'),
    tx_hash: wire.hash('Transaction hash'),
    tx_size: wire.uint('Size of the transaction [bytes]; 0 if it is unknown'),
    unlocked: wire.flag('The output can be spent now, as far as its lock is concerned'),
  });

/** Returns the rows of {@link INCOMING}, which the store writes as JSON. */
export function incomingRows(open: ReadRows): JsonRows {
  let release = (): void => undefined;
  return JsonRows.written({
    read: async function* (adapt) {
      const template = adapt === undefined ? INCOMING : adapt(INCOMING as Json);
      const rows = open(template as RowTemplate<IncomingField>);
      ({ release } = rows);
      for await (const page of rows.pages) if (page !== undefined) yield [page];
    },
    release: () => release(),
  });
}
