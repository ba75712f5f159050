import { parseTransaction, prunedTransaction } from '../../monero/cryptonote/transaction.js';
import type { Hash } from '../../monero/crypto/types.js';
import { fromHex, toHex } from '../../util/bytes.js';
import { encode } from '../../util/codec.js';
import { eachTransaction, inEach, replies, TRANSACTIONS, type Answer, type Fault } from './fault.js';
import { forgePayment } from './forged-payment.js';
import type { LieContext } from './lie-context.js';

/* Lies about transactions that a client asks for by identity, about key images, and about sent transactions. */

/** Version of transactions that no present program knows, in hex. */
const LATER_VERSION = '03';

/** Fields that only a pool transaction has, and fields that only a mined one has. */
const OF_POOL = ['relayed', 'received_timestamp'];
const OF_CHAIN = ['block_height', 'confirmations', 'block_timestamp', 'output_indices'];

const without = (entry: Answer, names: readonly string[]): Answer =>
  Object.fromEntries(Object.entries(entry).filter(([name]) => !names.includes(name)));

/** Returns the description of a pool transaction as if a block had it. */
function asMined(entry: Answer, { node, value }: LieContext): Answer {
  const waiting = node.store.pool.get(fromHex(String(entry['tx_hash'])) as Hash);
  if (waiting === undefined) return entry;
  const height = Math.max(0, node.chain.height - value);
  const first = node.store.outputs.count(0n);
  return {
    ...without(entry, OF_POOL),
    in_pool: false,
    block_height: height,
    confirmations: value,
    block_timestamp: node.store.blocks.at(height)?.timestamp ?? 0,
    output_indices: parseTransaction(waiting.blob).prefix.outputs.map((_, i) => first + i),
  };
}

/** Returns the description of a mined transaction as if it waited in the pool. */
const asWaiting = (entry: Answer): Answer =>
  entry['in_pool'] === true
    ? entry
    : {
        ...without(entry, OF_CHAIN),
        ...{ in_pool: true, relayed: true, received_timestamp: entry['block_timestamp'] },
      };

/** Replaces the bytes of a transaction by those of another one, which pays the target. */
function withOtherBytes(entry: Answer, lie: LieContext): Answer {
  const { tx, blob } = lie.once(`other than ${String(entry['tx_hash'])}`, () =>
    forgePayment(lie, lie.target),
  );
  const pruned = encode(prunedTransaction, tx);
  const kept = (name: string, bytes: Uint8Array): string => (entry[name] === '' ? '' : toHex(bytes));
  return {
    ...entry,
    as_hex: kept('as_hex', blob),
    pruned_as_hex: kept('pruned_as_hex', pruned),
    prunable_as_hex: kept('prunable_as_hex', blob.subarray(pruned.length)),
  };
}

const withLaterVersion = (hex: unknown): string =>
  hex === '' || hex === undefined ? '' : LATER_VERSION + String(hex).slice(LATER_VERSION.length);

/** Returns a fault in which every key image has one state. */
const allImages = (status: number, words: string): Fault => ({
  help: `all key images seem ${words} (1)`,
  ...replies(['/is_key_image_spent'], (answer) => ({
    ...answer,
    spent_status: ((answer['spent_status'] ?? []) as readonly number[]).map(() => status),
  })),
});

const SEND = ['/send_raw_transaction'];
const SENT: Answer = { status: 'OK', reason: '', not_relayed: false, double_spend: false, untrusted: false };
const REFUSED: Answer = { ...SENT, status: 'Failed', reason: 'double spend', double_spend: true };

/** Lies about transactions, key images and sending. */
export const TRANSACTION_LIES = {
  'unknown-pool': {
    help: 'transactions of the pool are sent with a later version (1)',
    ...eachTransaction((entry) =>
      entry['in_pool'] === true
        ? {
            ...entry,
            as_hex: withLaterVersion(entry['as_hex']),
            pruned_as_hex: withLaterVersion(entry['pruned_as_hex']),
          }
        : entry,
    ),
  },
  'mined-pool': {
    help: 'transactions of the pool seem mined, n blocks deep',
    ...eachTransaction(asMined),
  },
  'lower-mined-height': {
    help: 'transactions seem mined n blocks earlier than they were',
    ...eachTransaction((entry, { value }) =>
      entry['block_height'] === undefined
        ? entry
        : {
            ...entry,
            block_height: Math.max(0, Number(entry['block_height']) - value),
            confirmations: Number(entry['confirmations']) + value,
          },
    ),
  },
  'unmined-transactions': {
    help: 'mined transactions seem to wait in the pool (1)',
    ...eachTransaction(asWaiting),
  },
  'swapped-transaction': {
    help: 'the bytes of transactions are those of others, which pay `address`, if that is given (1)',
    ...eachTransaction(withOtherBytes),
  },
  'missed-transactions': {
    help: 'transactions that are asked for seem unknown (1)',
    ...replies(TRANSACTIONS, (answer) => ({
      ...answer,
      txs: [],
      txs_as_hex: [],
      txs_as_json: [],
      missed_tx: [
        ...((answer['missed_tx'] ?? []) as readonly string[]),
        ...((answer['txs'] ?? []) as readonly Answer[]).map((entry) => entry['tx_hash'] ?? ''),
      ],
    })),
  },
  'all-spent': allImages(1, 'spent in the chain'),
  'all-spent-in-pool': allImages(2, 'spent in the pool'),
  'all-unspent': allImages(0, 'unspent'),
  'forgotten-payment': {
    help: 'sent transactions seem accepted, and are forgotten (1)',
    answers: inEach(SEND, () => SENT),
  },
  'refused-payment': {
    help: 'sent transactions are refused as double spends (1)',
    answers: inEach(SEND, () => REFUSED),
  },
  'refused-and-relayed': {
    help: 'sent transactions are accepted, and seem refused as double spends (1)',
    ...replies(SEND, () => REFUSED),
  },
} satisfies Record<string, Fault>;
