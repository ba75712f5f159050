import { bytesToInt } from '../../../monero/crypto/scalar.js';
import { listOf, none, params, text, u32 } from '../../../http/methods/params.js';
import { concatBytes, toHex } from '../../../util/bytes.js';
import { encode, u64 } from '../../../util/codec.js';
import { refuse } from '../errors.js';
import { defineMethod, type DaemonMethod } from '../method.js';
import { accessed, rawText, replied, toHash } from '../shapes.js';
import { visiblePool } from '../visible-pool.js';

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
