import type { PoolTx } from '../store/pool.js';
import { bytesToInt } from '../../monero/crypto/scalar.js';
import { listOf, none, params, text, u32 } from '../../http/methods/params.js';
import { concatBytes, toHex } from '../../util/bytes.js';
import { encode, u64 } from '../../util/codec.js';
import { refuse, defineMethod, type DaemonMethod, type Context } from './method.js';
import { accessed, rawText, replied, toHash } from './shapes.js';
import { parseTransaction } from '../../monero/cryptonote/transaction.js';
import { median } from '../../util/median.js';
import { txText } from './tx-json.js';

/**
 * Returns the pool transactions in hash order; at a restricted port only relayed transactions. Source: tx_pool.cpp
 * `relay_category`.
 */
export const visiblePool = ({ daemon, restricted }: Context): PoolTx[] =>
  daemon.node.store.pool.byHash().filter(({ relayed }) => relayed || !restricted);

/** Largest number of hashes in an answer. Source: core_rpc_server.cpp `on_get_txids_loose`. */
const MAX_LOOSE = 50_000;
const MAX_LOOSE_RESTRICTED = 5_000;

export const poolMethods: readonly DaemonMethod[] = [
  defineMethod({
    name: 'flush_txpool',
    summary: 'Removes transactions from the pool; all of them without a list.',
    meta: { unrestricted: true },
    params: params({ txids: listOf(text) }),
    source: 'COMMAND_RPC_FLUSH_TRANSACTION_POOL, on_flush_txpool',
    async handle({ daemon: { node } }, { txids }) {
      const hashes = txids.flatMap((name) => toHash(name) ?? []);
      if (txids.length === 0 || hashes.length > 0) await node.flushPool(hashes);
      if (hashes.length === txids.length) return replied({});
      return replied({}, hashes.length === 0 ? 'Failed to parse txid' : 'Failed to parse some of the txids');
    },
  }),

  defineMethod({
    name: 'relay_tx',
    summary: 'Relays pool transactions.',
    meta: { unrestricted: true },
    params: params({ txids: listOf(text) }),
    source: 'COMMAND_RPC_RELAY_TX, on_relay_tx',
    async handle({ daemon: { node } }, { txids }) {
      const problems: string[] = [];
      for (const name of txids) {
        const hash = toHash(name);
        if (hash === undefined) problems.push(`invalid transaction id: ${name.slice(0, 64)}`);
        else if ((await node.relay([hash])).length > 0)
          problems.push(`transaction not found in pool: ${toHex(hash)}`);
      }
      if (problems.length > 0) throw refuse('internal', problems.join(', '));
      return accessed({});
    },
  }),

  defineMethod({
    name: 'get_txpool_backlog',
    summary: 'Weight, fee and age of pool transactions: three 64-bit integers each.',
    meta: {},
    params: none,
    source: 'COMMAND_RPC_GET_TRANSACTION_POOL_BACKLOG, on_get_txpool_backlog',
    handle(context) {
      const now = context.daemon.node.chain.now();
      const records = visiblePool(context).map(({ weight, fee, receiveTime }) => {
        const age = Math.max(0, now - receiveTime);
        return concatBytes(...[BigInt(weight), fee, BigInt(age)].map((value) => encode(u64, value)));
      });
      return accessed({ backlog: records.length === 0 ? undefined : rawText(concatBytes(...records)) });
    },
  }),

  defineMethod({
    name: 'get_txids_loose',
    summary: 'Hashes of transactions whose highest bits, as little-endian integers, match a template.',
    meta: {},
    params: params({ txid_template: text.default(''), num_matching_bits: u32.default(0) }),
    source: 'COMMAND_RPC_GET_TXIDS_LOOSE, on_get_txids_loose',
    handle({ daemon: { node }, restricted }, { txid_template, num_matching_bits: bits }) {
      const template = toHash(txid_template);
      if (template === undefined || bits > 256)
        throw refuse('wrongParam', 'a template of 64 hex digits and at most 256 bits are expected');
      const drop = BigInt(256 - bits);
      const wanted = bytesToInt(template) >> drop;
      if (wanted << drop !== bytesToInt(template))
        throw refuse('wrongParam', 'the template has bits beyond num_matching_bits');
      const most = restricted ? MAX_LOOSE_RESTRICTED : MAX_LOOSE;
      // Hashes of chain transactions, then of pool transactions; each ordered as 256-bit integers.
      const found = [node.store.transactions.hashes(), node.store.pool.hashes()].flatMap((hashes) =>
        hashes
          .map((hash) => ({ hash, value: bytesToInt(hash) }))
          .filter(({ value }) => value >> drop === wanted)
          .sort((a, b) => (a.value < b.value ? -1 : 1))
          .map(({ hash }) => toHex(hash)),
      );
      if (found.length > most) throw refuse('wrongParam', `more than ${most} transactions match`);
      return replied({ txids: found });
    },
  }),
];

const txShape = (tx: PoolTx, restricted: boolean) => ({
  id_hash: toHex(tx.hash),
  tx_json: txText(parseTransaction(tx.blob)),
  blob_size: tx.blob.length,
  weight: tx.weight,
  fee: tx.fee,
  max_used_block_id_hash: toHex(tx.maxUsedHash),
  max_used_block_height: tx.maxUsedHeight,
  kept_by_block: tx.keptByBlock,
  last_failed_height: tx.failedHeight,
  last_failed_id_hash: toHex(tx.failedHash),
  receive_time: restricted ? 0 : tx.receiveTime,
  relayed: tx.relayed,
  last_relayed_time: restricted ? 0 : tx.lastRelayedTime,
  do_not_relay: tx.doNotRelay,
  double_spend_seen: tx.doubleSpendSeen,
  tx_blob: toHex(tx.blob),
});

/** Age above which a pool transaction counts in `num_10m` [s]. */
const TEN_MINUTES = 600;
const BINS = 10;

/**
 * Returns the age histogram of pool transactions. Its bins have equal width, newest first; with 50 or more transactions
 * the oldest 2 % have a bin of their own. Source: tx_pool.cpp `get_transaction_stats`.
 */
function histogramOf(txs: readonly PoolTx[], now: number) {
  if (txs.length < 2) return { histo: [], histo_98pc: 0 };
  const ages = txs
    .map(({ receiveTime, weight }) => ({ age: Math.max(1, now - receiveTime), weight }))
    .sort((a, b) => b.age - a.age);
  const last = Math.floor(txs.length * 0.02);
  const edge = last === 0 ? 0 : (ages[last - 1]?.age ?? 0);
  const bins = last === 0 ? Math.min(txs.length, BINS) : BINS - 1;
  const width = Math.max(1, last === 0 ? (ages[0]?.age ?? 1) : edge);
  const histo = Array.from({ length: last === 0 ? bins : BINS }, () => ({ txs: 0, bytes: 0 }));
  for (const { age, weight } of ages) {
    const bin =
      histo[last > 0 && age >= edge ? bins : Math.min(bins - 1, Math.floor((age * bins - 1) / width))];
    if (bin === undefined) continue;
    bin.txs += 1;
    bin.bytes += weight;
  }
  return { histo, histo_98pc: edge };
}

export const poolPaths: readonly DaemonMethod[] = [
  defineMethod({
    name: '/get_transaction_pool',
    summary: 'All pool transactions.',
    meta: {},
    params: none,
    source: 'COMMAND_RPC_GET_TRANSACTION_POOL, on_get_transaction_pool',
    handle(context) {
      const txs = visiblePool(context);
      const shown = new Set(txs.map(({ hash }) => toHex(hash)));
      const spends = new Map<string, string[]>();
      for (const { keyImage, txHash } of context.daemon.node.store.pool.spends()) {
        if (!shown.has(toHex(txHash))) continue;
        spends.set(toHex(keyImage), [...(spends.get(toHex(keyImage)) ?? []), toHex(txHash)]);
      }
      return accessed({
        transactions: txs.map((tx) => txShape(tx, context.restricted)),
        spent_key_images: [...spends].map(([id_hash, txs_hashes]) => ({ id_hash, txs_hashes })),
      });
    },
  }),

  defineMethod({
    name: '/get_transaction_pool_hashes',
    summary: 'Hashes of the pool transactions.',
    meta: {},
    params: none,
    source: 'COMMAND_RPC_GET_TRANSACTION_POOL_HASHES, on_get_transaction_pool_hashes',
    handle: (context) => accessed({ tx_hashes: visiblePool(context).map(({ hash }) => toHex(hash)) }),
  }),

  defineMethod({
    name: '/get_transaction_pool_hashes.bin',
    summary: 'Hashes of the pool transactions, 32 raw bytes each in one JSON string.',
    meta: {},
    params: none,
    source: 'COMMAND_RPC_GET_TRANSACTION_POOL_HASHES_BIN, on_get_transaction_pool_hashes_bin',
    handle(context) {
      const hashes = visiblePool(context).map(({ hash }) => hash);
      return accessed({ tx_hashes: hashes.length === 0 ? undefined : rawText(concatBytes(...hashes)) });
    },
  }),

  defineMethod({
    name: '/get_transaction_pool_stats',
    summary: 'Statistics of the pool.',
    meta: {},
    params: none,
    source: 'COMMAND_RPC_GET_TRANSACTION_POOL_STATS, on_get_transaction_pool_stats',
    handle(context) {
      const txs = visiblePool(context);
      const now = context.daemon.node.chain.now();
      const weights = txs.map(({ weight }) => weight);
      const times = txs.map(({ receiveTime }) => receiveTime);
      return accessed({
        pool_stats: {
          bytes_total: weights.reduce((total, weight) => total + weight, 0),
          bytes_min: weights.length === 0 ? 0 : Math.min(...weights),
          bytes_max: weights.length === 0 ? 0 : Math.max(...weights),
          bytes_med: median(weights),
          fee_total: txs.reduce((total, { fee }) => total + fee, 0n),
          oldest: times.length === 0 ? 0 : Math.min(...times),
          txs_total: txs.length,
          num_failing: txs.filter(({ failedHeight }) => failedHeight > 0).length,
          num_10m: times.filter((time) => time < now - TEN_MINUTES).length,
          num_not_relayed: txs.filter(({ relayed }) => !relayed).length,
          ...histogramOf(txs, now),
          num_double_spends: txs.filter(({ doubleSpendSeen }) => doubleSpendSeen).length,
        },
      });
    },
  }),
];
