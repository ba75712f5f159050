import { block as blockCodec, blockHashingBlob, treeHash } from '../../monero/cryptonote/block.js';
import { workAlgorithm } from '../../monero/cryptonote/proof-of-work.js';
import { parseExtra, writeExtra } from '../../monero/cryptonote/extra.js';
import type { Block } from '../../monero/cryptonote/types.js';
import type { Hash } from '../../monero/crypto/types.js';
import { height, listOf, params, text, u32 } from '../../http/methods/params.js';
import { fromHex, isHex, toHex } from '../../util/bytes.js';
import { encode } from '../../util/codec.js';
import { yieldToEventLoop } from '../../util/event-loop.js';
import * as z from 'zod';
import { slowHashAsync } from '../../monero/crypto/slow-hash-worker.js';
import { refuse, defineMethod, type DaemonMethod } from './method.js';
import { replied, toHash } from './shapes.js';
import { assertBlockSize, readBlock } from './mining.js';
import { createHash } from 'node:crypto';

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
 * @throws RpcError if there is no such nonce.
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
      if (workAlgorithm(major_version) !== 'cryptonight/0')
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

/** Domain byte in the hash of a slot. Source: cryptonote_config.h `HASH_KEY_MM_SLOT`. */
const SLOT_DOMAIN = 'm'.charCodeAt(0);

/** Largest number of chains that are mined together. Source: merge_mining.cpp `encode_mm_depth`. */
const MAX_AUX_CHAINS = 256;

/**
 * Returns the slot of a chain in the merge mining tree: SHA-256 of its id and the nonce, modulo the number of chains.
 * @param id 32 bytes.
 * @param chains number of chains, ≥ 1. Source: merge_mining.cpp `get_aux_slot`.
 */
export function auxSlot(id: Hash, nonce: number, chains: number): number {
  const input = Buffer.alloc(37, id);
  input.writeUInt32LE(nonce, 32);
  input[36] = SLOT_DOMAIN;
  return createHash('sha256').update(input).digest().readUInt32LE(0) % chains;
}

/** Returns the slots of all chains; undefined if two chains have the same slot. */
export function auxSlots(ids: readonly Hash[], nonce: number): number[] | undefined {
  const slots: number[] = [];
  for (const id of ids) {
    const slot = auxSlot(id, nonce, ids.length);
    if (slots.includes(slot)) return undefined;
    slots.push(slot);
  }
  return slots;
}

/**
 * Encodes the number of chains and the nonce in one integer. From the lowest bit: 3 bits contain a width, width + 1
 * bits contain the number of chains - 1, the other bits the nonce.
 * @param chains from 1 to {@link MAX_AUX_CHAINS}. Source: merge_mining.cpp `encode_mm_depth`.
 */
export function mergeMiningDepth(chains: number, nonce: number): bigint {
  let bits = 1;
  while (1 << bits < chains) bits += 1;
  return BigInt(bits - 1 + (chains - 1) * 2 ** 3) + (BigInt(nonce) << BigInt(3 + bits));
}
