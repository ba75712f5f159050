import type { BulletproofPlus, Clsag, RctBase, RctPrunable, EcdhInfo } from '../../monero/ringct/types.js';
import type { PublicKey } from '../../monero/crypto/types.js';
import { toHex } from '../../util/bytes.js';
import type {
  Block,
  CarrotFields,
  OutputTree,
  Transaction,
  TxInput,
  TxOutput,
} from '../../monero/cryptonote/types.js';
import type { Json } from '../../util/json.js';
import { writeWholeJson } from '../../util/json-writer.js';
import { loadCurve } from '../../monero/crypto/curve/load-curve.js';
import { INV_8 } from '../../monero/ringct/clsag.js';

const hexes = (list: readonly Uint8Array[]): string[] => list.map(toHex);

/** Returns the JSON of a Bulletproof+ proof, without its commitments. */
const proofJson = ({ A, A1, B, r1, s1, d1, L, R }: BulletproofPlus) => ({
  A: toHex(A),
  A1: toHex(A1),
  B: toHex(B),
  r1: toHex(r1),
  s1: toHex(s1),
  d1: toHex(d1),
  L: hexes(L),
  R: hexes(R),
});

const clsagJson = ({ s, c1, D }: Clsag) => ({ s: hexes(s), c1: toHex(c1), D: toHex(D) });

const inputJson = (input: TxInput): Json =>
  input.type === 'gen'
    ? { gen: { height: input.height } }
    : { key: { amount: input.amount, key_offsets: input.keyOffsets, k_image: toHex(input.keyImage) } };

const outputJson = ({ amount, publicKey, viewTag, carrot }: TxOutput): Json => {
  if (carrot !== undefined) return { amount, target: { carrot_v1: carrotJson(publicKey, carrot) } };
  return {
    amount,
    target:
      viewTag === undefined
        ? { key: toHex(publicKey) }
        : { tagged_key: { key: toHex(publicKey), view_tag: viewTag.toString(16).padStart(2, '0') } },
  };
};

/** Returns the JSON of an output in the form of the fork. Source: `stage` cryptonote_basic.h `txout_to_carrot_v1`. */
const carrotJson = (key: PublicKey, { viewTag, encryptedAnchor }: CarrotFields) => ({
  key: toHex(key),
  view_tag: toHex(viewTag),
  encrypted_janus_anchor: toHex(encryptedAnchor),
});

/** Returns the base part of RingCT signatures as JSON. Source: rctTypes.h `serialize_rctsig_base`. */
const baseJson = ({ type, fee, ecdhInfo, outPk }: RctBase): Json =>
  type === 0
    ? { type }
    : {
        type,
        txnFee: fee,
        ecdhInfo: ecdhInfo.map(({ amount }) => ({ amount: toHex(amount) })),
        outPk: hexes(outPk),
      };

/** Returns the prunable part of RingCT signatures as JSON. Source: rctTypes.h `serialize_rctsig_prunable`. */
const prunableJson = ({ bulletproofsPlus, clsags, fcmp, pseudoOuts }: RctPrunable): Json => ({
  nbp: bulletproofsPlus.length,
  bpp: bulletproofsPlus.map(proofJson),
  ...(fcmp === undefined
    ? { CLSAGs: clsags.map(clsagJson) }
    : { reference_block: fcmp.referenceBlock, n_tree_layers: fcmp.layers, fcmp_pp: toHex(fcmp.proof) }),
  pseudoOuts: hexes(pseudoOuts),
});

const txJson = ({ prefix, rct, signatures }: Transaction): Json => ({
  version: prefix.version,
  unlock_time: prefix.unlockTime,
  vin: prefix.inputs.map(inputJson),
  vout: prefix.outputs.map(outputJson),
  extra: [...prefix.extra],
  ...(rct === undefined
    ? { signatures: (signatures ?? []).flatMap((ring) => (ring.length === 0 ? [] : [hexes(ring)])) }
    : { rct_signatures: baseJson(rct.base) }),
  ...(rct?.prunable === undefined ? {} : { rctsig_prunable: prunableJson(rct.prunable) }),
});

/** Returns the field `as_json` of a transaction, which may be pruned. */
export const txText = (tx: Transaction): string => writeWholeJson(txJson(tx));

/** Returns the field `json` of a block. */
export const blockText = ({ header, minerTx, txHashes, tree }: Block): string =>
  writeWholeJson({
    major_version: header.majorVersion,
    minor_version: header.minorVersion,
    timestamp: header.timestamp,
    prev_id: toHex(header.prevHash),
    nonce: header.nonce,
    miner_tx: txJson(minerTx),
    tx_hashes: hexes(txHashes),
    ...treeJson(tree),
  });

/** Returns the JSON of the tree of outputs; no fields in a block before the next fork. Source: `stage` cryptonote_basic.h `block`. */
export const treeJson = (tree: OutputTree | undefined) =>
  tree && { fcmp_pp_n_tree_layers: tree.layers, fcmp_pp_tree_root: toHex(tree.root) };

/* JSON in published ZeroMQ messages, whose field names differ from those of `as_json`. */

/** Returns the JSON of an input. Source: json_object.cpp `toJsonValue`, `txin_v`. */
const fullInput = (input: TxInput): Json =>
  input.type === 'gen'
    ? { gen: { height: input.height } }
    : {
        to_key: { amount: input.amount, key_offsets: input.keyOffsets, key_image: toHex(input.keyImage) },
      };

/** Returns the JSON of an output. Source: json_object.cpp `toJsonValue`, `tx_out`. */
const fullOutput = ({ amount, publicKey, viewTag, carrot }: TxOutput): Json => {
  if (carrot !== undefined) return { amount, to_carrot_v1: carrotJson(publicKey, carrot) };
  return viewTag === undefined
    ? { amount, to_key: { key: toHex(publicKey) } }
    : { amount, to_tagged_key: { key: toHex(publicKey), view_tag: toHex(Uint8Array.of(viewTag)) } };
};

const KEY_BYTES = 32;

/** Returns the JSON of an encrypted amount; a short amount is padded to 32 bytes. */
const ecdhJson = ({ mask, amount }: EcdhInfo): Json => ({
  mask: toHex(mask ?? new Uint8Array(KEY_BYTES)),
  amount: toHex(amount).padEnd(2 * KEY_BYTES, '0'),
});

/**
 * Returns the JSON of the prunable part, for the RingCT types that regtest allows; as in the reference, without
 * membership proofs. Source: json_object.cpp
 * `toJsonValue`, `rctSig`.
 */
function fullPrunable({ outPk }: RctBase, prunable: RctPrunable): Json {
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
    ...(prunable === undefined ? {} : { prunable: fullPrunable(base, prunable) }),
  };
}

/** Returns the JSON of a transaction of version 2. Source: json_object.cpp `toJsonValue`, `transaction`. */
export const fullTransaction = ({ prefix, rct }: Transaction): Json => ({
  version: prefix.version,
  unlock_time: prefix.unlockTime,
  inputs: prefix.inputs.map(fullInput),
  outputs: prefix.outputs.map(fullOutput),
  extra: toHex(prefix.extra),
  signatures: [],
  ...(rct === undefined ? {} : { ringct: rctJson(rct) }),
});

/** Returns the JSON of a block. Source: json_object.cpp `toJsonValue`, `block`. */
export const fullBlock = ({ header, minerTx, txHashes, tree }: Block): Json => ({
  major_version: header.majorVersion,
  minor_version: header.minorVersion,
  timestamp: header.timestamp,
  prev_id: toHex(header.prevHash),
  nonce: header.nonce,
  miner_tx: fullTransaction(minerTx),
  tx_hashes: hexes(txHashes),
  ...treeJson(tree),
});
