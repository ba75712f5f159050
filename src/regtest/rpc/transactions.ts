import {
  parsePrunedTransaction,
  parseTransaction,
  prunableHash,
  prunedTransaction,
} from '../../monero/cryptonote/transaction.js';
import type { Hash, KeyImage } from '../../monero/crypto/types.js';
import { flag, listOf, params, text } from '../../http/methods/params.js';
import { concatBytes, fromHex, isHex, toHex } from '../../util/bytes.js';
import { encode } from '../../util/codec.js';
import type { Node } from '../chain/node.js';
import { looksSane, Violation, type TxFlag } from '../rules/tx-rules.js';
import type { PoolTx } from '../store/pool.js';
import { defineMethod, type DaemonMethod } from './method.js';
import { accessed, toHash } from './shapes.js';
import { txText } from './tx-json.js';

const MAX_RESTRICTED_TXS = 100;
const MAX_RESTRICTED_IMAGES = 5000;
const UNSPENT = 0;
const SPENT_IN_CHAIN = 1;
const SPENT_IN_POOL = 2;

/** A transaction of the chain or of the pool, as its pruned part and its prunable part. */
interface Found {
  readonly hash: Hash;
  readonly pruned: Uint8Array;
  readonly prunable: Uint8Array;
  readonly prunableHash: Hash;
  readonly mined?: { readonly id: number; readonly height: number };
  readonly waiting?: PoolTx;
}

function findTx({ store }: Node, hash: Hash, restricted: boolean): Found | undefined {
  const mined = store.transactions.get(hash);
  if (mined !== undefined) return { ...mined, mined };
  const waiting = store.pool.get(hash);
  if (waiting === undefined || (restricted && !waiting.relayed)) return undefined;
  const tx = parseTransaction(waiting.blob);
  const pruned = encode(prunedTransaction, tx);
  return {
    hash,
    pruned,
    prunable: waiting.blob.subarray(pruned.length),
    prunableHash: prunableHash(tx),
    waiting,
  };
}

interface Shape {
  readonly decode: boolean;
  readonly prune: boolean;
  readonly split: boolean;
}

function entryShape(node: Node, found: Found, { decode, prune, split }: Shape) {
  const { hash, pruned, prunable, mined, waiting } = found;
  const whole = concatBytes(pruned, prunable);
  const halves = prune || split;
  const json = (): string =>
    prune ? txText(parsePrunedTransaction(pruned)) : txText(parseTransaction(whole));
  // A miner transaction has no prunable part. As in older releases its pruned part is always sent.
  const showPruned = halves || prunable.length === 0;
  return {
    tx_hash: toHex(hash),
    as_hex: halves ? '' : toHex(whole),
    pruned_as_hex: showPruned ? toHex(pruned) : '',
    prunable_as_hex: split && !prune ? toHex(prunable) : '',
    prunable_hash: toHex(found.prunableHash),
    as_json: decode ? json() : '',
    in_pool: waiting !== undefined,
    double_spend_seen: waiting?.doubleSpendSeen ?? false,
    ...(mined === undefined
      ? { relayed: waiting?.relayed ?? false, received_timestamp: waiting?.receiveTime ?? 0 }
      : {
          block_height: mined.height,
          confirmations: node.chain.height - mined.height,
          block_timestamp: node.store.blocks.at(mined.height)?.timestamp ?? 0,
          output_indices: node.store.outputs.indicesOf(mined.id),
          ...(node.chain.forks.hasNextFork ? { unified_ids: node.store.outputs.unifiedIdsOf(mined.id) } : {}),
        }),
  };
}

/**
 * Flag, field name and text of each reason for a refusal, in the order of the reference. Source: core_rpc_server.cpp
 * `on_send_raw_tx`.
 */
const REASONS: readonly (readonly [TxFlag, string, string])[] = [
  ['lowMixin', 'low_mixin', 'bad ring size'],
  ['doubleSpend', 'double_spend', 'double spend'],
  ['invalidInput', 'invalid_input', 'invalid input'],
  ['invalidOutput', 'invalid_output', 'invalid output'],
  ['tooBig', 'too_big', 'too big'],
  ['overspend', 'overspend', 'overspend'],
  ['feeTooLow', 'fee_too_low', 'fee too low'],
  ['tooFewOutputs', 'too_few_outputs', 'too few outputs'],
  ['extraTooBig', 'tx_extra_too_big', 'tx-extra too big'],
  ['nonzeroUnlockTime', 'nonzero_unlock_time', 'tx unlock time is not zero'],
];

interface Outcome {
  readonly status: string;
  readonly reason?: string;
  readonly flags?: readonly TxFlag[];
  readonly notRelayed?: boolean;
  readonly insane?: boolean;
}

const sendReply = ({ status, reason = '', flags = [], notRelayed = false, insane = false }: Outcome) =>
  accessed(
    {
      reason,
      not_relayed: notRelayed,
      ...Object.fromEntries(REASONS.map(([flagged, name]) => [name, flags.includes(flagged)])),
      sanity_check_failed: insane,
    },
    status,
  );

async function send(node: Node, hex: string, doNotRelay: boolean, check: boolean): Promise<Outcome> {
  if (!isHex(hex)) return { status: 'Failed', reason: 'Hex decoding failed' };
  const blob = fromHex(hex);
  if (check && !looksSane(blob, node.matureOutputs()))
    return { status: 'Failed', reason: 'Sanity check failed', insane: true };
  try {
    const added = await node.submitTransaction(blob, doNotRelay ? 'sender, not to be relayed' : 'sender');
    return added && !doNotRelay
      ? { status: 'OK' }
      : { status: 'OK', reason: 'Not relayed', notRelayed: true };
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    const words = REASONS.flatMap(([flagged, , words]) => (error.flags.includes(flagged) ? [words] : []));
    return { status: 'Failed', reason: words.join(', ') || error.message, flags: error.flags };
  }
}

export const transactionPaths: readonly DaemonMethod[] = [
  defineMethod({
    name: '/get_transactions',
    aliases: ['/gettransactions'],
    summary: 'Transactions of the chain or the pool, by hash.',
    meta: {},
    params: params({
      txs_hashes: listOf(text),
      decode_as_json: flag.default(false),
      prune: flag.default(false),
      split: flag.default(false),
    }),
    source: 'COMMAND_RPC_GET_TRANSACTIONS, on_get_transactions',
    handle({ daemon: { node }, restricted }, { txs_hashes, decode_as_json, prune, split }) {
      if (restricted && txs_hashes.length > MAX_RESTRICTED_TXS)
        return accessed({}, 'Too many transactions requested in restricted mode');
      const hashes = txs_hashes.flatMap((name) => toHash(name) ?? []);
      if (hashes.length < txs_hashes.length)
        return accessed({}, 'Failed to parse hex representation of transaction hash');
      const found = hashes.map((hash) => findTx(node, hash, restricted));
      const txs = found.flatMap((tx) =>
        tx === undefined ? [] : [entryShape(node, tx, { decode: decode_as_json, prune, split })],
      );
      return accessed({
        txs,
        txs_as_hex: txs.map(({ as_hex }) => as_hex),
        txs_as_json: decode_as_json ? txs.map(({ as_json }) => as_json) : [],
        missed_tx: hashes.filter((_, i) => found[i] === undefined).map(toHex),
      });
    },
  }),

  defineMethod({
    name: '/send_raw_transaction',
    aliases: ['/sendrawtransaction'],
    summary: 'Adds a transaction to the pool.',
    meta: {},
    params: params({
      tx_as_hex: text.default(''),
      do_not_relay: flag.default(false),
      do_sanity_checks: flag.default(true),
    }),
    source: 'COMMAND_RPC_SEND_RAW_TX, on_send_raw_tx',
    handle: async ({ daemon: { node } }, { tx_as_hex, do_not_relay, do_sanity_checks }) =>
      sendReply(await send(node, tx_as_hex, do_not_relay, do_sanity_checks)),
  }),

  defineMethod({
    name: '/is_key_image_spent',
    summary: 'Spent status of key images: 0 unspent, 1 spent in the chain, 2 in the pool.',
    meta: {},
    params: params({ key_images: listOf(text) }),
    source: 'COMMAND_RPC_IS_KEY_IMAGE_SPENT, on_is_key_image_spent',
    handle({ daemon: { node }, restricted }, { key_images }) {
      if (restricted && key_images.length > MAX_RESTRICTED_IMAGES)
        return accessed({}, 'Too many key images queried in restricted mode');
      const images = key_images.flatMap((name) => toHash(name) ?? []) as unknown as KeyImage[];
      if (images.length < key_images.length)
        return accessed({}, 'Failed to parse hex representation of key image');
      return accessed({
        spent_status: images.map((image) => {
          if (node.store.keyImages.has(image)) return SPENT_IN_CHAIN;
          return node.store.pool.spendersOf(image).length > 0 ? SPENT_IN_POOL : UNSPENT;
        }),
      });
    },
  }),
];
