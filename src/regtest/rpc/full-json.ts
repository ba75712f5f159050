import { loadCurve } from '../../monero/crypto/curve/load-curve.js';
import type { Block, Transaction, TxInput, TxOutput } from '../../monero/cryptonote/types.js';
import { INV_8 } from '../../monero/ringct/clsag.js';
import type { EcdhInfo, RctBase, RctPrunable } from '../../monero/ringct/types.js';
import { toHex } from '../../util/bytes.js';
import type { Json } from '../../util/json.js';
import { clsagJson, hexes, proofJson } from './rct-json.js';

/**
 * JSON of blocks and transactions in published ZeroMQ messages. Its field names differ from those of `as_json` in
 * tx-json.ts.
 */

/** Returns the JSON of an input. Source: json_object.cpp `toJsonValue`, `txin_v`. */
const inputJson = (input: TxInput): Json =>
  input.type === 'gen'
    ? { gen: { height: input.height } }
    : {
        to_key: { amount: input.amount, key_offsets: input.keyOffsets, key_image: toHex(input.keyImage) },
      };

/** Returns the JSON of an output. Source: json_object.cpp `toJsonValue`, `tx_out`. */
const outputJson = ({ amount, publicKey, viewTag }: TxOutput): Json =>
  viewTag === undefined
    ? { amount, to_key: { key: toHex(publicKey) } }
    : { amount, to_tagged_key: { key: toHex(publicKey), view_tag: toHex(Uint8Array.of(viewTag)) } };

const KEY_BYTES = 32;

/** Returns the JSON of an encrypted amount; a short one is padded to 32 bytes. */
const ecdhJson = ({ mask, amount }: EcdhInfo): Json => ({
  mask: toHex(mask ?? new Uint8Array(KEY_BYTES)),
  amount: toHex(amount).padEnd(2 * KEY_BYTES, '0'),
});

/**
 * Returns the JSON of the prunable part, for the RingCT types that regtest allows. Source: json_object.cpp
 * `toJsonValue`, `rctSig`.
 */
function prunableJson({ outPk }: RctBase, prunable: RctPrunable): Json {
  return {
    range_proofs: [],
    bulletproofs: [],
    bulletproofs_plus: prunable.bulletproofsPlus.map((proof) => ({
      V: hexes(loadCurve().multiplyEach(outPk, INV_8)),
      ...proofJson(proof),
    })),
    mlsags: [],
    clsags: prunable.clsags.map(clsagJson),
    pseudo_outs: hexes(prunable.pseudoOuts),
  };
}

function rctJson({ base, prunable }: NonNullable<Transaction['rct']>): Json {
  if (base.type === 0) return { type: base.type };
  return {
    type: base.type,
    encrypted: base.ecdhInfo.map(ecdhJson),
    commitments: hexes(base.outPk),
    fee: base.fee,
    ...(prunable === undefined ? {} : { prunable: prunableJson(base, prunable) }),
  };
}

/** Returns the JSON of a transaction of version 2. Source: json_object.cpp `toJsonValue`, `transaction`. */
export const fullTransaction = ({ prefix, rct }: Transaction): Json => ({
  version: prefix.version,
  unlock_time: prefix.unlockTime,
  inputs: prefix.inputs.map(inputJson),
  outputs: prefix.outputs.map(outputJson),
  extra: toHex(prefix.extra),
  signatures: [],
  ...(rct === undefined ? {} : { ringct: rctJson(rct) }),
});

/** Returns the JSON of a block. Source: json_object.cpp `toJsonValue`, `block`. */
export const fullBlock = ({ header, minerTx, txHashes }: Block): Json => ({
  major_version: header.majorVersion,
  minor_version: header.minorVersion,
  timestamp: header.timestamp,
  prev_id: toHex(header.prevHash),
  nonce: header.nonce,
  miner_tx: fullTransaction(minerTx),
  tx_hashes: hexes(txHashes),
});
