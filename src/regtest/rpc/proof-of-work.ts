import * as z from 'zod';
import { block as blockCodec, blockHashingBlob } from '../../monero/cryptonote/block.js';
import { parseExtra, writeExtra } from '../../monero/cryptonote/extra.js';
import { auxSlots, MAX_AUX_CHAINS, mergeMiningDepth } from '../../monero/cryptonote/merge-mining.js';
import { treeHash } from '../../monero/cryptonote/tree-hash.js';
import type { Block } from '../../monero/cryptonote/types.js';
import { slowHashAsync } from '../../monero/crypto/slow-hash-worker.js';
import type { Hash } from '../../monero/crypto/types.js';
import { height, listOf, params, text, u32 } from '../../http/methods/params.js';
import { fromHex, isHex, toHex } from '../../util/bytes.js';
import { encode } from '../../util/codec.js';
import { yieldToEventLoop } from '../../util/event-loop.js';
import { refuse, defineMethod, type DaemonMethod } from './method.js';
import { replied, toHash } from './shapes.js';
import { assertBlockSize, readBlock } from './mining.js';

/** Last block version whose proof of work is CryptoNight variant 0. Source: cryptonote_config.h. */
const LAST_CRYPTONIGHT = 6;

const MAX_AUX_RESTRICTED = 10;
/** Number of nonces that are tried before the call fails. Source: core_rpc_server.cpp `on_add_aux_pow`. */
const NONCES = 65_536;
const NONCES_RESTRICTED = 16_385;
/** Number of nonces that are tried in one turn of the event loop. */
const NONCES_AT_ONCE = 512;

interface AuxWork {
  readonly id: Hash;
  readonly hash: Hash;
}

const auxEntry = z.object({ id: text.default(''), hash: text.default('') });

/**
 * Finds a nonce for which every merge-mined chain has its own slot in the Merkle tree.
 * @throws RpcError if there is none.
 */
async function findSlots(ids: readonly Hash[], nonces: number): Promise<{ nonce: number; slots: number[] }> {
  for (let nonce = 0; nonce < nonces; nonce++) {
    const slots = auxSlots(ids, nonce);
    if (slots !== undefined) return { nonce, slots };
    if (nonce % NONCES_AT_ONCE === 0) await yieldToEventLoop();
  }
  throw refuse('internal', 'no nonce gives every chain a distinct slot');
}

/** Returns a block with a merge mining tag in the extra field of its miner transaction. */
function commitTo(block: Block, depth: bigint, root: Hash): Block {
  const { fields, complete } = parseExtra(block.minerTx.prefix.extra);
  if (!complete) throw refuse('internal', 'the extra field cannot be read');
  const others = fields.filter(({ type }) => type !== 'mergeMining');
  const extra = writeExtra([...others, { type: 'mergeMining', depth, root }]);
  return { ...block, minerTx: { ...block.minerTx, prefix: { ...block.minerTx.prefix, extra } } };
}

export const proofOfWorkMethods: readonly DaemonMethod[] = [
  defineMethod({
    name: 'calc_pow',
    summary: 'Proof-of-work hash of a hashing blob, for blocks up to version 6.',
    meta: { unrestricted: true, bare: 'hash' },
    params: params({
      major_version: u32.default(0),
      height: height.default(0),
      block_blob: text.default(''),
      seed_hash: text.default(''),
    }),
    source: 'COMMAND_RPC_CALCPOW, on_calcpow',
    async handle({ daemon: { node } }, { major_version, block_blob, seed_hash }) {
      if (!isHex(block_blob)) throw refuse('wrongBlob', 'the blob is not hex');
      const blob = fromHex(block_blob);
      assertBlockSize(node, blob);
      if (seed_hash !== '' && toHash(seed_hash) === undefined)
        throw refuse('wrongParam', 'seed_hash is not 64 hex digits');
      if (major_version > LAST_CRYPTONIGHT)
        throw refuse(
          'internal',
          `blocks of version ${major_version} are hashed in a way that this daemon does not know: it asks for no ` +
            'proof of work',
        );
      return { hash: toHex(await slowHashAsync(blob)) };
    },
  }),

  defineMethod({
    name: 'add_aux_pow',
    summary: 'Makes a block template commit to blocks of other chains.',
    meta: {},
    params: params({ blocktemplate_blob: text.default(''), aux_pow: listOf(auxEntry) }),
    source: 'COMMAND_RPC_ADD_AUX_POW, on_add_aux_pow',
    async handle({ restricted }, { blocktemplate_blob, aux_pow }) {
      if (restricted && aux_pow.length > MAX_AUX_RESTRICTED)
        throw refuse('restricted', `at most ${MAX_AUX_RESTRICTED} chains in restricted mode`);
      if (aux_pow.length === 0) throw refuse('wrongParam', 'aux_pow names no chain');
      if (aux_pow.length > MAX_AUX_CHAINS) throw refuse('internal', `at most ${MAX_AUX_CHAINS} chains`);
      const works = aux_pow.map(({ id, hash }): AuxWork => {
        const work = { id: toHash(id), hash: toHash(hash) };
        if (work.id === undefined || work.hash === undefined)
          throw refuse('wrongParam', 'id and hash have 64 hex digits each');
        return { id: work.id, hash: work.hash };
      });
      const { nonce, slots } = await findSlots(
        works.map(({ id }) => id),
        restricted ? NONCES_RESTRICTED : NONCES,
      );
      const ordered = works
        .map((work, i) => ({ work, slot: slots[i] ?? 0 }))
        .sort((a, b) => a.slot - b.slot)
        .map(({ work }) => work);
      const root = treeHash(ordered.map(({ hash }) => hash));
      const depth = mergeMiningDepth(works.length, nonce);
      if (!isHex(blocktemplate_blob)) throw refuse('wrongParam', 'blocktemplate_blob is not hex');
      const block = commitTo(readBlock(fromHex(blocktemplate_blob)), depth, root);
      return replied({
        blocktemplate_blob: toHex(encode(blockCodec, block)),
        blockhashing_blob: toHex(blockHashingBlob(block)),
        merkle_root: toHex(root),
        merkle_tree_depth: depth,
        aux_pow: ordered.map(({ id, hash }) => ({ id: toHex(id), hash: toHex(hash) })),
      });
    },
  }),
];
