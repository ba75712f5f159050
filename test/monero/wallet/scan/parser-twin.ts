import { expect } from '@jest/globals';
import { keccak } from '../../../../src/monero/crypto/keccak.js';
import { block, blockHash } from '../../../../src/monero/cryptonote/block.js';
import {
  isCoinbase,
  prunedTransaction,
  transactionHash,
  txPrefix,
} from '../../../../src/monero/cryptonote/transaction.js';
import type { TxPrefix } from '../../../../src/monero/cryptonote/types.js';
import { NO_CONTEXT } from '../../../../src/monero/kernel/kernel.js';
import { parseTxs, type ParsedTxs, type RawTx } from '../../../../src/monero/wallet/scan/block-page.js';
import type { Candidates } from '../../../../src/monero/wallet/scan/output-matches.js';
import {
  inputContextOf,
  isCarrotTx,
  scannedKeys,
  scannedTag,
} from '../../../../src/monero/wallet/scan/scanned-keys.js';
import { toHex } from '../../../../src/util/bytes.js';
import { CodecError, decode, Reader } from '../../../../src/util/codec.js';
import { blocksAnswer, type SentBlock } from '../../../support/chain/blocks-answer.js';
import { parseWholePage } from '../../../support/network/whole-page.js';

/* Readings of transactions and blocks by the parser in WebAssembly and by the codecs in TypeScript, for comparisons. */

/** Values of a transaction that a scan reads. */
export interface Read {
  readonly version: number;
  readonly reward: boolean;
  readonly images: readonly string[];
  readonly mainKeys: readonly string[];
  /** One for each of the first outputs. */
  readonly otherKeys: readonly string[];
  /** Key, and view tag as a scan compares it. */
  readonly outputs: readonly (readonly [string, number | undefined])[];
  /** Input context of a transaction in the form of the fork. */
  readonly context: string | undefined;
}

export function byCodec(prefix: TxPrefix): Read {
  const { version, inputs, outputs } = prefix;
  const { main, own } = scannedKeys(prefix);
  const context = inputContextOf(prefix);
  return {
    version,
    reward: isCoinbase({ prefix }),
    images: inputs.flatMap((input) => (input.type === 'key' ? [toHex(input.keyImage)] : [])),
    mainKeys: main.map(toHex),
    otherKeys: own.map(toHex),
    outputs: outputs.map((output) => [toHex(output.publicKey), scannedTag(output, isCarrotTx(prefix))]),
    context: context && toHex(context),
  };
}

export function byParser(txs: ParsedTxs, tx: number): Read {
  const images: string[] = [];
  txs.eachKeyImage(tx, (bytes, at) => images.push(toHex(bytes.slice(at, at + 32))));
  const { firstOutputs, keys, mainKeys, outputs, viewTags, contextOf, contexts } = txs.candidates;
  const hexAt = (list: Uint8Array, n: number): string => toHex(list.subarray(32 * n, 32 * n + 32));
  const context = contextOf[tx] ?? NaN;
  const before = txs.keysBefore(tx);
  const all = Array.from({ length: txs.keysBefore(tx + 1) - before }, (_, i) => hexAt(keys, before + i));
  return {
    version: txs.version(tx),
    reward: txs.isCoinbase(tx),
    images,
    mainKeys: all.slice(0, mainKeys[tx]),
    otherKeys: all.slice(mainKeys[tx]),
    outputs: Array.from({ length: txs.outputCount(tx) }, (_, i) => {
      const output = (firstOutputs[tx] ?? NaN) + i;
      return [hexAt(outputs, output), viewTags[output]];
    }),
    context: context === NO_CONTEXT ? undefined : toHex(contexts.subarray(33 * context, 33 * context + 33)),
  };
}

/** Runs a parser on input that it may refuse. @returns undefined if the input is refused. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    expect(error).toBeInstanceOf(CodecError);
    expect((error as Error).message).not.toContain('differs from its hash');
    return undefined;
  }
}

/** Reads a pruned transaction, like the parser. */
export const prefixOf = (blob: Uint8Array): TxPrefix => decode(prunedTransaction, blob).prefix;

/** Selects the columns that a scan reads. */
export const candidatesOf = ({ candidates }: ParsedTxs): Candidates => {
  const { firstOutputs, outputs, outputIndices, viewTags, firstKeys, mainKeys, keys, contextOf, contexts } =
    candidates;
  return { firstOutputs, outputs, outputIndices, viewTags, firstKeys, mainKeys, keys, contextOf, contexts };
};

const PRUNABLE_HASH = keccak(Uint8Array.of(5));

/** The transaction with its hash, computed of its parts; one that cannot be read gets another hash. */
export function withHash(blob: Uint8Array): RawTx {
  const reader = new Reader(blob);
  const isRead = attempt(() => txPrefix.read(reader)) !== undefined;
  const [prefix, rest] = [blob.subarray(0, reader.offset), blob.subarray(reader.offset)];
  const isUnsigned = rest.length === 1 && rest[0] === 0;
  const hash = keccak(keccak(prefix), keccak(rest), isUnsigned ? new Uint8Array(32) : PRUNABLE_HASH);
  return { hash: isRead ? hash : PRUNABLE_HASH, blob, prunableHash: PRUNABLE_HASH };
}

export const parseOne = (blob: Uint8Array): ParsedTxs => parseTxs([withHash(blob)]);

/** Reads with the codecs. @returns hashes, and the values that a scan reads. */
export function built(sent: SentBlock): unknown {
  const value = decode(block, sent.block);
  const { minerTx } = value;
  if (!isCoinbase(minerTx) || (minerTx.rct?.base.type ?? 0) !== 0)
    throw new CodecError('no miner transaction');
  if (value.txHashes.length !== sent.txs.length) throw new CodecError('lacks transactions');
  const prefixes = [minerTx.prefix, ...sent.txs.map(prefixOf)];
  if (prefixes.some(({ outputs }, i) => outputs.length !== sent.outputIndices[i]?.length))
    throw new CodecError('lacks output indices');
  return {
    hash: toHex(blockHash(value)),
    version: value.header.majorVersion,
    timestamp: value.header.timestamp,
    names: [transactionHash(minerTx), ...value.txHashes].map(toHex),
    txs: prefixes.map(byCodec),
  };
}

/** Reads with the parser. @returns the same as `built`. */
export function parsed(sent: SentBlock): unknown {
  const { blocks, txs } = parseWholePage(
    blocksAnswer({ startHeight: 5, currentHeight: 9, blocks: [sent] }, { pruned: true }),
  );
  const [first] = blocks;
  const all = Array.from({ length: txs.count }, (_, i) => i);
  return {
    hash: first && toHex(first.hash),
    version: first?.version,
    timestamp: first?.timestamp,
    names: all.map((i) => toHex(txs.hash(i))),
    txs: all.map((i) => byParser(txs, i)),
  };
}
