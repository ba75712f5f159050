import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { keccak } from '../../../../src/monero/crypto/keccak.js';
import type { Hash, PublicKey } from '../../../../src/monero/crypto/types.js';
import { block, blockHash } from '../../../../src/monero/cryptonote/block.js';
import {
  additionalPublicKeys,
  parseExtra,
  txPublicKeys,
  writeExtra,
} from '../../../../src/monero/cryptonote/extra.js';
import {
  isCoinbase,
  parseTransaction,
  prunedTransaction,
  transactionHash,
  txPrefix,
} from '../../../../src/monero/cryptonote/transaction.js';
import type { TxPrefix } from '../../../../src/monero/cryptonote/types.js';
import { parseTxs, type RawTx, type ParsedTxs } from '../../../../src/monero/wallet/scan/block-page.js';
import { NO_VIEW_TAG } from '../../../../src/monero/kernel/kernel.js';
import { candidatesIn, type Candidates } from '../../../../src/monero/wallet/scan/output-matches.js';
import { concatBytes, fromHex, toHex } from '../../../../src/util/bytes.js';
import { CodecError, decode, encode, Reader } from '../../../../src/util/codec.js';
import { blocksAnswer, type SentBlock } from '../../../support/chain/blocks-answer.js';
import { mutatedBytes } from '../../../support/values/mutations.js';
import { parseWholePage } from '../../../support/network/whole-page.js';
import { readVectors } from '../../ringct/vectors.js';
import { randomRuns } from '../../../support/fakes/random-runs.js';

/* The parser in WebAssembly and the codecs in TypeScript accept the same blocks and read the same values. */

/** Values of a transaction that a scan reads. */
interface Read {
  readonly version: number;
  readonly reward: boolean;
  readonly images: readonly string[];
  readonly mainKeys: readonly string[];
  /** One for each of the first outputs. */
  readonly otherKeys: readonly string[];
  /** Key and view tag. */
  readonly outputs: readonly (readonly [string, number | undefined])[];
}

function byCodec(prefix: TxPrefix): Read {
  const { version, inputs, outputs, extra } = prefix;
  const { fields } = parseExtra(extra);
  const mainKeys = outputs.length === 0 ? [] : txPublicKeys(fields).map(toHex);
  return {
    version,
    reward: isCoinbase({ prefix }),
    images: inputs.flatMap((input) => (input.type === 'key' ? [toHex(input.keyImage)] : [])),
    mainKeys,
    otherKeys: mainKeys.length === 0 ? [] : additionalPublicKeys(fields).slice(0, outputs.length).map(toHex),
    outputs: outputs.map(({ publicKey, viewTag }) => [toHex(publicKey), viewTag]),
  };
}

function byParser(txs: ParsedTxs, tx: number): Read {
  const images: string[] = [];
  txs.eachKeyImage(tx, (bytes, at) => images.push(toHex(bytes.slice(at, at + 32))));
  const { firstOutputs, keys, mainKeys, outputs, viewTags } = txs.candidates;
  const hexAt = (list: Uint8Array, n: number): string => toHex(list.subarray(32 * n, 32 * n + 32));
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
      const tag = viewTags[output];
      return [hexAt(outputs, output), tag === NO_VIEW_TAG ? undefined : tag];
    }),
  };
}

/** Runs a parser on input that it may refuse. @returns undefined if the input is refused. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    expect(error).toBeInstanceOf(CodecError);
    expect((error as Error).message).not.toContain('differs from its hash');
    return undefined;
  }
}

interface Blob {
  readonly hash: string;
  readonly note: string;
  readonly blob: string;
}
const regtest = readVectors<{
  readonly blocks: readonly { readonly height: number; readonly blob: string }[];
  readonly transactions: readonly Blob[];
}>('regtest.json');
const mainnet = readVectors<{ readonly transactions: readonly Blob[] }>('mainnet.json');
const real = [...regtest.transactions, ...mainnet.transactions].map(({ note, blob }) => ({
  note,
  pruned: encode(prunedTransaction, parseTransaction(fromHex(blob))),
}));

/** Reads a pruned transaction, like the parser. */
const prefixOf = (blob: Uint8Array): TxPrefix => decode(prunedTransaction, blob).prefix;

/** Selects the columns that a scan reads. */
const candidatesOf = ({ candidates }: ParsedTxs): Candidates => {
  const { firstOutputs, outputs, outputIndices, viewTags, firstKeys, mainKeys, keys } = candidates;
  return { firstOutputs, outputs, outputIndices, viewTags, firstKeys, mainKeys, keys };
};

const PRUNABLE_HASH = keccak(Uint8Array.of(5));

/** The transaction with its hash, computed of its parts; one that cannot be read gets another hash. */
function withHash(blob: Uint8Array): RawTx {
  const reader = new Reader(blob);
  const isRead = attempt(() => txPrefix.read(reader)) !== undefined;
  const [prefix, rest] = [blob.subarray(0, reader.offset), blob.subarray(reader.offset)];
  const isUnsigned = rest.length === 1 && rest[0] === 0;
  const hash = keccak(keccak(prefix), keccak(rest), isUnsigned ? new Uint8Array(32) : PRUNABLE_HASH);
  return { hash: isRead ? hash : PRUNABLE_HASH, blob, prunableHash: PRUNABLE_HASH };
}

const parseOne = (blob: Uint8Array): ParsedTxs => parseTxs([withHash(blob)]);

describe('a transaction of mainnet or of a regtest chain', () => {
  test.each(real)('with $note is read alike', ({ pruned }) => {
    expect(byParser(parseOne(pruned), 0)).toEqual(byCodec(prefixOf(pruned)));
  });

  it('has the same candidates for a scan, also beside others', () => {
    const prefixes = real.map(({ pruned }) => ({ prefix: prefixOf(pruned) }));
    const parsed = parseTxs(real.map(({ pruned }) => withHash(pruned)));
    expect(candidatesOf(parsed)).toEqual(candidatesIn(prefixes));
  });

  test.each(real)('with $note, when changed, is refused by both or read alike by both', ({ pruned }) => {
    let refused = 0;
    fc.assert(
      fc.property(mutatedBytes(pruned), (blob) => {
        const parsed = attempt(() => byParser(parseOne(blob), 0));
        expect(parsed).toEqual(attempt(() => byCodec(prefixOf(blob))));
        if (parsed === undefined) refused++;
      }),
      { numRuns: randomRuns(800) },
    );
    expect(refused).toBeGreaterThan(randomRuns(800) / 5);
  });
});

describe('the extra of a transaction', () => {
  const key = (byte: number): PublicKey => new Uint8Array(32).fill(byte) as PublicKey;
  const whole = concatBytes(
    writeExtra([{ type: 'mergeMining', depth: 2n ** 60n, root: key(9) as Uint8Array as Hash }]),
    writeExtra([{ type: 'publicKey', key: key(1) }]),
    writeExtra([{ type: 'nonce', nonce: new Uint8Array(9).fill(1) }]),
    writeExtra([{ type: 'additionalKeys', keys: [key(2), key(3), key(4)] }]),
    writeExtra([{ type: 'minergate', data: new Uint8Array(200) }]),
    writeExtra([{ type: 'publicKey', key: key(5) }]),
  );
  const [{ pruned } = { pruned: new Uint8Array() }] = real;
  /** The part behind the prefix. */
  const base = pruned.subarray(encode(txPrefix, prefixOf(pruned)).length);
  const withExtra = (extra: Uint8Array): TxPrefix => ({ ...prefixOf(pruned), extra });

  it('is read up to the same field by both, whatever is changed', () => {
    let fewer = 0;
    const all = byCodec(withExtra(whole));
    expect([all.mainKeys, all.otherKeys].map(({ length }) => length)).toEqual([2, 3]);
    fc.assert(
      fc.property(mutatedBytes(whole), (extra) => {
        const prefix = withExtra(extra);
        const expected = byCodec(prefix);
        const parsed = parseOne(concatBytes(encode(txPrefix, prefix), base));
        expect(byParser(parsed, 0)).toEqual(expected);
        expect(candidatesOf(parsed)).toEqual(candidatesIn([{ prefix }]));
        if (expected.mainKeys.length < 2) fewer++;
      }),
      { numRuns: randomRuns(4000) },
    );
    expect(fewer).toBeGreaterThan(0.4 * randomRuns(4000));
  });
});

describe('a page of real blocks', () => {
  /** A block with other real transactions in the place of its own. */
  const page = ({ blob }: { readonly blob: string }): SentBlock => {
    const value = decode(block, fromHex(blob));
    const txs = value.txHashes.map((_, i) => real[i % real.length]?.pruned ?? new Uint8Array());
    return {
      block: fromHex(blob),
      txs,
      outputIndices: [value.minerTx.prefix, ...txs.map(prefixOf)].map(({ outputs }) =>
        outputs.map((_, i) => i),
      ),
    };
  };

  /** Reads with the codecs. @returns hashes, and the values that a scan reads. */
  function built(sent: SentBlock): unknown {
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
  function parsed(sent: SentBlock): unknown {
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

  test.each(regtest.blocks)('at height $height is read alike', (of) => {
    expect(parsed(page(of))).toEqual(built(page(of)));
  });

  test.each(regtest.blocks)(
    'at height $height, when changed, is refused by both or read alike by both',
    (of) => {
      const whole = page(of);
      let accepted = 0;
      let refused = 0;
      const changed = fc.oneof(
        mutatedBytes(whole.block).map((changedBlock) => ({ ...whole, block: changedBlock })),
        ...whole.txs
          .slice(0, 1)
          .map((tx) =>
            mutatedBytes(tx).map((changedTx) => ({ ...whole, txs: [changedTx, ...whole.txs.slice(1)] })),
          ),
      );
      fc.assert(
        fc.property(changed, (sent) => {
          const read = attempt(() => parsed(sent));
          expect(read).toEqual(attempt(() => built(sent)));
          if (read === undefined) refused++;
          else accepted++;
        }),
        { numRuns: randomRuns(800) },
      );
      expect(Math.min(accepted, refused)).toBeGreaterThan(randomRuns(800) / 20);
    },
  );
});
