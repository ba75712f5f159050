import type { Block, Transaction, TxInput, TxOutput } from '../../monero/cryptonote/types.js';
import type { RctBase, RctPrunable } from '../../monero/ringct/types.js';
import { toHex } from '../../util/bytes.js';
import type { Json } from '../../util/json.js';
import { writeWholeJson } from '../../util/json-writer.js';
import { clsagJson, hexes, proofJson } from './rct-json.js';

const inputJson = (input: TxInput): Json =>
  input.type === 'gen'
    ? { gen: { height: input.height } }
    : { key: { amount: input.amount, key_offsets: input.keyOffsets, k_image: toHex(input.keyImage) } };

const outputJson = ({ amount, publicKey, viewTag }: TxOutput): Json => ({
  amount,
  target:
    viewTag === undefined
      ? { key: toHex(publicKey) }
      : { tagged_key: { key: toHex(publicKey), view_tag: viewTag.toString(16).padStart(2, '0') } },
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
const prunableJson = ({ bulletproofsPlus, clsags, pseudoOuts }: RctPrunable): Json => ({
  nbp: bulletproofsPlus.length,
  bpp: bulletproofsPlus.map(proofJson),
  CLSAGs: clsags.map(clsagJson),
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
export const blockText = ({ header, minerTx, txHashes }: Block): string =>
  writeWholeJson({
    major_version: header.majorVersion,
    minor_version: header.minorVersion,
    timestamp: header.timestamp,
    prev_id: toHex(header.prevHash),
    nonce: header.nonce,
    miner_tx: txJson(minerTx),
    tx_hashes: hexes(txHashes),
  });
