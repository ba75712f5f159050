import { isDeepStrictEqual } from 'node:util';
import type { Hash } from '../../../src/monero/crypto/types.js';
import { block, blockHash, blockHashingBlob, parseBlock } from '../../../src/monero/cryptonote/block.js';
import {
  additionalPublicKeys,
  parseExtra,
  paymentIdOf,
  txPublicKeys,
  writeExtra,
} from '../../../src/monero/cryptonote/extra.js';
import {
  parsePrunedTransaction,
  parseTransaction,
  prunedTransaction,
  transaction,
  transactionHash,
  transactionHashWith,
  transactionWeight,
  txPrefix,
} from '../../../src/monero/cryptonote/transaction.js';
import type { Transaction } from '../../../src/monero/cryptonote/types.js';
import {
  readStorage,
  SectionReader,
  type Section,
  type Value,
} from '../../../src/monero/epee/portable-storage.js';
import { parseBlocksAnswer, parseTxs, type ParsedTxs } from '../../../src/monero/wallet/scan/block-page.js';
import { candidatesIn } from '../../../src/monero/wallet/scan/output-matches.js';
import { equalBytes, fromHex, toHex } from '../../../src/util/bytes.js';
import { CodecError, encode, Reader } from '../../../src/util/codec.js';
import { blocksAnswer } from '../../support/chain/blocks-answer.js';
import type { Target } from '../target.js';
import { chainVectors, readVectors } from '../vectors.js';

const { blocks, transactions } = chainVectors();
const pruned = transactions.map((blob) => encode(prunedTransaction, parseTransaction(blob)));

/**
 * Answers to `/getblocks.bin`, of blocks with transactions that they do not name.
 * @param whole the same transactions as in `withoutProofs`, with their proofs.
 */
export function pagesOf(
  blocks: readonly Uint8Array[],
  whole: readonly Uint8Array[],
  withoutProofs: readonly Uint8Array[],
): Uint8Array[] {
  const outputsOf = (blob: Uint8Array): number => txPrefix.read(new Reader(blob)).outputs.length;
  const indicesOf = (blob: Uint8Array, txs: readonly Uint8Array[]): number[][] => [
    parseBlock(blob).minerTx.prefix.outputs.map((_, i) => i),
    ...txs.map((tx) => Array.from({ length: outputsOf(tx) }, (_, i) => 1000 + i)),
  ];
  const sent = blocks.map((blob) => ({ block: blob, txs: [], outputIndices: indicesOf(blob, []) }));
  const [first] = blocks;
  if (first === undefined) throw new Error('no block');
  const { txHashes: _, ...named } = parseBlock(first);
  // A block that names its transactions, whose hashes the parser does not compute.
  const full = encode(block, {
    ...named,
    txHashes: withoutProofs.map((_, i) => new Uint8Array(32).fill(i) as Hash),
  });
  const place = { startHeight: 4203, currentHeight: 5000 };
  return [
    ...sent.map((one) => blocksAnswer({ ...place, blocks: [one] })),
    blocksAnswer(
      {
        ...place,
        blocks: [{ block: full, txs: withoutProofs, outputIndices: indicesOf(full, withoutProofs) }],
      },
      { pruned: true },
    ),
    blocksAnswer({
      ...place,
      blocks: [{ block: full, txs: whole, outputIndices: indicesOf(full, whole) }],
    }),
    blocksAnswer({ ...place, blocks: [] }, { status: 'BUSY' }),
  ];
}

/** Reads all values of parsed transactions. */
function visit(txs: ParsedTxs): void {
  for (let tx = 0; tx < txs.count; tx++) {
    txs.eachKeyImage(tx, (bytes, at) => {
      if (at + 32 > bytes.length) throw new RangeError('a key image beyond the answer');
    });
    txs.outputCount(tx);
    txs.keysBefore(tx + 1);
    txs.version(tx);
    txs.isCoinbase(tx);
  }
}

/** Reads the blocks of an answer by the codecs. @throws CodecError */
function blocksByCodec(answer: Uint8Array): Hash[] {
  const r = new SectionReader(readStorage(answer));
  return r.sections('blocks').map((entry) => {
    for (const tx of entry.list('txs')) if (tx instanceof Uint8Array) txPrefix.read(new Reader(tx));
    return blockHash(parseBlock(entry.bytes('block')));
  });
}

/**
 * Parses a page by the server's parser in WebAssembly, whose branches V8 does not count, and by the codecs, which guide
 * the mutations. Both must find the same blocks in a page that both accept.
 */
export function runPage(answer: Uint8Array): void {
  let found: Hash[] | undefined;
  let refusal: CodecError | undefined;
  try {
    const parsed = parseBlocksAnswer(answer);
    visit(parsed.txs);
    refusal = parsed.unread?.cause;
    if (parsed.status === 'OK') found = parsed.blocks.map(({ hash }) => hash);
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    refusal = error;
  }
  const expected = blocksByCodec(answer);
  if (refusal !== undefined) throw refusal;
  if (found !== undefined && !isDeepStrictEqual(found.map(toHex), expected.map(toHex)))
    throw new Error('the parser and the codecs read other blocks');
}

/** Throws unless the parser lists the candidates of a transaction that the codecs list. */
function compareCandidates(parsed: ParsedTxs, tx: Transaction): void {
  const found: Readonly<Record<string, unknown>> = { ...parsed.candidates };
  for (const [column, values] of Object.entries(candidatesIn([tx])))
    if (!isDeepStrictEqual(found[column], values)) throw new Error(`the parser lists other ${column}`);
}

/** Parses a transaction, with and without its proofs, by the parser and by the codecs. */
export function runTx(input: Uint8Array): void {
  optional(() => parseTxs([{ hash: new Uint8Array(32) as Hash, blob: input }]));
  optional(() => {
    const tx = parsePrunedTransaction(input);
    if (!equalBytes(encode(prunedTransaction, tx), input))
      throw new Error('a pruned transaction is written otherwise');
    if (tx.rct === undefined) return;
    // Any hash of the proofs gives a hash of the transaction.
    const prunableHash = new Uint8Array(32).fill(1) as Hash;
    const hash = transactionHashWith(
      tx,
      tx.rct.base.type === 0 ? (new Uint8Array(32) as Hash) : prunableHash,
    );
    compareCandidates(parseTxs([{ hash, blob: input, prunableHash }]), tx);
  });
  const tx = parseTransaction(input);
  if (!equalBytes(encode(transaction, tx), input)) throw new Error('a transaction is written otherwise');
  const parsed = parseTxs([{ hash: transactionHash(tx), blob: input }]);
  if (!equalBytes(parsed.blob(0), encode(prunedTransaction, tx)))
    throw new Error('the parser and the codec find other proofs');
  compareCandidates(parsed, tx);
  transactionWeight(tx);
}

export function runBlock(input: Uint8Array): void {
  const value = parseBlock(input);
  blockHashingBlob(value);
  blockHash(value);
  if (!equalBytes(encode(block, value), input)) throw new Error('a block is written otherwise');
}

function visitSection(section: Section, depth = 0): void {
  const r = new SectionReader(section);
  const visitValue = (value: Value): void => {
    if (Array.isArray(value)) for (const item of value as readonly Value[]) visitValue(item);
    else if (typeof value === 'object' && !(value instanceof Uint8Array))
      visitSection(value as Section, depth + 1);
  };
  for (const [name, value] of Object.entries(section)) {
    if (!r.has(name)) throw new Error(`the section lacks ${name}`);
    visitValue(value);
  }
}

/** Calls a reader of a field; a field of another type is refused. */
function optional(read: () => unknown): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
  }
}

const READERS: readonly ((r: SectionReader, name: string) => unknown)[] = [
  (r, name) => r.uint(name),
  (r, name) => r.number(name),
  (r, name) => r.bool(name),
  (r, name) => r.bytes(name),
  (r, name) => r.text(name),
  (r, name) => r.list(name),
  (r, name) => r.section(name),
  (r, name) => r.sections(name),
];

interface StorageVectors {
  readonly valid: readonly { readonly hex: string }[];
  readonly invalid?: readonly { readonly hex: string }[];
}

export const targets: readonly Target[] = [
  {
    name: 'block-page',
    errors: [CodecError],
    modules: [
      'monero/wallet/scan/block-page',
      'monero/epee/portable-storage',
      'monero/cryptonote/block',
      'monero/cryptonote/transaction',
    ],
    words: [
      'blocks',
      'block',
      'txs',
      'blob',
      'pruned',
      'output_indices',
      'indices',
      'status',
      'OK',
      'start_height',
    ],
    prepare: () => ({ seeds: pagesOf(blocks, transactions, pruned), run: runPage }),
  },
  {
    name: 'transaction',
    errors: [CodecError],
    modules: ['monero/cryptonote/transaction', 'monero/ringct/codec', 'monero/ringct/types', 'util/codec'],
    prepare: () => ({
      seeds: [...transactions, ...pruned],
      run: runTx,
    }),
  },
  {
    name: 'block',
    errors: [CodecError],
    modules: ['monero/cryptonote/block'],
    prepare: () => ({
      seeds: blocks,
      run: runBlock,
    }),
  },
  {
    name: 'extra',
    // A transaction's extra is never refused: what cannot be read is left out.
    errors: [],
    modules: ['monero/cryptonote/extra'],
    prepare: () => ({
      seeds: [...transactions, ...pruned].map((blob) => txPrefix.read(new Reader(blob)).extra),
      run(input) {
        const { fields, complete } = parseExtra(input);
        txPublicKeys(fields);
        additionalPublicKeys(fields);
        paymentIdOf(fields);
        if (complete) parseExtra(writeExtra(fields));
      },
    }),
  },
  {
    name: 'portable-storage',
    errors: [CodecError],
    modules: ['monero/epee/portable-storage', 'util/codec'],
    prepare: () => {
      const { valid, invalid = [] } = readVectors<StorageVectors>('epee/portable-storage.json');
      return {
        seeds: [...valid, ...invalid].map(({ hex }) => fromHex(hex)),
        run(input) {
          const section = readStorage(input);
          visitSection(section);
          const r = new SectionReader(section);
          for (const name of Object.keys(section)) for (const read of READERS) optional(() => read(r, name));
        },
      };
    },
  },
];
