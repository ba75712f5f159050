import type { Hash, PublicKey } from '../../../src/monero/crypto/types.js';
import { block as blockCodec } from '../../../src/monero/cryptonote/block.js';
import { writeExtra } from '../../../src/monero/cryptonote/extra.js';
import { parseBlocksAnswer, parseTxs, type ParsedTxs } from '../../../src/monero/wallet/scan/block-page.js';
import { amount } from '../../../src/util/amount.js';
import { concatBytes } from '../../../src/util/bytes.js';
import { encode } from '../../../src/util/codec.js';
import { blocksAnswer } from './blocks-answer.js';
import { unprovenTx } from './loose-tx.js';
import { pointsFrom, strayOutputs, type RewardOutput } from './coinbase.js';

/* Transactions with as many keys and outputs as consensus or relay rules allow. */

const noHash = new Uint8Array(32) as Hash;

export const extraOf = (keys: readonly PublicKey[]): Uint8Array =>
  concatBytes(...keys.map((key) => writeExtra([{ type: 'publicKey', key }])));

/** Repeats a transaction. */
export function repeatedTx(times: number, outputs: number, keys: number): ParsedTxs {
  const tx = unprovenTx(noHash, {
    unlockTime: 0n,
    inputs: [],
    outputs: strayOutputs(7n, outputs).map((output) => ({ ...output, amount: amount(0n) })),
    extra: extraOf(pointsFrom(3n, keys)),
  });
  return parseTxs(Array.from({ length: times }, () => tx));
}

/** Answer with blocks that contain only a miner transaction each. */
export const minedAnswer = (blocks: readonly Uint8Array[], outputs: number): Uint8Array =>
  blocksAnswer({
    startHeight: 0,
    currentHeight: blocks.length,
    blocks: blocks.map((block) => ({
      block,
      txs: [],
      outputIndices: [Array.from({ length: outputs }, (_, i) => i)],
    })),
  });

/** Byte offset of the previous hash in the encoding of these blocks. */
const PREVIOUS_AT = 7;

/** Consecutive blocks with the same miner transaction. @param extra its extra field. */
export function minedBlocks(
  count: number,
  outputs: readonly RewardOutput[],
  extra: Uint8Array,
): Uint8Array[] {
  const first = encode(blockCodec, {
    header: { majorVersion: 16, minorVersion: 16, timestamp: 1_700_000_000, prevHash: noHash, nonce: 0 },
    minerTx: {
      prefix: {
        version: 2,
        unlockTime: 60n,
        inputs: [{ type: 'gen', height: 0 }],
        outputs: outputs.map((output) => ({ ...output, amount: amount(5n) })),
        extra,
      },
      rct: { base: { type: 0, fee: amount(0n), pseudoOuts: [], ecdhInfo: [], outPk: [] } },
    },
    txHashes: [],
  });
  const blocks = [first];
  while (blocks.length < count) {
    const [before] = parseBlocksAnswer(minedAnswer(blocks.slice(-1), outputs.length)).blocks;
    const block = Uint8Array.from(first);
    block.set(before?.hash ?? noHash, PREVIOUS_AT);
    blocks.push(block);
  }
  return blocks;
}
