import { describe, expect, it, test } from '@jest/globals';
import { block, blockHash, blockHashingBlob, parseBlock } from '../../../src/monero/cryptonote/block.js';
import {
  additionalPublicKeys,
  parseExtra,
  paymentIdOf,
  txPublicKeys,
} from '../../../src/monero/cryptonote/extra.js';
import { fcmpWeight } from '../../../src/monero/cryptonote/fcmp-weight.js';
import {
  parsePrunedTransaction,
  parseTransaction,
  prunableHash,
  prunedTransaction,
  transaction,
  transactionHash,
  transactionHashWith,
  transactionWeight,
  unprunedSize,
} from '../../../src/monero/cryptonote/transaction.js';
import type { Transaction } from '../../../src/monero/cryptonote/types.js';
import type { Hash } from '../../../src/monero/crypto/types.js';
import { fcmpProofSize, membershipProofSize } from '../../../src/monero/ringct/fcmp-proof-size.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';
import { CodecError, encode } from '../../../src/util/codec.js';
import {
  acceptedOf,
  allBlocks,
  allTxs,
  carrotFormats,
  otherLengths,
  type VectorOutput,
} from './carrot-vectors.js';

const { made, real, proofSizes } = carrotFormats;
const hashOf = (hex: string): Hash => fromHex(hex) as Hash;

/** The fields of the outputs as the vectors have them, without the ephemeral keys. */
const outputsOf = ({ prefix, rct }: Transaction): Omit<VectorOutput, 'key'>[] =>
  prefix.outputs.map(({ amount, publicKey, carrot, viewTag }, i) => {
    expect(viewTag).toBeUndefined();
    const info = rct?.base.ecdhInfo[i];
    const commitment = rct?.base.outPk[i];
    return {
      outputKey: toHex(publicKey),
      viewTag: toHex(carrot?.viewTag ?? new Uint8Array()),
      encryptedAnchor: toHex(carrot?.encryptedAnchor ?? new Uint8Array()),
      ...(commitment === undefined ? { amount: String(amount) } : { commitment: toHex(commitment) }),
      ...(info === undefined ? {} : { encryptedAmount: toHex(info.amount) }),
    };
  });

/** Fields of outputs of a vector without their ephemeral keys. */
const fieldsOf = (outputs: readonly VectorOutput[]): Omit<VectorOutput, 'key'>[] =>
  outputs.map(
    (output) => Object.fromEntries(Object.entries(output).filter(([name]) => name !== 'key')) as VectorOutput,
  );

/** The keys of the transaction that its outputs are tried with. */
function keysOf(tx: Transaction, outputs: number): string[] {
  const { fields } = parseExtra(tx.prefix.extra);
  const [main] = txPublicKeys(fields);
  const own = additionalPublicKeys(fields);
  return Array.from({ length: outputs }, (_, i) => toHex(main ?? own[i] ?? new Uint8Array()));
}

describe('a transaction in the form of the fork', () => {
  test.each(allTxs)('with $note has its hash, fee and key images, and is written back', (vector) => {
    const tx = parsePrunedTransaction(fromHex(vector.pruned));
    expect(toHex(transactionHashWith(tx, hashOf(vector.prunableHash)))).toBe(vector.hash);
    expect(tx.rct?.base.type).toBe(7);
    expect(String(tx.rct?.base.fee)).toBe(vector.fee);
    expect(tx.prefix.inputs).toEqual(
      vector.keyImages.map((image) => ({
        type: 'key',
        amount: 0n,
        keyOffsets: [],
        keyImage: fromHex(image),
      })),
    );
    expect(toHex(encode(prunedTransaction, tx))).toBe(vector.pruned);
  });

  test.each(made.transactions)('as $note has the outputs of the vector', (vector) => {
    const tx = parsePrunedTransaction(fromHex(vector.pruned));
    expect(outputsOf(tx)).toEqual(fieldsOf(vector.outputs));
    expect(keysOf(tx, vector.outputs.length)).toEqual(vector.outputs.map(({ key }) => key));
    const id = paymentIdOf(parseExtra(tx.prefix.extra).fields)?.id;
    expect(id === undefined ? null : toHex(id)).toBe(vector.encryptedPaymentId);
  });

  test.each(allTxs)('with $note is refused with fewer bytes, and with one more', ({ pruned }) => {
    expect(acceptedOf(otherLengths(pruned), parsePrunedTransaction)).toEqual([]);
  });

  test.each(made.transactions)(
    'of $note has a size without its proofs that is short of 7 layers by one byte',
    (v) => {
      // The vectors have heights of four bytes, where the estimate has the five of weights.
      const bytes = fromHex(v.pruned);
      const proofs = unprunedSize(parsePrunedTransaction(bytes), bytes.length) - bytes.length;
      expect(proofs).toBe(v.prunableBytes + 1);
    },
  );
});

describe('a whole transaction of the test network', () => {
  const vector = real.transactions.find(({ prunable }) => prunable !== undefined);
  const whole = fromHex(`${vector?.pruned}${vector?.prunable}`);

  it('has its hash and its proofs, and is written back', () => {
    const tx = parseTransaction(whole);
    expect(toHex(transactionHash(tx))).toBe(vector?.hash);
    expect(toHex(prunableHash(tx))).toBe(vector?.prunableHash);
    expect(tx.rct?.prunable?.fcmp).toMatchObject({
      referenceBlock: vector?.referenceBlock,
      layers: vector?.layers,
    });
    expect(tx.rct?.prunable).toMatchObject({ bulletproofsPlus: [{}], clsags: [], mlsags: [] });
    expect(tx.rct?.prunable?.pseudoOuts).toHaveLength(1);
    expect(encode(transaction, tx)).toEqual(whole);
  });

  it('is refused with fewer bytes, with one more, and with another number of layers', () => {
    expect(acceptedOf(otherLengths(toHex(whole)), parseTransaction)).toEqual([]);
    // The layers precede the proof of 4256 bytes and the pseudo output.
    const at = whole.length - 32 - 4256 - 1;
    expect(whole[at]).toBe(vector?.layers);
    for (const layers of [0, 1, 3, 4, 12, 13, 255]) {
      const changed = Uint8Array.from(whole);
      changed[at] = layers;
      expect(() => parseTransaction(changed)).toThrow(CodecError);
    }
  });
});

describe('a membership proof', () => {
  test.each(proofSizes)('of %i inputs in a tree of %i layers has %i bytes', (inputs, layers, size) => {
    expect(membershipProofSize(inputs, layers)).toBe(size);
    expect(fcmpProofSize(inputs, layers)).toBe(480 * inputs + size);
  });

  // Source: the lengths of the proofs in `stage` tests/data/fcmp_pp_verify_inputs_*in.bin.
  test.each([
    [1, 6688],
    [2, 8064],
    [4, 10688],
    [8, 15808],
    [128, 166080],
  ])('of %i inputs in a tree of 7 layers has the %i bytes of the proof of the reference', (inputs, size) => {
    expect(fcmpProofSize(inputs, 7)).toBe(size);
  });
});

describe('the weight of a transaction of RingCT type 7', () => {
  it('adds up to the weight that a daemon gives a block', () => {
    const ofTxs = real.transactions.map(({ pruned }) =>
      transactionWeight(parsePrunedTransaction(fromHex(pruned))),
    );
    const weights = real.blocks.map(({ blob }) => transactionWeight(parseBlock(fromHex(blob)).minerTx));
    expect(weights[0]).toBe(real.blocks[0]?.weight);
    expect(ofTxs.reduce((total, weight) => total + weight, weights[1] ?? 0)).toBe(real.blocks[1]?.weight);
  });

  it('counts a second byte for the number of inputs and for the size of the extra field from 128 on', () => {
    expect(fcmpWeight(2, 2, 128) - fcmpWeight(2, 2, 127)).toBe(2);
    const proofs = (inputs: number): number => fcmpProofSize(inputs, 7) + 67 * inputs;
    expect(fcmpWeight(128, 2, 0) - fcmpWeight(127, 2, 0)).toBe(proofs(128) - proofs(127) + 1);
  });

  test.each([
    [0, 2, 0],
    [129, 2, 0],
    [1, 1, 0],
    [1, 17, 0],
    [1, 2, 1061],
  ])('exceeds every limit with %i inputs, %i outputs and %i bytes of extra', (inputs, outputs, extra) => {
    expect(fcmpWeight(inputs, outputs, extra)).toBe(Number.MAX_SAFE_INTEGER);
  });
});

describe('a block in the form of the fork', () => {
  test.each(allBlocks)('as $note has its hash, and is written back', (vector) => {
    const value = parseBlock(fromHex(vector.blob));
    expect(toHex(blockHash(value))).toBe(vector.hash);
    expect(toHex(transactionHash(value.minerTx))).toBe(vector.minerTxHash);
    expect(toHex(encode(block, value))).toBe(vector.blob);
  });

  test.each(made.blocks)('as $note has the header, the tree and the outputs of the vector', (vector) => {
    const { header, minerTx, txHashes, tree } = parseBlock(fromHex(vector.blob));
    expect(header).toMatchObject({ majorVersion: vector.version, timestamp: vector.timestamp });
    expect(minerTx.prefix.inputs).toEqual([{ type: 'gen', height: vector.height }]);
    expect(txHashes.map(toHex)).toEqual(vector.txHashes);
    expect({ ...tree, root: toHex(tree?.root ?? new Uint8Array()) }).toEqual({
      layers: vector.layers,
      root: vector.root,
    });
    expect(outputsOf(minerTx)).toEqual(fieldsOf(vector.outputs));
    expect(keysOf(minerTx, vector.outputs.length)).toEqual(vector.outputs.map(({ key }) => key));
  });

  test.each(allBlocks)('as $note is refused with fewer bytes, and with one more', ({ blob }) => {
    expect(acceptedOf(otherLengths(blob), parseBlock)).toEqual([]);
  });

  it('counts its transactions behind the root, without the tree', () => {
    const value = parseBlock(fromHex(made.blocks.at(-1)?.blob ?? ''));
    expect(blockHashingBlob(value).at(-1)).toBe(1 + value.txHashes.length);
  });

  it('is refused with more than 12 layers, and below version 17 with a tree', () => {
    const [first] = made.blocks;
    const bytes = fromHex(first?.blob ?? '');
    const at = bytes.length - 33;
    bytes[at] = 12;
    expect(parseBlock(bytes).tree?.layers).toBe(12);
    bytes[at] = 13;
    expect(() => parseBlock(bytes)).toThrow(CodecError);
    bytes[at] = 12;
    bytes[0] = 17;
    expect(parseBlock(bytes).tree?.layers).toBe(12);
    bytes[0] = 16;
    expect(() => parseBlock(bytes)).toThrow(CodecError);
    expect(parseBlock(bytes.subarray(0, at)).tree).toBeUndefined();
  });

  it('is not written without its tree', () => {
    const { tree: _, ...without } = parseBlock(fromHex(made.blocks[0]?.blob ?? ''));
    expect(() => encode(block, without)).toThrow(RangeError);
    expect(() => blockHash(without)).toThrow(RangeError);
  });
});
